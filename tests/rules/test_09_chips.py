"""Section 9 of the rule book: chips, levels, and what a single-agent environment asks."""

from __future__ import annotations

import pytest

from tests.rules.play import Play, cards_of, play

LOSES = cards_of("TS 8S", "TH 9H")
WINS = cards_of("TS 9S", "TH 8H")
LOW = cards_of("2S 3S", "TH 9H")


def test_9_1_half_chips_are_kept_exactly() -> None:
    pontoon = cards_of("AS KS", "TH 9H")
    assert play(pontoon, "W0", "malaysian").results == "+1.5 -1.5"
    assert play(pontoon, "W0", "malaysian", stake_min=3, stake_max=3).results == "+4.5 -4.5"
    assert play(pontoon, "W0", "malaysian", stake_min=1_000_000, stake_max=1_000_000).results == "+1500000 -1500000"


def test_9_1_what_the_players_win_the_banker_loses() -> None:
    deal = cards_of("AS KS", "TS 8S", "TC 9C", "TH 8H")
    player = play(deal, "W0", "malaysian", seats=4, others=["S", "S"])
    assert player.results == "+1.5 +1 +1 -3.5"


@pytest.mark.parametrize(("stake", "won"), [("W0", 1.0), ("W1", 2.5)])
def test_9_2_rewards_are_in_units_of_stake_min(stake: str, won: float) -> None:
    table = {"stake_min": 4, "stake_max": 10, "stake_levels": 2}
    assert play(WINS, f"{stake} S", banker="S", **table).reward == won
    assert play(LOSES, f"{stake} S", banker="S", **table).reward == -won
    letters = f"{stake} S"
    assert play(WINS, "S", role="banker", others=[letters], **table).reward == -won


def chips(choice: str, **table: int) -> str:
    """What the player wins with this stake."""
    return play(WINS, f"{choice} S", banker="S", **table).results.split()[0]


@pytest.mark.parametrize(
    ("least", "most", "levels", "amounts"),
    [
        (1, 10, 1, ["+1"]),
        (1, 10, 2, ["+1", "+10"]),
        (1, 10, 3, ["+1", "+6", "+10"]),  # 1 + floor(4.5 + 1/2)
        (1, 10, 4, ["+1", "+4", "+7", "+10"]),
        (2, 9, 5, ["+2", "+4", "+6", "+7", "+9"]),  # 3.75, 5.5, 7.25
        (5, 5, 1, ["+5"]),
    ],
)
def test_9_3_stake_levels(least: int, most: int, levels: int, amounts: list[str]) -> None:
    table = {"stake_min": least, "stake_max": most, "stake_levels": levels}
    assert [chips(f"W{i}", **table) for i in range(levels)] == amounts


@pytest.mark.parametrize(
    ("most", "levels", "allowed"), [(2, 3, "W0 W1"), (2, 4, "W0 W2"), (1, 3, "W0"), (3, 5, "W0 W1 W3")]
)
def test_9_3_of_equal_levels_only_the_lowest_index_is_allowed(most: int, levels: int, allowed: str) -> None:
    """Least 1: 1 2 2; 1 1 2 2; 1 1 1; 1 2 2 3 3."""
    assert play("", stake_max=most, stake_levels=levels).allowed == allowed


@pytest.mark.parametrize(
    ("stake", "levels", "allowed"), [(1, 2, "T B0 B1"), (1, 3, "T B0 B1"), (1, 4, "T B0 B2"), (4, 4, "T B0 B1 B2 B3")]
)
def test_9_3_buy_levels(stake: int, levels: int, allowed: str) -> None:
    """Between 1 and 2: 1 2; 1 2 2; 1 1 2 2. Between 4 and 8: 4 5 7 8."""
    assert play(LOW, "W0", stake_min=stake, stake_max=stake, buy_levels=levels).allowed == allowed


@pytest.mark.parametrize(("choice", "added"), [("B0", 4), ("B1", 5), ("B2", 7), ("B3", 8)])
def test_9_3_amounts_of_buy_levels(choice: str, added: int) -> None:
    player = play(LOW, f"W0 {choice}", stake_min=4, stake_max=4, buy_levels=4)
    assert player.sees("buys")[0] == added


def test_9_3_a_double_is_the_first_buy_level() -> None:
    assert play(LOW, "W0", "casino8", buy_levels=4).allowed == "T B0"


def test_9_4_the_bank_does_not_move() -> None:
    two = cards_of("AS KS", "TH 9H") + " " + cards_of("TS 9S", "TC 8C")
    player = play(two, "W0", rounds=2)
    assert (player.reward, player.over) == (2, False)
    assert "banker=1" in player.record[2]


@pytest.mark.parametrize("rules", ["home", "rotating"])
def test_9_4_the_bank_is_not_sold_and_does_not_rotate(rules: str) -> None:
    player = play(WINS, "W0 S", rules, rounds=2, banker="stand17")
    assert "banker=1" in player.record[2]
    assert player.allowed == "W0"


def test_9_4_the_players_seat_is_drawn_each_episode() -> None:
    player = Play("", seats=4, seat=None, others=["random"] * 3)
    seats = set()
    for _ in range(50):
        player.observation, _info = player.env.reset()
        seats.add(player.sees("seat"))
    assert seats == {0, 1, 2}


def test_9_4_unless_it_is_given() -> None:
    player = Play("", seats=4, seat=2, others=["random"] * 2)
    for _ in range(10):
        player.observation, _info = player.env.reset()
        assert player.sees("seat") == 2


def test_9_4_the_player_is_asked_for_the_stake_even_with_one_level() -> None:
    player = play(cards_of("2S 3S", "AH KH"))
    assert (player.allowed, player.over) == ("W0", False)
    assert (player.do("W0").over, player.reward) == (True, -2)


@pytest.mark.parametrize(
    ("deal", "rules", "letters", "paid"),
    [
        (cards_of("2S 3S", "AH KH"), "home", "", 2),  # the bank's Pontoon
        (cards_of("AS KS", "TH 9H"), "sudden_death", "", -2),
        (cards_of("TS 6S", "TH 2H", then="KS"), "home", "T", 1),  # no live hand
    ],
)
def test_9_4_the_banker_is_asked_to_stick_where_nothing_is_left_to_choose(
    deal: str, rules: str, letters: str, paid: int
) -> None:
    banker = play(deal, "", rules, role="banker", others=[letters])
    assert (banker.allowed, banker.over) == ("S", False)
    assert (banker.do("S").over, banker.reward) == (True, paid)


def test_9_4_a_bound_banker_is_asked_card_by_card() -> None:
    deal = cards_of("TS 8S", "2H 5H", then="4C 5C 2C")
    banker = play(deal, "", "malaysian", role="banker", others=["S"])
    assert banker.allowed == "T"
    assert banker.do("T").allowed == "T"  # 11
    assert banker.do("T").allowed == "T"  # 16
    assert banker.do("T").over  # five cards
    stands = play(cards_of("TS 8S", "TH 7H"), "", "malaysian", role="banker", others=["S"])
    assert stands.allowed == "S"
