"""Every line of play is counted, and the counts are those of `perft.json`.

Where a count can be had on paper it is derived below, from the rule book alone. All but the largest are also counted by
`perft_reference.py`, which replays every line on a Pontoon that was written apart.
"""

from __future__ import annotations

import math
from typing import Any

import pytest

from pontoon_gym import Rules, Table
from pontoon_gym.cards import parse_cards
from pontoon_gym.errors import BadArgument, BadCards
from pontoon_gym.rules import PRESETS
from pontoon_gym.solver.perft import Perft, perft
from tests.scale import SCALE
from tests.solver import perft_reference
from tests.solver.perft_cases import Case, perft_cases

MOST = 30_000_000 if SCALE > 1 else 8_000_000 if SCALE == 1 else 100
"""Lines of the largest case that this run can afford."""

CASES = perft_cases(MOST)
NAMED = {case.name: case for case in perft_cases()}


def count(case: Case, **changes: object) -> Perft:
    """The count of a case, or of the same under changed rules."""
    return perft(Rules.of(case.rules, **changes), case.table, case.shoe, case.depth)


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_the_frozen_counts(case: Case) -> None:
    assert count(case) == Perft(case.ended, case.open, case.result)


DERIVED: dict[str, tuple[int, int, int]] = {
    # 4! deals, and then no card is left, so that both can only stick (1.5): 20 against 20 loses one chip (10.1).
    "four tens": (24, 0, -2 * 24),
    # The same when the tens are one card four times.
    "four equal tens": (1, 0, -2),
    # Of 4! deals the player has the ace in 12 and wins 2 chips, the banker in 12 and collects 2 (5.1).
    "an ace and three kings": (24, 0, 12 * 4 - 12 * 4),
    # One deal, 20 against 20. Stick, and the banker may stick (-1 chip) or twist and bust (+1); or twist (-1), buy
    # for 1 (-2) or for 2 (-3) and bust, whereafter the banker can only stick (7.1). No split: it needs two cards.
    "home, five equal tens": (5, 0, -2 + 2 - 2 - 4 - 6),
    # The same, but the banker is bound to stick on 20, and a double is one price (6.5).
    "casino8, five equal tens": (3, 0, -2 - 2 - 4),
    # A stake, four cards, 20 against 20. Stick and stick end at the seventh event, a push. After a twist or a double
    # and its card the banker is yet to be asked; after a split and one card the other hand has none.
    "blackjack, endless tens": (1, 3, 0),
    # Each of two stakes, of 1 chip and of 2, stuck on or twisted, loses itself; the doubles lose twice that.
    "casino8, two stakes": (6, 0, (-2 - 2 - 4) * (1 + 2)),
    # Ordered draws of four from 52 different cards with a stake between, which has one level: 52 * 51 * 50.
    "home, full shoe": (0, 52 * 51 * 50, 0),
    # Three of 52 different cards, each there more than three times.
    "casino8, full shoe": (0, 52**3, 0),
    # A banker's Pontoon comes in 2 * 4 * 16 orders, the player's cards beside it in 50 * 49, a Pontoon in 2 * 3 * 15:
    # the banker can only stick, and collects 2 (5.1). A player's Pontoon without one is finished (6.1), and the banker
    # may stick at once and pay 2. No other round ends on the choice after the deal.
    "home, full shoe, 6 events": (128 * 50 * 49 + 128 * (50 * 49 - 90), 21_168_240, -4 * 128 * 90),
}
"""Counts by name, derived by hand."""


@pytest.mark.parametrize("name", DERIVED)
def test_the_frozen_counts_that_can_be_derived(name: str) -> None:
    case = NAMED[name]
    assert (case.ended, case.open, case.result) == DERIVED[name]


