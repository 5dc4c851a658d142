"""The policies that the project ships: each is what its card says."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.algorithms import Task
from agents.training.publish import add
from pontoon_gym.errors import BadArgument, UnknownPolicy
from pontoon_gym.evaluation import judge as exact
from pontoon_gym.evaluation.judge import Judge
from pontoon_gym.policies.network import NetworkPolicy
from pontoon_gym.policies.pretrained import FOLDER, cards, files, find
from pontoon_gym.policies.resolve import resolve
from pontoon_gym.policies.tabular import Strategy
from pontoon_gym.rules import Rules, Table
from tests.commands import run_here
from tests.solver.tables import needs_compiler

ROOT = Path(__file__).parents[2]
CARDS = {card["name"]: card for card in cards()}
SHIPPED = {
    "home-player": ("player", "home"),
    "british-player": ("player", "british"),
    "casino6-player": ("player", "casino6"),
    "casino8-player": ("player", "casino8"),
    "home-banker": ("banker", "home"),
    "british-banker": ("banker", "british"),
}
ANY = pytest.mark.parametrize("name", SHIPPED)


def judge_of(card: dict[str, Any]) -> Judge:
    words = Path(card["command"]).as_posix().split()
    sides = {side: words[words.index(f"--{side}") + 1] for side in ("banker", "players") if f"--{side}" in words}
    rules, table = Rules.of(card["rules"]), Table.of(card["table"])
    players = [sides["players"]] if "players" in sides else None
    task = Task.of(card["role"], rules, table, sides.get("banker"), players)
    return exact.judge_of(rules, table, task.opponent)


def test_what_is_shipped() -> None:
    assert {name: (card["role"], card["rules"]) for name, card in CARDS.items()} == SHIPPED
    names = [path.name for path in files()]
    assert names == sorted(f"{name}{ending}" for name in SHIPPED for ending in (".json", ".npz", "-table.npz"))
    assert sum(path.stat().st_size for path in files()) < 3_000_000


@needs_compiler
@ANY
def test_a_table_has_its_card_s_exact_value_and_its_network_nearly(name: str) -> None:
    card = CARDS[name]
    judge = judge_of(card)
    table, network = Strategy.load(FOLDER / f"{name}-table.npz"), NetworkPolicy.load(FOLDER / f"{name}.npz")
    assert f"{judge.value(table):.9f}" == f"{card['value']:.9f}"
    assert judge.value(network) == pytest.approx(card["value"], abs=1e-5)
    assert judge.value(network) == pytest.approx(card["network_value"], abs=1e-5)
    assert judge.best - card["value"] == pytest.approx(card["regret"], abs=1e-9)
    assert table.greedy and network.greedy and network.notes["steps"] == card["steps"]


@ANY
def test_the_word_pretrained_finds_the_game_s_policy(name: str) -> None:
    card = CARDS[name]
    found = resolve("pretrained", card["role"], Rules.of(card["rules"]), Table.of(card["table"]))
    assert isinstance(found, NetworkPolicy) and found.name == name


def test_a_game_without_one() -> None:
    with pytest.raises(UnknownPolicy, match="no player was trained for this game: got 'spanish"):
        find("player", Rules.of("spanish"), Table())
    with pytest.raises(UnknownPolicy, match="no player was trained for this game: got 'home, 5 seats"):
        find("player", Rules.of("home"), Table.of(seats=5))


def test_the_command_line_takes_it() -> None:
    words = [
        "evaluate.py",
        "match",
        "--player",
        "pretrained",
        "thumb",
        "--banker",
        "pretrained",
        "--rounds",
        "2048",
        "--json",
    ]
    done = subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    names = [(one["player"], one["banker"]) for one in json.loads(done.stdout)["contestants"]]
    assert names == [("home-player", "home-banker"), ("thumb", "home-banker")]


@needs_compiler
def test_publishing_a_run(tmp_path: Path) -> None:
    sizes = ("rows=16", "steps=16", "batch_size=64", "hidden=[8]", "scale_decisions=256")
    small = [word for size in sizes for word in ("--set", size)]
    pytest.importorskip("sb3_contrib", reason="the extra `train` is not installed")
    import train

    words = ["train.py", "player", "--rules", "casino8", *small, "--quiet", "--steps", "512"]
    assert run_here(train.main, [*words, "--out", str(tmp_path / "run")]).returncode == 0
    card = add(tmp_path / "run", "it", tmp_path)
    assert (card["rules"], card["opponent"], card["steps"], card["seed"]) == ("casino8", "the bound banker", 512, 0)
    found = find("player", Rules.of("casino8"), Table(), tmp_path)
    table = Strategy.load(tmp_path / "it-table.npz")
    judge = exact.judge_of(Rules.of("casino8"), Table(), None)
    assert judge.value(table) == pytest.approx(card["value"], abs=1e-12)
    assert judge.value(found) == pytest.approx(card["value"], abs=1e-5) and np.isfinite(card["regret"])
    kept = (tmp_path / "it.npz").read_bytes()
    with pytest.raises(BadArgument, match="--replace"):
        add(tmp_path / "run", "it", tmp_path)
    assert add(tmp_path / "run", "it", tmp_path, replace=True) == card and (tmp_path / "it.npz").read_bytes() == kept
    tabular = ["train.py", "player", "--algo", "q_learning", "--set", "rows=16", "--steps", "512", "--quiet"]
    assert run_here(train.main, [*tabular, "--out", str(tmp_path / "table")]).returncode == 0
    with pytest.raises(BadArgument, match="a network is shipped"):
        add(tmp_path / "table", "other", tmp_path)
