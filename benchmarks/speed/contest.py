"""What a contestant is, and how a slice of its play is timed and counted."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray


class Tally(NamedTuple):
    """What one slice came to.

    Attributes:
        seconds: timed.
        transitions: steps that answered an action; a step that only begins an episode is none.
        decisions: transitions before which at least two actions were legal.
        episodes: those that ended.
    """

    seconds: float = 0.0
    transitions: int = 0
    decisions: int = 0
    episodes: int = 0

    def rate(self, what: str) -> float:
        """So many a second."""
        return float(getattr(self, what)) / self.seconds if self.seconds else 0.0


class Run(Protocol):
    """A contestant in play."""

    def slice(self, seconds: float) -> Tally:
        """Play on for at least so long, timed."""


@dataclass(frozen=True)
class Entry:
    """A contestant, and what is said of it.

    Attributes:
        make: makes it ready to run; raises ImportError where its library is not installed.
        rows: games side by side.
        seats: of the table, the banker's included.
        threads: that it may use.
    """

    name: str
    make: Callable[[], Run]
    rows: int = 1
    seats: int = 2
    threads: int = 1


class Dice:
    """Random numbers made before, so that a choice costs a look into a table."""

    SIZE = 1 << 16

    def __init__(self, seed: int, cells: int = 0) -> None:
        chance = np.random.default_rng(seed)
        self._numbers: list[float] = chance.random(self.SIZE).tolist()
        self._priorities = chance.random(cells + self.SIZE, np.float32) + np.float32(0.5)
        self._at = 0

    def _next(self) -> float:
        self._at = (self._at + 1) % self.SIZE
        return self._numbers[self._at]

    def one(self, legal: Sequence[int]) -> int:
        """One of the legal actions, each equally likely."""
        return legal[int(self._next() * len(legal))]

    def one_a_row(self, masks: NDArray[np.bool_]) -> NDArray[np.int64]:
        """One of each row's legal actions: the one with the highest priority, read from another place each time."""
        start = int(self._next() * self.SIZE)
        priorities = self._priorities[start : start + masks.size].reshape(masks.shape)
        chosen: NDArray[np.int64] = (priorities * masks).argmax(axis=1)
        return chosen


class Single(ABC):
    """One game at a time. `begin` and `move` are timed."""

    @abstractmethod
    def begin(self) -> None:
        """Begin an episode, up to the first decision."""

    @abstractmethod
    def move(self, action: int) -> None:
        """Take an action and play to the next decision, or to the end."""

    @abstractmethod
    def over(self) -> bool:
        """Whether the episode has ended."""

    @abstractmethod
    def legal(self) -> Sequence[int]:
        """What may be chosen now."""


class Rows(ABC):
    """Games side by side, which begin anew by themselves. `move` is timed.

    Attributes:
        shape: number of rows and of actions.
        kind: of number that actions must be.
        skips: the step after an episode's end begins the next one and answers no action.
    """

    shape: tuple[int, int]
    kind: Any = np.int64
    skips = False

    @abstractmethod
    def begin(self) -> None:
        """Begin an episode in every row."""

    @abstractmethod
    def move(self, actions: NDArray[Any]) -> None:
        """One step of every row."""

    @abstractmethod
    def ended(self) -> NDArray[np.bool_]:
        """The rows whose episode ended in the last step."""

    def masks(self) -> NDArray[np.bool_]:
        """What each row may choose; without more said, everything."""
        return np.ones(self.shape, np.bool_)


class SingleRun:
    """Plays a `Single` in slices."""

    def __init__(self, game: Single, seed: int = 0) -> None:
        self.game, self.dice = game, Dice(seed)
        game.begin()

    def slice(self, seconds: float) -> Tally:
        """Play on for so long, at least one step."""
        game, one, clock = self.game, self.dice.one, perf_counter
        spent, transitions, decisions, episodes = 0.0, 0, 0, 0
        while True:
            legal = game.legal()
            action = one(legal)
            start = clock()
            game.move(action)
            spent += clock() - start
            transitions += 1
            decisions += len(legal) > 1
            if game.over():
                episodes += 1
                start = clock()
                game.begin()
                spent += clock() - start
            if spent >= seconds:
                return Tally(spent, transitions, decisions, episodes)


class RowsRun:
    """Plays `Rows` in slices."""

    def __init__(self, game: Rows, seed: int = 0) -> None:
        self.game, self.dice = game, Dice(seed, game.shape[0] * game.shape[1])
        self._played = np.ones(game.shape[0], np.bool_)
        game.begin()

    def slice(self, seconds: float) -> Tally:
        """Play on for so long, at least one step."""
        game, clock = self.game, perf_counter
        spent, counts = 0.0, np.zeros(3, np.int64)
        while True:
            masks = game.masks()
            actions = self.dice.one_a_row(masks).astype(game.kind)
            start = clock()
            game.move(actions)
            spent += clock() - start
            counts += self._counted(masks)
            if spent >= seconds:
                return Tally(spent, *counts.tolist())

    def _counted(self, masks: NDArray[np.bool_]) -> tuple[int, int, int]:
        """Transitions, decisions and episodes of the last step, before which `masks` held."""
        played, ended = self._played, self.game.ended()
        choices = np.count_nonzero(masks, axis=1) > 1
        if self.game.skips:
            self._played = ~ended
        return int(played.sum()), int((played & choices).sum()), int((played & ended).sum())
