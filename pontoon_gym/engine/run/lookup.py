"""How a policy that is a table is read, and how weights become one action.

The lookups of all seats lie in three arrays: `LOOKUP` rows, keys, and rows of weights, the latter two where a hash of
the key says (`hashing`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.compiled import Record, int64, kernel, leaf
from pontoon_gym.engine.legal import may
from pontoon_gym.engine.rng import unit
from pontoon_gym.hashing import place_of

LOOKUP = np.dtype(
    [
        ("start", "i8"),  # its places in keys and weights begin here
        ("digits", "i8"),  # they are 2 ** digits
        ("bits", "i8"),  # the bits of an infostate key that it looks at
        ("asked", "i8"),  # those that it or the lookups it passes on to look at
        ("greedy", "i8"),  # 1: all on the allowed action of most weight; 0: in proportion to weights
        ("otherwise", "i8"),  # the lookup to ask about infostates that it does not have, −1 if there is none
    ],
    align=True,
)
"""One lookup among others."""


class Lookups(NamedTuple):
    """Policies as kernels read them.

    Attributes:
        lookups: `LOOKUP` of shape (n,).
        keys: int64 of shape (places,); a place without an infostate holds `hashing.EMPTY`.
        weights: of actions, float64 of shape (places, actions).
    """

    lookups: NDArray[np.void]
    keys: NDArray[np.int64]
    weights: NDArray[np.float64]


MISSING = -1
"""What `find_row` gives for an infostate that no lookup in the chain has."""


@leaf
def row_of(lookup: Record, keys: NDArray[np.int64], key: int) -> int:
    """A lookup's own row of weights for an infostate, or MISSING."""
    wanted = key & lookup["bits"]
    at = place_of(keys, lookup["start"], lookup["digits"], wanted)
    return at if keys[at] == wanted else MISSING


@leaf
def find_row(lookups: NDArray[np.void], first: int, keys: NDArray[np.int64], key: int) -> tuple[int, int]:
    """The lookup and the row that answer an infostate: `first`, or whichever it passes the question on to."""
    asked = first
    while asked >= 0:
        row = row_of(lookups[asked], keys, key)
        if row != MISSING:
            return asked, row
        asked = lookups[asked]["otherwise"]
    return asked, MISSING


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
    lookups: NDArray[np.void],
    keys: NDArray[np.int64],
    weights: NDArray[np.float64],
    asked: NDArray[np.int64],
    mask: NDArray[np.bool_],
    out: NDArray[np.float64],
) -> int:
    """What lookup 0 plays in each infostate asked; fills `out`, float64 of shape (n, actions).

    Returns MISSING, or the place of the first infostate without an answer, whose chances are all 0.
    """
    first = MISSING
    for i in range(len(asked)):
        asked_of, row = find_row(lookups, 0, keys, asked[i])
        if row == MISSING:
            out[i] = 0.0
            first = i if first == MISSING else first
        else:
            fill_probabilities(weights[row], bits_of(mask[i]), lookups[asked_of]["greedy"] > 0, out[i])
    return first
