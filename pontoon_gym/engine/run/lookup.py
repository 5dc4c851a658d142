"""How a table of weights chooses, and how any weights become one action.

The tables of all seats lie in three arrays: `TABLE` rows, keys, and rows of weights, the latter two where a hash of the
key says (`lay_out`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.compiled import Record, int64, kernel, leaf, uint64
from pontoon_gym.engine.legal import may
from pontoon_gym.engine.rng import unit

TABLE = np.dtype(
    [
        ("start", "i8"),  # its places in keys and weights begin here
        ("places", "i8"),  # how many they are, 2 ** digits, at least twice its rows
        ("digits", "i8"),
        ("bits", "i8"),  # the bits of an infostate key that it looks at
        ("asked", "i8"),  # those that it or the tables it passes on to look at
        ("greedy", "i8"),  # 1: all on the allowed action of most weight; 0: in proportion to weights
        ("otherwise", "i8"),  # the table to ask about infostates that it does not have, −1 if there is none
    ],
    align=True,
)
"""One table among others."""

MISSING = -1
"""What `find_row` gives for an infostate that no table in the chain has."""
EMPTY = -1
"""The key of a place without a row; infostate keys are not negative."""
_SCATTER = np.uint64(0x9E3779B97F4A7C15)


def digits_for(rows: int) -> int:
    """The binary digits of a place in a table of so many rows: at most half of the places are filled."""
    return max((2 * rows).bit_length(), 1)


@leaf
def home_of(table: Record, key: int) -> int:
    """Where the search for a key begins (D. Knuth, The Art of Computer Programming 3, 6.4: Fibonacci hashing).

    The first digits of the product depend on all of the key, the last ones on its end alone.
    """
    return int64((uint64(key) * _SCATTER) >> uint64(64 - table["digits"]))


def lay_out(table: Record, keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """The place of each row of a table, from its `start` on, where `row_of` finds it; int64 of shape (n,)."""
    taken = np.zeros(table["places"], np.bool_)
    at = ((keys.astype(np.uint64) * _SCATTER) >> np.uint64(64 - table["digits"])).astype(np.int64)
    waiting = np.arange(len(keys))
    while len(waiting):
        # Of several rows that want a free place the first gets it; all others try the next one.
        free = waiting[~taken[at[waiting]]]
        _, first = np.unique(at[free], return_index=True)
        taken[at[free[first]]] = True
        waiting = np.setdiff1d(waiting, free[first], assume_unique=True)
        at[waiting] = (at[waiting] + 1) & (table["places"] - 1)
    return at + table["start"]


@leaf
def row_of(table: Record, keys: NDArray[np.int64], key: int) -> int:
    """A table's own row of weights for an infostate, or MISSING."""
    wanted = key & table["bits"]
    at = home_of(table, wanted)
    while keys[table["start"] + at] != wanted:
        if keys[table["start"] + at] == EMPTY:
            return MISSING
        at = (at + 1) & (table["places"] - 1)
    return table["start"] + at


@leaf
def find_row(tables: NDArray[np.void], first: int, keys: NDArray[np.int64], key: int) -> tuple[int, int]:
    """The table and the row that answer an infostate: `first`, or whichever it passes the question on to."""
    table = first
    while table >= 0:
        row = row_of(tables[table], keys, key)
        if row != MISSING:
            return table, row
        table = tables[table]["otherwise"]
    return table, MISSING


@leaf
def best(weights: NDArray[np.float64], allowed: int) -> int:
    """The allowed action of most weight, of equal ones the first."""
    choice, action = -1, 0
    while allowed >> action:
        if may(allowed, action) and (choice < 0 or weights[action] > weights[choice]):
            choice = action
        action += 1
    return choice


@leaf
def allowed_weight(weights: NDArray[np.float64], allowed: int) -> tuple[float, int]:
    """The weight of all allowed actions together, and their number."""
    total, actions = 0.0, 0
    for action in range(len(weights)):
        if may(allowed, action):
            actions += 1
            total += weights[action]
    return total, actions


@kernel
def draw_action(weights: NDArray[np.float64], allowed: int, stream: NDArray[np.uint64]) -> int:
    """An allowed action drawn in proportion to its weight; if none has any, each is equally likely."""
    total, actions = allowed_weight(weights, allowed)
    mark = unit(stream) * (total if total > 0.0 else actions)
    choice = -1
    for action in range(len(weights)):
        if may(allowed, action) and (total <= 0.0 or weights[action] > 0.0):
            choice = action
            mark -= weights[action] if total > 0.0 else 1.0
            if mark < 0.0:
                return choice
    return choice


@kernel
def fill_probabilities(weights: NDArray[np.float64], allowed: int, greedy: bool, out: NDArray[np.float64]) -> None:
    """The distribution that `best` or `draw_action` plays; fills `out`, float64 of shape (actions,)."""
    out[:] = 0.0
    if greedy:
        out[best(weights, allowed)] = 1.0
        return
    total, actions = allowed_weight(weights, allowed)
    for action in range(len(weights)):
        if may(allowed, action):
            out[action] = weights[action] / total if total > 0.0 else 1.0 / actions


@leaf
def bits_of(mask: NDArray[np.bool_]) -> int:
    """A mask as bits."""
    bits = int64(0)
    for action in range(len(mask)):
        bits |= int64(mask[action]) << action
    return bits


@kernel
def fill_all_probabilities(
    tables: NDArray[np.void],
    keys: NDArray[np.int64],
    weights: NDArray[np.float64],
    asked: NDArray[np.int64],
    mask: NDArray[np.bool_],
    out: NDArray[np.float64],
) -> int:
    """What table 0 plays in each infostate asked; fills `out`, float64 of shape (n, actions).

    Returns MISSING, or the place of the first infostate without an answer, whose chances are all 0.
    """
    first = MISSING
    for i in range(len(asked)):
        table, row = find_row(tables, 0, keys, asked[i])
        if row == MISSING:
            out[i] = 0.0
            first = i if first == MISSING else first
        else:
            fill_probabilities(weights[row], bits_of(mask[i]), tables[table]["greedy"] > 0, out[i])
    return first
