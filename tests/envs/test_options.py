"""`reset(options=...)`: stacked cards and other shoes, for one episode; what cannot be played changes nothing."""

from __future__ import annotations

import re
import tracemalloc
from typing import Any

import numpy as np
import pytest

from pontoon_gym.cards import card_sign, card_text, parse_card, parse_cards
from pontoon_gym.errors import BadArgument, BadCards, PontoonError
from pontoon_gym.records import parse
from tests.envs.helpers import ROLES, SINGLES, VECTORS, bytes_of, equal, pick

PACK = [rank + suit for rank in "A23456789TJQK" for suit in "CDHS"]


def dealt(env: Any) -> list[int]:
    """The cards dealt so far in a round, in order."""
    return list(parse(env.record()).cards)


def play_out(env: Any, seed: int = 0) -> list[Any]:
    """What random play to the end of the episode returns."""
    rng = np.random.default_rng(seed)
    seen: list[Any] = []
    while not seen or not seen[-1][2]:
        seen.append(env.step(pick(rng, env.action_masks())))
    return seen


# --- cards ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "cards",
    [
        "5S 9C 6D 8H",
        ["5S", "9C", "6D", "8H"],
        ("5s", "9c", "6d", "8h"),
        " 5S 9c\n6D 8H ",
        "5♠ 9♣ 6♦ 8♥",
        ["5♠", "9C", "6♦\ufe0f", "8h"],
    ],
)
def test_cards_come_in_dealing_order(cards: Any) -> None:
    env = SINGLES["player"]()
    env.reset(seed=0, options={"cards": cards})
    env.step(5)
    assert dealt(env) == parse_cards("5S 9C 6D 8H")


def test_every_card_is_read_as_pictures_print_it() -> None:
    for card in range(52):
        assert parse_card(card_sign(card)) == parse_card(card_text(card)) == card
    assert [card_sign(card) for card in (3, 36, 38, 51)] == ["A♠", "10♣", "10♥", "K♠"]
    assert parse_cards("10♥ t♥ TH") == [38, 38, 38]


def test_a_picture_is_stacked_again() -> None:
    """As a player copies it from their terminal."""
    env = SINGLES["banker"](players="stick15", render_mode="ansi")
    env.reset(seed=0, options={"cards": "10S 9C 7D 8H"})
    shown = " ".join(re.findall(r"\S+[♣♦♥♠]", env.render()))
    assert shown == "9♣ 8♥"
    env.reset(options={"cards": shown})
    assert dealt(env)[:2] == parse_cards("9C 8H")


def test_cards_behind_the_stacked_ones_are_random() -> None:
    env = SINGLES["banker"](players="stick15")
    seen = set()
    for seed in range(20):
        env.reset(seed=seed, options={"cards": "10S 9C"})
        assert dealt(env)[:2] == parse_cards("TS 9C")
        seen.add(tuple(dealt(env)[2:4]))
    assert len(seen) > 10


def test_a_whole_pack_can_be_stacked() -> None:
    env = SINGLES["player"](rounds=5)
    env.reset(seed=0, options={"cards": PACK[::-1]})
    env.step(5)
    assert dealt(env) == parse_cards(PACK[:-5:-1])


def test_no_cards_are_no_change() -> None:
    env, other = SINGLES["player"](), SINGLES["player"]()
    for options in ({"cards": ""}, {"cards": []}, {}, None):
        assert equal(env.reset(seed=3, options=options), other.reset(seed=3))


def test_two_packs_hold_a_card_twice() -> None:
    env = SINGLES["player"](seats=6, seat=0)
    env.reset(seed=0, options={"cards": "AS AS"})
    assert dealt(env)[:2] == parse_cards("AS AS")


def test_an_endless_shoe_holds_a_card_any_number_of_times() -> None:
    env = SINGLES["player"](rules="home,packs=0")
    env.reset(seed=0, options={"cards": ["AS"] * 972})
    env.step(5)
    assert dealt(env) == [parse_card("AS")] * 4


@pytest.mark.parametrize("role", ROLES)
def test_stacked_cards_come_in_every_row(role: str) -> None:
    env = VECTORS[role](4)
    env.reset(seed=0, options={"cards": "5S 9C 6D 8H"})
    for i in range(4):
        assert list(parse(env.record(i)).cards)[:2] == parse_cards("5S 9C")


