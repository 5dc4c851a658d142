"""The three mask channels agree, observations lie in their spaces, and what a step returns belongs to the caller."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pontoon_gym import PRESETS
from tests.envs.helpers import OBSERVATIONS, ROLES, SINGLES, VECTORS, default_cast, equal, pick, row_of
from tests.scale import scaled

SEATS = (2, 5, 9)


def channels(env: Any, observation: Any, info: dict[str, Any]) -> np.ndarray:
    """The mask, if all its channels say the same."""
    mask = env.action_masks()
    assert mask.dtype == np.bool_
    assert info["action_mask"].dtype == np.int8
    assert np.array_equal(info["action_mask"], mask)
    if isinstance(observation, dict):
        assert equal(observation["action_mask"], info["action_mask"])
    assert mask.any(axis=-1).all()
    return mask


# --- masks and spaces ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("role", ROLES)
def test_masks_agree_and_observations_lie_in_their_space(role: str, preset: str, seats: int) -> None:
    rng = np.random.default_rng(seats)
    for observation in OBSERVATIONS:
        table = {"rules": preset, "seats": seats, "memory": True, "rounds": 2}
        env = SINGLES[role](**table, observation=observation, illegal="raise", **default_cast(role, preset, seats))
        shown, info = env.reset(seed=seats)
        for _ in range(scaled(80)):
            assert shown in env.observation_space
            shown, reward, terminated, truncated, info = env.step(pick(rng, channels(env, shown, info)))
            if terminated:
                assert shown in env.observation_space
                assert channels(env, shown, info).all()
                shown, info = env.reset()
            assert not truncated
            assert reward == 0 or terminated or abs(reward) * 2 == round(abs(reward) * 2)


@pytest.mark.parametrize("observation", OBSERVATIONS)
@pytest.mark.parametrize("role", ROLES)
def test_masks_agree_in_the_vector_class(role: str, observation: str) -> None:
    env = VECTORS[role](6, seats=5, observation=observation, illegal="raise", autoreset_mode="SAME_STEP")
    rng = np.random.default_rng(0)
    shown, infos = env.reset(seed=0)
    for _ in range(scaled(60)):
        mask = channels(env, shown, infos)
        assert mask.shape == (6, env.single_action_space.n)
        assert shown in env.observation_space
        shown, _, terminated, _, infos = env.step(pick(rng, mask))
        assert (infos["final_info"]["action_mask"][terminated] == 1).all()
        for i in np.flatnonzero(terminated):
            last = row_of(infos["final_obs"], i)
            assert last in env.single_observation_space
            if observation == "dict":
                assert last["action_mask"].all()


@pytest.mark.parametrize("observation", OBSERVATIONS)
@pytest.mark.parametrize("role", ROLES)
def test_masks_are_all_ones_in_a_row_that_waits_for_its_reset(role: str, observation: str) -> None:
    env = VECTORS[role](6, observation=observation, autoreset_mode="DISABLED")
    rng = np.random.default_rng(0)
    shown, infos = env.reset(seed=0)
    for _ in range(scaled(60)):
        shown, _, terminated, truncated, infos = env.step(pick(rng, channels(env, shown, infos)))
        over = terminated | truncated
        assert channels(env, shown, infos)[over].all()
        if over.sum() > 1:
            only = over & (np.arange(6) == np.flatnonzero(over)[0])
            shown, infos = env.reset(options={"reset_mask": only})
            assert channels(env, shown, infos)[over & ~only].all()
            shown, infos = env.reset(options={"reset_mask": over & ~only})
        elif over.any():
            shown, infos = env.reset(options={"reset_mask": over})


@pytest.mark.parametrize("observation", OBSERVATIONS)
def test_a_truncated_row_still_shows_all_ones_while_others_are_reset(observation: str) -> None:
    env = VECTORS["player"](2, observation=observation, autoreset_mode="DISABLED")
    env.reset(seed=0)
    for _ in range(100):
        seen = env.step(np.array([2, 2]))
    assert seen[3].all()
    shown, infos = env.reset(options={"reset_mask": np.array([True, False])})
    assert channels(env, shown, infos)[1].all()


@pytest.mark.parametrize("observation", OBSERVATIONS)
def test_masks_agree_in_rows_that_were_never_reset(observation: str) -> None:
    env = VECTORS["player"](2, observation=observation, autoreset_mode="DISABLED")
    shown, infos = env.reset(seed=0, options={"reset_mask": np.array([True, False])})
    assert shown in env.observation_space
    channels(env, shown, infos)


@pytest.mark.parametrize("role", ROLES)
def test_before_the_first_reset_all_is_allowed(role: str) -> None:
    assert SINGLES[role]().action_masks().all()
    assert VECTORS[role](2).action_masks().all()


@pytest.mark.parametrize("observation", ["vector", "dict"])
def test_memory_of_an_unusual_shoe_lies_in_the_space(observation: str) -> None:
    """A shoe of more tens than the packs of the rules hold: every one of them is seen."""
    env = SINGLES["player"](observation=observation, memory=True, rounds=50)
    shown, _ = env.reset(seed=0, options={"shoe": {"K": 60}})
    over = False
    while not over:
        assert shown in env.observation_space
        mask = env.action_masks()
        shown, _, over, _, _ = env.step(0 if mask[0] else int(mask.argmax()))


# --- what they tell ------------------------------------------------------------------------------------------------


def deal(role: str, cards: str, *actions: int, **settings: Any) -> dict[str, np.ndarray]:
    """The dict observation after some actions in a round of stacked cards."""
    env = SINGLES[role](observation="dict", illegal="raise", **settings)
    shown, _ = env.reset(seed=0, options={"cards": cards})
    for action in actions:
        shown = env.step(action)[0]
    return shown


def values(field: np.ndarray) -> list[int]:
    """The values of the cards that ten columns count."""
    return [v + 1 for v in range(10) for _ in range(int(field[v]))]


LEAST, MOST, BUY_LEAST, BUY_MOST = 5, 6, 3, 4
"""The stakes and buys of a player with two levels of each."""


def test_a_player_sees_the_first_card_before_the_stake() -> None:
    shown = deal("player", "5S 9C")
    assert shown["phase"].tolist() == [1, 0, 0, 0]
    assert values(shown["cards"]) == [5]
    assert values(shown["banker_cards"]) == []
    assert shown["action_mask"].tolist() == [0, 0, 0, 0, 0, 1, 1]
    assert shown["limits"].tolist() == [1, 10]


def test_a_casino_player_stakes_before_any_card() -> None:
    assert values(deal("player", "5S 9C", rules="casino8")["cards"]) == []


def test_a_player_sees_what_was_bought_and_what_may_be() -> None:
    shown = deal("player", "5S 9C 6D 8H 2C", MOST, BUY_MOST)
    assert values(shown["cards"]) == [2, 5, 6]
    assert (shown["total"], shown["count"], shown["soft"]) == (13, 3, 0)
    assert shown["buys"].tolist() == [20, 0, 0]
    assert (shown["stake"], shown["total_stake"], shown["bought"]) == (10, 30, 1)
    assert (shown["buy_least"], shown["buy_most"]) == (10, 20)
    assert shown["action_mask"].tolist() == [0, 1, 0, 1, 1, 0, 0]


def test_of_equal_levels_the_lowest_is_allowed() -> None:
    shown = deal("player", "5S 9C 6D 8H 2C", MOST, BUY_LEAST)
    assert shown["buy_least"] == shown["buy_most"] == 10
    assert shown["action_mask"].tolist() == [0, 1, 0, 1, 0, 0, 0]


def test_a_twist_is_shown_and_ends_the_buys() -> None:
    shown = deal("player", "5S 9C 6D 8H 2C", LEAST, 1)
    assert shown["shown"].tolist() == [2, 0, 0]
    assert (shown["twists"], shown["buy_most"]) == (1, 0)


def test_a_blackjack_player_sees_the_bankers_first_card() -> None:
    assert values(deal("player", "5S 9C 6D 8H", LEAST, rules="blackjack")["banker_cards"]) == [9]


def test_a_banker_sees_counts_stakes_and_twists_but_no_hidden_card() -> None:
    shown = deal("banker", "5S 9C 5D 8H 3C 4D", players="stick15")
    assert values(shown["cards"]) == [8, 9]
    assert values(shown["other_cards"][:10]) == [3, 4]
    assert shown["other_shown"][:3].tolist() == [3, 4, 0]
    assert (shown["other_count"][0], shown["other_twists"][0], shown["other_stake"][0]) == (4, 2, 1)


@pytest.mark.parametrize(
    ("cards", "shown"),
    [("2S 9C 4D 8H 2C 2D 6C", [2, 4, 2]), ("KS 9C 2D 8H JC", [10, 2, 10])],
    ids=["trick", "bust"],
)
def test_a_trick_and_a_bust_show_their_first_three_cards_in_order(cards: str, shown: list[int]) -> None:
    """Without the compiler too, where a card's byte must not keep its eight bits when it is shifted."""
    assert deal("banker", cards, players="stick15")["other_shown"][:3].tolist() == shown


