"""The one hash table: integer keys in places of an array, searched from where a hash says (open addressing).

A table is a stretch of 2 ** `digits` places of an int64 array, from `start` on; a place without a key holds EMPTY. At
most half of the places are to be filled. What belongs to a key lies in other arrays, at the same place.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.compiled import int64, leaf, uint64

EMPTY = -1
"""The key of a place without one; keys are not negative."""
_SCATTER = np.uint64(0x9E3779B97F4A7C15)


def digits_for(keys: int) -> int:
    """The digits of the smallest table for so many keys."""
    return max((2 * keys).bit_length(), 1)


@leaf
def place_of(keys: NDArray[np.int64], start: int, digits: int, key: int) -> int:
    """Where a key is, or the empty place where it would be.

    The search begins at the first digits of a product, which depend on all of the key (D. Knuth, The Art of Computer
    Programming 3, 6.4: Fibonacci hashing).
    """
    at = int64((uint64(key) * _SCATTER) >> uint64(64 - digits))
    while keys[start + at] != key and keys[start + at] != EMPTY:
        at = (at + 1) & ((int64(1) << digits) - 1)
    place: int = start + at
    return place


def lay_out(keys: NDArray[np.int64], digits: int) -> NDArray[np.int64]:
    """The places of different keys in an empty table, where `place_of` finds them; int64 of shape (n,), from 0."""
    taken = np.zeros(1 << digits, np.bool_)
    at = ((keys.astype(np.uint64) * _SCATTER) >> np.uint64(64 - digits)).astype(np.int64)
    waiting = np.arange(len(keys))
    while len(waiting):
        # Of several keys that want a free place the first gets it; all others try the next one.
        free = waiting[~taken[at[waiting]]]
        _, first = np.unique(at[free], return_index=True)
        taken[at[free[first]]] = True
        waiting = np.setdiff1d(waiting, free[first], assume_unique=True)
        at[waiting] = (at[waiting] + 1) & ((1 << digits) - 1)
    return at