def test_stacked_cards_come_only_in_the_rows_that_are_reset() -> None:
    env = VECTORS["player"](3, autoreset_mode="DISABLED")
    env.reset(seed=0)
    before = env.record(0)
    env.reset(options={"cards": "5S 9C", "reset_mask": np.array([False, True, True])})
    assert env.record(0) == before
    assert list(parse(env.record(2)).cards) == parse_cards("5S 9C")


# --- shoe ----------------------------------------------------------------------------------------------------------


def test_a_shoe_replaces_the_cards() -> None:
    env = SINGLES["banker"](players="stick15")
    env.reset(seed=0, options={"shoe": {"10": 3, "9": 2}})
    play_out(env)
    assert set(dealt(env)) <= set(parse_cards("TC TD TH 9C 9D"))
    assert "shoe=9C,9D,TC,TD,TH" in env.record()


@pytest.mark.parametrize("name", ["10", "T", "t", " t "])
def test_ranks_are_read_in_all_their_spellings(name: str) -> None:
    env = SINGLES["player"]()
    env.reset(seed=0, options={"shoe": {name: 6}})
    assert {card // 4 for card in dealt(env)} == {9}


def test_suits_of_a_shoe_come_in_turn() -> None:
    env = SINGLES["player"]()
    env.reset(seed=0, options={"shoe": {"A": 6, "k": 0}})
    assert "shoe=AC,AC,AD,AD,AH,AS" in env.record()


@pytest.mark.parametrize("cards", [4, 468])
def test_the_smallest_and_the_largest_shoe(cards: int) -> None:
    env = SINGLES["player"](illegal="raise")
    env.reset(seed=0, options={"shoe": {"5": cards}})
    play_out(env)


def test_an_endless_shoe_may_hold_one_card() -> None:
    env = SINGLES["player"](rules="blackjack")
    env.reset(seed=0, options={"shoe": {"5": 1}})
    play_out(env)
    assert set(dealt(env)) == {parse_card("5C")}


def test_a_shoe_stays_for_all_rounds_of_the_episode() -> None:
    env = SINGLES["player"](rounds=3, rules="casino8")
    env.reset(seed=0, options={"shoe": {"9": 8}})
    for _ in play_out(env):
        assert {card // 4 for card in dealt(env)} <= {8}


@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.array])
def test_a_shoe_in_numbers_of_numpy(kind: Any) -> None:
    env, other = SINGLES["player"](), SINGLES["player"]()
    seen = env.reset(seed=0, options={"shoe": {"9": kind(3), "A": kind(1), "K": kind(2)}})
    assert equal(seen, other.reset(seed=0, options={"shoe": {"9": 3, "A": 1, "K": 2}}))
    assert env.record() == other.record()


def test_cards_are_stacked_from_the_replaced_shoe() -> None:
    env = SINGLES["player"]()
    env.reset(seed=0, options={"shoe": {"9": 3, "A": 1, "K": 2}, "cards": "KC AC"})
    assert dealt(env) == parse_cards("KC AC")
    with pytest.raises(BadCards, match="QC"):
        env.reset(options={"shoe": {"9": 3, "A": 1, "K": 2}, "cards": "KC QC"})


OPTIONS: list[dict[str, Any]] = [{"cards": "5S 9C 6D 8H 2C 3C"}, {"shoe": {"9": 20, "3": 20}}]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("role", ROLES)
def test_options_are_for_this_episode_only(role: str, options: dict[str, Any]) -> None:
    env, other = SINGLES[role](), SINGLES[role]()
    env.reset(seed=0, options=options)
    other.reset(seed=0)
    play_out(env)
    play_out(other)
    assert equal(env.reset(), other.reset())
    assert equal(tuple(play_out(env)), tuple(play_out(other)))


@pytest.mark.parametrize("mode", ["SAME_STEP", "NEXT_STEP"])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_options_are_for_the_first_episode_of_a_row_only(options: dict[str, Any], mode: str) -> None:
    env, other = VECTORS["banker"](3, autoreset_mode=mode), VECTORS["banker"](3, autoreset_mode=mode)
    env.reset(seed=0, options=options)
    other.reset(seed=0)
    for _ in range(1 if mode == "SAME_STEP" else 2):
        seen, wanted = env.step([0] * 3), other.step([0] * 3)
    assert equal(seen[0], wanted[0])
    for _ in range(5):
        assert equal(env.step([0] * 3), other.step([0] * 3))


