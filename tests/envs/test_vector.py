"""Row i of a vector environment is the single environment seeded with seed + i, in every autoreset mode."""

from __future__ import annotations

import threading
from itertools import cycle, product
from typing import Any, NamedTuple

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import (
    DictInfoToList,
    NormalizeObservation,
    NormalizeReward,
    RecordEpisodeStatistics,
)

from pontoon_gym import PRESETS
from pontoon_gym.envs.single import SingleEnv
from pontoon_gym.envs.vector import PontoonVectorEnv
from pontoon_gym.errors import BadArgument
from tests.envs.helpers import (
    IDS,
    OBSERVATIONS,
    ROLES,
    SINGLES,
    STAKES,
    THOROUGH,
    VECTORS,
    default_cast,
    equal,
    outside_cast,
    pick,
    row_of,
)
from tests.scale import scaled

ROWS, SEED = 4, 1000
WILD = 0.1
"""The chance of an action of the space that is drawn without looking at the mask."""


class Case(NamedTuple):
    """What both forms are asked to play."""

    role: str
    observation: str
    outside: bool
    threads: int
    settings: dict[str, Any]

    def __str__(self) -> str:
        told = ",".join(f"{name}={value}" for name, value in self.settings.items())
        seating = "outside" if self.outside else "tables"
        return f"{self.role},{self.observation},{seating},threads={self.threads},{told}"

    @property
    def all_settings(self) -> dict[str, Any]:
        """Settings of the single environment."""
        seat = outside_cast if self.outside else default_cast
        seating = seat(self.role, self.settings["rules"], self.settings["seats"])
        return {"observation": self.observation, **self.settings, **seating}

    def single(self) -> SingleEnv:
        """A single environment."""
        return SINGLES[self.role](**self.all_settings)

    def vector(self, mode: AutoresetMode) -> PontoonVectorEnv:
        """A vector environment."""
        return VECTORS[self.role](ROWS, autoreset_mode=mode, threads=self.threads, **self.all_settings)


def cases() -> list[Case]:
    """Every pair of role, observation and seating, the rest in turns, so that all of it comes up."""
    presets, seats = cycle(PRESETS), cycle((2, 5, 9, 3))
    rounds, memory, threads = cycle((1, 3, 1, 1, 3)), cycle((False, True, True)), cycle((1, 3))
    made = []
    for role, observation, outside, _ in product(ROLES, OBSERVATIONS, (False, True), range(2)):
        settings = {
            "rules": next(presets),
            "seats": next(seats),
            "rounds": next(rounds),
            "memory": next(memory),
        }
        made.append(Case(role, observation, outside, next(threads), settings))
    return made


CASES = cases()
both_forms = pytest.mark.parametrize("case", CASES, ids=str)


def test_the_cases_cover_what_they_should() -> None:
    for name, values in {
        "rules": set(PRESETS),
        "seats": {2, 3, 5, 9},
        "rounds": {1, 3},
        "memory": {False, True},
    }.items():
        for role in ROLES:
            assert {case.settings[name] for case in CASES if case.role == role} == values
    assert {(case.threads, case.outside) for case in CASES} == {(1, False), (3, False), (1, True), (3, True)}


