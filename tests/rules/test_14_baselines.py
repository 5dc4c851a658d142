"""Section 14 of the rule book: rules of thumb. What they choose stands in the round's record."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from pontoon_gym.engine.view.columns import Game, layout
from pontoon_gym.errors import UnknownPolicy
from pontoon_gym.names import Role
from pontoon_gym.policies.baselines import baseline
from pontoon_gym.rules import Rules, Table
from tests.rules.play import Play, cards_of, play

BANKER = "TH 9H"
FOURS = {"stake_min": 4, "stake_max": 4, "buy_levels": 3}
"""Buys of 4, 6 and 8."""


def player(name: str, cards: str, rules: str = "home", then: str = "", **kwargs: int) -> list[str]:
    """What a player's rule of thumb chooses in a round."""
    table = play(cards_of(cards, BANKER, then=then), "", rules, role="banker", others=[name], **kwargs)
    return table.choices.split()


def banker(name: str, cards: str, then: str = "", letters: str = "S", player: str = "TS 5S") -> list[str]:
    """What a banker's rule of thumb chooses against a player who plays by letters."""
    table = play(cards_of(player, cards, then=then), f"W0 {letters}", banker=name)
    assert table.over
    return table.choices.split()[1 + len(letters.split()) :]


@pytest.mark.parametrize("name", ["thumb", "stick15"])
def test_14_0_they_stake_the_least(name: str) -> None:
    assert player(name, "TS 9S", stake_max=9, stake_levels=3) == ["W0", "S"]


def test_14_0_random_is_uniform_over_the_mask() -> None:
    rules, table = Rules.of("home"), Table.of(stake_max=3, stake_levels=2)
    mask = np.array([[True, True, False, True, True, False, False], [False] * 5 + [True] * 2])
    player = baseline("random", "player", rules, table)
    assert player.probabilities(observations(2, "player", rules, table), mask).tolist() == [
        [0.25, 0.25, 0, 0.25, 0.25, 0, 0],
        [0, 0, 0, 0, 0, 0.5, 0.5],
    ]
    banker = baseline("random", "banker", rules, table)
    mask = np.array([[True, True], [True, False]])
    assert banker.probabilities(observations(2, "banker", rules, table), mask).tolist() == [[0.5, 0.5], [1, 0]]


def observations(n: int, role: str, rules: Rules, table: Table) -> NDArray[np.float32]:
    """Observations in which nothing is told; a random policy does not look."""
    return np.zeros((n, layout(Game(rules, table, Role[role.upper()])).size), np.float32)


@pytest.mark.parametrize(("choice", "letters"), [(0, "W0 W1 W2"), (1, "S T P B0 B1")])
def test_14_0_a_random_player_chooses_whatever_is_allowed(choice: int, letters: str) -> None:
    found = {player("random", "8S 8C", stake_max=3, stake_levels=3, seed=seed)[choice] for seed in range(40)}
    assert found == set(letters.split())


def test_14_0_a_random_banker_does_too() -> None:
    deal = cards_of("TS 9S", BANKER)
    assert {play(deal, "W0 S", banker="random", seed=seed).choices.split()[2] for seed in range(20)} == {"S", "T"}


@pytest.mark.parametrize(("cards", "then"), [("AS AC", "9S 9C"), ("8S 8C", "9S 9C")])
def test_14_0_thumb_splits_aces_and_eights(cards: str, then: str) -> None:
    assert player("thumb", cards, then=then) == ["W0", "P", "S", "S"]


@pytest.mark.parametrize("cards", ["9S 9C", "KS KC", "7S 7C", "2S 2C"])
def test_14_0_thumb_splits_nothing_else(cards: str) -> None:
    assert "P" not in player("thumb", cards, then="5H 6H 7H")


def test_14_0_thumb_splits_whenever_allowed() -> None:
    assert player("thumb", "8S 8C", "home", then="8D 9S 9C 9D")[:3] == ["W0", "P", "P"]
    assert player("thumb", "8S 8C", "british", then="8D 9S 9C 9D")[:3] == ["W0", "P", "S"]
    assert player("thumb", "8S 8C", "home,split=none")[:2] == ["W0", "S"]  # 16
    assert player("thumb", "AS AC", "home,split=none", then="5S")[:3] == ["W0", "T", "S"]  # soft 12, 17


@pytest.mark.parametrize(
    ("rules", "chosen"), [("home", "B2"), ("casino8", "B0"), ("home,buying=none", "T"), ("home,max_buys=0", "T")]
)
def test_14_0_thumb_on_11_or_less_buys_the_most_or_doubles_or_twists(rules: str, chosen: str) -> None:
    assert player("thumb", "5S 6S", rules, then="9S", **FOURS) == ["W0", chosen, "S"]


def test_14_0_thumb_buys_again_the_most_allowed() -> None:
    chosen = player("thumb", "2S 3S", then="2C 2D 9S", **FOURS)
    assert chosen == ["W0", "B2", "B2", "B2"]


@pytest.mark.parametrize("cards", ["TS 2S", "TS 3S", "TS 4S", "AS 2S"])
def test_14_0_thumb_on_12_to_14_twists(cards: str) -> None:
    assert player("thumb", cards, then="4C")[1] == "T"
    assert player("thumb", cards, "home,stick_minimum=0", then="4C")[1] == "T"


