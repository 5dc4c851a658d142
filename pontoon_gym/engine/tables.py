"""How a table of weights chooses, and how any weights become one action.

The tables of all seats lie in three arrays: `TABLE` rows, sorted keys, and rows of weights.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.compiled import Record, kernel
from pontoon_gym.engine.rng import unit

TABLE = np.dtype(
    [
        ("start", "i8"),  # its rows in keys and weights: start to stop
        ("stop", "i8"),
        ("bits", "i8"),  # the bits of a situation key that it looks at
        ("greedy", "i8"),  # 1: all on the allowed action of most weight; 0: in proportion to weights
        ("otherwise", "i8"),  # the table to ask about situations that it does not have, −1 if there is none
    ],
    align=True,
)
"""One table among others."""

MISSING = -1
"""What `find_row` gives for a situation that no table in the chain has."""


@kernel
def row_of(table: Record, keys: NDArray[np.int64], key: int) -> int:
    """A table's own row of weights for a situation, or MISSING."""
    wanted = key & table["bits"]
    low, high = table["start"], table["stop"]
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low if low < table["stop"] and keys[low] == wanted else MISSING


@kernel
def find_row(tables: NDArray[np.void], first: int, keys: NDArray[np.int64], key: int) -> tuple[int, int]:
    """The table and the row that answer a situation: `first`, or whichever it passes the question on to."""
    table = first
    while table >= 0:
        row = row_of(tables[table], keys, key)
        if row != MISSING:
            return table, row
        table = tables[table]["otherwise"]
    return table, MISSING


@kernel
def best(weights: NDArray[np.float64], mask: NDArray[np.bool_]) -> int:
    """The allowed action of most weight, of equal ones the first."""
    choice = -1
    for action in range(len(mask)):
        if mask[action] and (choice < 0 or weights[action] > weights[choice]):
            choice = action
    return choice


@kernel
def draw_action(weights: NDArray[np.float64], mask: NDArray[np.bool_], stream: NDArray[np.uint64]) -> int:
    """An allowed action drawn in proportion to its weight; if none has any, each is equally likely."""
    total, allowed = 0.0, 0
    for action in range(len(mask)):
        if mask[action]:
            allowed += 1
            total += weights[action]
    mark = unit(stream) * (total if total > 0.0 else allowed)
    choice = -1
    for action in range(len(mask)):
        if mask[action] and (total <= 0.0 or weights[action] > 0.0):
            choice = action
            mark -= weights[action] if total > 0.0 else 1.0
            if mark < 0.0:
                return choice
    return choice


@kernel
def fill_probabilities(
    weights: NDArray[np.float64], mask: NDArray[np.bool_], greedy: bool, out: NDArray[np.float64]
) -> None:
    """The distribution that `best` or `draw_action` plays; fills `out`, float64 of shape (actions,)."""
    out[:] = 0.0
    if greedy:
        out[best(weights, mask)] = 1.0
        return
    total, allowed = 0.0, 0
    for action in range(len(mask)):
        if mask[action]:
            allowed += 1
            total += weights[action]
    for action in range(len(mask)):
        if mask[action]:
            out[action] = weights[action] / total if total > 0.0 else 1.0 / allowed


@kernel
def fill_all_probabilities(
    tables: NDArray[np.void],
    keys: NDArray[np.int64],
    weights: NDArray[np.float64],
    asked: NDArray[np.int64],
    mask: NDArray[np.bool_],
    out: NDArray[np.float64],
) -> int:
    """What table 0 plays in each situation asked; fills `out`, float64 of shape (n, actions).

    Returns MISSING, or the place of the first situation without an answer.
    """
    for i in range(len(asked)):
        table, row = find_row(tables, 0, keys, asked[i])
        if row == MISSING:
            return i
        fill_probabilities(weights[row], mask[i], tables[table]["greedy"] > 0, out[i])
    return MISSING