class Pair:
    """A vector environment and the single environments that its rows must equal."""

    def __init__(self, case: Case, mode: AutoresetMode) -> None:
        self.vector = case.vector(mode)
        self.singles = [case.single() for _ in range(ROWS)]
        self.rng = np.random.default_rng(7)
        shown = self.vector.reset(seed=SEED)
        for i, env in enumerate(self.singles):
            self.check_row(i, *shown, *env.reset(seed=SEED + i))

    def actions(self) -> np.ndarray:
        """Random actions, now and then a forbidden one."""
        return pick(self.rng, self.vector.action_masks(), wild=WILD)

    def check_row(self, i: int, observations: Any, infos: dict[str, Any], observation: Any, info: dict) -> None:
        """Row i shows what the single environment shows."""
        assert equal(row_of(observations, i), observation)
        assert equal(infos["action_mask"][i], info["action_mask"])
        assert infos["_action_mask"][i] and infos["_illegal_action"][i]
        assert np.array_equal(self.vector.action_masks()[i], self.singles[i].action_masks())
        assert self.vector.record(i) == self.singles[i].record()

    def check_paid(self, i: int, seen: tuple[Any, ...], paid: tuple[Any, ...]) -> None:
        """Row i was paid, ended and told of a forbidden action as the single environment was."""
        _, rewards, terminations, truncations, infos = seen
        _, reward, terminated, truncated, info = paid
        assert (rewards[i], terminations[i], truncations[i]) == (reward, terminated, truncated)
        for flag in ("illegal_action", "round_over"):
            assert infos[flag][i] == info[flag] and infos[f"_{flag}"][i]

    def check_types(self, seen: tuple[Any, ...]) -> None:
        """Arrays of the documented types, one entry a row."""
        _, rewards, terminations, truncations, infos = seen
        assert (rewards.dtype, terminations.dtype, truncations.dtype) == (np.float64, np.bool_, np.bool_)
        assert rewards.shape == terminations.shape == truncations.shape == (ROWS,)
        assert infos["action_mask"].dtype == np.int8
        assert infos["illegal_action"].dtype == infos["round_over"].dtype == np.bool_
        for name in infos:
            assert name.startswith("_") or f"_{name}" in infos


@both_forms
def test_same_step(case: Case) -> None:
    pair = Pair(case, AutoresetMode.SAME_STEP)
    for _ in range(scaled(50)):
        actions = pair.actions()
        seen = pair.vector.step(actions)
        pair.check_types(seen)
        observations, _, _, _, infos = seen
        for i, env in enumerate(pair.singles):
            paid = env.step(actions[i])
            pair.check_paid(i, seen, paid)
            shown = paid[0], paid[4]
            ended = paid[2] or paid[3]
            assert infos["_final_obs"][i] == infos["_final_info"][i] == ended
            assert infos["final_info"]["_action_mask"][i] == ended
            if ended:
                assert equal(row_of(infos["final_obs"], i), paid[0])
                assert equal(infos["final_info"]["action_mask"][i], paid[4]["action_mask"])
                shown = env.reset()
            pair.check_row(i, observations, infos, *shown)


@both_forms
def test_next_step(case: Case) -> None:
    pair = Pair(case, AutoresetMode.NEXT_STEP)
    over = np.zeros(ROWS, np.bool_)
    for _ in range(scaled(50)):
        actions = pair.actions()
        seen = pair.vector.step(actions)
        pair.check_types(seen)
        assert "final_obs" not in seen[4]
        for i, env in enumerate(pair.singles):
            if over[i]:
                shown = env.reset()
                pair.check_paid(i, seen, (shown[0], 0.0, False, False, shown[1]))
            else:
                paid = env.step(actions[i])
                pair.check_paid(i, seen, paid)
                shown = paid[0], paid[4]
            pair.check_row(i, seen[0], seen[4], *shown)
        over = seen[2] | seen[3]


@both_forms
def test_disabled(case: Case) -> None:
    pair = Pair(case, AutoresetMode.DISABLED)
    for _ in range(scaled(50)):
        actions = pair.actions()
        seen = pair.vector.step(actions)
        pair.check_types(seen)
        shown = []
        for i, env in enumerate(pair.singles):
            paid = env.step(actions[i])
            pair.check_paid(i, seen, paid)
            shown.append((paid[0], paid[4]))
            pair.check_row(i, seen[0], seen[4], *shown[i])
        over = seen[2] | seen[3]
        if over.any():
            begun = pair.vector.reset(options={"reset_mask": over})
            for i, env in enumerate(pair.singles):
                if over[i]:
                    shown[i] = env.reset()
                pair.check_row(i, *begun, shown[i][0], shown[i][1])


@both_forms
def test_reset_in_mid_episode(case: Case) -> None:
    pair = Pair(case, AutoresetMode.SAME_STEP)
    actions = pick(pair.rng, pair.vector.action_masks())
    pair.vector.step(actions)
    for i, env in enumerate(pair.singles):
        if env.step(actions[i])[2]:
            env.reset()
    begun = pair.vector.reset()
    for i, env in enumerate(pair.singles):
        pair.check_row(i, *begun, *env.reset())
    begun = pair.vector.reset(seed=[3, None, 3, 9])
    for i, (env, seed) in enumerate(zip(pair.singles, [3, None, 3, 9], strict=True)):
        pair.check_row(i, *begun, *env.reset(seed=seed))


