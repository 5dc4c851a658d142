"""`render_mode`: text returned, text written, a picture."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest

from pontoon_gym.errors import EpisodeOver
from tests.envs.helpers import IDS, ROLES, SINGLES, VECTORS, pick


def test_render_modes() -> None:
    assert SINGLES["player"].metadata["render_modes"] == ["ansi", "human"]


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
    with pytest.raises(EpisodeOver, match="reset"):
        SINGLES["player"](render_mode="ansi").render()


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
