"""Section 2 of the rule book: kinds of hand, best first."""

from __future__ import annotations

import pytest

from tests.rules.play import cards_of, play

TRICK = cards_of("2S 3S", "TC TD", then="2C 2D 4S")
"""The player twists 2, 2 and 4: five cards, 13."""


@pytest.mark.parametrize("cards", ["AS TC", "AS JC", "AS QC", "AS KC", "TC AS", "KC AS"])
def test_2_1_two_cards_an_ace_and_a_ten_valued_card(cards: str) -> None:
    assert play(cards_of(cards, "TH 9H"), "W0", banker="S").reward == 2


def test_2_1_nothing_else_is_a_pontoon() -> None:
    assert play(cards_of("AS 9C", "TH 8H"), "W0 S", banker="S").reward == 1
    assert play(cards_of("5S 6C", "TH 9H", then="KC"), "W0 T S", banker="S").reward == 1
    assert play(cards_of("AS 5C", "TH 9H", then="5D"), "W0 T S", banker="S").reward == 1


def test_2_2_five_cards_of_21_or_less_are_a_trick() -> None:
    assert play(TRICK, "W0 T T T", banker="S").reward == 2
    exactly_21 = cards_of("2S 3S", "TC TD", then="4C 5C 7C")
    assert play(exactly_21, "W0 T T T", banker="S").reward == 2


def test_2_2_a_trick_beats_21() -> None:
    deal = cards_of("2S 3S", "7C 7D", then="2C 2D 4S 7H")
    assert play(deal, "W0 T T T", banker="T S").reward == 2


def test_2_2_a_trick_ranks_below_a_pontoon() -> None:
    trick_of_the_banker = cards_of("AS KS", "2C 3C", then="4C 5C 6C")
    assert play(trick_of_the_banker, "W0", banker="T T T").reward == 2
    late_pontoon = cards_of("2S 3S", "AC KC", then="2C 2D 4S")
    assert play(late_pontoon, "W0 T T T", "home,peek=no").reward == -2


def test_2_2_trick_cards_says_how_many() -> None:
    three = cards_of("2S 3S", "TC TD", then="4C")
    assert play(three, "W0 T", "home,trick_cards=3", banker="S").reward == 2
    four = play(TRICK, "W0 T T", "home,trick_cards=6", banker="S")
    assert not four.over
    assert four.do("T").allowed == "T"


def test_2_2_no_trick_and_no_limit_on_cards() -> None:
    deal = cards_of("AS 2S", "TC TD", then="AC 2C AD 2D AH 2H 3H")
    hand = play(deal, "W0 T T T T T T", "home,trick_cards=0", banker="S")
    assert (hand.sees("count"), hand.sees("total"), hand.allowed) == (8, 12, "T")
    hand.do("T")
    assert (hand.sees("count"), hand.sees("total"), hand.allowed) == (9, 15, "S T")
    assert hand.do("S").reward == -1


def test_2_3_a_21_on_more_cards_is_simply_the_highest_total() -> None:
    assert play(cards_of("7S 7C", "TH TD", then="7D"), "W0 T S", banker="S").reward == 1
    assert play(cards_of("7S 7C", "5H 6H", then="7D TH"), "W0 T S", banker="T S").reward == -1
    assert play(cards_of("7S 7C", "2H 3H", then="7D 2D 3D 4D"), "W0 T S", banker="T T T").reward == -2


@pytest.mark.parametrize("rules", ["casino6", "casino8"])
def test_2_3_nor_in_the_casino(rules: str) -> None:
    assert play(cards_of("7S 7C", "TH TD", then="7D"), "W0 T S", rules).reward == 1


def test_2_4_the_higher_total_wins() -> None:
    assert play(cards_of("TS 9S", "TC 8C"), "W0 S", banker="S").reward == 1
    assert play(cards_of("TS 8S", "TC 9C"), "W0 S", banker="S").reward == -1


def test_2_4_the_number_of_cards_does_not_matter() -> None:
    assert play(cards_of("TS 9S", "5C 6C", then="7C"), "W0 S", banker="T S").reward == 1
    assert play(cards_of("5S 6S", "TC 8C", then="8S"), "W0 T S", banker="S").reward == 1
    assert play(cards_of("TS 8S", "5C 6C", then="7C"), "W0 S", "home,ties=push", banker="T S").reward == 0


def test_2_5_over_21_is_bust_whatever_the_banker_does_later() -> None:
    """The banker is bust too; only the player who is not is paid."""
    deal = cards_of("TS 6S", "TC 8C", "TD 6D", then="6C QD")
    first = play(deal, "W0 T", seats=3, others=["S"], banker="T")
    assert first.results == "-1 +1 0"


def test_2_5_21_is_not_bust() -> None:
    assert not play(cards_of("TS 6S", "TC 8C", then="5C"), "W0 T").over
    assert play(cards_of("TS 6S", "TC 8C", then="6C"), "W0 T").over


@pytest.mark.parametrize("pontoon", ["AS TC", "AS KC", "QC AS"])
def test_2_6_all_pontoons_are_equal(pontoon: str) -> None:
    assert play(cards_of(pontoon, "AH JH"), "W0", "home,ties=push").reward == 0


def test_2_6_all_tricks_are_equal() -> None:
    deal = cards_of("AS 2S", "3C 4C", then="3S AC 2C 5C 6C 3D")
    assert play(deal, "W0 T T T", "home,ties=push", banker="T T T").reward == 0


SPLIT_ACES = cards_of("AS AC", "TH 9H", then="KC 8C")
"""Split, the first ace gets a king, the second an 8: 19, as the banker has."""


@pytest.mark.parametrize("ten", ["TC", "JC", "QC", "KC"])
def test_2_6_an_ace_and_a_ten_valued_card_on_a_split_hand_is_a_pontoon(ten: str) -> None:
    hands = play(cards_of("AS AC", "TH 9H", then=f"{ten} 8C"), "W0 P", "home,ties=push", banker="S")
    assert (hands.sees("hand"), hands.sees("total")) == (1, 19)  # the first hand is finished
    assert hands.do("S").reward == 2


def test_2_6_without_split_pontoon_it_is_a_plain_21() -> None:
    hands = play(SPLIT_ACES, "W0 P", "home,ties=push,split_pontoon=no", banker="S")
    assert (hands.sees("hand"), hands.sees("total"), hands.allowed) == (0, 21, "S T")
    assert hands.do("S S").reward == 1
