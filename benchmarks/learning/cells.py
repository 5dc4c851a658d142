"""What is run: a cell is one learner, one task and one seed, kept in a folder of its own and run once."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from agents.algorithms import ALGORITHMS, settings_of
from agents.training.config import CONFIG, EVALUATIONS, Config
from agents.training.flags import words_of
from agents.training.folder import Run
from pontoon_gym.errors import BadArgument
from pontoon_gym.evaluation.judge import judge_of
from pontoon_gym.files import write_bytes
from pontoon_gym.policies.resolve import load
from pontoon_gym.rules import Rules, Table

ROOT = Path(__file__).resolve().parents[2]
RESULT = "result.json"
TOP = 100
"""Costliest infostates that a result names."""
LOOKS = 30
"""Exact regrets along a cell's run."""


class Bench(NamedTuple):
    """One task of the benchmark.

    Attributes:
        about: for people.
        role: who learns.
        rounds: budget of every learner.
        seeds: of deep learners and of tables.
        learners: who takes part.
        rules, table: the game.
        banker, players: the others, as in `Config`.
    """

    about: str
    role: str
    rounds: int
    seeds: tuple[int, ...]
    learners: tuple[str, ...] = tuple(ALGORITHMS)
    rules: Rules = Rules.of()
    table: Table = Table()
    banker: str | None = None
    players: tuple[str, ...] = ()

    def config(self, learner: str, seed: int) -> Config:
        """What one of its runs is asked for today."""
        config = Config(learner, self.role, self.rules, self.table, settings_of(learner, self.role, None, {}))
        config = config._replace(banker=self.banker, players=self.players, seed=seed)
        return config._replace(rounds=self.rounds, evaluations=LOOKS).stamped()

    def words(self, learner: str, seed: int) -> list[str]:
        """The words of `train.py` that learn the same, but for the folder; they say nothing of the looks at it."""
        return words_of(self.config(learner, seed)._replace(evaluations=EVALUATIONS))


FIVE, THREE = (6, 7, 8, 9, 10), (6, 7, 8)
"""Settings were tuned on the seeds 1 and 2 and from 100 up, which are not reported."""

_HOME = Bench("player against `stand17`, stakes 1-1", "player", 1_000_000, FIVE, banker="stand17")
_STAKES = _HOME._replace(table=Table.of(stake_max=10, stake_levels=2), seeds=THREE)
_BANKER = Bench(
    "banker against `thumb`, no splits", "banker", 500_000, THREE, rules=Rules.of(split="none"), players=("thumb",)
)
_ALONE = "MaskablePPO alone"
BENCHES: dict[str, Bench] = {
    "home": _HOME,
    "minute": _HOME._replace(
        about="the same, Q-learning alone: about a minute on two cores", rounds=180_000_000, learners=("q_learning",)
    ),
    "ten-minutes": _HOME._replace(
        about=f"the same, {_ALONE}: less than ten minutes on a core", rounds=10_000_000, learners=("maskable_ppo",)
    ),
    "ten-minutes-dqn": _HOME._replace(
        about="the same, DQN alone: less than ten minutes on a core", rounds=9_000_000, learners=("dqn",)
    ),
    "stakes": _STAKES._replace(
        about="player against `stand17`, stakes 1-10 chosen after the first card", rounds=500_000
    ),
    "stakes-long": _STAKES._replace(
        about=f"player against `stand17`, stakes 1-10, {_ALONE}", rounds=12_000_000, learners=("maskable_ppo",)
    ),
    "british": _HOME._replace(
        about="player against `stand17`, rules `british`", rounds=500_000, seeds=THREE, rules=Rules.of("british")
    ),
    "banker-thumb": _BANKER,
    "banker-stick15": _BANKER._replace(about="banker against `stick15`, no splits", players=("stick15",)),
    "banker-thumb-long": _BANKER._replace(
        about=f"banker against `thumb`, {_ALONE}", rounds=15_000_000, learners=("maskable_ppo",)
    ),
    "banker-stick15-long": _BANKER._replace(
        about=f"banker against `stick15`, {_ALONE}",
        rounds=8_000_000,
        learners=("maskable_ppo",),
        players=("stick15",),
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

    def config(self) -> Config:
        """What it is asked for today."""
        return BENCHES[self.bench].config(self.learner, self.seed)


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
    command = [sys.executable, "train.py", *words_of(cell.config()), "--out", str(folder), "--quiet", *more]
    return subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )


def is_current(cell: Cell, folder: Path) -> bool:
    """Whether what a folder holds was begun as it would be today."""
    try:
        began = Run(folder).config()
    except BadArgument:
        return False
    return began == cell.config()._replace(started=began.started)


def is_done(cell: Cell, home: Path) -> bool:
    """Whether a cell has its result."""
    folder = cell.folder(home)
    return (folder / RESULT).is_file() and is_current(cell, folder)


def conclude(cell: Cell, home: Path) -> dict[str, Any]:
    """Judge a finished cell's policy and write its result."""
    folder = cell.folder(home)
    run, config = Run.of(folder), Run(folder).config()
    task = config.task()
    judge = judge_of(task.rules, task.table, task.opponent)
    regret = judge.regret(load(folder))
    costliest = [{"text": s.text, "loss": s.loss, "chosen": s.chosen, "best": s.best} for s in regret.infostates[:TOP]]
    result = {
        **cell._asdict(),
        "command": ["train.py", *BENCHES[cell.bench].words(cell.learner, cell.seed)],
        "best": judge.best,
        "value": judge.best - regret.total,
        "regret": regret.total,
        "infostates": costliest,
        "steps": run.log[-1]["steps"],
        "rounds": run.log[-1]["rounds"],
        "seconds": run.log[-1]["seconds"],
        "curve": [[point[name] for name in ("rounds", "seconds", "regret")] for point in run.curve],
        "settings": config.settings,
        "started": config.started,
        "versions": config.versions,
    }
    write_bytes(folder / RESULT, (json.dumps(result) + "\n").encode())
    return result
