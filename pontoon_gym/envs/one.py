"""A desk of one row, stepped through one record: what makes a single environment fast."""

from __future__ import annotations

from typing import Any

import numpy as np

from pontoon_gym.engine.run.batch import RESUME
from pontoon_gym.engine.run.single import ONE, WAITING, step_one
from pontoon_gym.envs.desk import Desk


class OneRow:
    """The row of a desk; the desk's arrays are views of one record, in which lies also what its learner sees.

    Attributes:
        desk: the row's desk, for all that is not done at every step.
        vector, mask, reward, key: what the last step showed, brought up to date by each: float32 of shape (columns,),
            int8 of shape (actions,), float64 and int64 of shape (1,).
    """

    def __init__(self, desk: Desk, strict: bool) -> None:
        self.desk, self._strict = desk, strict
        self._one = one = np.zeros(1, ONE)
        layout, seating, actions = desk.layout, desk.seating, desk.masks.shape[1]
        one["infostate"], one["width"], one["actions"] = desk.infostate, layout.size, actions
        one["seating"][0, : len(seating.seats)] = seating.seats
        one["sight"] = desk.sight
        masks = one["mask"][:, :actions].view(np.bool_)
        one["game"], one["round"], one["status"], masks[:] = desk.game, desk.rows, desk.status, desk.masks
        desk.game, desk.rows, desk.status, desk.masks = one["game"], one["round"], one["status"], masks
        self._tables, self._keys, self._weights = seating.lookups
        self.vector, self.mask = one["vector"][0, : layout.size], masks[0].view(np.int8)
        self.reward, self.key = one["reward"], one["key"]

    def __reduce__(self) -> tuple[Any, ...]:
        # Copies of views would be arrays of their own: the record is made anew from the desk's.
        return OneRow, (self.desk, self._strict)

    def step(self, action: int) -> int:
        """Take an action and play on to the next choice; `engine.one.step_one` says what comes back."""
        said: int = step_one(self._one, self._tables, self._keys, self._weights, action, self._strict)
        while said >= WAITING:
            self.desk.ask()
            said = step_one(self._one, self._tables, self._keys, self._weights, RESUME, self._strict)
        return said
