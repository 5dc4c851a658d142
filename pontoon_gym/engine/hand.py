"""What a hand is worth (clauses 1.3, 1.4 and 2).

A hand's composition (how many cards of each value, in no order) is a small number, and `after` gives the
composition that one more card makes; infostate keys and the solver's tree stand on it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.compiled import Record, int64, leaf
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


@leaf
def one_card(v: int) -> int:
    """One card of a value, as counts by value keep it: five bits a value, the ace lowest."""
    return int64(1) << (5 * v - 5)


@leaf
def card_count(counts: int, v: int) -> int:
    """How many cards of a value there are in counts by value."""
    return (counts >> (5 * v - 5)) & 31


@leaf
def value(card: int) -> int:
    """The value of a card's byte: 1 for an ace, 10 for 10, J, Q, K (1.3)."""
    return min(int64(card & FACE) // 4 + 1, 10)


@leaf
def best_total(hard: int, aces: int) -> int:
    """The total that counts (1.4): `hard` counts every ace 1; one becomes 11 if that does not pass 21."""
    return hard + 10 if aces > 0 and hard <= 11 else hard


@leaf
def is_soft(hard: int, aces: int) -> bool:
    """Whether an ace counts 11 (1.4)."""
    return aces > 0 and hard <= 11


@leaf
def total_of(hand: Record) -> int:
    """A hand's best total (1.4)."""
    return best_total(int64(hand["hard"]), hand["aces"])


@leaf
def is_two_card_21(total: int, count: int) -> bool:
    """Whether a hand is a Pontoon unless it was split: 21 in two cards (2.1)."""
    return count == 2 and total == 21


@leaf
def makes_pontoon(v: int, w: int) -> bool:
    """Whether two first cards of these values are a Pontoon (2.1)."""
    return is_two_card_21(best_total(v + w, (v == 1) + (w == 1)), 2)


@leaf
def kind(r: Record, total: int, count: int, split: bool, king: bool) -> int:
    """The kind of a hand (2; 12.3), from its best total and number of cards.

    Args:
        split: whether it is a split hand (2.6).
        king: whether it holds a king, which only a split A-K needs.
    """
    if total > 21:
        return HandKind.BUST
    if is_two_card_21(total, count):
        if not split or r["split_pontoon"]:
            return HandKind.PONTOON
        if king and r["ace_king_pays"] > 0:
            return HandKind.ACE_KING
    if count == r["trick_cards"]:
        return HandKind.TRICK
    return HandKind.TOTAL
