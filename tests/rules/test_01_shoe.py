"""Section 1 of the rule book: shoe and cards."""

from __future__ import annotations

import pytest

from pontoon_gym.engine.state import full_shoe
from pontoon_gym.errors import BadCards
from pontoon_gym.rules import Rules
from tests.rules.play import Play, cards_of, play


def holds(cards: str, rules: str, seats: int = 2) -> bool:
    """Whether the shoe holds these cards, so that they can be stacked."""
    try:
        Play(cards, rules, seats=seats, others=["random"] * (seats - 2))
    except BadCards:
        return False
    return True


def test_1_1_one_pack_up_to_five_seats() -> None:
    assert holds("5S", "home", seats=5)
    assert not holds("5S 5S", "home", seats=5)


@pytest.mark.parametrize("seats", [6, 7, 8, 9])
def test_1_1_a_second_pack_from_six_seats(seats: int) -> None:
    assert holds("5S 5S", "home", seats)
    assert not holds("5S 5S 5S", "home", seats)


@pytest.mark.parametrize(("rules", "packs"), [("british", 1), ("casino6", 6), ("casino8", 8), ("home,packs=3", 4)])
def test_1_1_packs_at_nine_seats(rules: str, packs: int) -> None:
    assert holds("5S " * packs, rules, seats=9)
    assert not holds("5S " * (packs + 1), rules, seats=9)


def test_1_1_an_endless_shoe_deals_with_replacement() -> None:
    assert play("9S 9S 9S 9S 9S", "W0 S", "home,packs=0,split=none", banker="T").dealt == "9S 9S 9S 9S 9S"


def test_1_1_an_endless_shoe_has_no_second_pack() -> None:
    assert len(full_shoe(Rules.of("home,packs=0,second_pack_from=2"), 2)) == 52


def test_1_2_without_tens_a_pack_has_48_cards() -> None:
    assert not any(holds(ten, "home,tens=no") for ten in ("TC", "TD", "TH", "TS"))
    assert holds("JS QS KS 9S", "home,tens=no")
    assert len(full_shoe(Rules.of("home,tens=no"), 2)) == 48
    assert len(full_shoe(Rules.of("home"), 2)) == 52


TOTALS = {"3H": 5, "4H": 6, "5H": 7, "6H": 8, "7H": 9, "8H": 10, "9H": 11}
TOTALS |= {"TH": 12, "JH": 12, "QH": 12, "KH": 12, "AH": 13}
"""What a card makes with a two."""


@pytest.mark.parametrize(("card", "total"), TOTALS.items())
def test_1_3_values(card: str, total: int) -> None:
    assert play(cards_of(f"2C {card}", "9C 9D"), "W0").sees("total") == total


def test_1_3_an_ace_counts_1_or_11() -> None:
    hand = play(cards_of("AH 2C", "9C 9D", then="KH"), "W0")
    assert hand.sees("total") == 13
    assert hand.do("T").sees("total") == 13


@pytest.mark.parametrize("cards", ["6S 7S", "6S 7D", "6C 7H"])
def test_1_3_suits_do_not_count_without_a_bonus(cards: str) -> None:
    assert play(cards_of(cards, "TC 9D", then="8S"), "W0 T S").reward == 1


@pytest.mark.parametrize(
    ("cards", "drawn", "total", "soft"),
    [
        ("AS 5C", "", 16, 1),
        ("AS 5C", "5D", 21, 1),
        ("AS 5C", "KD", 16, 0),
        ("AS AC", "", 12, 1),
        ("AS AC", "9C", 21, 1),
        ("AS AC", "TD", 12, 0),
        ("7S 7C", "", 14, 0),
    ],
)
def test_1_4_one_ace_counts_11_if_that_does_not_pass_21(cards: str, drawn: str, total: int, soft: int) -> None:
    hand = play(cards_of(cards, "9H 9D", then=drawn), "W0 T" if drawn else "W0")
    assert (hand.sees("total"), hand.sees("soft")) == (total, soft)


def test_1_4_the_best_total_decides_for_the_banker_too() -> None:
    assert play(cards_of("TS 9S", "AC 9C"), "W0 S", banker="S").reward == -1
    assert play(cards_of("TS 9S", "AC 7C", then="TC"), "W0 S", banker="T S").reward == 1


THREE_SEATS_SEVEN_CARDS = {
    "cards": cards_of("TC 6C", "2C 2D", "9C 9D", then="TD"),
    "shoe": {"T": 2, "6": 1, "2": 2, "9": 2},
    "seats": 3,
    "seat": 1,
    "others": ["T"],
}
"""The first player twists the last card and is bust; these cards are all that is left to the second."""


def test_1_5_busts_under_an_empty_shoe_are_dealt_in_order() -> None:
    second = play(choices="W0 T T S", banker="S", **THREE_SEATS_SEVEN_CARDS)
    assert second.dealt == "TC 2C 9C 6C 2D 9D TD TC 6C"
    assert second.results == "-1 +1 0"


def test_1_5_under_reshuffle_round_the_busts_are_shuffled_in() -> None:
    drawn = set()
    for seed in range(30):
        second = play(choices="W0 T", rules="home,reshuffle=round", banker="S", seed=seed, **THREE_SEATS_SEVEN_CARDS)
        drawn.add(second.dealt.removeprefix("TC 2C 9C 6C 2D 9D TD "))
    assert drawn == {"TC", "TD", "6C"}


FOUR_CARDS = {"cards": cards_of("2C 3C", "6C 6D"), "shoe": {"2": 1, "3": 1, "6": 2}}


@pytest.mark.parametrize("rules", ["home", "casino8", "british,reshuffle=round"])
def test_1_5_without_a_card_any_total_may_stick_and_nothing_else_is_allowed(rules: str) -> None:
    assert play(choices="W0", rules=rules, **FOUR_CARDS).allowed == "S"


@pytest.mark.parametrize("rules", ["home", "malaysian", "casino8"])
def test_1_5_without_a_card_the_banker_sticks(rules: str) -> None:
    banker = play(rules=rules, role="banker", others=["stick15"], **FOUR_CARDS)
    assert banker.allowed == "S"
    assert banker.do("S").results == "-1 +1"


def test_1_5_a_split_needs_two_cards() -> None:
    pair = cards_of("8C 8D", "9C 9D")
    assert play(pair, "W0", shoe={"8": 2, "9": 2, "2": 1}).allowed == "S T B0 B1"
    assert play(pair, "W0", shoe={"8": 2, "9": 2, "2": 2}).allowed == "S T P B0 B1"


def test_1_5_the_cards_of_a_bust_count_for_a_split() -> None:
    """The shoe is empty, but three cards lie under it."""
    deal = cards_of("TC 6C", "8C 8D", "9C 9D", then="TD")
    shoe = {"T": 2, "6": 1, "8": 2, "9": 2}
    second = play(deal, "W0", shoe=shoe, seats=3, seat=1, others=["T"], banker="S")
    assert second.allowed == "S T P B0 B1"
    assert second.do("P").dealt == "TC 8C 9C 6C 8D 9D TD TC 6C"
