"""A desk of one row, stepped through one record: what makes a single environment fast."""

from __future__ import annotations

from typing import Any

import numpy as np

from pontoon_gym.engine.one import ONE, WAITING, step_one
from pontoon_gym.envs.desk import Desk, Shown


class OneRow:
    """The row of a desk; the desk's arrays, and what it shows, are views of one record.

    Attributes:
        desk: the row's desk, for all that is not done at every step.
        shown: what the last step or reset showed; kept up to date, as are its parts.
        vector, mask, reward: float32 of shape (columns,), int8 of shape (actions,), float64 of shape (1,).
    """

    def __init__(self, desk: Desk, strict: bool) -> None:
        self.desk, self._strict = desk, strict
        self._one = one = np.zeros(1, ONE)
        layout, cast = desk.layout, desk.cast
        width = 0 if desk.situation else layout.size
        one["situation"], one["width"], one["actions"] = desk.situation, width, desk.masks.shape[1]
        one["cast"][0, : len(cast.seats)] = cast.seats
        one["columns"] = layout.columns
        one["scales"][0, : layout.size] = desk.scales
        masks = one["mask"][:, : desk.masks.shape[1]].view(np.bool_)
        one["game"], one["round"], one["status"], masks[:] = desk.game, desk.rows, desk.status, desk.masks
        desk.game, desk.rows, desk.status, desk.masks = one["game"], one["round"], one["status"], masks
        self.shown: Shown = desk.blank()._replace(
            vectors=one["vector"][:, :width],
            situations=one["key"],
            rewards=one["reward"],
            ends=one["ends"].view(np.bool_),
        )
        self._tables, self._keys, self._weights = cast.tables, cast.keys, cast.weights
        self.vector, self.mask, self.reward = self.shown.vectors[0], masks[0].view(np.int8), one["reward"]

    def __reduce__(self) -> tuple[Any, ...]:
        # Copies of views would be arrays of their own: the record is made anew from the desk's.
        return OneRow, (self.desk, self._strict)

    def step(self, action: int) -> int:
        """Take an action and play on to the next choice; `engine.one.step_one` says what comes back."""
        said: int = step_one(self._one, self._tables, self._keys, self._weights, action, self._strict)
        return self._ask() if said >= WAITING else said

    def _ask(self) -> int:
        """Let outside policies choose until the learner is asked."""
        desk = self.desk
        desk.run_on(desk.cast.answer(desk.game, desk.rows, desk.status), self.shown)
        return sum(1 << k for k, told in enumerate(self.shown.ends[0].tolist()) if told)
