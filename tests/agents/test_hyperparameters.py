"""Settings of learners: what is refused before anything starts."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("sb3_contrib", reason="the extra `train` is not installed")

from agents.algorithms import ALGORITHMS, SETTINGS, learner_class, settings_of
from pontoon_gym.errors import BadArgument


@pytest.mark.parametrize("role", ["player", "banker"])
def test_shipped_settings_are_within_their_limits(role: str) -> None:
    for algorithm in ALGORITHMS:
        assert list(settings_of(algorithm, role, None, {})) == list(learner_class(algorithm).limits)


def test_every_setting_has_a_meaning_and_it_is_told() -> None:
    assert all(limit.meaning for algorithm in ALGORITHMS for limit in learner_class(algorithm).limits.values())
    with pytest.raises(BadArgument, match=r"whole numbers from 1 to 1.04858e\+06 \(rounds played side by side\)"):
        settings_of("dqn", "player", None, {"rows": "0"})


def test_changes_are_coerced() -> None:
    made = settings_of("maskable_ppo", "player", None, {"learning_rate": "1", "hidden": "[8, 8]", "activation": "relu"})
    assert (made["learning_rate"], made["hidden"], made["activation"]) == (1.0, [8, 8], "relu")
    assert settings_of("ppo", "banker", None, {"normalize_advantage": "true"})["normalize_advantage"] is True


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("steps", "0"),
        ("steps", "-1"),
        ("batch_size", "1"),
        ("epochs", "0"),
        ("threads", "0"),
        ("rows", "1.5"),
        ("rows", "true"),
        ("rows", "["),
        ("learning_rate", "nan"),
        ("learning_rate", "-1.0"),
        ("clip_range", "-1.0"),
        ("gae_lambda", "7.0"),
        ("entropy_share", "0"),
        ("hidden", "[]"),
        ("hidden", "[0]"),
        ("hidden", '["a"]'),
        ("hidden", "[999999999999]"),
        ("hidden", "8"),
        ("activation", "step"),
        ("normalize_advantage", "1"),
        ("normalize_advantage", "yes"),
        ("activation", ""),
    ],
)
def test_bad_values_name_the_setting(name: str, text: str) -> None:
    with pytest.raises(BadArgument, match=f"bad setting {name}: got"):
        settings_of("maskable_ppo", "player", None, {name: text})


@pytest.mark.parametrize("text", ['["nothing"]', '["shown", "shown"]', '"shown"', "[1]"])
def test_bad_fields_not_to_be_seen(text: str) -> None:
    with pytest.raises(BadArgument, match=r"bad setting blind: got.*allowed: a list of some of phase, cards"):
        settings_of("dqn", "player", None, {"blind": text})


def test_nothing_need_be_hidden() -> None:
    assert settings_of("dqn", "player", None, {"blind": "[]"})["blind"] == []


@pytest.mark.parametrize("text", ['["cards", "hand"]', '["cards", "cards"]', "[]", '"cards"', "[[]]"])
def test_bad_parts_of_an_infostate(text: str) -> None:
    with pytest.raises(BadArgument, match=r"bad setting parts: got.*allowed: a list of some of phase, cards"):
        settings_of("q_learning", "player", None, {"parts": text})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('player = "x"', "has no table"),
        ("[banker]", "has no table"),
        ("[player]\nrows = 1", "settings that lack steps"),
        ("[player]\nsize = 1", "no such setting: got 'size'"),
        ("[player", "no settings for a player"),
        (f"[player]\nrows = {'1' * 5000}", "no settings for a player"),
        (f"[player]\nx = {'[' * 3000}", "no settings for a player"),
    ],
)
def test_bad_files(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "it.toml").write_text(text)
    with pytest.raises(BadArgument, match=message):
        settings_of("maskable_ppo", "player", str(tmp_path / "it.toml"), {})


def test_settings_saved_by_another_program_are_the_same(tmp_path: Path) -> None:
    text = (SETTINGS / "q_learning.toml").read_text()
    for encoding in ("utf-8-sig", "utf-16"):
        (tmp_path / "it.toml").write_text(text.replace("\n", "\r\n"), encoding=encoding, newline="")
        read = settings_of("q_learning", "player", str(tmp_path / "it.toml"), {})
        assert read == settings_of("q_learning", "player", None, {})


def test_a_number_beyond_any(tmp_path: Path) -> None:
    shipped = (SETTINGS / "maskable_ppo.toml").read_text()
    (tmp_path / "it.toml").write_text(shipped.replace("clip_range = 0.2", f"clip_range = {'1' * 400}"))
    with pytest.raises(BadArgument, match="bad setting clip_range"):
        settings_of("maskable_ppo", "player", str(tmp_path / "it.toml"), {})
