"""Who plays the other seats: names, files, objects; in kernels or asked from outside, it is the same game."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pontoon_gym import PRESETS, Rules, Strategy, Table
from pontoon_gym.errors import BadArgument, EpisodeOver, UnknownInfostate
from pontoon_gym.policies.baselines import BANKERS, PLAYERS, baseline
from pontoon_gym.policies.metadata import Metadata
from pontoon_gym.solver import best_response
from tests.envs.helpers import ROLES, SINGLES, THOROUGH, VECTORS, Broken, Wobbly, equal, outside_cast, pick, shared
from tests.scale import scaled
from tests.solver.tables import needs_compiler

TABLE = {"stake_max": 10, "stake_levels": 2}


class Outside(Wobbly):
    """A rule of thumb that is asked from outside; counts the questions."""

    def __init__(self, name: str, role: str, rules: Rules, table: Table) -> None:
        super().__init__(role, rules, table)
        self.inner, self.asked = shared(name, role, rules, table), 0

    def probabilities(self, observation: np.ndarray, mask: np.ndarray, /) -> np.ndarray:
        assert observation.dtype == np.float32
        assert mask.dtype == np.bool_
        assert mask.sum(axis=1).min() > 1, "where one action is allowed nobody is asked"
        self.asked += len(observation)
        return self.inner.probabilities(observation, mask)


def play_the_same(env: Any, other: Any, count: int) -> None:
    """Two vector environments show the same under the same random actions."""
    rng = np.random.default_rng(0)
    assert equal(env.reset(seed=0), other.reset(seed=0))
    for _ in range(count):
        actions = pick(rng, env.action_masks())
        assert equal(env.step(actions), other.step(actions))


@pytest.mark.parametrize("name", PLAYERS)
@pytest.mark.parametrize("preset", PRESETS)
def test_players_play_the_same_from_outside(preset: str, name: str) -> None:
    role = ROLES[(len(preset) + len(name)) % 2]
    at = Table.of(seats=4, **TABLE)
    outside = Outside(name, "player", Rules.of(preset), at)
    inner = shared(name, "player", Rules.of(preset), at)
    env = VECTORS[role](5, rules=preset, seats=4, players=inner)
    play_the_same(env, VECTORS[role](5, rules=preset, seats=4, players=outside), scaled(20))
    assert outside.asked > 0 or not THOROUGH


@pytest.mark.parametrize("name", BANKERS)
@pytest.mark.parametrize("seats", [2, 5])
def test_bankers_play_the_same_from_outside(name: str, seats: int) -> None:
    outside = Outside(name, "banker", Rules.of("home"), Table.of(seats=seats, **TABLE))
    env = VECTORS["player"](5, seats=seats, banker=name)
    play_the_same(env, VECTORS["player"](5, seats=seats, banker=outside), scaled(60))
    assert outside.asked > 0 or not THOROUGH


def test_nobody_named_is_thumb_against_stand17() -> None:
    env = VECTORS["player"](5, seats=4)
    play_the_same(env, VECTORS["player"](5, seats=4, players="thumb", banker="stand17"), scaled(60))
    play_the_same(VECTORS["banker"](5), VECTORS["banker"](5, players="thumb"), scaled(60))


def test_a_file_an_object_and_a_name_play_the_same(tmp_path: Path) -> None:
    strategy = baseline("chase", "banker", Rules.of("home"), Table.of(**TABLE))
    for given in (strategy, strategy.save(tmp_path / "chase.npz"), str(strategy.save(tmp_path / "chase.json"))):
        play_the_same(VECTORS["player"](5, banker="chase"), VECTORS["player"](5, banker=given), scaled(40))


def test_the_policy_at_the_learners_seat_is_not_asked() -> None:
    seating = outside_cast("player", "home", 3, Broken)
    seating["players"][0].fails = True
    env = SINGLES["player"](seats=3, seat=0, players=seating["players"])
    for seed in range(scaled(20)):
        env.reset(seed=seed)
        while not env.step(int(env.action_masks().argmax()))[2]:
            pass


def test_policies_sit_by_place_from_the_bankers_left() -> None:
    env = SINGLES["banker"](seats=4, players=["stick15", "thumb", "random"])
    assert [policy.name for policy in env.seating.policies[:-1]] == ["stick15", "thumb", "random"]


# --- policies that do not keep their promise -----------------------------------------------------------------------


class Bad(Wobbly):
    """Spoils its answer in some way."""

    way = ""

    def probabilities(self, observation: np.ndarray, mask: np.ndarray, /) -> np.ndarray:
        answer = super().probabilities(observation, mask)
        if self.way == "nan":
            answer[0, 0] = np.nan
        elif self.way == "negative":
            answer[0, :2] = -0.5, 1.5
        elif self.way == "forbidden":
            answer[0] = ~mask[0] / max((~mask[0]).sum(), 1)
        elif self.way == "sum":
            answer *= 0.9
        elif self.way == "one row":
            answer = answer[0]
        elif self.way == "too wide":
            answer = np.pad(answer, ((0, 0), (0, 1)))
        return answer


@pytest.mark.parametrize("way", ["nan", "negative", "forbidden", "sum", "one row", "too wide"])
def test_bad_answer_are_refused(way: str) -> None:
    bad = Bad("player", Rules.of("home"), Table.of(**TABLE))
    bad.way = way
    env = SINGLES["banker"](players=bad)
    with pytest.raises(BadArgument, match="probabilities of Bad") as caught:
        env.reset(seed=0)
    assert "\n" not in str(caught.value)
    with pytest.raises(EpisodeOver):
        env.step(0)


def test_a_infostate_without_an_answer_is_named() -> None:
    rules, table = Rules.of("home"), Table.of(**TABLE)
    empty = Strategy(
        Metadata("player", rules, table),
        parts=(),
        keys=np.zeros(0, np.int64),
        weights=np.zeros((0, table.actions)),
        greedy=True,
    )
    for env in (SINGLES["banker"](players=empty), VECTORS["banker"](3, players=empty)):
        with pytest.raises(UnknownInfostate, match="no answer") as caught:
            env.reset(seed=0)
        assert "\n" not in str(caught.value)


def test_rows_without_an_answer_do_not_move() -> None:
    rules, table = Rules.of("home"), Table.of(**TABLE)
    empty = Strategy(
        Metadata("player", rules, table),
        parts=(),
        keys=np.zeros(0, np.int64),
        weights=np.zeros((0, table.actions)),
        greedy=True,
    )
    env = VECTORS["banker"](3, players=empty)
    with pytest.raises(UnknownInfostate):
        env.reset(seed=0)
    with pytest.raises(EpisodeOver):
        env.step([0] * 3)


@needs_compiler
def test_a_table_is_asked_at_ended_rows_too() -> None:
    """In the step after an end its action is not read: any that the mask allows is right."""
    best = best_response(Rules.of("home"), banker="stand17").strategy
    about = Metadata("player", best.rules, best.table, name="no other table behind it")
    policy = Strategy(about, parts=best.parts, keys=best.keys, weights=best.weights, greedy=True)
    env = VECTORS["player"](8, **best.table.as_dict(), autoreset_mode="NEXT_STEP", illegal="raise")
    observations, _ = env.reset(seed=0)
    over, ends = np.zeros(8, np.bool_), 0
    for _ in range(40):
        chances = policy.probabilities(observations, env.action_masks())
        assert np.allclose(chances[over], 1 / policy.actions) and np.allclose(chances.sum(axis=1), 1.0)
        observations, _, terminated, truncated, _ = env.step(chances.argmax(axis=1))
        over = terminated | truncated
        ends += over.sum()
    assert ends > 20
