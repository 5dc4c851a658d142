"""A run's folder, and which policy a word on the command line stands for."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from agents.commands import any_policy, folder
from agents.network import NetworkPolicy
from agents.runs import Run
from pontoon_gym.errors import BadArgument, UnknownPolicy
from pontoon_gym.rules import Rules, Table
from pontoon_gym.strategy import Strategy

HOME, TABLE = Rules.of("home"), Table()


def network() -> NetworkPolicy:
    return NetworkPolicy("player", HOME, TABLE, [(np.zeros((6, 4), np.float32), np.zeros(6, np.float32))])


def test_a_folder_never_shows_one_run_s_policy_beside_another_s_configuration(tmp_path: Path) -> None:
    run = Run(tmp_path)
    run.write_config(HOME, TABLE, {"command": ["first"]})
    run.save(network())
    Run(tmp_path).write_config(Rules.of("british"), TABLE, {"command": ["second"]})
    assert json.loads((tmp_path / "config.json").read_text())["rules"] == "british"
    assert not (tmp_path / "policy.safetensors").exists()
    assert (tmp_path / "previous-policy.safetensors").exists()


def test_the_log_has_one_head(tmp_path: Path) -> None:
    run = Run(tmp_path)
    run.write_config(HOME, TABLE, {})
    for steps in (1.0, 2.0):
        run.log({"steps": steps, "reward": 0.5})
    assert (tmp_path / "log.csv").read_text().split() == ["steps,reward", "1.0,0.5", "2.0,0.5"]


def test_a_rule_of_thumb_s_name_is_not_hidden_by_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "thumb").mkdir()
    assert isinstance(any_policy("thumb", "player", HOME, TABLE), Strategy)


@pytest.mark.parametrize("word", ["", "x" * 5000, "nobody", "a\0b"])
def test_words_that_stand_for_nothing(word: str) -> None:
    with pytest.raises(UnknownPolicy, match="no such player"):
        any_policy(word, "player", HOME, TABLE)


def test_a_folder_that_cannot_take_a_file(tmp_path: Path) -> None:
    (tmp_path / "log.csv").mkdir()
    with pytest.raises(BadArgument, match=r"its log.csv is a folder"):
        folder(str(tmp_path), "log.csv")
    (tmp_path / "file").touch()
    with pytest.raises(BadArgument, match="cannot write to the folder"):
        folder(str(tmp_path / "file"))
