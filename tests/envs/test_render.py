"""`render_mode`: text returned, text written, a picture."""

from __future__ import annotations

import sys
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import RecordVideo, RenderCollection

from pontoon_gym.errors import BadArgument, EpisodeOver
from pontoon_gym.render.picture import size
from tests.envs.helpers import IDS, ROLES, SINGLES, VECTORS, pick


def test_render_modes() -> None:
    assert SINGLES["player"].func.metadata["render_modes"] == ["ansi", "human", "rgb_array"]


@pytest.mark.parametrize("role", ROLES)
def test_ansi_returns_a_text_at_every_step(role: str) -> None:
    env = gymnasium.make(IDS[role], render_mode="ansi", seats=3)
    rng = np.random.default_rng(0)
    for seed in range(5):
        env.reset(seed=seed)
        over = False
        while not over:
            assert isinstance(env.render(), str)
            over = env.step(pick(rng, env.unwrapped.action_masks()))[2]
        assert env.render()


def test_human_writes_at_every_reset_and_step(capsys: pytest.CaptureFixture[str]) -> None:
    env, other = SINGLES["player"](render_mode="human"), SINGLES["player"](render_mode="ansi")
    for act in (lambda e: e.reset(seed=0), lambda e: e.step(5), lambda e: e.step(2)):
        act(env)
        act(other)
        assert capsys.readouterr().out == other.render() + "\n"
    assert env.render() is None


def test_without_a_mode_nothing_is_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    env = SINGLES["player"]()
    env.reset(seed=0)
    assert env.render() is None
    assert capsys.readouterr().out == ""


def test_there_is_nothing_to_draw_before_the_first_reset() -> None:
    for mode in ("ansi", "rgb_array"):
        with pytest.raises(EpisodeOver, match="reset"):
            SINGLES["player"](render_mode=mode).render()


def test_drawing_changes_nothing() -> None:
    drawn, other = SINGLES["player"](render_mode="ansi"), SINGLES["player"]()
    drawn.reset(seed=0)
    other.reset(seed=0)
    drawn.render()
    assert drawn.get_state() == other.get_state()


def test_the_vector_class_draws_each_row_as_its_single_environment_does() -> None:
    rows = VECTORS["player"](3, render_mode="ansi")
    rows.reset(seed=4)
    singles = [SINGLES["player"](render_mode="ansi") for _ in range(3)]
    for i, single in enumerate(singles):
        single.reset(seed=4 + i)
    assert rows.render() == tuple(single.render() for single in singles)
    assert VECTORS["player"](3).render() is None


def test_after_truncation_nothing_is_offered() -> None:
    env = SINGLES["player"](render_mode="ansi")
    env.reset(seed=0)
    for _ in range(100):
        env.step(0)
    assert "round 1" in env.render() and "you may" not in env.render()


# --- drawn pictures ----------------------------------------------------------------------------------------------


def play(env: gymnasium.Env, seeds: range) -> None:
    """Whole episodes at random."""
    rng = np.random.default_rng(0)
    for seed in seeds:
        env.reset(seed=seed)
        over = False
        while not over:
            over = env.step(pick(rng, env.unwrapped.action_masks()))[2]


@pytest.mark.parametrize("role", ROLES)
def test_frames_of_whole_episodes_have_one_size(role: str) -> None:
    env = gymnasium.make(IDS[role], render_mode="rgb_array", seats=4, stake_max=10)
    frames = RenderCollection(env)
    play(frames, range(3))
    width, height = size(env.unwrapped.settings.rules, env.unwrapped.settings.table)
    shown = frames.render()
    assert len(shown) > 1
    assert {(frame.shape, frame.dtype) for frame in shown} == {((height, width, 3), np.dtype(np.uint8))}


@pytest.mark.parametrize("role", ROLES)
def test_gymnasium_finds_no_fault_in_frames(role: str) -> None:
    env = gymnasium.make(IDS[role], render_mode="rgb_array")
    check_env(env.unwrapped)


def test_drawing_frames_changes_nothing() -> None:
    drawn, other = SINGLES["player"](render_mode="rgb_array"), SINGLES["player"]()
    drawn.reset(seed=0)
    other.reset(seed=0)
    drawn.render()
    assert drawn.get_state() == other.get_state()


@pytest.mark.parametrize("role", ROLES)
def test_the_vector_class_draws_frames_as_its_single_environment_does(role: str) -> None:
    rows = VECTORS[role](2, render_mode="rgb_array", seats=3)
    rows.reset(seed=4)
    frames = rows.render()
    assert len(frames) == 2
    for i, frame in enumerate(frames):
        single = SINGLES[role](render_mode="rgb_array", seats=3)
        single.reset(seed=4 + i)
        assert np.array_equal(frame, single.render())


@pytest.mark.filterwarnings("ignore")
def test_a_video_can_be_recorded(tmp_path: Path) -> None:
    pytest.importorskip("moviepy")
    env = gymnasium.make(IDS["player"], render_mode="rgb_array")
    video = RecordVideo(env, str(tmp_path / "videos"), episode_trigger=lambda episode: True, disable_logger=True)
    play(video, range(1))
    video.close()
    assert [path.stat().st_size > 0 for path in tmp_path.glob("videos/*.mp4")] == [True]


@pytest.mark.parametrize("make", [SINGLES["player"], VECTORS["banker"]])
def test_without_pillow_the_error_tells_what_to_install(make: type, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    monkeypatch.delitem(sys.modules, "pontoon_gym.render.picture")
    with pytest.raises(BadArgument, match=r"needs Pillow: pip install '.\[render\]' in a clone") as caught:
        make(render_mode="rgb_array")
    assert "\n" not in str(caught.value)
    make(render_mode="ansi")
