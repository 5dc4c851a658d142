"""Policies that observe which cards were seen since the shuffle (8.3), in seats of their own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pontoon_gym import FunctionPolicy
from pontoon_gym.engine.view.columns import Game, layout
from pontoon_gym.envs.banker import BankerEnv
from pontoon_gym.envs.player import PlayerEnv
from pontoon_gym.errors import BadArgument, BadPolicyFile
from pontoon_gym.names import Role
from pontoon_gym.policies.baselines import baseline
from pontoon_gym.policies.metadata import Metadata
from pontoon_gym.policies.network import NetworkPolicy
from tests.policies.samples import HOME, TABLE
from tests.scale import scaled

ROUNDS = 6
VIEWS = {memory: layout(Game(HOME, TABLE, Role.BANKER, memory)) for memory in (False, True)}
THUMB = baseline("thumb", "player", HOME, TABLE)


def sixteen(observation: np.ndarray, mask: np.ndarray) -> int:
    """A banker who twists under 16."""
    total = next(view for view in VIEWS[True].views if view.name == "total")
    return int(observation[total.start] * total.divisor < 15.5)


def network(columns: int) -> NetworkPolicy:
    layers = [(np.ones((2, columns), np.float32), np.zeros(2, np.float32))]
    return NetworkPolicy(Metadata("banker", HOME, TABLE), layers)


def test_it_sees_what_a_learner_with_memory_sees() -> None:
    """The same rounds twice: with the banker as the learner, and with the player; the banker sees the same."""
    seen: list[np.ndarray] = []
    banker = FunctionPolicy(lambda o, m: seen.append(o) or sixteen(o, m), "banker", memory=True)
    bank = BankerEnv(rounds=ROUNDS, memory=True, players="thumb", illegal="raise")
    seat = PlayerEnv(rounds=ROUNDS, banker=banker, illegal="raise")
    for seed in range(scaled(40)):
        observation, info = bank.reset(seed=seed)
        shown, ended = [], False
        while not ended:
            mask = info["action_mask"].astype(bool)
            shown += [observation] * int(mask.sum() > 1)
            observation, _, ended, _, info = bank.step(sixteen(observation, mask) if mask.sum() > 1 else 0)
        seen.clear()
        observation, info = seat.reset(seed=seed)
        ended = False
        while not ended:
            chances = THUMB.probabilities(observation[None], info["action_mask"].astype(bool)[None])
            observation, _, ended, _, info = seat.step(int(chances[0].argmax()))
        assert np.array_equal(np.array(seen), np.array(shown)), seed


def test_what_it_sees_lasts_beyond_a_round() -> None:
    """In the home game used cards lie under the shoe until there was a Pontoon (11.2)."""
    counted: list[float] = []
    view = next(view for view in VIEWS[True].views if view.name == "seen")

    def note(observation: np.ndarray, mask: np.ndarray) -> int:
        counted.append(float((observation[view.start : view.start + view.width] * view.divisor).sum()))
        return sixteen(observation, mask)

    env = PlayerEnv(rounds=ROUNDS, banker=FunctionPolicy(note, "banker", memory=True))
    for seed in range(scaled(20)):
        _, info = env.reset(seed=seed)
        ended = False
        while not ended:
            _, _, ended, _, info = env.step(int(info["action_mask"].nonzero()[0][0]))
    # One round shows the banker two cards, two of a split pair, and at most fifteen that were twisted.
    assert max(counted) > 20


def test_a_policy_without_memory_sees_no_more_than_before() -> None:
    widths: set[int] = set()
    banker = FunctionPolicy(lambda o, m: widths.add(len(o)) or sixteen(o, m), "banker")
    env = PlayerEnv(rounds=ROUNDS, memory=True, banker=banker)
    _, info = env.reset(seed=2)
    ended = False
    while not ended:
        _, _, ended, _, info = env.step(int(info["action_mask"].nonzero()[0][0]))
    assert widths == {VIEWS[False].size}


@pytest.mark.parametrize("memory", [False, True])
def test_a_network_s_width_says_whether_it_has_memory(memory: bool, tmp_path: Path) -> None:
    made = network(VIEWS[memory].size)
    assert made.memory is memory
    assert NetworkPolicy.load(made.save(tmp_path / "network.npz")).memory is memory
    env = PlayerEnv(banker=made)
    env.reset(seed=1)
    env.step(env.action_masks().nonzero()[0][0])


def test_a_network_of_another_width_is_refused(tmp_path: Path) -> None:
    path = network(VIEWS[True].size + 1).save(tmp_path / "network.npz")
    with pytest.raises(BadPolicyFile, match="its first layer reads"):
        NetworkPolicy.load(path)


def test_whether_a_function_has_memory_is_yes_or_no() -> None:
    with pytest.raises(BadArgument, match="bad memory"):
        FunctionPolicy(sixteen, "banker", memory=2)  # type: ignore[arg-type]
