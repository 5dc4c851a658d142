"""The checkers of Gymnasium and of Stable-Baselines3 have nothing to say, not even a warning (warnings are errors)."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from tests.envs.helpers import IDS, OBSERVATIONS, ROLES, THOROUGH, pick
from tests.scale import scaled

TABLES: list[dict[str, Any]] = [
    {},
    {"rules": "casino8", "seats": 5, "memory": True},
    {"rules": "spanish", "seats": 9, "rounds": 3},
    {"rules": "blackjack", "seats": 3, "memory": True},
    {"rules": "ace_high", "stake_levels": 1, "buy_levels": 8},
]


def name_of(table: Any) -> str:
    """A readable name of a case."""
    return ",".join(f"{name}={value}" for name, value in table.items()) or "default"


@pytest.mark.parametrize("table", TABLES, ids=name_of)
@pytest.mark.parametrize("observation", OBSERVATIONS)
@pytest.mark.parametrize("role", ROLES)
def test_gymnasium_finds_no_fault(
    role: str, observation: str, table: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    env = gymnasium.make(IDS[role], observation=observation, **table)
    check_env(env.unwrapped)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("table", TABLES, ids=name_of)
@pytest.mark.parametrize("observation", OBSERVATIONS)
@pytest.mark.parametrize("role", ROLES)
def test_stable_baselines_finds_no_fault(role: str, observation: str, table: dict[str, Any]) -> None:
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    env = gymnasium.make(IDS[role], observation=observation, **table)
    checker.check_env(env.unwrapped, warn=True)


@pytest.mark.parametrize("observation", OBSERVATIONS)
@pytest.mark.parametrize("role", ROLES)
def test_the_passive_checker_finds_no_fault_in_random_play(role: str, observation: str) -> None:
    env = gymnasium.make(IDS[role], observation=observation, seats=4)
    rng = np.random.default_rng(1)
    env.reset(seed=1)
    for _ in range(scaled(200)):
        _, _, terminated, truncated, info = env.step(pick(rng, info_mask(env)))
        assert info["action_mask"].dtype == np.int8
        if terminated or truncated:
            env.reset()


def info_mask(env: gymnasium.Env[Any, Any]) -> np.ndarray:
    """The mask of a wrapped environment, by the method that sb3-contrib calls."""
    return env.get_wrapper_attr("action_masks")()


@pytest.mark.parametrize("role", ROLES)
def test_unmasked_sampling_runs_to_an_end(role: str) -> None:
    env = gymnasium.make(IDS[role], seats=3)
    env.action_space.seed(0)
    ends = 0
    env.reset(seed=0)
    for _ in range(scaled(1000)):
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        if terminated or truncated:
            ends += 1
            env.reset()
    assert ends > 0 or not THOROUGH


@pytest.mark.parametrize("role", ROLES)
def test_gymnasium_samples_by_the_mask(role: str) -> None:
    env = gymnasium.make(IDS[role], illegal="raise", seats=3)
    env.action_space.seed(0)
    info = env.reset(seed=0)[1]
    for _ in range(scaled(200)):
        _, _, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))
        if terminated or truncated:
            info = env.reset()[1]
