"""Small learners for tests."""

from __future__ import annotations

from typing import Any

from agents.algorithms import Task, make_learner, settings_of
from agents.learner import Learner
from pontoon_gym.policies.baselines import baseline
from pontoon_gym.rules import Rules, Table

HOME, TABLE = Rules.of("home"), Table()

SMALL: dict[str, Any] = {
    "rows": 16,
    "steps": 8,
    "batch_size": 32,
    "epochs": 2,
    "hidden": [16],
    "buffer_size": 1024,
    "learning_starts": 256,
    "quantiles": 5,
    "scale_decisions": 256,
    "threads": 1,
}


def task(role: str = "player", rules: Rules = HOME, table: Table = TABLE) -> Task:
    """Against `stand17` or `thumb`."""
    if role == "player":
        return Task(role, rules, table, None if rules.banker != "free" else baseline("stand17", "banker", rules, table))
    return Task(role, rules, table, None, [baseline("thumb", "player", rules, table)])


def settings(algorithm: str, role: str = "player", **changes: Any) -> dict[str, Any]:
    """The shipped settings, made small, and changes."""
    shipped = settings_of(algorithm, role, None, {})
    return shipped | {name: value for name, value in SMALL.items() if name in shipped} | changes


def learner(algorithm: str, of: Task | None = None, seed: int = 3, **changes: Any) -> Learner:
    """A small learner."""
    asked = of or task()
    return make_learner(algorithm, asked, settings(algorithm, asked.role, **changes), seed=seed)
