"""A run's configuration: written, read, refused, compared with flags, and written back as a command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agents.learner import Horizon
from agents.training.config import Config
from agents.training.flags import config_of, given_in, parser, resumed, words_of
from pontoon_gym.errors import BadArgument
from pontoon_gym.policies.baselines import baseline
from pontoon_gym.rules import Rules, Table

WORDS = ["player", "--algo", "q_learning"]


def config(*more: str) -> Config:
    return config_of(parser().parse_args([*WORDS, *more]))


def written(path: Path, **changes: Any) -> Path:
    """The file of a configuration in which some facts are others, or None are not there."""
    config().write(path)
    facts = {**json.loads(path.read_text()), **changes}
    path.write_text(json.dumps({name: value for name, value in facts.items() if value != "gone"}))
    return path


def test_what_is_written_is_read(tmp_path: Path) -> None:
    made = config("--rule", "packs=2", "--stake-max", "4", "--stake-levels", "2", "--set", "trace=0.5", "--seed", "7")
    made = made._replace(earlier=(Horizon(5, None), Horizon(None, 7)))
    made.write(tmp_path / "config.json")
    assert Config.read(tmp_path / "config.json") == made
    assert (made.steps, made.rounds, made.opponents, made.players) == (1_000_000, None, {}, ())
    assert made.started and made.versions["numpy"]


@pytest.mark.parametrize("form", ["gone", "pontoon-run/2", 3])
def test_a_run_of_another_version_is_to_be_trained_anew(form: Any, tmp_path: Path) -> None:
    with pytest.raises(BadArgument, match="the run was begun by another version: train it anew"):
        Config.read(written(tmp_path / "config.json", format=form))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seed": "3"}, "what it says of seed cannot be"),
        ({"players": None, "device": 1}, "what it says of players, device cannot be"),
        ({"algorithm": "gone"}, "does not say its algorithm"),
        ({"rules": {"packs": 99}}, "damaged: bad packs"),
        ({"rules_digest": "0"}, "its rules are not those that it was saved with"),
        ({"table": {"seats": 0}}, "damaged: bad seats"),
        ({"earlier": [{"steps": "5", "rounds": None}]}, "damaged: what it says of earlier cannot be"),
        ({"earlier": [{"steps": 5}]}, "a run's configuration is damaged"),
    ],
)
def test_damaged_configurations(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(BadArgument, match=message):
        Config.read(written(tmp_path / "config.json", **changes))
    (tmp_path / "config.json").write_text("[]")
    with pytest.raises(BadArgument, match="no run in this folder"):
        Config.read(tmp_path / "config.json")


def test_a_configuration_saved_by_another_program_is_the_same(tmp_path: Path) -> None:
    path = written(tmp_path / "config.json")
    made = Config.read(path)
    path.write_text(json.dumps(json.loads(path.read_text()), sort_keys=True, indent=4), encoding="utf-8-sig")
    assert Config.read(path) == made


def test_settings_of_a_file_are_checked_before_they_are_used() -> None:
    made = config()
    for settings, message in (({**made.settings, "rows": 0}, "bad setting rows"), ({}, "settings that lack rows")):
        with pytest.raises(BadArgument, match=message):
            made._replace(settings=settings).learner(made.task())


def test_an_opponent_is_known_by_its_file(tmp_path: Path) -> None:
    path = baseline("stand17", "banker", Rules.of(), Table()).save(tmp_path / "it.npz")
    made = config("--banker", str(path))
    assert len(made.opponents[str(path)]) == 64 and made.changes() == []
    assert made._replace(versions={**made.versions, "numpy": "1.0"}).changes()[0].startswith("numpy 1.0 is now")
    baseline("chase", "banker", Rules.of(), Table()).save(path)
    with pytest.raises(BadArgument, match="an opponent's file has changed"):
        made.changes()


BEGAN = [
    *WORDS, "--rules", "british", "--stake-max", "4", "--stake-levels", "2", "--banker", "stand17", "--rounds", "5000",
    "--seed", "3", "--set", "trace=0.5", "--set", 'parts=["phase", "cards"]',
]  # fmt: skip


@pytest.mark.parametrize(
    "words",
    [
        [],
        BEGAN[3:],
        ["--rules", "british"],
        ["--set", "trace=0.50"],
        ["--seed", "3", "--quiet", "--jobs", "2", "--checkpoint-seconds", "1", "--out", "elsewhere"],
        ["--rule", f"packs={Rules.of('british').packs}"],
    ],
)
def test_flags_that_say_the_same_may_be_given_again(words: list[str]) -> None:
    began = config_of(parser().parse_args(BEGAN))
    assert resumed(given_in([*WORDS, *words, "--resume"]), began) == began


def test_a_run_is_made_longer_in_what_it_counts() -> None:
    began = config_of(parser().parse_args(BEGAN))
    longer = resumed({"rounds": 9000}, began)
    assert longer == began._replace(rounds=9000, earlier=(Horizon(None, 5000),))
    assert longer.horizons == (Horizon(None, 5000), Horizon(None, 9000))
    both = began._replace(steps=100)
    assert resumed({"steps": 200}, both).horizon == Horizon(200, None)
    assert resumed({"steps": 100, "rounds": 9000}, both).horizon == Horizon(100, 9000)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--steps", "5000"], "a run can only be made longer: bad --steps: got 5000; allowed: nothing"),
        (["--rounds", "4999"], "a run can only be made longer: bad --rounds: got 4999; allowed: more than 5000"),
        (["--rules", "home"], "leave out --rules: got 'home'; allowed: {"),
        (["--rule", "packs=8"], r"leave out --rule: got \['packs=8'\]; allowed: {'packs': "),
        (["--stake-max", "1"], "leave out --stake-max: got 1; allowed: 4"),
        (["--set", "trace=0.6"], r"leave out --set: got \['trace=0.6'\]; allowed: {'trace': 0.5}"),
        (["--set", "size=1"], "no such setting"),
        (["--settings", "agents/settings/q_learning.toml"], "leave out --settings"),
        (["--players", "thumb"], r"leave out --players: got \['thumb'\]; allowed: \(\)"),
        (["--seed", "4"], r"leave out --seed: got \[4\]; allowed: 3"),
        (["--device", "cuda"], "leave out --device"),
    ],
)
def test_flags_that_say_something_else_are_refused(words: list[str], message: str) -> None:
    with pytest.raises(BadArgument, match=message):
        resumed(given_in([*WORDS, *words, "--resume"]), config_of(parser().parse_args(BEGAN)))


def test_a_configuration_names_the_words_that_make_it() -> None:
    made = config_of(parser().parse_args(BEGAN))
    words = words_of(made)
    assert words == [
        "player", "--rules", "british", "--banker", "stand17", "--stake-max", "4", "--stake-levels", "2", "--algo",
        "q_learning", "--rounds", "5000", "--seed", "3", "--set", 'parts=["phase", "cards"]', "--set", "trace=0.5",
    ]  # fmt: skip
    more = made._replace(steps=9, evaluations=3, device="cuda", players=("thumb",), rules=Rules.of(packs=2))
    for one in (made, more):
        again = config_of(parser().parse_args(words_of(one)))
        assert again._replace(started="", opponents={}) == one._replace(started="", opponents={})
