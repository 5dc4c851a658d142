"""Section 10 of the rule book: settlement, in units of the hand's total stake."""

from __future__ import annotations

import pytest

from pontoon_gym.errors import BadRules
from pontoon_gym.rules import Rules
from tests.rules.play import cards_of, play

RATES = "peek=no,banker_trick_loss=3,banker_pontoon_loss=4,trick_pays=5,pontoon_pays=6"
"""Every rate of the table told apart from every other."""

BANKER = {
    "bust": ("TH 6H", "KH", "T"),
    "total": ("TH 9H", "", "S"),
    "trick": ("2H 3H", "2D 3D 4D", "T T T"),
    "pontoon": ("AH QH", "", ""),
}
"""For each column: the bank's cards, what it draws, its choices. Its total is 19."""

PLAYER = {
    "bust": ("TS 5S", "9S", "T"),
    "lower": ("TS 8S", "", "S"),
    "equal": ("TS 9S", "", "S"),
    "higher": ("TS JS", "", "S"),
    "trick": ("2S 3S", "2C 3C 4C", "T T T"),
    "pontoon": ("AS KS", "", ""),
}
"""For each row: the player's cards, what they draw, their choices."""

COLUMNS = ("bust", "total", "trick", "pontoon")


def settled(row: str, column: str, rules: str) -> float:
    """What the first player wins; a second one keeps a hand live, so that the banker plays."""
    cards, drawn, choices = PLAYER[row]
    bank, bank_drawn, letters = BANKER[column]
    deal = cards_of(cards, "9C 9D", bank, then=f"{drawn} {bank_drawn}")
    return play(deal, f"W0 {choices}", rules, seats=3, others=["S"], banker=letters).reward


TIE = None


@pytest.mark.parametrize(
    ("row", "paid"),
    [
        ("bust", (-1, -1, -1, -1)),
        ("lower", (1, -1, -3, -4)),
        ("equal", (1, TIE, -3, -4)),
        ("higher", (1, 1, -3, -4)),
        ("trick", (5, 5, TIE, -4)),
        ("pontoon", (6, 6, 6, TIE)),
    ],
)
@pytest.mark.parametrize("ties", ["banker", "push", "player"])
def test_10_0_the_table(row: str, paid: tuple[float | None, ...], ties: str) -> None:
    for column, expected in zip(COLUMNS, paid, strict=True):
        if expected is not TIE:
            assert settled(row, column, f"home,{RATES},ties={ties}") == expected, column


@pytest.mark.parametrize(("column", "paid"), [("bust", 7), ("total", 7), ("trick", -3), ("pontoon", -4)])
def test_10_0_a_split_ace_king(column: str, paid: float) -> None:
    """The second hand is bust and loses 1 in any case."""
    bank, bank_drawn, letters = BANKER[column]
    deal = cards_of("AS AC", "9C 9D", bank, then=f"KC 5C KD QC {bank_drawn}")
    rules = f"ace_high,{RATES},ace_king_pays=7"
    assert play(deal, "W0 P T T", rules, seats=3, others=["S"], banker=letters).reward == paid - 1


def test_10_0_in_units_of_the_total_stake() -> None:
    deal = cards_of("2S 3S", "TH TD", then="2C 2D 4C")
    table = {"stake_min": 2, "stake_max": 2, "banker": "S"}
    assert play(deal, "W0 B1 B0 T", **table).results == "+16 -16"  # 2 × (2 + 4 + 2)


@pytest.mark.parametrize(
    ("ties", "total", "trick", "pontoon"), [("banker", -1, -3, -4), ("push", 0, 0, 0), ("player", 1, 5, 6)]
)
def test_10_1_ties(ties: str, total: float, trick: float, pontoon: float) -> None:
    rules = f"home,{RATES},ties={ties}"
    assert settled("equal", "total", rules) == total
    assert settled("trick", "trick", rules) == trick
    assert settled("pontoon", "pontoon", rules) == pontoon


@pytest.mark.parametrize(
    ("rules", "paid"),
    [("british", -1), ("home", -1), ("casino6", -1), ("casino8", -1), ("blackjack", 0), ("malaysian", 1)],
)
def test_10_1_ties_in_the_presets(rules: str, paid: float) -> None:
    assert play(cards_of("TS 9S", "TH 9H"), "W0 S", rules).reward == paid


@pytest.mark.parametrize(("rules", "lost"), [("british", 1), ("home", 2), ("casino6", 1), ("casino8", 1)])
def test_10_2_lost_to_the_bankers_trick(rules: str, lost: float) -> None:
    letters = None if rules.startswith("casino") else "T T T"
    deal = cards_of("TS 9S", "2H 3H", then="2D 3D 4D")
    assert play(deal, "W0 S", rules, banker=letters).reward == -lost


@pytest.mark.parametrize("rules", ["british", "home", "casino6", "casino8"])
def test_10_2_a_pontoon_and_a_trick_pay_two(rules: str) -> None:
    assert play(cards_of("AS KS", "TH 9H"), "W0", rules).reward == 2
    assert play(cards_of("2S 3S", "TH 9H", then="2C 3C 4C"), "W0 T T T", rules).reward == 2


RATE_FIELDS = ("banker_pontoon_loss", "banker_trick_loss", "pontoon_pays", "trick_pays", "ace_king_pays")


@pytest.mark.parametrize("field", RATE_FIELDS)
def test_10_3_rates_are_multiples_of_one_half(field: str) -> None:
    assert getattr(Rules.of("ace_high", **{field: 2.5}), field) == 2.5
    with pytest.raises(BadRules, match=field):
        Rules.of("ace_high", **{field: 2.25})


def test_10_3_half_rates_are_paid_exactly() -> None:
    rules = "home,peek=no,banker_trick_loss=0.5,banker_pontoon_loss=1.5,trick_pays=2.5,pontoon_pays=3.5"
    assert settled("higher", "trick", rules) == -0.5
    assert settled("higher", "pontoon", rules) == -1.5
    assert settled("trick", "total", rules) == 2.5
    assert settled("pontoon", "total", rules) == 3.5