def test_split_hands_are_told_apart() -> None:
    shown = deal("player", "8S 9C 8D 8H 3C 4D", LEAST, 2)
    assert values(shown["cards"]) == [3, 8]
    assert values(shown["own_cards"][:10]) == [4, 8]
    assert (shown["hand"], shown["hands"], shown["split"]) == (0, 2, 1)
    assert shown["shown"].tolist() == [8, 0, 0]


def test_the_reward_is_in_units_of_the_least_stake() -> None:
    env = SINGLES["player"](stake_min=4, stake_max=10)
    env.reset(seed=0, options={"cards": "KS 9C QD 8H"})
    env.step(MOST)
    assert env.step(0)[1] == 2.5


def test_half_chips_are_paid_exactly() -> None:
    env = SINGLES["player"](rules="malaysian", stake_max=1)
    env.reset(seed=0, options={"cards": "AS AC KD QH"})
    assert env.step(LEAST)[1:3] == (1.5, True)


# --- what is returned belongs to the caller ------------------------------------------------------------------------


def spoil(thing: Any) -> None:
    """Overwrite everything in a returned value that can be."""
    if isinstance(thing, dict):
        for value in thing.values():
            spoil(value)
        thing.clear()
    elif isinstance(thing, np.ndarray):
        thing[...] = 77 if thing.dtype != np.bool_ else ~thing
    elif isinstance(thing, tuple | list):
        for value in thing:
            spoil(value)


