"""What environments are called, what they play when nothing is said, and how they travel: specs, processes, forks."""

from __future__ import annotations

import inspect
import json
import multiprocessing
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.spaces import Box, Dict, Discrete
from gymnasium.vector import AutoresetMode

from pontoon_gym.rules import Rules, Table
from tests.envs.helpers import IDS, ROLES, SINGLES, STAKES, VECTORS, equal, outside_cast, pick
from tests.stderr import said

DEFAULTS = {
    "rules": "home",
    "seats": 2,
    "stake_min": 1,
    "stake_max": 1,
    "stake_levels": 1,
    "buy_levels": 2,
    "seat": None,
    "banker": None,
    "players": None,
    "rounds": 1,
    "memory": False,
    "observation": "vector",
    "illegal": "penalty",
    "illegal_penalty": 1.0,
    "illegal_limit": 100,
    "render_mode": None,
}


def defaults_of(function: Any) -> dict[str, Any]:
    """The keyword arguments of a constructor that have defaults."""
    parameters = inspect.signature(function).parameters.values()
    return {p.name: p.default for p in parameters if p.default is not inspect.Parameter.empty}


def play(name: str, seed: int, **settings: Any) -> list[Any]:
    """What twenty steps of an environment return; runs in other processes too."""
    env = gymnasium.make(name, **settings)
    rng = np.random.default_rng(seed)
    seen: list[Any] = [env.reset(seed=seed)]
    for _ in range(20):
        seen.append(env.step(pick(rng, env.unwrapped.action_masks())))
        if seen[-1][2]:
            seen.append(env.reset())
    env.close()
    return seen


# --- defaults and spaces -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", ROLES)
def test_defaults_are_those_of_the_contract(role: str) -> None:
    assert defaults_of(SINGLES[role].func) == DEFAULTS


@pytest.mark.parametrize("role", ROLES)
def test_a_made_environment_plays_the_defaults(role: str) -> None:
    settings = gymnasium.make(IDS[role]).unwrapped.settings
    assert settings.rules.text() == "home"
    assert settings.table == Table()
    assert (settings.seat, settings.rounds, settings.memory, settings.observation) == (None, 1, False, "vector")


@pytest.mark.parametrize("role", ROLES)
def test_a_vector_environment_resets_in_the_next_step_on_one_thread(role: str) -> None:
    given = defaults_of(VECTORS[role].func)
    assert (given["autoreset_mode"], given["max_episode_steps"]) == (AutoresetMode.NEXT_STEP, None)
    assert given["threads"] == 1
    assert VECTORS[role](2).metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP


@pytest.mark.parametrize(("buys", "stakes"), [(1, 1), (2, 2), (8, 16)])
def test_a_player_has_three_actions_and_the_levels(buys: int, stakes: int) -> None:
    env = SINGLES["player"](buy_levels=buys, stake_levels=stakes, stake_max=100)
    assert env.action_space == Discrete(3 + buys + stakes)


def test_a_banker_sticks_or_twists_whatever_the_levels() -> None:
    assert SINGLES["banker"](buy_levels=8, stake_levels=16).action_space == Discrete(2)


@pytest.mark.parametrize("role", ROLES)
def test_a_vector_observation_is_a_unit_box(role: str) -> None:
    space = SINGLES[role]().observation_space
    assert isinstance(space, Box)
    assert space.dtype == np.float32
    assert (space.low == 0).all() and (space.high == 1).all()


@pytest.mark.parametrize("role", ROLES)
def test_a_dict_observation_has_boxes_of_one_dimension_and_the_mask(role: str) -> None:
    env = SINGLES[role](observation="dict", seats=5, memory=True)
    space = env.observation_space
    assert isinstance(space, Dict)
    assert all(isinstance(box, Box) and len(box.shape) == 1 for box in space.values())
    assert set(space) == {view.name for view in env.layout.views} | {"action_mask"}
    assert space["action_mask"] == Box(0, 1, (env.action_space.n,), np.int8)


@pytest.mark.parametrize("role", ROLES)
def test_a_infostate_is_a_whole_number_of_64_bits(role: str) -> None:
    env = SINGLES[role](observation="situation")
    assert isinstance(env.observation_space, Discrete)
    assert type(env.reset(seed=1)[0]) is np.int64


@pytest.mark.parametrize("role", ROLES)
def test_a_dict_observation_is_the_vector_unscaled(role: str) -> None:
    table = {"seats": 5, "memory": True, "rules": "spanish"}
    scaled, named = SINGLES[role](**table), SINGLES[role](observation="dict", **table)
    vector, fields = scaled.reset(seed=4)[0], named.reset(seed=4)[0]
    for view in scaled.layout.views:
        part = vector[view.start : view.start + view.width] * view.divisor
        assert np.allclose(part, fields[view.name], atol=1e-4)
        assert np.array_equal(fields[view.name], np.rint(fields[view.name]))


# --- identifiers and specs -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", ROLES)
def test_make_vec_finds_the_native_class(role: str) -> None:
    env = gymnasium.make_vec(
        IDS[role], num_envs=3, vectorization_mode="vector_entry_point", seats=5, autoreset_mode="NEXT_STEP", threads=2
    )
    assert type(env) is VECTORS[role].func
    assert (env.num_envs, env.unwrapped.settings.table.seats) == (3, 5)
    assert env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP


