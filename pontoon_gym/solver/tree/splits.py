"""What a split brings: the exact expectation of hands that are drawn one after another (clause 6.6).

A choice on a split hand looks at that hand and at the number of hands, never at the others' cards. The cards of a
shoe are exchangeable, and that they stay when a hand stops drawing at a moment that depends on its own cards alone; so
what comes to the second hand, or the third, is drawn like the first hand's from the cards that are left, and an
expectation is a sum over hands, each for itself. What is known of the others then is: their first cards are of the
pair's kind, and each second card is of that kind (it would be split again) or is not. "Is not" is all minus "is",
so that any pattern is a signed sum of chances that j more cards of the kind are gone. `plays` gives the
coefficients of those sums; with them the expectation is exact for any number of hands, as long as the shoe cannot
run out.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from math import comb

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.engine.hand import value
from pontoon_gym.engine.legal import is_pair
from pontoon_gym.engine.state import MOST_HANDS

EXTRA = 2 * MOST_HANDS - 1
"""Cards of a pair's kind that may lie on the other hands: 0 to 6."""

CLASS = np.dtype(
    [
        ("up", "i8"),  # value of the banker's card lying up, 0 for none
        ("value", "i8"),  # of the card that was split, 0 where none was
        ("pair", "i8"),  # the pair's number, −1 where none was split
        ("hands", "i8"),
        ("own", "i8"),  # 1: the hand's own second card made a pair again
        ("kinds", "f8", EXTRA),  # by how many of the pair's kind are gone: what ranks and suits tell beyond values
        ("weights", "f8", EXTRA),  # likewise the coefficient of the measure
    ],
    align=True,
)
"""What is known at an infostate beside its hand: its measure is the sum of `weights[j]` times that of the hand with j
more cards of the pair's value gone."""

ROOT = np.dtype([("pair", "i4"), ("node", "i4"), ("part", "f8")], align=True)
"""A hand that a split makes: from which pair (by number), which infostate, what part of its class's measure."""


@cache
def plays(most: int, again: tuple[float, ...]) -> dict[tuple[int, int], NDArray[np.float64]]:
    """How often hands are played, by own hands at the time and whether the second card made a pair again.

    Args:
        most: hands that a seat may hold.
        again: the chance that a pair is split again at 2, 3, ... hands.

    Returns:
        Coefficients by the number of cards of the pair's kind that lie on other hands, float64 of shape (EXTRA,).
    """
    found = {(n, own): np.zeros(EXTRA) for n in range(2, most + 1) for own in (0, 1)}
    for pairs in product((0, 1), repeat=2):
        _play(found, most, again, list(pairs), 0, 1.0)
    return found


def _play(
    found: dict[tuple[int, int], NDArray[np.float64]],
    most: int,
    again: tuple[float, ...],
    pairs: list[int],
    at: int,
    chance: float,
) -> None:
    """Play hand `at` and those after it; `pairs` says of each hand whether its second card made a pair."""
    n = len(pairs)
    if at == n or chance == 0.0:
        return
    splits = again[n - 2] if pairs[at] and n < most else 0.0
    if splits > 0.0:
        for new in product((0, 1), repeat=2):
            _play(found, most, again, [*pairs[:at], *new, *pairs[at + 1 :]], at, chance * splits)
    if splits < 1.0:
        others = sum(pairs) - pairs[at]
        without = n - 1 - others
        for i in range(without + 1):
            found[n, pairs[at]][n - 1 + others + i] += chance * (1.0 - splits) * (-1.0) ** i * comb(without, i)
        _play(found, most, again, pairs, at + 1, chance * (1.0 - splits))


def kind_parts(
    game: NDArray[np.void], shoe: NDArray[np.void], kinds: NDArray[np.void], first: int, second: int
) -> NDArray[np.float64]:
    """What part of a split hand's measure by values belongs to two kinds of card (numbers in `kinds`).

    Returns:
        By the number of further cards of the pair's kind that are gone, float64 of shape (EXTRA,).
    """
    r, used = game[0], int(shoe["used"][0])
    a, b = kinds[first], kinds[second]
    v, w = value(int(a["card"])), value(int(b["card"]))
    of_v, of_w = int(shoe["values"][0, v - 1]), int(shoe["values"][0, w - 1])
    group = sum(int(k["number"]) for k in kinds if is_pair(r, int(a["card"]), int(k["card"])))
    parts = np.zeros(EXTRA)
    part = int(a["number"]) / of_v
    for j in range(EXTRA):
        if j > 0:
            part *= _ratio(group - j * used, of_v - j * used)
        if is_pair(r, int(a["card"]), int(b["card"])):
            left = (int(b["number"]) - used * (first == second)) * _ratio(group - used * (1 + j), group - used)
            parts[j] = part * _ratio(left, of_v - used * (1 + j))
        else:
            parts[j] = part * _ratio(int(b["number"]), of_w - used * (1 + j) * (v == w))
    return parts


def _ratio(part: float, whole: float) -> float:
    return part / whole if part > 0 and whole > 0 else 0.0
