"""Section 3 of the rule book: seats and stakes."""

from __future__ import annotations

import pytest

from pontoon_gym.errors import BadTable
from pontoon_gym.rules import Rules, Table
from tests.rules.play import Play, by_value, cards_of, play


@pytest.mark.parametrize("seats", [2, 3, 8, 9])
def test_3_1_two_to_nine_seats_can_play(seats: int) -> None:
    learner = play("", "W0", "casino8", seats=seats, others=["stick15"] * (seats - 2))
    while not learner.over:
        learner.do(learner.allowed.split()[0])
    assert len(learner.results.split()) == seats


@pytest.mark.parametrize("seats", [1, 10])
def test_3_1_others_cannot(seats: int) -> None:
    with pytest.raises(BadTable, match=r"seats.*2 to 9.*3\.1"):
        Play("", seats=seats)


def test_3_2_least_and_most_stake() -> None:
    table = {"stake_min": 3, "stake_max": 7, "stake_levels": 2, "banker": "S"}
    deal = cards_of("TS 9S", "TC 8C")
    assert play(deal, "W0 S", **table).results == "+3 -3"
    assert play(deal, "W1 S", **table).results == "+7 -7"


@pytest.mark.parametrize(("least", "most"), [(0, 1), (5, 4), (1.5, 2), (1, 2.5)])
def test_3_2_limits_are_whole_chips_and_the_least_comes_first(least: float, most: float) -> None:
    with pytest.raises(BadTable, match="stake_"):
        Play("", stake_min=least, stake_max=most)  # type: ignore[arg-type]


def test_3_2_limits_are_per_hand() -> None:
    deal = cards_of("8S 8C", "TH 9H", then="TS TC")
    hands = play(deal, "W1 P S S", stake_max=5, stake_levels=2, banker="S")
    assert hands.results == "-10 +10"


def test_3_2_limits_belong_to_the_table() -> None:
    assert not {"stake_min", "stake_max"} & set(Rules._fields)
    assert {"stake_min", "stake_max"} <= set(Table._fields)


def test_3_3_at_home_a_player_stakes_after_the_first_card() -> None:
    first = play("5S 9C")
    assert (first.allowed, first.dealt) == ("W0", "5S 9C")
    assert (first.sees("cards"), first.sees("count")) == (by_value("5"), 1)


def test_3_3_in_the_casino_before_any_card() -> None:
    first = play("5S 9C", rules="casino8")
    assert (first.allowed, first.dealt) == ("W0", "-")
    assert first.sees("count") == 0
    assert first.do("W0").dealt.startswith("5S 9C")


@pytest.mark.parametrize("rules", ["home,split=none", "casino8,split=none"])
def test_3_3_in_turn_from_the_bankers_left_seeing_the_stakes_made(rules: str) -> None:
    others = ["W0 S", "W1 S"]
    table = {"seats": 4, "stake_max": 10, "stake_levels": 2, "others": others}
    assert play("", rules=rules, seat=0, **table).sees("other_stake") == [0, 0]
    assert play("", rules=rules, seat=1, **table).sees("other_stake") == [1, 0]
    assert play("", rules=rules, seat=2, **table).sees("other_stake") == [1, 10]


def test_3_4_the_banker_is_first_asked_when_all_have_staked_and_played() -> None:
    deal = cards_of("TS 9S", "TC 8C", "TH 7H")
    banker = play(deal, role="banker", seats=3, stake_max=10, stake_levels=2, others=["W0 S", "W1 S"])
    assert banker.choices == "W0 W1 S S"
    assert banker.sees("cards") == by_value("T 7")


def test_3_4_the_banker_stakes_nothing() -> None:
    deal = cards_of("TS 9S", "TC 8C", "TH 7H")
    banker = play(deal, "S", role="banker", seats=3, others=["S", "S"])
    assert banker.choices == "W0 W0 S S S"
    assert banker.results == "+1 +1 -2"


@pytest.mark.parametrize("rules", ["home", "casino8"])
def test_3_5_in_single_agent_environments_the_first_banker_is_given(rules: str) -> None:
    """The draw for the bank belongs to sessions, which do not exist yet."""
    for seed in range(5):
        for role in ("player", "banker"):
            others = ["random"] * (3 if role == "banker" else 2)
            assert "banker=3" in play("", rules=rules, role=role, seats=4, others=others, seed=seed).record[2]
