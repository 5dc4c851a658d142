"""What is run: a cell is one learner, one task and one seed, kept in a folder of its own and run once."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import train
from agents.algorithms import ALGORITHMS, Task
from agents.hyperparameters import settings_of
from agents.training.folder import CONFIG, Run, versions
from pontoon_gym.cli.flags import game_of
from pontoon_gym.errors import BadArgument
from pontoon_gym.evaluation.judge import judge_of
from pontoon_gym.files import write_bytes
from pontoon_gym.policies.resolve import load

ROOT = Path(__file__).resolve().parents[2]
RESULT = "result.json"
TOP = 100
"""Costliest infostates that a result names."""


class Bench(NamedTuple):
    """One task of the benchmark.

    Attributes:
        about: for people.
        flags: of `train.py`.
        rounds: budget of every learner.
        seeds: of deep learners and of tables.
        learners: who takes part.
    """

    about: str
    flags: tuple[str, ...]
    rounds: int
    seeds: tuple[int, ...]
    learners: tuple[str, ...] = tuple(ALGORITHMS)

    def words(self, learner: str, seed: int) -> list[str]:
        """The words of `train.py` that make one of its runs, but for the folder."""
        return [*self.flags, "--algo", learner, "--rounds", str(self.rounds), "--seed", str(seed)]


FIVE, THREE = (6, 7, 8, 9, 10), (6, 7, 8)
"""Settings were tuned on the seeds 1 and 2 and from 100 up, which are not reported."""

_PLAYER = ("player", "--banker", "stand17")
_STAKES = (*_PLAYER, "--stake-max", "10", "--stake-levels", "2")
_BANKER = ("banker", "--rules", "home,split=none", "--players")
BENCHES: dict[str, Bench] = {
    "home": Bench("player against `stand17`, stakes 1-1", _PLAYER, 1_000_000, FIVE),
    "minute": Bench(
        "the same, Q-learning alone: about a minute on two cores", _PLAYER, 180_000_000, FIVE, ("q_learning",)
    ),
    "ten-minutes": Bench(
        "the same, MaskablePPO alone: less than ten minutes on a core", _PLAYER, 10_000_000, FIVE, ("maskable_ppo",)
    ),
    "ten-minutes-dqn": Bench(
        "the same, DQN alone: less than ten minutes on a core", _PLAYER, 9_000_000, FIVE, ("dqn",)
    ),
    "stakes": Bench("player against `stand17`, stakes 1-10 chosen after the first card", _STAKES, 500_000, THREE),
    "stakes-long": Bench(
        "player against `stand17`, stakes 1-10, MaskablePPO alone", _STAKES, 12_000_000, THREE, ("maskable_ppo",)
    ),
    "british": Bench(
        "player against `stand17`, rules `british`",
        ("player", "--rules", "british", "--banker", "stand17"),
        500_000,
        THREE,
    ),
    "banker-thumb": Bench("banker against `thumb`, no splits", (*_BANKER, "thumb"), 500_000, THREE),
    "banker-stick15": Bench("banker against `stick15`, no splits", (*_BANKER, "stick15"), 500_000, THREE),
    "banker-thumb-long": Bench(
        "banker against `thumb`, MaskablePPO alone", (*_BANKER, "thumb"), 15_000_000, THREE, ("maskable_ppo",)
    ),
    "banker-stick15-long": Bench(
        "banker against `stick15`, MaskablePPO alone", (*_BANKER, "stick15"), 8_000_000, THREE, ("maskable_ppo",)
    ),
}


class Cell(NamedTuple):
    """One learner, one task, one seed."""

    bench: str
    learner: str
    seed: int

    def folder(self, home: Path) -> Path:
        """Where it is kept."""
        return home / self.bench / self.learner / f"seed-{self.seed}"

    def words(self) -> list[str]:
        """The words of `train.py` that make it, but for its folder."""
        return BENCHES[self.bench].words(self.learner, self.seed)


def cells(benches: list[str], learners: list[str]) -> list[Cell]:
    """The cells of some tasks and learners: first seeds first, so that an early stop leaves something of each."""
    found = [
        (rank, Cell(name, learner, seed))
        for name in benches
        for learner in BENCHES[name].learners
        if learner in learners
        for rank, seed in enumerate(BENCHES[name].seeds)
    ]
    return [cell for _, cell in sorted(found, key=lambda one: one[0])]


def start(cell: Cell, home: Path) -> subprocess.Popen[str]:
    """Begin a cell, or go on with one that was stopped."""
    folder = cell.folder(home)
    if not is_current(cell, folder):
        shutil.rmtree(folder, ignore_errors=True)
    more = ["--resume"] if (folder / CONFIG).is_file() else []
    command = [sys.executable, "train.py", *cell.words(), "--out", str(folder), "--evaluations", "30", "--quiet", *more]
    return subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )


def is_current(cell: Cell, folder: Path) -> bool:
    """Whether what a folder holds was begun with the settings of today."""
    try:
        config = Run(folder).config()
    except BadArgument:
        return False
    args = train.parser().parse_args(cell.words())
    rules, table = game_of(args)
    now = [settings_of(args.algo, args.role, None, {}), rules.digest(), table.digest(), versions()]
    same = [config[name] for name in ("settings", "rules_digest", "table_digest", "versions")] == now
    return same and list(config["command"][1 : 1 + len(cell.words())]) == cell.words()


def is_done(cell: Cell, home: Path) -> bool:
    """Whether a cell has its result."""
    folder = cell.folder(home)
    return (folder / RESULT).is_file() and is_current(cell, folder)


def conclude(cell: Cell, home: Path) -> dict[str, Any]:
    """Judge a finished cell's policy and write its result."""
    folder = cell.folder(home)
    args = train.parser().parse_args(cell.words())
    task = Task.of(args.role, *game_of(args), args.banker, args.players)
    judge = judge_of(task.rules, task.table, task.opponent)
    regret = judge.regret(load(folder))
    run, config = Run.of(folder), Run(folder).config()
    costliest = [{"text": s.text, "loss": s.loss, "chosen": s.chosen, "best": s.best} for s in regret.infostates[:TOP]]
    result = {
        **cell._asdict(),
        "command": ["train.py", *cell.words()],
        "best": judge.best,
        "value": judge.best - regret.total,
        "regret": regret.total,
        "infostates": costliest,
        "steps": run.log[-1]["steps"],
        "rounds": run.log[-1]["rounds"],
        "seconds": run.log[-1]["seconds"],
        "curve": [[point[name] for name in ("rounds", "seconds", "regret")] for point in run.curve],
        "settings": config["settings"],
        "started": config["started"],
        "versions": config["versions"],
    }
    write_bytes(folder / RESULT, (json.dumps(result) + "\n").encode())
    return result
