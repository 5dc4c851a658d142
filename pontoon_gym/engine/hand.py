"""What a hand is worth (clauses 1.3, 1.4 and 2).

A hand's composition (how many cards of each value, in no order) is a small number, and `after` gives the
composition that one more card makes; the situation keys of `observe` and the solver's tree stand on it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.compiled import Record, int64, kernel
from pontoon_gym.names import HandKind

VALUES = 10
"""Card values: 1 an ace, 2 to 9, and 10 for 10, J, Q, K. Column v − 1 of a count by value."""

FACE = 63
"""The bits of a card's byte that are the card; see `state` for the other two."""


def _compositions() -> tuple[NDArray[np.int16], NDArray[np.int8]]:
    """Every composition of a hard total up to 21, as transitions (n, 10) and counts by value (n, 10)."""
    counts = [(0,) * VALUES]
    number = {counts[0]: 0}
    after: list[list[int]] = []
    for held in counts:
        row = [-1] * VALUES
        hard = sum((v + 1) * n for v, n in enumerate(held))
        for v in range(min(VALUES, 21 - hard)):
            more = (*held[:v], held[v] + 1, *held[v + 1 :])
            if more not in number:
                number[more] = len(counts)
                counts.append(more)
            row[v] = number[more]
        after.append(row)
    return np.array(after, np.int16), np.array(counts, np.int8)


AFTER, COMPOSITIONS = _compositions()
"""AFTER[c, v − 1]: the composition after a card of value v, −1 bust. COMPOSITIONS[c]: its counts by value."""


@kernel
def value(card: int) -> int:
    """The value of a card's byte: 1 for an ace, 10 for 10, J, Q, K (1.3)."""
    return min(int64(card & FACE) // 4 + 1, 10)


@kernel
def best_total(hard: int, aces: int) -> int:
    """The total that counts (1.4): `hard` counts every ace 1; one becomes 11 if that does not pass 21."""
    return hard + 10 if aces > 0 and hard <= 11 else hard


@kernel
def is_soft(hard: int, aces: int) -> bool:
    """Whether an ace counts 11 (1.4)."""
    return aces > 0 and hard <= 11


@kernel
def kind(r: Record, total: int, count: int, split: bool, king: bool) -> int:
    """The kind of a hand (2; 12.3), from its best total and number of cards.

    Args:
        split: whether it is a split hand (2.6).
        king: whether it holds a king, which only a split A-K needs.
    """
    if total > 21:
        return HandKind.BUST
    if count == 2 and total == 21:
        if not split or r["split_pontoon"]:
            return HandKind.PONTOON
        if king and r["ace_king_pays"] > 0:
            return HandKind.ACE_KING
    if count == r["trick_cards"]:
        return HandKind.TRICK
    return HandKind.TOTAL


@kernel
def composition(cards: NDArray[np.uint8], count: int) -> int:
    """The number of a hand's composition, −1 if it is bust."""
    at = 0
    for i in range(count):
        at = AFTER[at, value(cards[i]) - 1]
        if at < 0:
            return -1
    return at
