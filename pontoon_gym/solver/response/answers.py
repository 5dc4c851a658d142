"""What the solver's questions are answered with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.engine.view.words import in_words
from pontoon_gym.names import Role, action_name
from pontoon_gym.policies.tabular import Strategy
from pontoon_gym.rules import Table


@dataclass(frozen=True)
class BestResponse:
    """The best that a side can do against a fixed policy of the other.

    Attributes:
        value: of a round to the player, in least stakes.
        strategy: the policy that plays it.
    """

    value: float
    strategy: Strategy


@dataclass(frozen=True)
class InfostateRegret:
    """What a policy does in one infostate.

    Attributes:
        key: the infostate key (`engine.view.infostate`).
        text: the infostate in words.
        reach: how often it is met in a round; split hands are counted each for itself.
        loss: what it costs a round, in least stakes.
        chosen: the chance of each action taken, by name.
        best: the action of the best response.
    """

    key: int
    text: str
    reach: float
    loss: float
    chosen: dict[str, float]
    best: str

    def as_dict(self) -> dict[str, Any]:
        """JSON-able."""
        return dict(self.__dict__)


@dataclass(frozen=True, eq=False)
class InfostateRegrets(Sequence[InfostateRegret]):
    """The infostates that cost something, costliest first: arrays of length n, and each in words when it is asked for.

    Attributes:
        role, table: whose infostates, and where.
        keys: infostate keys, int64.
        reach: how often each is met in a round, float64.
        loss: what each costs a round, in least stakes, float64.
        chosen: the chance of each action taken, float64 of shape (n, actions).
        best: the action of the best response, int64.
    """

    role: Role
    table: Table
    keys: NDArray[np.int64]
    reach: NDArray[np.float64]
    loss: NDArray[np.float64]
    chosen: NDArray[np.float64]
    best: NDArray[np.int64]

    def __len__(self) -> int:
        """How many cost something."""
        return len(self.keys)

    @overload
    def __getitem__(self, i: int) -> InfostateRegret: ...
    @overload
    def __getitem__(self, i: slice) -> InfostateRegrets: ...
    def __getitem__(self, i: int | slice) -> InfostateRegret | InfostateRegrets:
        """One of them, or a part of these arrays."""
        if isinstance(i, slice):
            parts = self.keys[i], self.reach[i], self.loss[i], self.chosen[i], self.best[i]
            return InfostateRegrets(self.role, self.table, *parts)
        levels, chances = self.table.buy_levels, self.chosen[i].tolist()
        return InfostateRegret(
            key=int(self.keys[i]),
            text=in_words(int(self.keys[i]), self.table),
            reach=float(self.reach[i]),
            loss=float(self.loss[i]),
            chosen={action_name(action, levels): p for action, p in enumerate(chances) if p > 0.0},
            best=action_name(int(self.best[i]), levels),
        )


@dataclass(frozen=True)
class Regret:
    """A policy's distance from the best response to the same opponent, in least stakes.

    Attributes:
        role: whose policy.
        value: the round's value to the player.
        best: that with the best response in the policy's place.
        infostates: every infostate that costs something, costliest first.
    """

    role: str
    value: float
    best: float
    infostates: InfostateRegrets

    @property
    def total(self) -> float:
        """The whole distance: what all infostates together cost."""
        return self.best - self.value if self.role == "player" else self.value - self.best

    def as_dict(self, top: int | None = None) -> dict[str, Any]:
        """JSON-able, with so many of the costliest infostates, or with all."""
        infostates = [infostate.as_dict() for infostate in self.infostates[:top]]
        return {
            "role": self.role,
            "value": self.value,
            "best": self.best,
            "regret": self.total,
            "infostates": infostates,
        }
