"""A state that play cannot have come to is refused in one line; whatever is taken plays on by the rules."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from pontoon_gym import records
from pontoon_gym.engine.state import MOST_HANDS, ROUND
from pontoon_gym.envs.vector import PontoonVectorEnv
from pontoon_gym.errors import BadArgument
from tests.envs.helpers import ROLES, VECTORS, pick
from tests.scale import scaled

GAMES: list[dict[str, Any]] = [
    {"rules": "home"},
    {"rules": "casino8", "seats": 4, "rounds": 6, "memory": True},
    {"rules": "home,packs=1,reshuffle=pontoon,split=value", "seats": 3, "rounds": 9, "memory": True},
    {"rules": "home,packs=0", "seats": 2, "rounds": 2},
]
FREE = ("deals", "choices", "source", "episode", "steps")
"""What may hold anything: streams of chance, how many episodes there were, and how many steps."""
UNSEEN = ("log", "shoe", "hands")
"""Parts of these lie where no card or choice is; what is left there is never read."""


def played(role: str, game: dict[str, Any], steps: int, seed: int) -> PontoonVectorEnv:
    """Rows in the midst of play."""
    env = VECTORS[role](4, illegal="penalty", illegal_limit=3, players="random", **game)
    env.reset(seed=seed)
    play(env, steps, seed)
    return env


def play(env: PontoonVectorEnv, steps: int, seed: int) -> None:
    """Random play; each round that comes of it is one that the rules allow."""
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        env.step(pick(rng, env.action_masks(), wild=0.05))
        for row in range(env.num_envs):
            records.replay(env.record(row))


def rows_of(state: dict[str, Any]) -> NDArray[np.void]:
    return np.frombuffer(state["rows"], ROUND).copy()


def refused(env: PontoonVectorEnv, state: dict[str, Any], rows: NDArray[np.void]) -> str:
    """What is said of a state with these rows, nothing if it is taken; a refusal changes nothing."""
    before = env.get_state()
    try:
        env.set_state({**state, "rows": rows.tobytes()})
    except BadArgument as fault:
        assert "\n" not in str(fault)
        assert env.get_state() == before
        return str(fault)
    return ""


ROLES_AND_GAMES = [(role, game) for role in ROLES for game in GAMES]


@pytest.mark.parametrize(("role", "game"), ROLES_AND_GAMES, ids=str)
def test_every_state_that_was_played_is_taken(role: str, game: dict[str, Any]) -> None:
    for seed in range(scaled(6)):
        env = played(role, game, 7 * (seed % 8), seed)
        assert refused(env, env.get_state(), rows_of(env.get_state())) == ""


def flip(rng: np.random.Generator, rows: NDArray[np.void]) -> None:
    """Another bit somewhere."""
    data = rows.view(np.uint8)
    data[rng.integers(len(data))] ^= np.uint8(1 << rng.integers(8))


def number(rng: np.random.Generator, rows: NDArray[np.void]) -> None:
    """A number of a row that is slightly or wholly other."""
    change(rng, rows[rng.choice(len(rows), 1)])


def hand(rng: np.random.Generator, rows: NDArray[np.void]) -> None:
    """A number of a hand."""
    at = rng.integers(len(rows)), rng.integers(MOST_HANDS), rng.integers(rows["hands"].shape[2])
    hands = rows["hands"][at[0] : at[0] + 1, at[1], at[2]]
    change(rng, hands)
    rows["hands"][at] = hands[0]


def change(rng: np.random.Generator, record: NDArray[np.void]) -> None:
    names = [name for name in record.dtype.names or () if record.dtype[name].names is None and name != "hands"]
    field = record[names[rng.integers(len(names))]]
    at = rng.integers(field.size)
    span = np.iinfo(field.dtype)
    values = [int(field.flat[at]) + 1, int(field.flat[at]) - 1, span.min, span.max, int(rng.integers(64))]
    value = values[rng.integers(len(values))]
    field.flat[at] = min(max(value, span.min), span.max)


@pytest.mark.parametrize("damage", [flip, number, hand])
@pytest.mark.parametrize(("role", "game"), ROLES_AND_GAMES, ids=str)
def test_a_damaged_state_is_refused_or_plays_by_the_rules(role: str, game: dict[str, Any], damage: Any) -> None:
    """A damaged number that reaches a compiled kernel reads and writes anywhere in memory."""
    rng = np.random.default_rng(0)
    for seed in range(scaled(10)):
        env = played(role, game, int(rng.integers(12)), seed)
        rows = rows_of(env.get_state())
        for _ in range(1 + rng.integers(2)):
            damage(rng, rows)
        if not refused(env, env.get_state(), rows):
            play(env, 6, seed)


def wrong_fields() -> list[str]:
    return [name for name in ROUND.names or () if name not in FREE + UNSEEN]


@pytest.mark.parametrize("field", wrong_fields())
def test_a_number_that_cannot_be_is_named(field: str) -> None:
    """Each number that a state holds is checked, but those that may be any."""
    env = played("player", GAMES[1], 8, 1)
    state = env.get_state()
    for value in (-9, 30_000):
        rows = rows_of(state)
        rows[field][..., 0] = value
        assert "in row 0" in refused(env, state, rows)
