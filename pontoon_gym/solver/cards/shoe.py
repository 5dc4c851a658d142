"""The chance of cards: what a shoe deals, and what is known of the banker's two cards.

Cards that are gone are counts by value in one integer (`hand.one_card`). The chance of a sequence of cards does not
depend on its order, nor on which places of the shoe it comes from: all that the solver does rests on this.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.compiled import Record, kernel, leaf
from pontoon_gym.engine.hand import COMPOSITIONS, VALUES, best_total, card_count, makes_pontoon, one_card, value

SHOE = np.dtype(
    [
        ("values", "i8", VALUES),  # cards of value 1 (ace) to 10
        ("size", "i8"),
        ("used", "i8"),  # 1: a card that was dealt is gone; 0: the shoe is endless (1.1)
        ("peek", "i8"),  # 1: play goes on only where the banker has no Pontoon (5.1)
    ],
    align=True,
)
"""A full shoe by value."""

CARDS = COMPOSITIONS.sum(axis=1).astype(np.int64)
"""How many cards each composition has."""
COUNTS: NDArray[np.int64] = (COMPOSITIONS.astype(np.int64) << (5 * np.arange(VALUES))).sum(axis=1)
"""Each composition as counts by value."""
TOTALS = np.array([best_total(int(held @ np.arange(1, VALUES + 1)), int(held[0])) for held in COMPOSITIONS.astype(int)])
"""The best total of each composition (1.4)."""

PONTOONS = np.array([(v, w) for v in range(1, VALUES + 1) for w in range(1, VALUES + 1) if makes_pontoon(v, w)])
"""The values of two cards that are a Pontoon, in each order (2.1)."""


def shoe_of(game: NDArray[np.void]) -> NDArray[np.void]:
    """The shoe of a packed game: `SHOE` of shape (1,)."""
    cards = game["pack"][0, : int(game["size"][0])]
    shoe = np.zeros(1, SHOE)
    shoe["values"] = np.bincount([value(int(card)) for card in cards], minlength=VALUES + 1)[1:]
    shoe["size"], shoe["used"], shoe["peek"] = len(cards), game["packs"][0] > 0, game["peek"][0]
    return shoe


@leaf
def left_of(shoe: Record, gone: int, v: int) -> int:
    """How many cards of a value can still come."""
    return shoe["values"][v - 1] - shoe["used"] * card_count(gone, v)


@kernel
def sequence_chance(shoe: Record, gone: int) -> float:
    """The chance that cards of these values are dealt one after another, in one given order."""
    chance, size = 1.0, shoe["size"]
    for v in range(1, VALUES + 1):
        left = shoe["values"][v - 1]
        for _ in range(card_count(gone, v)):
            if left <= 0:
                return 0.0
            chance *= left / size
            left -= shoe["used"]
            size -= shoe["used"]
    return chance


@leaf
def pontoon_chance(shoe: Record, gone: int, count: int, up: int) -> float:
    """The chance that the banker has a Pontoon whose first card has the value `up` (0: any)."""
    size = shoe["size"] - shoe["used"] * count
    if size < 2:
        return 0.0
    ways = 0
    for i in range(len(PONTOONS)):
        v, w = PONTOONS[i, 0], PONTOONS[i, 1]
        if up == 0 or up == v:
            ways += left_of(shoe, gone, v) * left_of(shoe, gone + one_card(v), w)
    return ways / (size * (size - shoe["used"]))


@leaf
def goes_on_chance(shoe: Record, gone: int, count: int, up: int) -> float:
    """The chance that the banker's first card has the value `up` (0: any) and that the check lets play go on."""
    first = 1.0 if up == 0 else left_of(shoe, gone, up) / (shoe["size"] - shoe["used"] * count)
    return first - shoe["peek"] * pontoon_chance(shoe, gone, count, up)


@kernel
def measure(shoe: Record, gone: int, count: int, up: int) -> float:
    """The chance of `count` cards in one given order, and that play goes on with that up card of the banker's."""
    chance = sequence_chance(shoe, gone)
    return chance * goes_on_chance(shoe, gone, count, up) if chance > 0.0 else 0.0


@leaf
def with_extra(gone: int, v: int, extra: int) -> int:
    """Counts by value with some more cards of one value."""
    return gone + extra * one_card(v) if extra > 0 else gone


@leaf
def fits(shoe: Record, made: int) -> bool:
    """Whether a shoe can deal a composition."""
    for v in range(VALUES):
        left = shoe["values"][v]
        if (left == 0 and COMPOSITIONS[made, v] > 0) or (shoe["used"] and COMPOSITIONS[made, v] > left):
            return False
    return True
