"""One row alone: all that its step needs in one record, but for the policies' tables.

Handing arrays to a kernel takes longer than a step; a single record is one argument. The kernels do for it what
`rows` does for many rows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.compiled import Record, kernel, leaf
from pontoon_gym.engine.legal import spread
from pontoon_gym.engine.run.batch import (
    ILLEGAL,
    RESUME,
    TERMINATED,
    TRUNCATED,
    allowed_now,
    is_truncated,
    take_action,
    won,
)
from pontoon_gym.engine.run.episode import LEARNER, OVER, play_on
from pontoon_gym.engine.state import GAME, MOST_ACTIONS, MOST_SEATS, ROUND
from pontoon_gym.engine.view.columns import MOST_COLUMNS, SIGHT
from pontoon_gym.engine.view.infostate import ALL_BITS, key_of_turn
from pontoon_gym.engine.view.observe import look
from pontoon_gym.names import Role

ONE = np.dtype(
    [
        ("game", GAME),
        ("round", ROUND),
        ("seating", "i8", MOST_SEATS),  # who plays which place (`seating.Seating.seats`)
        ("sight", SIGHT),
        ("infostate", "i8"),  # 1: the learner observes the infostate key
        ("width", "i8"),  # columns of his vector
        ("actions", "i8"),  # size of his action space
        ("status", "i8"),  # why the row stands (`conduct`)
        ("key", "i8"),
        ("reward", "f8"),
        ("illegal", "i8"),  # 1: the last action was
        ("mask", "u1", MOST_ACTIONS),  # 1 for what the learner may do
        ("vector", "f4", MOST_COLUMNS),
    ],
    align=True,
)
"""A row, how it is played and seen, and what its learner was shown last."""

BEGIN = -3
"""In place of an action: begin the next episode. RESUME plays on from where the row waited."""
WRONG, GOES_ON, WAITING = -1, 0, 8
"""What a step says: the action could not be taken; or else 1 << TERMINATED, TRUNCATED, ILLEGAL of `rows`, as they
apply, and WAITING if an outside policy has to choose before the learner sees anything."""


@kernel
def step_one(
    one: NDArray[np.void],
    tables: NDArray[np.void],
    keys: NDArray[np.int64],
    weights: NDArray[np.float64],
    action: int,
    strict: bool,
) -> int:
    """Take the learner's action and play on to his next choice; what it says, see WRONG.

    Args:
        one: `ONE` of shape (1,), brought up to date.
        action: a number of the action space, BEGIN or RESUME.
        strict: an action that is not allowed is WRONG, and changes nothing.
    """
    o = one[0]
    if action != RESUME:
        begins = action == BEGIN
        may = begins or (o["status"] == LEARNER and o["mask"][action] > 0)
        if not may and (strict or o["status"] != LEARNER):
            return WRONG
        o["illegal"] = take_action(o["game"], o["round"], begins, action, may)
        o["reward"] = -1.0 if o["illegal"] else 0.0
    return run_one(o, tables, keys, weights) + (o["illegal"] << ILLEGAL)


@leaf
def run_one(o: Record, tables: NDArray[np.void], keys: NDArray[np.int64], weights: NDArray[np.float64]) -> int:
    """Play to the learner's next choice, and show it; says TERMINATED, TRUNCATED, or WAITING."""
    r, s = o["game"], o["round"]
    o["status"] = OVER if s["over"] else play_on(r, s, o["seating"], tables, keys, weights)
    if o["status"] != LEARNER and o["status"] != OVER:
        return WAITING
    o["reward"] += won(r, s)
    spread(allowed_now(r, s), o["mask"][: o["actions"]])
    if o["infostate"]:
        o["key"] = key_of_turn(r, s, r["role"] == Role.BANKER, ALL_BITS)
    else:
        look(r, s, s["agent"], o["sight"], o["vector"][: o["width"]])
    if o["status"] == LEARNER:
        return GOES_ON
    return 1 << TRUNCATED if is_truncated(s) else 1 << TERMINATED