@pytest.mark.parametrize("observation", OBSERVATIONS)
@pytest.mark.parametrize("role", ROLES)
def test_spoiling_what_was_returned_changes_nothing(role: str, observation: str) -> None:
    spoiled, kept = (SINGLES[role](seats=3, observation=observation, rounds=2) for _ in range(2))
    rng = np.random.default_rng(0)
    seen, wanted = spoiled.reset(seed=1), kept.reset(seed=1)
    assert equal(seen, wanted)
    for _ in range(scaled(60)):
        spoil(seen)
        spoil(spoiled.action_masks())
        spoil(spoiled.get_state())
        action = pick(rng, kept.action_masks(), wild=0.1)
        seen, wanted = spoiled.step(action), kept.step(action)
        assert equal(seen, wanted)
        if wanted[2]:
            seen, wanted = spoiled.reset(), kept.reset()


@pytest.mark.parametrize("mode", ["SAME_STEP", "NEXT_STEP"])
@pytest.mark.parametrize("observation", OBSERVATIONS)
@pytest.mark.parametrize("role", ROLES)
def test_spoiling_what_the_vector_class_returned_changes_nothing(role: str, observation: str, mode: str) -> None:
    spoiled, kept = (VECTORS[role](4, seats=3, observation=observation, autoreset_mode=mode) for _ in range(2))
    rng = np.random.default_rng(0)
    seen, wanted = spoiled.reset(seed=1), kept.reset(seed=1)
    for _ in range(scaled(60)):
        spoil(seen)
        spoil(spoiled.action_masks())
        actions = pick(rng, kept.action_masks(), wild=0.1)
        seen, wanted = spoiled.step(actions), kept.step(actions.copy())
        assert equal(seen, wanted)
        spoil(actions)


@pytest.mark.parametrize("observation", OBSERVATIONS)
def test_no_two_returned_arrays_share_memory(observation: str) -> None:
    env = VECTORS["player"](4, observation=observation)
    arrays = list(arrays_in([env.reset(seed=0), env.action_masks()]))
    rng = np.random.default_rng(0)
    for _ in range(4):
        arrays += arrays_in(env.step(pick(rng, env.action_masks())))
    for i, a in enumerate(arrays):
        assert not any(np.shares_memory(a, b) for b in arrays[:i])


def arrays_in(thing: Any) -> list[np.ndarray]:
    """Every array in a returned value."""
    if isinstance(thing, np.ndarray):
        return [thing]
    inner = thing.values() if isinstance(thing, dict) else thing if isinstance(thing, tuple | list) else ()
    return [array for one in inner for array in arrays_in(one)]


@pytest.mark.parametrize("role", ROLES)
def test_rewards_and_flags_are_builtin(role: str) -> None:
    env = SINGLES[role](seats=3)
    rng = np.random.default_rng(0)
    env.reset(seed=0)
    for _ in range(scaled(60)):
        _, reward, terminated, truncated, info = env.step(pick(rng, env.action_masks(), wild=0.2))
        assert (type(reward), type(terminated), type(truncated)) == (float, bool, bool)
        assert type(info) is dict
        assert type(info["illegal_action"]) is type(info["round_over"]) is np.bool_
        if terminated:
            env.reset()
