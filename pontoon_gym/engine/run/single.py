"""One row alone: all that its step needs in one record, but for the policies' lookups.

Handing arrays to a kernel takes longer than a step; a single record is one argument.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.compiled import kernel
from pontoon_gym.engine.run.episode import LEARNER
from pontoon_gym.engine.run.lookup import Lookups
from pontoon_gym.engine.run.step import SETUP, SHOWN, step_row
from pontoon_gym.engine.state import MOST_ACTIONS, ROUND
from pontoon_gym.engine.view.columns import MOST_COLUMNS

SINGLE = np.dtype(
    [
        ("setup", SETUP),
        ("round", ROUND),
        ("shown", SHOWN),
        ("columns", "i8"),  # of the learner's vector
        ("actions", "i8"),  # size of their action space
        ("mask", "u1", MOST_ACTIONS),  # 1 for what the learner may do
        ("vector", "f4", MOST_COLUMNS),
    ],
    align=True,
)
"""A row, how it is played and seen, and what its learner was shown last."""

WRONG, GOES_ON, TERMINATED, TRUNCATED, ILLEGAL, SETTLED, WAITING = -1, 0, 1, 2, 4, 8, 16
"""What a step says: the action could not be taken; or the sum of what applies of the others. WAITING is that an outside
policy has to choose before the learner sees anything."""


@kernel
def step_single(
    single: NDArray[np.void],
    lookups: NDArray[np.void],
    keys: NDArray[np.int64],
    weights: NDArray[np.float64],
    action: int,
    strict: bool,
) -> int:
    """Take the learner's action and play on to their next choice; what it says, see WRONG.

    Args:
        single: `SINGLE` of shape (1,), brought up to date.
        lookups, keys, weights: `lookup.Lookups`.
        action: a number of the action space, `step.BEGIN` or `step.RESUME`.
        strict: an action that is not allowed is WRONG, and changes nothing.
    """
    o = single[0]
    shown, mask, vector = o["shown"], o["mask"][: o["actions"]], o["vector"][: o["columns"]]
    if action >= 0 and (shown["status"] != LEARNER or (strict and not mask[action])):
        return WRONG
    waits = step_row(o["setup"], Lookups(lookups, keys, weights), o["round"], action, shown, mask, vector, vector)
    said = TERMINATED * shown["terminated"] + TRUNCATED * shown["truncated"] + ILLEGAL * shown["illegal"]
    return said + SETTLED * shown["round_over"] + WAITING * waits
