"""Pickle, deepcopy and get_state / set_state in mid-round go on as the original does."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pontoon_gym.envs.single import SingleEnv
from pontoon_gym.errors import BadArgument
from tests.envs.helpers import OBSERVATIONS, ROLES, SINGLES, VECTORS, equal, outside_cast, pick
from tests.scale import scaled

TABLE = {"rules": "home", "seats": 4, "rounds": 2, "memory": True}


def begun(role: str, observation: str, outside: bool) -> SingleEnv:
    """An environment in mid-round."""
    seating = outside_cast(role, TABLE["rules"], TABLE["seats"]) if outside else {"players": "random"}
    env = SINGLES[role](observation=observation, **TABLE, **seating)
    env.reset(seed=3)
    if role == "player":
        env.step(pick(np.random.default_rng(0), env.action_masks()))
    return env


def future(env: Any, count: int, seed: int = 5) -> list[Any]:
    """What random play returns from here on, over several episodes."""
    rng = np.random.default_rng(seed)
    seen: list[Any] = []
    for _ in range(count):
        seen.append(env.step(pick(rng, env.action_masks(), wild=0.1)))
        if isinstance(env, SingleEnv):
            seen.append(env.record())
            if seen[-2][2]:
                seen.append(env.reset())
    return seen


def by_state(env: Any) -> Any:
    """A new environment that was given another's state."""
    other = copy.deepcopy(env)
    other.reset(seed=99)
    future(other, 3)
    other.set_state(env.get_state())
    return other


COPIES: dict[str, Callable[[Any], Any]] = {
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
    "deepcopy": copy.deepcopy,
    "state": by_state,
}


@pytest.mark.parametrize("outside", [False, True])
@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("observation", OBSERVATIONS)
@pytest.mark.parametrize("role", ROLES)
def test_a_copy_goes_on_as_the_original(role: str, observation: str, way: str, outside: bool) -> None:
    env = begun(role, observation, outside)
    other = COPIES[way](env)
    assert other.record() == env.record()
    assert np.array_equal(other.action_masks(), env.action_masks())
    assert equal(tuple(future(env, scaled(40))), tuple(future(other, scaled(40))))


@pytest.mark.parametrize("role", ROLES)
def test_a_state_can_be_gone_back_to_often(role: str) -> None:
    env = begun(role, "vector", False)
    state = env.get_state()
    first = future(env, scaled(40))
    for _ in range(2):
        env.set_state(state)
        assert equal(tuple(future(env, scaled(40))), tuple(first))


def test_a_state_keeps_the_end_of_an_episode() -> None:
    env = begun("banker", "vector", False)
    while not env.step(0)[2]:
        pass
    other = COPIES["state"](env)
    assert other.action_masks().all()
    with pytest.raises(RuntimeError, match="reset"):
        other.step(0)


def test_a_state_keeps_the_count_of_illegal_actions() -> None:
    env = SINGLES["player"]()
    env.reset(seed=0)
    for _ in range(99):
        env.step(2)
    other = SINGLES["player"]()
    other.set_state(env.get_state())
    assert other.step(2)[3] is True


@pytest.mark.parametrize("way", ["pickle", "deepcopy"])
def test_a_copy_before_the_first_reset_can_be_reset(way: str) -> None:
    env = SINGLES["player"](seats=3)
    assert equal(COPIES[way](env).reset(seed=4), env.reset(seed=4))


BROKEN: list[dict[str, Any]] = [
    {"rows": b""},
    {"rows": b"12"},
    {"rows": 5},
    {"rows": None},
    {"made_for": None},
    {"more": 1},
]


@pytest.mark.parametrize("broken", BROKEN, ids=str)
def test_a_broken_state_is_refused_and_changes_nothing(broken: dict[str, Any]) -> None:
    env = begun("player", "vector", False)
    before = env.get_state()
    with pytest.raises(BadArgument, match="not a state"):
        env.set_state({**before, **broken})
    assert env.get_state() == before


@pytest.mark.parametrize("state", [{}, {"rows": b""}, None, 5, "state"])
def test_what_is_no_state_is_refused_and_changes_nothing(state: Any) -> None:
    env = begun("player", "vector", False)
    before = env.get_state()
    with pytest.raises(BadArgument, match="not a state"):
        env.set_state(state)
    assert env.get_state() == before


def test_a_state_of_another_action_space_is_refused() -> None:
    few, many = SINGLES["player"](), SINGLES["player"](buy_levels=5)
    few.reset(seed=0)
    with pytest.raises(BadArgument, match="not a state"):
        many.set_state(few.get_state())


OTHERS: list[dict[str, Any]] = [
    {"seats": 9},
    {"rules": "casino8"},
    {"rules": "blackjack"},
    {"stake_max": 20},
    {"rounds": 2},
]


@pytest.mark.parametrize("other", OTHERS, ids=str)
def test_a_state_of_another_table_is_refused(other: dict[str, Any]) -> None:
    """A step from there could reach past the arrays, and does crash the interpreter with nine seats' state at two."""
    env, stranger = SINGLES["player"](), SINGLES["player"](**other)
    env.reset(seed=0)
    stranger.reset(seed=0)
    with pytest.raises(BadArgument, match="not a state"):
        env.set_state(stranger.get_state())


@pytest.mark.parametrize("mode", ["SAME_STEP", "NEXT_STEP"])
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("role", ROLES)
def test_a_copied_vector_environment_goes_on_as_the_original(role: str, way: str, threads: int, mode: str) -> None:
    seating = outside_cast(role, TABLE["rules"], TABLE["seats"])
    env = VECTORS[role](5, threads=threads, autoreset_mode=mode, **TABLE, **seating)
    env.reset(seed=1)
    future(env, scaled(10), seed=1)
    other = COPIES[way](env)
    assert equal(tuple(future(env, scaled(40))), tuple(future(other, scaled(40))))


def test_a_state_of_another_number_of_rows_is_refused() -> None:
    env, other = VECTORS["player"](4, **TABLE), VECTORS["player"](5, **TABLE)
    env.reset(seed=1)
    other.reset(seed=1)
    with pytest.raises(BadArgument, match="not a state of this environment"):
        env.set_state(other.get_state())
