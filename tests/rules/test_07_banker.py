"""Section 7 of the rule book: the banker's turn."""

from __future__ import annotations

import pytest

from pontoon_gym.engine.state import SHOWN
from tests.rules.play import Engine, Play, by_value, cards_of, play

PLAYER = "TS 6S"
"""The player's cards: 16, on which they stick."""


def banker(cards: str, choices: str = "", rules: str = "home", then: str = "", **kwargs: object) -> Play:
    """A banker's turn against a player who stuck."""
    return play(cards_of(PLAYER, cards, then=then), choices, rules, role="banker", others=["S"], **kwargs)


def test_7_1_when_every_players_hand_is_finished() -> None:
    deal = cards_of("8S 8C", "5S 6S", "TH 9H", then="TS JS 9S KC")
    table = play(deal, role="banker", seats=3, others=["P S S", "T S"])
    assert table.choices == "W0 W0 P S S T S"


@pytest.mark.parametrize("rules", ["home", "malaysian", "casino8"])
def test_7_1_with_no_live_hand_the_banker_does_not_draw(rules: str) -> None:
    """The bank holds 12."""
    deal = cards_of("TS 6S", "TH 2H", then="KS")
    assert play(deal, "W0 T", rules).dealt == "TS TH 6S 2H KS"
    table = play(deal, "", rules, role="banker", others=["T"])
    assert table.allowed == "S"
    assert table.do("S").results == "-1 +1"


def test_7_1_one_live_hand_is_enough() -> None:
    deal = cards_of("TS 6S", "TC 8C", "TH 2H", then="KS")
    assert play(deal, role="banker", seats=3, others=["T", "S"]).allowed == "S T"


def test_7_2_the_banker_turns_two_cards_up() -> None:
    table = Engine(cards_of(PLAYER, "TH 2H")).do("W0")
    cards = table.s["hands"][0, 1]["cards"]
    assert [int(card) & SHOWN for card in cards[:2]] == [0, 0]
    table.do("S")
    assert [int(card) & SHOWN for card in cards[:2]] == [SHOWN, SHOWN]


@pytest.mark.parametrize(
    ("cards", "choices", "then"), [("2H 3H", "", ""), ("TH 7H", "", ""), ("TH 9H", "T", "2C"), ("7H 7D", "T", "7C")]
)
def test_7_2_free_on_any_total_21_too(cards: str, choices: str, then: str) -> None:
    assert banker(cards, choices, then=then).allowed == "S T"


@pytest.mark.parametrize(
    ("cards", "h17", "s17"),
    [
        ("2H 3H", "T", "T"),
        ("TH 6H", "T", "T"),
        ("AH 5H", "T", "T"),
        ("AH 6H", "T", "S"),  # soft 17
        ("TH 7H", "S", "S"),
        ("AH 7H", "S", "S"),
        ("TH 9H", "S", "S"),
    ],
)
def test_7_2_a_bound_banker(cards: str, h17: str, s17: str) -> None:
    assert banker(cards, rules="home,banker=h17").allowed == h17
    assert banker(cards, rules="home,banker=s17").allowed == s17


@pytest.mark.parametrize(
    ("rules", "dealt"), [("casino6", 5), ("casino8", 5), ("blackjack", 4), ("malaysian", 4), ("home,banker=h17", 5)]
)
def test_7_2_soft_17_in_the_presets(rules: str, dealt: int) -> None:
    """The player sticks on 16 against A 6; where the banker draws on soft 17 a ten comes: hard 17."""
    player = play(cards_of(PLAYER, "AH 6H", then="TD"), "W0 S", rules)
    assert len(player.dealt.split()) == dealt
    assert player.reward == -1


def test_7_2_a_bound_banker_draws_until_17() -> None:
    player = play(cards_of(PLAYER, "2H 3H", then="4D 5D 3D"), "W0 S", "home,banker=s17,trick_cards=0")
    assert player.dealt == "TS 2H 6S 3H 4D 5D 3D"
    assert player.reward == -1


def test_7_3_a_trick_ends_the_turn() -> None:
    assert banker("2H 3H", "T T T", then="2D 3D 4D").over
    bound = play(cards_of(PLAYER, "2H 3H", then="2D 3D 4D"), "W0 S", "casino8")
    assert bound.dealt == "TS 2H 6S 3H 2D 3D 4D"
    assert bound.reward == -1


def test_7_3_without_tricks_it_does_not() -> None:
    table = banker("2H 3H", "T T T", "home,trick_cards=0", "2D 3D 4D")
    assert (table.over, table.sees("count"), table.allowed) == (False, 5, "S T")


@pytest.mark.parametrize("rules", ["home,peek=no", "malaysian,peek=no", "casino8,peek=no"])
def test_7_3_a_pontoon_found_late_stands_without_a_choice(rules: str) -> None:
    table = banker("AH KH", rules=rules)
    assert (table.sees("cards"), table.allowed) == (by_value("A K"), "S")