# --- what cannot be played -----------------------------------------------------------------------------------------

BAD: list[tuple[type[PontoonError], Any]] = [
    (BadCards, {"cards": "5S 5S"}),
    (BadCards, {"cards": "5S 9C AS 9C"}),
    (BadCards, {"cards": " ".join([*PACK, "AS"])}),
    (BadCards, {"cards": "5S 1X"}),
    (BadCards, {"cards": "5S 9"}),
    (BadCards, {"cards": "5S 11H"}),
    (BadCards, {"cards": "5\u2664"}),
    (BadCards, {"cards": "\u2660"}),
    (BadCards, {"cards": "5\u2660\u2660"}),
    (BadCards, {"cards": "\u26605"}),
    (BadCards, {"cards": ["5S", ""]}),
    (BadCards, {"cards": ["5S\n9C"]}),
    (BadCards, {"cards": [5]}),
    (BadCards, {"cards": 5}),
    (BadCards, {"cards": None}),
    (BadCards, {"cards": {"5S": 1}}),
    (BadCards, {"shoe": {"A": 1, "K": 2}}),
    (BadCards, {"shoe": {}}),
    (BadCards, {"shoe": {"A": 469}}),
    (BadCards, {"shoe": {"1": 9}}),
    (BadCards, {"shoe": {"Ace": 9}}),
    (BadCards, {"shoe": {"": 9}}),
    (BadCards, {"shoe": {None: 9}}),
    (BadCards, {"shoe": {"A": -1, "K": 9}}),
    (BadCards, {"shoe": {"A": 4.0, "K": 9}}),
    (BadCards, {"shoe": {"A": True, "K": 9}}),
    (BadCards, {"shoe": {"A": np.True_, "K": 9}}),
    (BadCards, {"shoe": {"A": np.float64(4), "K": 9}}),
    (BadCards, {"shoe": {"A": "4", "K": 9}}),
    (BadCards, {"shoe": {"A\n": -1}}),
    (BadCards, {"shoe": "AAAAKKKK"}),
    (BadCards, {"shoe": None}),
    (BadCards, {"shoe": {"A": 4, "K": 4}, "cards": "QS"}),
    (BadArgument, {"card": "5S"}),
    (BadArgument, {"cards": "5S", "seed": 3}),
    (BadArgument, {1: 2}),
]
NO_MAPPINGS: list[Any] = [5, "cards", ["cards"], [("cards", "5S")], True]


def refuses(env: Any, fault: type[PontoonError], options: Any, **more: Any) -> None:
    """A reset with these options is refused in one line."""
    with pytest.raises(fault) as caught:
        env.reset(options=options, **more)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("fault", "options"), BAD, ids=lambda case: str(case)[:60])
def test_bad_options_are_refused_and_nothing_is_lost(fault: type[PontoonError], options: Any) -> None:
    env = SINGLES["player"]()
    env.reset(seed=0)
    env.step(5)
    before = env.get_state()
    refuses(env, fault, options)
    assert env.get_state() == before


@pytest.mark.parametrize(("fault", "options"), BAD, ids=lambda case: str(case)[:60])
def test_bad_options_are_refused_by_the_vector_class_and_nothing_is_lost(
    fault: type[PontoonError], options: Any
) -> None:
    env = VECTORS["player"](3)
    env.reset(seed=0)
    env.step([5] * 3)
    before, masks = bytes_of(env), env.action_masks()
    refuses(env, fault, options)
    assert bytes_of(env) == before
    assert np.array_equal(env.action_masks(), masks)


@pytest.mark.parametrize("options", NO_MAPPINGS, ids=str)
@pytest.mark.parametrize("form", ["single", "vector"])
def test_options_must_be_a_mapping(form: str, options: Any) -> None:
    env: Any = SINGLES["player"]() if form == "single" else VECTORS["player"](2)
    env.reset(seed=0)
    before = bytes_of(env)
    refuses(env, BadArgument, options)
    assert bytes_of(env) == before