@pytest.mark.parametrize(
    ("cards", "then", "chosen"),
    [
        ("TS 5S", "", ["W0", "S"]),
        ("TS 6S", "", ["W0", "S"]),
        ("AS 4S", "", ["W0", "S"]),  # soft on two cards
        ("AS 2S", "2C 4C", ["W0", "T", "T", "S"]),  # soft 15 on three
        ("AS 2S", "3C 4C", ["W0", "T", "T", "S"]),  # soft 16 on three
        ("AS AC", "AD 2C 4C", ["W0", "T", "T", "T"]),  # soft 15 on four, split off
        ("TS 2S", "3C", ["W0", "T", "S"]),  # hard 15 on three
        ("2S 3S", "4C 6C", ["W0", "B1", "B1", "S"]),  # hard 15 on four
        ("TS 7S", "", ["W0", "S"]),
        ("AS 6S", "", ["W0", "S"]),
        ("AS 2S", "4C", ["W0", "T", "S"]),  # soft 17 on three
    ],
)
def test_14_0_thumb_on_15_and_more(cards: str, then: str, chosen: list[str]) -> None:
    assert player("thumb", cards, "home,split=none", then) == chosen


def test_14_0_thumb_twists_where_it_may_not_stick() -> None:
    assert player("thumb", "TS 5S", "home,stick_minimum=16", "4C") == ["W0", "T", "S"]


@pytest.mark.parametrize(
    ("cards", "then", "chosen"),
    [
        ("TS 5S", "", ["W0", "S"]),
        ("AS 4S", "", ["W0", "S"]),
        ("TS 4S", "2C", ["W0", "T", "S"]),
        ("5S 6S", "9C", ["W0", "T", "S"]),  # no buy
        ("8S 8C", "", ["W0", "S"]),  # no split
        ("AS AC", "3C", ["W0", "T", "S"]),
    ],
)
def test_14_0_stick15(cards: str, then: str, chosen: list[str]) -> None:
    assert player("stick15", cards, then=then) == chosen


def test_14_0_stick15_sticks_as_soon_as_allowed() -> None:
    assert player("stick15", "TS 5S", "home,stick_minimum=17", "2C") == ["W0", "T", "S"]
    assert player("stick15", "5S 6S", "casino8", "5C") == ["W0", "T", "S"]
    assert player("stick15", "2S 3S", "blackjack") == ["W0", "S"]


@pytest.mark.parametrize("least", [15, 16, 17, 18, 19])
def test_14_0_bankers_stand_on_their_number(least: int) -> None:
    name = f"stand{least}"
    below, at = f"TH {least - 11}H", f"TH {least - 10}H"
    assert banker(name, below, "AD") == ["T", "S"]
    assert banker(name, at) == ["S"]


def test_14_0_soft_or_hard() -> None:
    assert banker("stand17", "AH 6H") == ["S"]
    assert banker("stand17", "AH 5H", "TD AD") == ["T", "T", "S"]
    assert banker("stand15", "AH 4H") == ["S"]


def test_14_0_whatever_the_table_shows() -> None:
    """A trick, which 17 cannot beat."""
    assert banker("stand17", "TH 7H", "2C 3C 4C", "T T T", "2S 3S") == ["S"]


@pytest.mark.parametrize(("cards", "then"), [("TH 7H", "AD AC 2D"), ("TH 9H", "AD AC 9D"), ("3H 4H", "7D 7H 9D")])
def test_14_0_chase_draws_to_five_cards_against_a_trick(cards: str, then: str) -> None:
    """Even on 19 and on 21: 3 4 7 7 goes on."""
    drawn = banker("chase", cards, f"2C 3C 4C {then}", "T T T", "2S 3S")
    assert drawn == ["T", "T", "T"]


def test_14_0_chase_against_tricks_and_pontoons() -> None:
    deal = cards_of("2S 3S", "AS KS", "TH 7H", then="2C 3C 4C AD AC 2D")
    assert play(deal, "W0 T T T", seats=3, others=[""], banker="chase").choices.endswith("T T T T T T")


def test_14_0_chase_stands_on_17_while_another_hand_is_left() -> None:
    deal = cards_of("2S 3S", "TS 9S", "TH 7H", then="2C 3C 4C")
    assert play(deal, "W0 T T T", seats=3, others=["S"], banker="chase").choices == "W0 W0 T T T S S"


def test_14_0_chase_stands_on_17_against_pontoons_alone() -> None:
    assert play(cards_of("AS KS", "TH 7H"), "W0", banker="chase").choices == "W0 S"
    assert banker("chase", "TH 7H") == ["S"]
    assert banker("chase", "TH 6H", "2D") == ["T", "S"]


def test_14_0_chase_is_not_misled_by_a_bust() -> None:
    deal = cards_of("2S 3S", "TS 6S", "TH 7H", then="2C 3C 4C KS AD AC 2D")
    assert play(deal, "W0 T T T", seats=3, others=["T"], banker="chase").choices == "W0 W0 T T T T T T T"


@pytest.mark.parametrize("name", ["stand14", "chase", "thumbs"])
def test_14_0_a_player_has_no_other_names(name: str) -> None:
    with pytest.raises(UnknownPolicy, match="random, thumb, stick15"):
        Play("", role="banker", others=[name])
