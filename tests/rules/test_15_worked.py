"""Section 15 of the rule book: worked settlements (home unless named; at stakes of 1, chips to the player)."""

from __future__ import annotations

import pytest

from tests.rules.play import cards_of, play

TRICK = ("2S 3S", "W0 B1 B1 B1", "2C 2D 4S")
"""5; bought 2, 2 and 4 for 2 each: five cards, 13."""


@pytest.mark.parametrize(
    ("rules", "player", "choices", "drawn", "banker", "letters", "bank_drawn", "paid"),
    [
        ("home", "AS KD", "W0", "", "TH 9C", "S", "", 2),
        ("home", "AS KD", "W0", "", "AH TC", "", "", -2),
        ("home", "9S 8D", "W0", "", "AH QC", "", "", -2),
        ("home", "5S 6D", "W0 B1 T S", "2C 4C", "TH 7C", "S", "", -3),
        ("home", "5S 6D", "W0 B1 S", "KC", "TH 9C", "S", "", 3),
        ("home", *TRICK, "TH TC", "S", "", 14),
        ("home", *TRICK, "AH AC", "T T T", "3H 4H 5H", -14),
        ("british", *TRICK, "AH AC", "T T T", "3H 4H 5H", -7),
        ("home,peek=no", *TRICK, "AH KC", "", "", -14),
        ("home", "TS 5D", "W0 T", "9C", "TH 7C", "", "", -1),
        ("home,peek=no", "TS 5D", "W0 T", "9C", "AH KC", "", "", -1),
        ("home", "9S 8D", "W0 S", "", "TH 6C", "T", "TC", 1),
        ("home", "8S 8D", "W0 P S B0 S", "TS 3C KC", "TH 8C", "S", "", 1),  # −1 and +2
        ("casino8", "5S 6D", "W0 B0 S", "KC", "TH TC", None, "", 2),
        ("malaysian", "9S 8D", "W0 S", "", "TH 7C", None, "", 1),
        ("malaysian", "AS KD", "W0", "", "AH QC", None, "", 1.5),
        ("spanish", "6S 7S", "W0 T S", "8S", "KH QC", "S", "", 3),
    ],
)
def test_15_0_worked_settlement(
    rules: str,
    player: str,
    choices: str,
    drawn: str,
    banker: str,
    letters: str | None,
    bank_drawn: str,
    paid: float,
) -> None:
    settled = play(cards_of(player, banker, then=f"{drawn} {bank_drawn}"), choices, rules, banker=letters)
    assert settled.over
    assert settled.reward == paid


def test_15_0_the_split_hands_apart() -> None:
    """8 10 alone loses 1, 8 3 K alone wins 2; the other hand is bust each time."""
    loses = cards_of("8S 8D", "TH 8C", then="TS 3C KC TC")
    assert play(loses, "W0 P S B0 T", banker="S").reward == -1 - 2
    wins = cards_of("8S 8D", "TH 8C", then="TS 3C KS KC")
    assert play(wins, "W0 P T B0 S", banker="S").reward == -1 + 2


def test_15_0_a_split_ace_king_wins_two_and_the_bank_stays() -> None:
    """The second ace gets an 8 and loses its 1."""
    settled = play(cards_of("AS AC", "TH 9C", then="KS 8D"), "W0 P S", rounds=2, banker="S")
    assert settled.reward == 2 - 1
    assert "banker=1" in settled.record[2]