@pytest.mark.parametrize("given", [*AutoresetMode, "SAME_STEP", "NEXT_STEP", "DISABLED", "same_step", "SameStep"])
def test_autoreset_modes_go_by_member_name_or_value(given: AutoresetMode | str) -> None:
    wanted = given if isinstance(given, AutoresetMode) else str(given).replace("_", "").lower()
    mode = VECTORS["player"](1, autoreset_mode=given).metadata["autoreset_mode"]
    assert mode is wanted or mode.value.lower() == wanted


SPOKEN = {
    "rules": {"split": "none", "stick_minimum": 16},
    "seats": 4,
    "stake_max": 20,
    "stake_levels": 3,
    "players": ["thumb", "stick15", "random"],
    "rounds": 2,
    "memory": True,
    "observation": "dict",
    "illegal": "raise",
}


@pytest.mark.parametrize("role", ROLES)
def test_a_spec_goes_to_json_and_back(role: str) -> None:
    env = gymnasium.make(IDS[role], **SPOKEN)
    text = env.spec.to_json()
    json.loads(text)
    again = gymnasium.make(EnvSpec.from_json(text))
    assert again.unwrapped.settings == env.unwrapped.settings
    assert equal(again.reset(seed=3), env.reset(seed=3))


@pytest.mark.parametrize("rules", [Rules.of("british", packs=np.int64(3)), Rules.of("blackjack").as_dict()])
@pytest.mark.parametrize("role", ROLES)
def test_rules_go_to_json_and_back_in_a_spec(role: str, rules: Rules | dict[str, Any]) -> None:
    env, rows = gymnasium.make(IDS[role], rules=rules), gymnasium.make_vec(IDS[role], num_envs=2, rules=rules)
    again = gymnasium.make(EnvSpec.from_json(env.spec.to_json()))
    rows_again = gymnasium.make_vec(EnvSpec.from_json(rows.spec.to_json()))
    for one in (env, rows, again, rows_again):
        assert one.unwrapped.settings.rules == Rules.of(rules)
    assert equal(again.reset(seed=3), env.reset(seed=3))


@pytest.mark.parametrize("role", ROLES)
def test_a_vector_spec_goes_to_json_and_back(role: str) -> None:
    env = gymnasium.make_vec(IDS[role], num_envs=3, autoreset_mode="DISABLED", threads=2, **SPOKEN)
    again = gymnasium.make_vec(EnvSpec.from_json(env.spec.to_json()))
    assert type(again) is VECTORS[role].func
    assert again.unwrapped.settings == env.unwrapped.settings
    assert again.metadata["autoreset_mode"] is AutoresetMode.DISABLED
    assert equal(again.reset(seed=3), env.reset(seed=3))


@pytest.mark.parametrize("role", ROLES)
def test_policies_go_through_make(role: str) -> None:
    seating = outside_cast(role, "home", 3)
    env = gymnasium.make(IDS[role], seats=3, **seating)
    assert equal(env.reset(seed=3), SINGLES[role](seats=3, **seating).reset(seed=3))


# --- other processes -----------------------------------------------------------------------------------------------


def test_an_identifier_works_in_a_spawned_process() -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        for role in ROLES:
            assert equal(tuple(pool.apply(play, (IDS[role], 8))), tuple(play(IDS[role], 8)))


@pytest.mark.parametrize("observation", ["vector", "dict", "situation"])
def test_spawned_workers_of_gymnasium_play_the_same_as_the_native_class(observation: str) -> None:
    settings = {"seats": 3, "observation": observation, **STAKES}
    workers = gymnasium.make_vec(
        IDS["player"],
        num_envs=2,
        vectorization_mode="async",
        vector_kwargs={"context": "spawn", "autoreset_mode": AutoresetMode.NEXT_STEP},
        **settings,
    )
    native = VECTORS["player"](2, autoreset_mode="NEXT_STEP", **settings)
    rng = np.random.default_rng(0)
    try:
        theirs, ours = workers.reset(seed=5), native.reset(seed=5)
        assert equal(theirs[0], ours[0])
        for _ in range(20):
            actions = pick(rng, native.action_masks())
            theirs, ours = workers.step(actions), native.step(actions)
            assert equal(theirs[:4], ours[:4])
            assert np.array_equal(theirs[4]["action_mask"], ours[4]["action_mask"])
    finally:
        workers.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_can_go_on_with_an_environment_of_several_threads() -> None:
    """The child of a fork has none of its parent's threads; it is given five seconds."""
    code = (
        "import os, signal\n"
        "from pontoon_gym.envs.vector import PlayerVectorEnv\n"
        "env = PlayerVectorEnv(4, threads=2)\n"
        "env.reset(seed=0)\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    signal.alarm(5)\n"
        "    env.step([5] * 4)\n"
        "    os._exit(0)\n"
        "raise SystemExit(os.waitpid(child, 0)[1])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[2], capture_output=True, text=True)
    assert (done.returncode, said(done.stderr)) == (0, "")
