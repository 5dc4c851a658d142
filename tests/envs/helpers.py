"""What the tests of the environments share: makers, random play, policies from outside, comparison."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from pontoon_gym import Rules, Strategy, Table
from pontoon_gym.engine.state import ROUND
from pontoon_gym.envs.banker import BankerEnv
from pontoon_gym.envs.player import PlayerEnv
from pontoon_gym.envs.single import SingleEnv
from pontoon_gym.envs.vector import BankerVectorEnv, PlayerVectorEnv, PontoonVectorEnv
from pontoon_gym.policies.baselines import baseline
from tests.scale import scaled

STAKES = {"stake_max": 10, "stake_levels": 2}
"""The tests play where stakes are chosen; the environments' own default is one stake."""
SINGLES: dict[str, Callable[..., SingleEnv]] = {
    "player": partial(PlayerEnv, **STAKES),
    "banker": partial(BankerEnv, **STAKES),
}
VECTORS: dict[str, Callable[..., PontoonVectorEnv]] = {
    "player": partial(PlayerVectorEnv, **STAKES),
    "banker": partial(BankerVectorEnv, **STAKES),
}
IDS = {"player": "pontoon_gym:Pontoon/Player-v0", "banker": "pontoon_gym:Pontoon/Banker-v0"}
ROLES = ("player", "banker")
OBSERVATIONS = ("vector", "dict", "situation")
THOROUGH = scaled(100) >= 100
"""Enough is played for the rarer things to come up; with the compiler off it is not."""


class Wobbly:
    """A policy from outside: chances that change with the observation, each row's on its own."""

    def __init__(self, role: str, rules: Rules, table: Table) -> None:
        self.role, self.rules, self.table = role, rules, table

    def __repr__(self) -> str:
        """The same in every process, for the names of tests."""
        return f"Wobbly({self.role})"

    def probabilities(self, observation: np.ndarray, mask: np.ndarray, /) -> np.ndarray:
        mark = (observation * 997).astype(np.int64).sum(axis=1, keepdims=True)
        weights = np.where(mask, 1 + mark * (3 + np.arange(mask.shape[1])) % 11, 0).astype(np.float64)
        return weights / weights.sum(axis=1, keepdims=True)


class Broken(Wobbly):
    """A policy from outside that fails when it is told to."""

    fails = False

    def probabilities(self, observation: np.ndarray, mask: np.ndarray, /) -> np.ndarray:
        if self.fails:
            raise RuntimeError("this policy is broken")
        return super().probabilities(observation, mask)


@cache
def shared(name: str, role: str, rules: Rules, table: Table) -> Strategy:
    """A rule of thumb that many environments share: making one takes as long as thousands of steps."""
    return baseline(name, role, rules, table)


def _table(seats: int) -> Table:
    """The table at which `SINGLES` and `VECTORS` play if they are told their seats only."""
    return Table.of(seats=seats, **STAKES)


def default_cast(role: str, preset: str, seats: int) -> dict[str, Any]:
    """Keyword arguments that seat whom an environment seats by itself."""
    rules, table = Rules.of(preset), _table(seats)
    seating: dict[str, Any] = {**STAKES, "players": shared("thumb", "player", rules, table)}
    if role == "player" and rules.banker == "free":
        seating["banker"] = shared("stand17", "banker", rules, table)
    return seating


def outside_cast(role: str, preset: str, seats: int, policy: type[Wobbly] = Wobbly) -> dict[str, Any]:
    """Keyword arguments that seat policies from outside, in turns with a rule of thumb."""
    rules, table = Rules.of(preset), _table(seats)
    seating, other = default_cast(role, preset, seats), policy("player", rules, table)
    seating["players"] = [other if i % 2 == 0 else seating["players"] for i in range(seats - 1)]
    if "banker" in seating:
        seating["banker"] = policy("banker", rules, table)
    return seating


def pick(rng: np.random.Generator, mask: np.ndarray, *, wild: float = 0.0) -> Any:
    """A random allowed action for each row of a mask; with chance `wild` any action of the space."""
    marks = rng.random(mask.shape) + np.where(rng.random(mask.shape[:-1])[..., None] < wild, 9.0, 9.0 * mask)
    return marks.argmax(axis=-1)


def row_of(observation: Any, i: int) -> Any:
    """Row i of a batch of observations."""
    if isinstance(observation, dict):
        return {name: rows[i] for name, rows in observation.items()}
    return observation[i]


def equal(a: Any, b: Any) -> bool:
    """Whether two observations, infos or tuples of them are the same to the bit, types of arrays too."""
    if isinstance(a, dict):
        return isinstance(b, dict) and list(a) == list(b) and all(equal(a[name], b[name]) for name in a)
    if isinstance(a, tuple):
        return isinstance(b, tuple) and len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and a.dtype == b.dtype and np.array_equal(a, b)
    return type(a) is type(b) and a == b


def round_of(env: SingleEnv) -> np.void:
    """The record of an environment's round, a copy."""
    return np.frombuffer(env.get_state()["rows"], ROUND)[0].copy()


def bytes_of(env: SingleEnv | PontoonVectorEnv, *without: str) -> bytes:
    """Every byte of an environment's rounds, but those of some fields."""
    data = np.frombuffer(env._rows.rounds.tobytes(), np.uint8).reshape(-1, ROUND.itemsize).copy()
    for name in without:
        dtype, start = ROUND.fields[name][:2]
        data[:, start : start + dtype.itemsize] = 0
    return data.tobytes()