def test_threads_change_nothing() -> None:
    one, many = (VECTORS["player"](50, seats=4, threads=threads) for threads in (1, 7))
    assert equal(one.reset(seed=0), many.reset(seed=0))
    rng = np.random.default_rng(0)
    for _ in range(scaled(100)):
        actions = pick(rng, one.action_masks())
        assert equal(one.step(actions), many.step(actions))


def test_more_threads_than_rows() -> None:
    one, many = (VECTORS["banker"](2, threads=threads) for threads in (1, 64))
    assert equal(one.reset(seed=0), many.reset(seed=0))


def test_rows_do_not_depend_on_how_many_there_are() -> None:
    few, many = VECTORS["player"](3, seats=5), VECTORS["player"](20, seats=5)
    few.reset(seed=5)
    many.reset(seed=5)
    rng = np.random.default_rng(0)
    for _ in range(scaled(50)):
        actions = pick(rng, many.action_masks())
        a, b = few.step(actions[:3]), many.step(actions)
        assert equal(a[0], b[0][:3])
        assert np.array_equal(a[1], b[1][:3])


def test_without_a_seed_rows_differ_and_runs_differ() -> None:
    a, b = VECTORS["player"](8), VECTORS["player"](8)
    first, second = a.reset()[0], b.reset()[0]
    assert not np.array_equal(first, second)
    assert len(np.unique(first, axis=0)) > 1


def test_a_seed_of_numpy_seeds_what_a_plain_one_does() -> None:
    """The rows that are begun later too: their streams come from the environment's own generator."""
    one = np.array([True, False])
    later = []
    for seed in (5, np.int64(5)):
        env = VECTORS["player"](2)
        env.reset(seed=seed, options={"reset_mask": one})
        later.append(env.reset(options={"reset_mask": ~one})[0])
    assert np.array_equal(*later)


def test_actions_are_numbers_not_times() -> None:
    env = VECTORS["player"](2)
    env.reset(seed=0)
    with pytest.raises(BadArgument, match="whole numbers"):
        env.step(np.array([5, 5], "timedelta64[s]"))


def test_next_step_does_not_read_the_action_of_a_row_that_begins() -> None:
    """In mode "raise" too: whatever is said for a row that begins is no action."""
    env = VECTORS["player"](ROWS, autoreset_mode="NEXT_STEP", illegal="raise")
    env.reset(seed=0)
    rng = np.random.default_rng(0)
    over = np.zeros(ROWS, np.bool_)
    begun = 0
    for _ in range(scaled(50)):
        actions = np.where(over, 2, pick(rng, env.action_masks()))
        _, rewards, terminations, _, infos = env.step(actions)
        assert not infos["illegal_action"].any()
        assert (rewards[over] == 0).all()
        begun += int(over.sum())
        over = terminations
    assert begun > 0 or not THOROUGH


@pytest.mark.parametrize("observation", OBSERVATIONS)
@pytest.mark.parametrize("mode", ["SAME_STEP", "NEXT_STEP"])
def test_wrappers_of_gymnasium_read_its_infos(mode: str, observation: str) -> None:
    env = VECTORS["banker"](3, autoreset_mode=mode, observation=observation)
    wrapped = DictInfoToList(RecordEpisodeStatistics(env))
    wrapped.reset(seed=0)
    _, rewards, terminations, _, infos = wrapped.step(np.zeros(3, np.int64))
    assert terminations.all()
    assert [info["episode"]["r"] for info in infos] == rewards.tolist()
    for _ in range(scaled(20)):
        wrapped.step(np.zeros(3, np.int64))


