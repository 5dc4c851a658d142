"""Play against a probability tree that is computed another way: plain Python, counts by value, no kernel."""

from __future__ import annotations

from functools import cache

import numpy as np

from pontoon_gym import Rules, Table
from pontoon_gym.evaluation.play import play
from pontoon_gym.policies.baselines import baseline
from tests.scale import SCALE

PACK = (4,) * 9 + (16,)
Counts = tuple[int, ...]
ROUNDS = 1_000_000 if SCALE >= 1 else 2048
"""Without the compiler a hundredth would still take minutes."""


def total(cards: Counts) -> int:
    hard = sum(value * n for value, n in enumerate(cards, 1))
    return hard + 10 if cards[0] and hard <= 11 else hard


def with_one(cards: Counts, i: int) -> Counts:
    return (*cards[:i], cards[i] + 1, *cards[i + 1 :])


def draws(gone: Counts) -> list[tuple[int, float]]:
    left = [n - g for n, g in zip(PACK, gone, strict=True)]
    return [(i, n / sum(left)) for i, n in enumerate(left) if n]


@cache
def finals(gone: Counts, hand: Counts, stand: int) -> dict[tuple[str, int], float]:
    """The distribution of (kind, total) of a hand that draws to `stand`, given the other cards that are gone."""
    held, worth = sum(hand), total(hand)
    if worth > 21:
        return {("bust", 0): 1.0}
    if held == 2 and worth == 21:
        return {("pontoon", 21): 1.0}
    if held == 5:
        return {("trick", 21): 1.0}
    if held >= 2 and worth >= stand:
        return {("total", worth): 1.0}
    found: dict[tuple[str, int], float] = {}
    for i, chance in draws(tuple(a + b for a, b in zip(gone, hand, strict=True))):
        for key, more in finals(gone, with_one(hand, i), stand).items():
            found[key] = found.get(key, 0.0) + chance * more
    return found


NOTHING = (0,) * 10


@cache
def banker_finals(gone: Counts) -> dict[tuple[str, int], float]:
    return finals(gone, NOTHING, 17)


def settled(mine: str, worth: int, bank: str, banked: int) -> int:
    """Clause 10 for a stake of 1 in the home game, the banker without a Pontoon."""
    if mine == "bust":
        return -1
    if mine == "pontoon":
        return 2
    if bank == "trick":
        return -2
    if mine == "trick":
        return 2
    return 1 if bank == "bust" or worth > banked else -1


def value_of(hand: Counts, chance: float) -> float:
    """The player's value of playing on with a hand that came with a chance, drawing to 15."""
    held, worth = sum(hand), total(hand)
    natural = held == 2 and worth == 21
    if held < 2 or (worth < 15 and held < 5):
        return sum(value_of(with_one(hand, i), chance * p) for i, p in draws(hand))
    kind = "bust" if worth > 21 else "pontoon" if natural else "trick" if held == 5 else "total"
    value = 0.0
    for (bank, banked), p in banker_finals(hand).items():
        if bank != "pontoon":
            value += chance * p * settled(kind, worth, bank, banked)
    return value


def expectation() -> float:
    """`stick15` against `stand17`: a banker's Pontoon ends the round and costs 2 (5.1)."""
    return -2 * 2 * (4 * 16) / (52 * 51) + value_of(NOTHING, 1.0)


def test_play_agrees_with_the_tree() -> None:
    """Within four standard errors; a false alarm once in 15,000 seeds."""
    rules, table = Rules.of("home"), Table()
    player, banker = baseline("stick15", "player", rules, table), baseline("stand17", "banker", rules, table)
    results = play(rules, table, player, banker, ROUNDS, seed=1)["result"] / 2
    error = results.std() / np.sqrt(len(results))
    assert abs(results.mean() - expectation()) < 4 * error


def test_the_tree_itself() -> None:
    assert 2 * 4 * 16 / (52 * 51) == 64 / 1326
    assert abs(sum(banker_finals(NOTHING).values()) - 1) < 1e-12
    assert abs(banker_finals(NOTHING)["pontoon", 21] - 64 / 1326) < 1e-12
