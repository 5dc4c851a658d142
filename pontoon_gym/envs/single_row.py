"""The row of a single environment, stepped through one record: what makes it fast."""

from __future__ import annotations

from typing import Any

import numpy as np

from pontoon_gym.engine.run.single import SINGLE, WAITING, step_single
from pontoon_gym.engine.run.step import RESUME
from pontoon_gym.envs.rows import Rows


class SingleRow:
    """The only row of `Rows`, whose arrays become views of one record, in which lies also what its learner sees.

    Attributes:
        rows: for all that is not done at every step.
        vector, mask, reward, key: what the last step showed, brought up to date by each: float32 of shape (columns,),
            int8 of shape (actions,), float64 and int64 of shape (1,).
    """

    def __init__(self, rows: Rows, strict: bool) -> None:
        self.rows, self._strict = rows, strict
        self._single = single = np.zeros(1, SINGLE)
        columns, actions = rows.layout.size, rows.masks.shape[1]
        single["columns"], single["actions"] = columns, actions
        masks = single["mask"][:, :actions].view(np.bool_)
        single["setup"], single["round"], single["shown"], masks[:] = rows.setup, rows.rounds, rows.shown, rows.masks
        rows.setup, rows.rounds, rows.shown, rows.masks = single["setup"], single["round"], single["shown"], masks
        self._lookups, self._keys, self._weights = rows.seating.lookups
        self.vector, self.mask = single["vector"][0, :columns], masks[0].view(np.int8)
        self.reward, self.key = single["shown"]["reward"], single["shown"]["key"]

    def __reduce__(self) -> tuple[Any, ...]:
        # Copies of views would be arrays of their own: the record is made anew from the arrays of `rows`.
        return SingleRow, (self.rows, self._strict)

    def step(self, action: int) -> int:
        """Take an action and play on to the next choice; `engine.run.single` says what comes back."""
        said: int = step_single(self._single, self._lookups, self._keys, self._weights, action, self._strict)
        while said >= WAITING:
            self.rows.ask()
            said = step_single(self._single, self._lookups, self._keys, self._weights, RESUME, self._strict)
        return said
