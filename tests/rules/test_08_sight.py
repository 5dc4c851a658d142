"""Section 8 of the rule book: who sees what."""

from __future__ import annotations

import pytest

from pontoon_gym.engine.state import SHOWN
from tests.rules.play import Engine, by_value, cards_of, play

ONE_HAND = "home,split=none"
NOTHING = by_value("")
LIVE, TRICK, PONTOON, BUST = [1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 0, 1]


def test_8_1_stakes_buys_and_numbers_of_cards_are_public() -> None:
    deal = cards_of("2S 3S", "TH 9H", then="2C 3C TC")
    banker = play(
        deal,
        rules=ONE_HAND,
        role="banker",
        stake_min=4,
        stake_max=9,
        stake_levels=2,
        buy_levels=3,
        others=["W0 B2 B1 T"],
    )
    assert banker.sees("other_stake") == 4
    assert banker.sees("other_buys") == [8, 6, 0]
    assert banker.sees("other_twists") == 1
    assert banker.sees("other_count") == 5


def test_8_1_twisted_cards_are_public_in_order() -> None:
    deal = cards_of("2S 3S", "TH 9H", then="4C 2C JC")
    banker = play(deal, rules=f"{ONE_HAND},trick_cards=6", role="banker", others=["B0 T S"])
    assert banker.sees("other_shown") == [2, 10, 0]
    assert banker.sees("other_cards") == by_value("2 J")
    assert banker.sees("other_state") == LIVE


def test_8_1_three_twisted_cards_in_order() -> None:
    deal = cards_of("2S 3S", "TH 9H", then="2C 3C 4C")
    banker = play(deal, rules=f"{ONE_HAND},trick_cards=6,stick_minimum=14", role="banker", others=["T S"])
    assert banker.choices == "W0 T T T S"
    assert banker.sees("other_shown") == [2, 3, 4]


def test_8_1_the_first_two_and_the_bought_cards_are_hidden() -> None:
    deal = cards_of("2S 3S", "TH 9H", then="4C 7C")
    banker = play(deal, rules=ONE_HAND, role="banker", others=["B0 B0 S"])
    assert (banker.sees("other_count"), banker.sees("other_cards")) == (4, NOTHING)


def test_8_1_both_cards_of_a_split_pair_are_public_and_their_second_cards_are_hidden() -> None:
    deal = cards_of("8S 8C", "TH 9H", then="TS 9C")
    banker = play(deal, rules="british", role="banker", others=["P S S"])
    assert banker.sees("other_cards") == by_value("8") + by_value("8")
    assert banker.sees("other_count") == [2, 2]
    assert banker.sees("other_split") == [1, 1]


def test_8_1_busts_are_public() -> None:
    deal = cards_of("TS 2S", "9C 9D", "TH 9H", then="KS")
    second = play(deal, "W0", ONE_HAND, seats=3, seat=1, others=["B0"])
    assert (second.sees("other_cards"), second.sees("other_state")) == (by_value("T 2 K"), BUST)


def test_8_1_tricks_are_public() -> None:
    deal = cards_of("2S 3S", "9C 9D", "TH 9H", then="2C 3C 4C")
    second = play(deal, "W0", ONE_HAND, seats=3, seat=1, others=["B0 B0 B0"])
    assert (second.sees("other_cards"), second.sees("other_state")) == (by_value("2 3 2 3 4"), TRICK)


def test_8_1_a_declared_pontoon_is_public_by_value() -> None:
    deal = cards_of("QS AS", "9C 9D", "TH 9H")
    second = play(deal, "W0", ONE_HAND, seats=3, seat=1, others=[""])
    assert (second.sees("other_cards"), second.sees("other_state")) == (by_value("A Q"), PONTOON)


def test_8_1_of_a_pontoon_the_ace_alone_is_shown() -> None:
    table = Engine(cards_of("QS AS", "TH 9H")).do("W0")
    cards = table.s["hands"][0, 0]["cards"]
    assert [int(card) & SHOWN for card in cards[:2]] == [0, SHOWN]


def test_8_1_a_pontoon_that_is_not_declared_yet_is_hidden() -> None:
    deal = cards_of("9C 9D", "QS AS", "TH 9H")
    first = play(deal, "W0", ONE_HAND, seats=3, others=[""])
    assert (first.sees("other_cards"), first.sees("other_state")) == (NOTHING, LIVE)


def test_8_1_players_face_up_makes_all_players_cards_public() -> None:
    deal = cards_of("8S 8C", "TH 9H", then="2S 3S TS JS")
    banker = play(deal, rules="casino8,max_hands=2", role="banker", others=["P B0 S B0 S"])
    assert banker.sees("other_cards") == by_value("8 2 T") + by_value("8 3 J")


