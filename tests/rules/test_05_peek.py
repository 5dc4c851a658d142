"""Section 5 of the rule book: the banker's Pontoon."""

from __future__ import annotations

import pytest

from tests.rules.play import Engine, cards_of, play

PLAIN = cards_of("9S 8S", "AH QH")
PONTOON = cards_of("AS KS", "AH QH")


@pytest.mark.parametrize(
    ("rules", "lost"),
    [("british", 2), ("home", 2), ("casino6", 1), ("casino8", 1), ("home,banker_pontoon_loss=3.5", 3.5)],
)
def test_5_1_the_round_ends_at_once_and_each_player_loses(rules: str, lost: float) -> None:
    player = play(PLAIN, "W0", rules)
    assert player.over
    assert player.reward == -lost


def test_5_1_every_player_loses_by_the_initial_stake() -> None:
    deal = cards_of("9S 8S", "2C 3C", "AH QH")
    player = play(deal, "W0", seats=3, stake_max=5, stake_levels=2, others=["W1"])
    assert player.results == "-2 -10 +12"
    assert player.choices == "W0 W1 S"


@pytest.mark.parametrize(
    ("rules", "paid"),
    [
        ("home", -2),
        ("casino8", -1),
        ("home,ties=push", 0),
        ("home,ties=player", 2),
        ("malaysian", 1.5),
        ("blackjack", 0),
    ],
)
def test_5_1_a_players_own_pontoon_is_a_tie(rules: str, paid: float) -> None:
    assert play(PONTOON, "W0", rules).reward == paid


def test_5_1_a_banker_without_a_pontoon_shows_nothing() -> None:
    player = play(cards_of("9S 8S", "AH 9H"), "W0")
    assert not player.over
    assert player.sees("banker_cards") == [0] * 10


def test_5_2_the_banker_keeps_the_bank() -> None:
    assert Engine(PONTOON).do("W0 S").next_banker == 1
    three = Engine(cards_of("AC KC", "AS KS", "AH QH"), seats=3).do("W0 W0 S")
    assert three.next_banker == 2


def test_5_3_without_the_peek_the_banker_finds_out_late() -> None:
    player = play(PLAIN, "W0", "home,peek=no")
    assert (player.over, player.allowed) == (False, "S T B0 B1")
    assert player.do("S").reward == -2


def test_5_3_live_hands_lose_with_their_buys() -> None:
    player = play(cards_of("5S 6S", "AH QH", then="TS"), "W0 B1 S", "home,peek=no")
    assert player.reward == -6  # 2 × (1 + 2)


def test_5_3_busts_have_lost_already() -> None:
    assert play(cards_of("TS 6S", "AH QH", then="9S"), "W0 T", "home,peek=no").reward == -1


@pytest.mark.parametrize(("ties", "paid"), [("banker", -2), ("push", 0), ("player", 2)])
def test_5_3_a_players_pontoon_ties(ties: str, paid: float) -> None:
    assert play(PONTOON, "W0", f"home,peek=no,ties={ties}").reward == paid
