"""Section 4 of the rule book: the deal."""

from __future__ import annotations

from tests.rules.play import by_value, play

SIX = "2C 3C 4C 5C 6C 7C"
TWO_PLAYERS = {"seats": 3, "others": ["T T S"]}


def test_4_1_at_home_one_card_each_then_stakes_then_a_second_card() -> None:
    first = play(SIX, **TWO_PLAYERS)
    assert first.dealt == "2C 3C 4C"
    assert first.do("W0").dealt == "2C 3C 4C 5C 6C 7C"
    assert first.choices == "W0 W0"


def test_4_1_in_the_casino_stakes_then_two_cards_each() -> None:
    first = play(SIX, rules="casino8", **TWO_PLAYERS)
    assert first.dealt == "-"
    assert first.do("W0").dealt == "2C 3C 4C 5C 6C 7C"


def test_4_1_from_the_bankers_left_himself_last() -> None:
    assert play(SIX, "W0", seat=0, **TWO_PLAYERS).sees("cards") == by_value("2 5")
    second = {"seats": 3, "seat": 1, "others": ["T T S"]}
    assert play(SIX + " 8C 9C", "W0", **second).sees("cards") == by_value("3 6")
    banker = play(SIX + " 8C TC TD", role="banker", seats=3, others=["T S", "T S"])
    assert banker.sees("cards") == by_value("4 7")


def test_4_1_face_down() -> None:
    first = play(SIX, "W0", "home,split=none", **TWO_PLAYERS)
    assert first.sees("other_count") == 2
    assert first.sees("other_cards") == by_value("")
    assert first.sees("banker_cards") == by_value("")


def test_4_2_players_cards_lie_up_in_the_casino() -> None:
    first = play(SIX, "W0", "casino8,split=none", **TWO_PLAYERS)
    assert first.sees("other_cards") == by_value("3 6")
    assert first.sees("banker_cards") == by_value("")


def test_4_2_players_face_up_is_a_field() -> None:
    assert play(SIX, "W0", "home,split=none,players_face_up=yes", **TWO_PLAYERS).sees("other_cards") == by_value("3 6")
    assert play(SIX, "W0", "casino8,split=none,players_face_up=no", **TWO_PLAYERS).sees("other_cards") == by_value("")


def test_4_2_the_bankers_first_card_lies_up() -> None:
    assert play(SIX, "W0", "blackjack", **TWO_PLAYERS).sees("banker_cards") == by_value("4")
    assert play(SIX, "W0", "home,banker_upcard=yes", **TWO_PLAYERS).sees("banker_cards") == by_value("4")
