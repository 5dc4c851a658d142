"""`info["round_over"]`: whether a round was settled since the last action."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pontoon_gym.policies.policy import FunctionPolicy
from tests.envs.helpers import ROLES, SINGLES, STAKES, VECTORS, pick
from tests.scale import scaled


def last(observation: np.ndarray, mask: np.ndarray) -> int:
    """The last action allowed: a policy that is asked from outside the kernels."""
    return int(mask.nonzero()[0][-1])


def test_a_scripted_evening() -> None:
    """A stake is no settlement; a bust before the banker's turn is one, and so is the end by sticking."""
    env = SINGLES["player"](rounds=2, banker="stand17")
    _, info = env.reset(seed=1, options={"cards": "TS 9C 6D 8H KD"})
    assert info["round_over"] is np.False_
    assert env.step(5)[4]["round_over"] is np.False_
    _, reward, terminated, _, info = env.step(1)  # 16 and a king
    assert (reward, terminated, info["round_over"]) == (-1.0, False, np.True_)
    told = []
    while not terminated:
        _, _, terminated, _, info = env.step(env.action_masks().nonzero()[0][0])
        told.append(info["round_over"])
    assert told == [np.False_] * (len(told) - 1) + [np.True_]


@pytest.mark.parametrize("outside", [False, True], ids=["tables", "outside"])
@pytest.mark.parametrize("role", ROLES)
def test_each_round_is_told_once_and_pays_only_then(role: str, outside: bool) -> None:
    """Policies that are asked from outside interrupt steps: what was settled before is told all the same."""
    others: dict[str, Any] = {"player": {"banker": "chase"}, "banker": {"players": "thumb"}}[role]
    if outside:
        side = "banker" if role == "player" else "player"
        others = {next(iter(others)): FunctionPolicy(last, side, "home", STAKES)}
    env = SINGLES[role](rounds=5, illegal="raise", memory=True, **others)
    rng = np.random.default_rng(3)
    for _ in range(scaled(60)):
        env.reset(seed=int(rng.integers(1 << 30)))
        told, terminated = 0, False
        while not terminated:
            _, reward, terminated, _, info = env.step(pick(rng, env.action_masks()))
            told += bool(info["round_over"])
            assert told == env._rows.rounds["round"][0]
            assert info["round_over"] or reward == 0.0
        assert told == 5 and info["round_over"]


@pytest.mark.parametrize("mode", ["NEXT_STEP", "SAME_STEP"])
@pytest.mark.parametrize("role", ROLES)
def test_rows_tell_it_at_their_ends_too(role: str, mode: str) -> None:
    """Every end of an episode is that of a round, in `final_info` too, and no reset is."""
    envs = VECTORS[role](8, autoreset_mode=mode, rounds=2)
    rng = np.random.default_rng(4)
    _, infos = envs.reset(seed=4)
    assert not infos["round_over"].any() and infos["_round_over"].all()
    began = np.zeros(8, bool)
    for _ in range(scaled(100)):
        _, _, terminated, _, infos = envs.step(pick(rng, envs.action_masks()))
        assert infos["round_over"][terminated].all() and not infos["round_over"][began].any()
        if mode == "SAME_STEP":
            assert np.array_equal(infos["final_info"]["round_over"], terminated)
        else:
            began = terminated