@pytest.mark.parametrize("options", [{"cards": "5S 5S"}, {"shoe": {"A": 1}}, {"card": "5S"}], ids=str)
@pytest.mark.parametrize("form", ["single", "vector"])
def test_nothing_is_lost_if_a_seed_was_given_too(form: str, options: Any) -> None:
    env: Any = SINGLES["player"]() if form == "single" else VECTORS["player"](2)
    env.reset(seed=0)
    before = bytes_of(env)
    refuses(env, PontoonError, options, seed=8)
    assert bytes_of(env) == before


@pytest.mark.parametrize("form", ["single", "vector"])
def test_the_round_goes_on_after_a_refused_reset(form: str) -> None:
    make = SINGLES["player"] if form == "single" else lambda: VECTORS["player"](2)
    env, other = make(), make()
    env.reset(seed=0)
    other.reset(seed=0)
    refuses(env, BadCards, {"cards": "5S 5S"})
    action = 5 if form == "single" else [5, 5]
    assert equal(env.step(action), other.step(action))


def test_a_refused_first_reset_can_be_repeated() -> None:
    env, other = SINGLES["player"](), SINGLES["player"]()
    refuses(env, BadCards, {"cards": "5S 5S"}, seed=1)
    with pytest.raises(RuntimeError, match="reset"):
        env.step(5)
    assert equal(env.reset(seed=1), other.reset(seed=1))


def test_a_single_environment_has_no_reset_mask() -> None:
    env = SINGLES["player"]()
    refuses(env, BadArgument, {"reset_mask": np.array([True])})


@pytest.mark.parametrize("rules", ["home", "blackjack"])
def test_a_huge_count_is_refused_before_it_is_dealt_out(rules: str) -> None:
    """It must not cost the memory of so many cards."""
    env = SINGLES["player"](rules=rules)
    tracemalloc.start()
    refuses(env, BadCards, {"shoe": {"A": 300_000}})
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 1_000_000


@pytest.mark.parametrize(("least", "most"), [(1, 224)])
def test_the_limits_of_an_endless_shoe(least: int, most: int) -> None:
    env = SINGLES["player"](rules="blackjack")
    for count in (least, most):
        env.reset(seed=0, options={"shoe": {"5": count}})
    for count in (least - 1, most + 1):
        refuses(env, BadCards, {"shoe": {"5": count}})


# --- seeds ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [2.5, "55", [1], (1, 2, 3), [1, "a"], [1, 0.5], [1, -2], [1, -2, 3]], ids=str)
def test_a_bad_seed_of_rows_is_refused_and_nothing_is_lost(seed: Any) -> None:
    env = VECTORS["player"](2)
    env.reset(seed=0)
    before = bytes_of(env)
    refuses(env, PontoonError, None, seed=seed)
    assert bytes_of(env) == before


def test_rows_without_a_seed_of_their_own_differ() -> None:
    for seeds in ([None] * 4, [3, None, None, None]):
        first, second = VECTORS["player"](4), VECTORS["player"](4)
        for env in (first, second):
            env.reset(seed=seeds)
        words = np.concatenate([env._rows.rounds["source"] for env in (first, second)])
        assert len(np.unique(words, axis=0)) == 8 - (seeds[0] == 3)
        assert words.any(axis=1).all()


def test_messages_stay_short_and_on_one_line() -> None:
    for given in (dict(rules=np.zeros((30, 30))), dict(seats=np.zeros((30, 30))), dict(banker="x" * 5000)):
        with pytest.raises(PontoonError) as caught:
            SINGLES["player"](**given)
        assert "\n" not in str(caught.value) and len(str(caught.value)) < 1000


def test_numpy_numbers_are_numbers() -> None:
    env = SINGLES["player"](seats=np.int64(3), rounds=np.int64(2), seat=np.int64(1))
    assert env.settings.table.seats == 3 and type(env.settings.table.seats) is int


def test_ragged_actions_and_masks_are_refused() -> None:
    env = VECTORS["player"](2)
    env.reset(seed=0)
    with pytest.raises(BadArgument, match="actions must be one a row"):
        env.step([[1], [1, 2]])
    with pytest.raises(BadArgument, match="a reset_mask must be one a row"):
        env.reset(options={"reset_mask": [[True], [True, False]]})