@pytest.mark.parametrize("mask", [np.ones(3, np.bool_), np.zeros(2, np.bool_), np.array([1, 0]), [0, 1], "x", 1])
def test_a_bad_reset_mask_is_refused(mask: Any) -> None:
    env = VECTORS["player"](2, autoreset_mode="DISABLED")
    env.reset(seed=0)
    with pytest.raises(BadArgument, match="reset_mask"):
        env.reset(options={"reset_mask": mask})


def test_closing_ends_the_threads() -> None:
    before = threading.active_count()
    env = VECTORS["player"](4, threads=2)
    env.reset(seed=0)
    assert threading.active_count() > before
    env.close()
    assert threading.active_count() == before


def test_a_truncated_row_says_so_in_its_final_info() -> None:
    env = VECTORS["player"](2, autoreset_mode="SAME_STEP")
    env.reset(seed=0)
    for _ in range(100):
        infos = env.step([0, 0])[4]
    assert infos["final_info"]["illegal_action"].all() and infos["_final_info"].all()
    assert not infos["final_info"]["round_over"].any()


@pytest.mark.parametrize("most", [1, 2, 3, 7])
@pytest.mark.parametrize("mode", ["NEXT_STEP", "SAME_STEP"])
@pytest.mark.parametrize("role", ROLES)
def test_max_episode_steps_truncates_as_gymnasium_s_time_limit_does(role: str, mode: str, most: int) -> None:
    """Rewards, ends and final observations of a synchronous vector of single environments behind the wrapper."""
    settings = {**STAKES, "rounds": 4, "max_episode_steps": most, "observation": "dict" if most == 3 else "vector"}
    native = gymnasium.make_vec(IDS[role], 6, vectorization_mode="vector_entry_point", autoreset_mode=mode, **settings)
    wrapped = gymnasium.make_vec(
        IDS[role], 6, vectorization_mode="sync", vector_kwargs={"autoreset_mode": AutoresetMode[mode]}, **settings
    )
    rng, truncated = np.random.default_rng(most), 0
    seen, same = native.reset(seed=3), wrapped.reset(seed=3)
    assert equal(seen[0], same[0])
    for _ in range(max(30, scaled(300))):
        actions = pick(rng, native.unwrapped.action_masks(), wild=0.2)
        seen, same = native.step(actions), wrapped.step(actions)
        assert equal(seen[0], same[0])
        for mine, theirs in zip(seen[1:4], same[1:4], strict=True):
            assert np.array_equal(mine, theirs)
        assert np.array_equal(seen[4]["action_mask"], same[4]["action_mask"])
        if mode == "SAME_STEP":
            for i in np.flatnonzero(seen[2] | seen[3]):
                assert equal(row_of(seen[4]["final_obs"], i), same[4]["final_obs"][i])
                assert np.array_equal(seen[4]["final_info"]["action_mask"][i], same[4]["final_info"]["action_mask"][i])
        truncated += seen[3].sum()
    assert truncated > 0


@pytest.mark.parametrize("most", [0, -1, 2.0, True, "3"])
def test_bad_max_episode_steps(most: object) -> None:
    with pytest.raises(BadArgument, match="bad max_episode_steps"):
        VECTORS["player"](2, max_episode_steps=most)


@pytest.mark.parametrize("wrapper", [NormalizeObservation, NormalizeReward, RecordEpisodeStatistics])
def test_gymnasium_s_own_wrappers_take_the_default(wrapper: Any) -> None:
    env = wrapper(VECTORS["player"](3))
    env.reset(seed=0)
    for _ in range(10):
        env.step(env.unwrapped.action_masks().argmax(axis=1))


@pytest.mark.parametrize("role", ROLES)
def test_recorded_returns_are_what_was_paid(role: str) -> None:
    """The mean of what Gymnasium records of episodes is the mean of rewards; no step before or after is counted."""
    env = RecordEpisodeStatistics(VECTORS[role](4))
    env.reset(seed=5)
    paid = recorded = ended = 0.0
    for _ in range(max(scaled(200), 20)):
        _, rewards, terminated, _, infos = env.step(env.unwrapped.action_masks().argmax(axis=1))
        paid += rewards.sum()
        ended += terminated.sum()
        if terminated.any():
            recorded += infos["episode"]["r"][terminated].sum()
    assert ended > 0 and paid == pytest.approx(recorded)