def test_8_2_a_player_sees_the_cards_of_all_their_own_hands() -> None:
    deal = cards_of("8S 8C", "TH 9H", then="2S 3S 4S")
    player = play(deal, "W0 P B0", "british")
    assert player.sees("cards") == by_value("8 2 4")
    assert player.sees("own_cards") == by_value("8 3")
    assert player.sees("own_total") == 11


def test_8_2_nobody_sees_the_bankers_cards_before_they_are_turned_up() -> None:
    player = play(cards_of("TS 9S", "TH 8H"), "W0")
    assert player.sees("banker_cards") == NOTHING


def test_8_2_the_banker_is_asked_nothing_before_the_turn_and_sees_the_cards_then() -> None:
    for rules in ("home", "home,peek=no"):
        banker = play(cards_of("TS 9S", "TH 8H"), rules=rules, role="banker", others=["S"])
        assert (banker.choices, banker.sees("cards")) == ("W0 S", by_value("T 8"))


def test_8_2_at_settlement_everything_is_turned_up() -> None:
    deal = cards_of("5S 6S", "TH 7H", then="8S 2C")
    player = play(deal, "W0 B0 S", ONE_HAND, banker="T S")
    assert (player.over, player.sees("banker_cards")) == (True, by_value("T 7 2"))
    banker = play(deal, "T S", ONE_HAND, role="banker", others=["B0 S"])
    assert (banker.over, banker.sees("other_cards")) == (True, by_value("5 6 8"))


def test_8_2_after_the_bankers_pontoon_too() -> None:
    player = play(cards_of("5S 6S", "TH AH"), "W0", ONE_HAND)
    assert player.sees("banker_cards") == by_value("A T")


TWO_ROUNDS = cards_of("5S 6S", "TH 7H", then="9S") + " " + cards_of("2C 3C", "4C 4D")


def test_8_3_the_used_cards_of_earlier_rounds_are_remembered() -> None:
    player = play(TWO_ROUNDS, "W0", rounds=2, memory=True)
    assert player.sees("seen") == by_value("5 6")  # the bank's own two
    player.do("T")
    assert player.sees("seen") == by_value("5 6 9")
    player.do("S")
    assert player.sees("seen") == by_value("5 6 9 T 7 2")  # settled, and the first card of the next round
    player.do("W0")
    assert player.sees("seen") == by_value("5 6 9 T 7 2 3")


def test_8_3_without_memory_they_are_not() -> None:
    assert "seen" not in play(TWO_ROUNDS, rounds=2).observation


def test_8_3_not_beyond_a_shuffle() -> None:
    pontoon = cards_of("AS KS", "TH 7H") + " 2C"
    player = play(pontoon, "W0", rounds=2, memory=True)
    own = player.sees("cards")
    assert sum(own) == 1  # which card it is, is up to chance
    assert player.sees("seen") == own


@pytest.mark.parametrize("rules", ["home,reshuffle=round", "home,packs=0"])
def test_8_3_only_where_the_shoe_is_not_reshuffled(rules: str) -> None:
    player = play(TWO_ROUNDS, "W0 T S", rules, rounds=2, memory=True)
    assert sum(player.sees("cards")) == 1
    assert player.sees("seen") == (player.sees("cards") if rules == "home,reshuffle=round" else NOTHING)


def test_8_3_each_physical_card_once() -> None:
    """Six cards, of which each round deals four."""
    shoe = {"T": 2, "9": 2, "8": 2}
    player = play("TC TD 9C 9D 8C 8D", "W0 S", shoe=shoe, rounds=3, memory=True)
    assert player.sees("seen") == by_value("T T 9 9 8")
    player.do("W0 S")
    assert player.dealt == "TD 9D"  # from under the shoe
    assert player.sees("seen") == by_value("T T 9 9 8 8")
    player.do("W0")
    assert player.sees("seen") == by_value("T T 9 9 8 8")


def test_8_3_a_bust_dealt_again_in_the_same_round_counts_once() -> None:
    deal = cards_of("TC 6C", "2C 2D", "9C 9D", then="TD")
    shoe = {"T": 2, "6": 1, "2": 2, "9": 2}
    second = play(deal, "W0 T T", shoe=shoe, seats=3, seat=1, others=["T"], memory=True)
    assert second.sees("cards") == by_value("2 2 T 6")
    assert second.sees("seen") == by_value("T T 6 2 2")
