"""Actions that the rules forbid, numbers that are no actions, and steps that nobody asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from pontoon_gym.envs.single import SingleEnv
from pontoon_gym.errors import BadArgument, EpisodeOver, IllegalAction
from tests.envs.helpers import (
    OBSERVATIONS,
    ROLES,
    SINGLES,
    THOROUGH,
    VECTORS,
    Broken,
    bytes_of,
    equal,
    outside_cast,
    pick,
    round_of,
)
from tests.scale import scaled

STICK, TWIST, SPLIT, BUY, STAKE = 0, 1, 2, 3, 5


def dealt(cards: str, *actions: int, role: str = "player", **settings: Any) -> SingleEnv:
    """A round of stacked cards after some actions."""
    env = SINGLES[role](**settings)
    env.reset(seed=0, options={"cards": cards})
    for action in actions:
        env.step(action)
    return env


# --- penalty -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("observation", OBSERVATIONS)
@pytest.mark.parametrize("role", ROLES)
def test_a_penalty_changes_nothing_but_its_count(role: str, observation: str) -> None:
    env = SINGLES[role](seats=3, observation=observation, rules="home,banker=s17" if role == "banker" else "home")
    rng = np.random.default_rng(0)
    shown, info = env.reset(seed=0)
    tried = 0
    for _ in range(scaled(100)):
        for wrong in np.flatnonzero(~env.action_masks())[:1]:
            before, rest, status = round_of(env), bytes_of(env, "illegal", "steps"), env._rows.status.tolist()
            again, reward, terminated, truncated, said = env.step(wrong)
            assert (reward, terminated, truncated) == (-1.0, False, False)
            assert said["illegal_action"] is np.True_
            assert equal(again, shown)
            assert equal(said["action_mask"], info["action_mask"])
            assert round_of(env)["illegal"] == before["illegal"] + 1
            assert bytes_of(env, "illegal", "steps") == rest
            assert env._rows.status.tolist() == status
            tried += 1
        shown, _, terminated, _, info = env.step(pick(rng, env.action_masks()))
        assert info["illegal_action"] is np.False_
        if terminated:
            shown, info = env.reset()
            assert info["illegal_action"] is np.False_
    assert tried > 0 or not THOROUGH


@pytest.mark.parametrize("role", ROLES)
def test_the_hundredth_of_an_episode_truncates(role: str) -> None:
    env = SINGLES[role](rules="home,banker=s17" if role == "banker" else "home")
    for _ in range(2):
        env.reset(seed=0)
        wrong = int(np.flatnonzero(~env.action_masks())[0])
        for _ in range(99):
            assert env.step(wrong)[1:4] == (-1.0, False, False)
        _, reward, terminated, truncated, info = env.step(wrong)
        assert (reward, terminated, truncated) == (-1.0, False, True)
        assert info["action_mask"].all()
        assert env.action_masks().all()
        with pytest.raises(EpisodeOver):
            env.step(STICK)


def test_the_count_goes_on_over_the_rounds_of_an_episode() -> None:
    env = SINGLES["player"](rounds=3)
    env.reset(seed=0)
    count, truncated = 0, False
    while not truncated:
        mask = env.action_masks()
        wrong = SPLIT if not mask[SPLIT] else STAKE
        assert not mask[wrong]
        truncated = env.step(wrong)[3]
        count += 1
        if count in (30, 60):
            number = int(round_of(env)["round"])
            while round_of(env)["round"] == number:
                env.step(int(env.action_masks().argmax()))
    assert count == 100


@pytest.mark.parametrize("mode", AutoresetMode)
def test_the_hundredth_truncates_a_row(mode: AutoresetMode) -> None:
    env, alone = VECTORS["player"](2, autoreset_mode=mode), SINGLES["player"]()
    env.reset(seed=0)
    alone.reset(seed=1)
    for k in range(100):
        allowed = int(env.action_masks()[0].argmax())
        if mode == AutoresetMode.DISABLED and k:
            env.reset(options={"reset_mask": np.array([True, False])})
            allowed = STAKE
        seen = env.step(np.array([allowed, SPLIT]))
        last = alone.step(SPLIT)
        assert (seen[1][1], seen[3][1], seen[4]["illegal_action"][1]) == (-1.0, k == 99, True)
    if mode == AutoresetMode.SAME_STEP:
        assert equal(seen[4]["final_obs"][1], last[0])
        assert equal(seen[0][1], alone.reset()[0])
    else:
        assert equal(seen[0][1], last[0])
        assert env.action_masks()[1].all()


@pytest.mark.parametrize(("penalty", "limit"), [(0.25, 3), (0, 1), (10, 101)])
def test_what_they_cost_and_how_many_truncate(penalty: float, limit: int) -> None:
    settings = {"illegal_penalty": penalty, "illegal_limit": limit}
    env, rows = SINGLES["player"](**settings), VECTORS["player"](2, **settings)
    env.reset(seed=0)
    rows.reset(seed=0)
    for k in range(1, limit + 1):
        assert env.step(SPLIT)[1:4] == (-penalty, False, k == limit)
        _, rewards, terminated, truncated, _ = rows.step(np.array([SPLIT, SPLIT]))
        assert rewards.tolist() == [-penalty] * 2 and not terminated.any() and truncated.all() == (k == limit)


# --- random --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", ROLES)
def test_a_random_allowed_action_is_taken_instead(role: str) -> None:
    """A forbidden action is flagged, costs nothing, and the round goes on to its end; rows are single environments."""
    settings = {"illegal": "random", "rules": "home,banker=s17" if role == "banker" else "home", "seats": 3}
    env, rows = SINGLES[role](**settings), VECTORS[role](1, **settings, autoreset_mode="DISABLED")
    forbidden = 0
    for seed in range(max(scaled(100), 10)):
        shown, other = env.reset(seed=seed), rows.reset(seed=seed)
        steps, terminated = 0, False
        while not terminated:
            wrong = np.flatnonzero(~env.action_masks())
            action = int(wrong[0]) if len(wrong) else 0
            shown, other = env.step(action), rows.step(np.array([action]))
            _, reward, terminated, truncated, info = shown
            assert info["illegal_action"] == bool(len(wrong)) and not truncated
            assert terminated or reward == 0.0
            assert equal(other[0][0], shown[0]) and other[1][0] == reward and other[2][0] == terminated
            forbidden, steps = forbidden + bool(len(wrong)), steps + 1
        assert steps <= 30
    assert forbidden > 0


def test_each_allowed_action_is_equally_likely() -> None:
    """Stick, twist and two buys on 16: chi-squared of 3 degrees below 21.1, a false alarm once in 10,000 seeds."""
    env = VECTORS["player"](max(scaled(4000), 400), illegal="random", stake_max=1, stake_levels=1)
    env.reset(seed=1, options={"cards": "9S 9C 7D 8H"})
    env.step(np.full(env.num_envs, STAKE))
    assert env.action_masks()[0].tolist() == [True, True, False, True, True, False]
    env.step(np.full(env.num_envs, SPLIT))
    counts = np.bincount(env._rows.rounds["log"][:, 1], minlength=STAKE)[[0, TWIST, BUY, BUY + 1]]
    assert counts.sum() == env.num_envs
    assert ((counts - env.num_envs / 4) ** 2 / (env.num_envs / 4)).sum() < 21.1


# --- raise ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", ROLES)
def test_raising_changes_nothing_at_all(role: str) -> None:
    env = SINGLES[role](seats=3, illegal="raise", rules="home,banker=s17" if role == "banker" else "home")
    rng = np.random.default_rng(0)
    env.reset(seed=0)
    tried = 0
    for _ in range(scaled(100)):
        for wrong in np.flatnonzero(~env.action_masks())[:1]:
            state = env.get_state()
            with pytest.raises(IllegalAction):
                env.step(wrong)
            assert env.get_state() == state
            tried += 1
        if env.step(pick(rng, env.action_masks()))[2]:
            env.reset()
    assert tried > 0 or not THOROUGH


def test_the_error_carries_the_record_the_action_and_what_is_allowed() -> None:
    env = dealt("5S 9C 6D 8H", STAKE, illegal="raise")
    with pytest.raises(IllegalAction) as caught:
        env.step(STICK)
    message = str(caught.value)
    assert env.record() in message
    assert "got 'S'; allowed: T, B0, B1" in message
    assert "clause" in message
    assert "\n" not in message


CLAUSES = [
    ("3.3", "5S 9C 6D 8H", [], STICK, {}),
    ("3.3", "5S 9C 6D 8H", [], TWIST, {}),
    ("6.2", "5S 9C 6D 8H", [STAKE], STICK, {}),
    ("6.3", "KS 9C 6D 8H 5C", [STAKE, TWIST], TWIST, {"rules": "home,twist_under=21"}),
    ("6.4", "5S 9C 6D 8H 2C", [STAKE, TWIST], BUY, {}),
    ("6.5", "5S 9C 2D 8H 2C 3C", [STAKE, TWIST, TWIST], BUY, {"rules": "casino8,double_cards_max=2"}),
    ("6.6", "5S 9C 6D 8H", [STAKE], SPLIT, {}),
]


@pytest.mark.parametrize(("clause", "cards", "before", "wrong", "settings"), CLAUSES)
def test_the_error_names_the_clause(
    clause: str, cards: str, before: list[int], wrong: int, settings: dict[str, Any]
) -> None:
    env = dealt(cards, *before, illegal="raise", **settings)
    with pytest.raises(IllegalAction) as caught:
        env.step(wrong)
    told = caught.value.where.replace(env.record(), "")
    assert clause in told.replace(",", " ").replace(";", " ").split()


def test_the_error_names_the_clause_of_the_banker() -> None:
    env = dealt("5S KC 6D 9H", role="banker", rules="home,banker=s17", players="stick15", illegal="raise")
    with pytest.raises(IllegalAction, match="clause 7"):
        env.step(int(np.flatnonzero(~env.action_masks())[0]))


# --- batches -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", AutoresetMode)
def test_no_row_moves_if_one_is_illegal(mode: AutoresetMode) -> None:
    env = VECTORS["player"](4, illegal="raise", autoreset_mode=mode)
    env.reset(seed=0)
    before = bytes_of(env)
    with pytest.raises(IllegalAction) as caught:
        env.step(np.array([STAKE, STAKE, SPLIT, STAKE]))
    assert env.record(2) in str(caught.value)
    assert bytes_of(env) == before
    env.step(np.full(4, STAKE))


BATCHES: list[Any] = [
    [STAKE, STAKE, 7],
    [STAKE, -1, STAKE],
    [STAKE, STAKE],
    [STAKE, STAKE, STAKE, STAKE],
    [[STAKE, STAKE, STAKE]],
    STAKE,
    np.array([STAKE] * 3, np.float64),
    np.array([STAKE, STAKE, np.nan]),
    np.array([True, True, True]),
    ["5", "5", "5"],
    [None, None, None],
    np.array([STAKE, STAKE, 2**62]),
    np.array([STAKE, STAKE, 2**63], np.uint64),
    None,
    "555",
]


@pytest.mark.parametrize("illegal", ["penalty", "raise"])
@pytest.mark.parametrize("actions", BATCHES, ids=str)
def test_no_row_moves_if_a_batch_is_bad(actions: Any, illegal: str) -> None:
    env = VECTORS["player"](3, illegal=illegal)
    env.reset(seed=0)
    before = bytes_of(env)
    with pytest.raises(BadArgument) as caught:
        env.step(actions)
    assert "\n" not in str(caught.value)
    assert bytes_of(env) == before


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.int64, np.uint64])
def test_batches_of_any_whole_numbers_are_taken(kind: type) -> None:
    env, other = VECTORS["player"](3), VECTORS["player"](3)
    env.reset(seed=0)
    other.reset(seed=0)
    assert equal(env.step(np.full(3, STAKE, kind)), other.step([STAKE] * 3))


# --- numbers that are no actions -----------------------------------------------------------------------------------

NO_ACTIONS: list[Any] = [
    -1,
    7,
    2**70,
    1.5,
    float("nan"),
    float("inf"),
    1 + 0j,
    True,
    False,
    np.True_,
    "1",
    "S",
    b"1",
    "",
    None,
    [1],
    (1,),
    {},
    np.array([1]),
    np.array([1, 2]),
    np.array([]),
    np.array([[1]]),
]


@pytest.mark.parametrize("illegal", ["penalty", "raise"])
@pytest.mark.parametrize("action", NO_ACTIONS, ids=repr)
def test_what_is_no_action_raises_and_changes_nothing(action: Any, illegal: str) -> None:
    env = dealt("5S 9C 6D 8H", STAKE, illegal=illegal)
    state = env.get_state()
    with pytest.raises(BadArgument) as caught:
        env.step(action)
    assert "\n" not in str(caught.value)
    assert env.get_state() == state


@pytest.mark.parametrize("action", [1.0, np.float32(1), np.array(1.0), np.array(True)], ids=repr)
def test_what_equals_an_action_but_lies_outside_the_space_raises(action: Any) -> None:
    """As in the vector class, which takes whole numbers only."""
    env = dealt("5S 9C 6D 8H", STAKE)
    assert not env.action_space.contains(action) or np.asarray(action).dtype == np.bool_
    with pytest.raises(BadArgument):
        env.step(action)


@pytest.mark.parametrize("action", [1, np.int64(1), np.int8(1), np.uint8(1), np.array(1)], ids=repr)
def test_whole_numbers_of_any_type_are_actions(action: Any) -> None:
    env, other = dealt("5S 9C 6D 8H", STAKE), dealt("5S 9C 6D 8H", STAKE)
    assert env.action_space.contains(action)
    assert equal(env.step(action), other.step(TWIST))


@pytest.mark.parametrize("action", [2, 3, -1])
def test_a_banker_has_two_actions(action: int) -> None:
    env = SINGLES["banker"]()
    env.reset(seed=0)
    with pytest.raises(BadArgument, match="0 to 1"):
        env.step(action)


# --- steps that nobody asked for -----------------------------------------------------------------------------------


@pytest.mark.parametrize("illegal", ["penalty", "raise"])
@pytest.mark.parametrize("role", ROLES)
def test_a_step_before_the_first_reset_raises(role: str, illegal: str) -> None:
    with pytest.raises(EpisodeOver, match="reset"):
        SINGLES[role](illegal=illegal).step(0)
    with pytest.raises(EpisodeOver, match="reset"):
        VECTORS[role](2, illegal=illegal).step([0, 0])


@pytest.mark.parametrize("form", ["single", "vector"])
def test_there_is_no_record_before_the_first_reset(form: str) -> None:
    """What would be written cannot be read: no shoe, no table."""
    with pytest.raises(EpisodeOver, match="reset"):
        SINGLES["player"]().record() if form == "single" else VECTORS["player"](2).record(0)


@pytest.mark.parametrize("illegal", ["penalty", "raise"])
@pytest.mark.parametrize("role", ROLES)
def test_a_step_after_the_end_raises(role: str, illegal: str) -> None:
    env = SINGLES[role](illegal=illegal)
    env.reset(seed=0)
    rng = np.random.default_rng(0)
    while not env.step(pick(rng, env.action_masks()))[2]:
        pass
    state = env.get_state()
    for _ in range(2):
        with pytest.raises(EpisodeOver, match="reset"):
            env.step(0)
    assert env.get_state() == state
    env.reset()


def test_a_row_that_is_over_must_be_reset_by_hand_if_nobody_else_does() -> None:
    env = VECTORS["banker"](3, autoreset_mode="DISABLED")
    env.reset(seed=0)
    over = env.step([STICK] * 3)[2]
    assert over.all()
    env.reset(options={"reset_mask": np.array([True, False, True])})
    before = bytes_of(env)
    with pytest.raises(EpisodeOver, match="reset"):
        env.step([STICK] * 3)
    assert bytes_of(env) == before


def test_rows_that_were_never_reset_cannot_step() -> None:
    env = VECTORS["player"](2)
    env.reset(seed=0, options={"reset_mask": np.array([True, False])})
    with pytest.raises(EpisodeOver):
        env.step([STAKE, STAKE])


def fail_in_a_step(env: Any, broken: Broken, action: Any) -> None:
    """Play until a policy fails in a step."""
    env.reset(seed=0)
    broken.fails = True
    with pytest.raises(RuntimeError, match="broken"):
        for _ in range(30):
            env.step(action)
    broken.fails = False


def test_after_a_policy_from_outside_failed_a_reset_is_needed() -> None:
    seating = outside_cast("player", "home", 3, Broken)
    env = SINGLES["player"](seats=3, seat=1, illegal="raise", **seating)
    broken = seating["players"][0]
    broken.fails = True
    with pytest.raises(RuntimeError, match="broken"):
        env.reset(seed=0)
    broken.fails = False
    with pytest.raises(EpisodeOver, match="reset"):
        env.step(STAKE)
    assert env.reset()[1]["action_mask"][STAKE]


def test_after_a_policy_from_outside_failed_a_batch_does_not_move() -> None:
    """No learner is asked there, so that their action must not be taken for another seat's."""
    seating = outside_cast("player", "home", 3, Broken)
    env = VECTORS["player"](4, seats=3, seat=1, **seating)
    fail_in_a_step(env, seating["players"][0], [STAKE] * 4)
    before = bytes_of(env)
    with pytest.raises(EpisodeOver, match="reset"):
        env.step([STAKE] * 4)
    assert bytes_of(env) == before
    masks = env.reset(options={"reset_mask": np.array([True, False, False, False])})[1]["action_mask"]
    assert (masks[np.array(env._rows.status) != 0] == 1).all(), "where nobody is asked everything is allowed"