FAULTS = {
    "home, splits and tricks": (
        *({"split": "none"}, {"max_hands": 2}, {"max_hands": 3}, {"buying": "none"}, {"max_buys": 1}),
        *({"trick_cards": 0}, {"twist_under": 20}, {"stick_minimum": 16}, {"peek": False}),
        *({"banker": "s17"}, {"ties": "push"}, {"banker_trick_loss": 3}),
    ),
    "british, splits and tricks": ({"split": "none"}, {"max_hands": 3}, {"reshuffle": "round"}, {"trick_cards": 0}),
    "casino6, splits": ({"double_after_split": False}, {"max_hands": 2}, {"max_hands": 3}, {"reshuffle": "pontoon"}),
    "casino8, splits and tricks": ({"double_after_split": False}, {"trick_cards": 0}, {"reshuffle": "pontoon"}),
    "blackjack, aces": ({"split_aces_one_card": False}, {"max_hands": 2}, {"double_after_split": False}),
    "spanish, 6 7 8": ({"bonus": "none"},),
    "spanish, tricks": ({"bonus": "none"}, {"trick_cards": 0}),
    "malaysian": ({"ties": "banker"}, {"pontoon_pays": 2}),
    "ace_high": ({"ace_king_pays": 0},),
    "sudden_death": ({"sudden_death": False},),
    "rotating": ({"max_hands": 1}, {"reshuffle": "round"}),
}
"""Changes of the rules that must move the counts of a case: what they change is reached in it."""


@pytest.mark.skipif(SCALE < 1, reason="too many lines without the compiler")
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_moves_the_counts(name: str) -> None:
    case = NAMED[name]
    for changes in FAULTS[name]:
        assert count(case, **changes) != (case.ended, case.open, case.result), changes


def test_a_small_fault_moves_the_counts() -> None:
    case = NAMED["home, five equal tens"]
    assert count(case, twist_under=20) == (4, 0, -2 + 2 - 4 - 6)
    assert count(case, buy_under=20) == (3, 0, -2 + 2 - 2)


def test_every_preset_has_a_small_shoe_and_its_own() -> None:
    whole = {case.rules for case in NAMED.values() if case.depth is None}
    cut = {case.rules for case in NAMED.values() if case.depth is not None and len(case.shoe) > 40}
    assert cut >= set(PRESETS.values())
    assert whole >= {rules for rules in PRESETS.values() if rules.packs}


@pytest.mark.parametrize("rules", ["home", "casino8"])
def test_sequences_go_on_or_end(rules: str) -> None:
    """From one depth to the next lines only end; where none is open all have."""
    shoe, before = parse_cards("4C 4C TC TC 8C"), Perft(0, 1, 0)
    whole = perft(Rules.of(rules), Table(), shoe)
    for depth in range(20):
        now = perft(Rules.of(rules), Table(), shoe, depth)
        assert before.ended <= now.ended <= whole.ended
        assert now.ended + now.open >= before.ended + before.open
        before = now
    assert before == whole


def test_without_a_shoe_it_is_that_of_the_rules() -> None:
    assert perft(Rules.of("spanish"), Table(), depth=2).open == 48 * 47
    assert perft(Rules.of("home"), Table(seats=6), depth=2).open == 52 * 52
    assert perft(Rules.of("home"), Table(), depth=0) == (0, 1, 0)


def test_counts_of_ranks_are_a_shoe() -> None:
    assert perft(Rules.of("home"), Table(), {"10": 4}).ended == math.factorial(4)


@pytest.mark.parametrize("depth", [-1, -2, -(2**70), 1.5, True, "3"])
def test_depths_that_cannot_be_counted_to(depth: Any) -> None:
    with pytest.raises(BadArgument, match="bad depth"):
        perft(Rules.of("home"), Table(), {"10": 4}, depth)


def test_a_depth_beyond_the_longest_round_is_as_good_as_none() -> None:
    assert perft(Rules.of("home"), Table(), {"10": 4}, 2**70) == perft(Rules.of("home"), Table(), {"10": 4})


@pytest.mark.parametrize("shoe", [[0, 1, 2], [0, 1, 2, 52], [-1, 0, 1, 2], [0] * 469, [0, 1, 2, 3.5], ["A", "K"], 5])
def test_shoes_that_cannot_be_played_with(shoe: Any) -> None:
    with pytest.raises(BadCards):
        perft(Rules.of("home"), Table(), shoe)


REPLAYED = perft_cases(200_000 if SCALE > 1 else 10_000 if SCALE == 1 else 100)
"""Those that the slow count can afford; `make check-long` replays all of up to 200,000 lines."""


@pytest.mark.parametrize("case", REPLAYED, ids=[case.name for case in REPLAYED])
def test_the_reference_counts_the_same(case: Case) -> None:
    counted = perft_reference.count(case.rules.as_dict(), case.table.as_dict(), case.shoe, case.depth)
    assert counted == (case.ended, case.open, case.result)
