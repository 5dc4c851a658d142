"""This project's contestants: environments, and whole rounds in the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from time import perf_counter
from typing import Any, ClassVar

import gymnasium
import numpy as np
from numpy.typing import NDArray

from benchmarks.speed.contest import Entry, Rows, RowsRun, Single, SingleRun, Tally
from pontoon_gym.evaluation.play import BLOCK, ROWS, play
from pontoon_gym.policies.resolve import resolve
from pontoon_gym.policies.seating import banker_of
from pontoon_gym.rules import Rules, Table
from pontoon_gym.solver.perft import perft

PLAYER, BANKER = "pontoon_gym:Pontoon/Player-v0", "pontoon_gym:Pontoon/Banker-v0"
MANY = (1, 64, 1024, 4096, 65536)
"""Rows of the player's vector environment at the heads-up table."""


class PontoonSingle(Single):
    """The player's environment as `gymnasium.make` gives it."""

    def __init__(self) -> None:
        self.env: gymnasium.Env[Any, Any] = gymnasium.make(PLAYER)
        self.env.reset(seed=0)

    def begin(self) -> None:
        """Reset."""
        _, self._info = self.env.reset()

    def move(self, action: int) -> None:
        """Step."""
        _, _, self._terminated, self._truncated, self._info = self.env.step(action)

    def over(self) -> bool:
        """Terminated or truncated."""
        return self._terminated or self._truncated

    def legal(self) -> Sequence[int]:
        """What the mask in the info allows."""
        actions: list[int] = np.flatnonzero(self._info["action_mask"]).tolist()
        return actions


class PontoonRows(Rows):
    """The native vector environment in SAME_STEP mode: every step of a row answers its action."""

    def __init__(self, env: str = PLAYER, **settings: Any) -> None:
        self.env = gymnasium.make_vec(
            env, vectorization_mode="vector_entry_point", autoreset_mode="SAME_STEP", **settings
        )
        actions: Any = self.env.single_action_space
        self.shape = (self.env.num_envs, int(actions.n))

    def begin(self) -> None:
        """Reset."""
        _, self._info = self.env.reset(seed=0)

    def move(self, actions: NDArray[Any]) -> None:
        """Step."""
        _, _, self._terminated, self._truncated, self._info = self.env.step(actions)

    def ended(self) -> NDArray[np.bool_]:
        """Terminated or truncated."""
        ended: NDArray[np.bool_] = self._terminated | self._truncated
        return ended

    def masks(self) -> NDArray[np.bool_]:
        """Those in the info."""
        allowed: NDArray[np.bool_] = self._info["action_mask"].astype(np.bool_)
        return allowed


class PlayRun:
    """Rounds that `evaluation.play` plays in the kernels; its preparations are timed too, steps are not counted.

    `rounds` are played by each row at each place in a call.
    """

    def __init__(self, seats: int, player: str, rounds: int = BLOCK) -> None:
        self.rules, self.table = Rules.of("home"), Table.of(seats=seats)
        self.player = resolve(player, "player", self.rules, self.table)
        self.banker = banker_of(None, self.rules, self.table)
        self.rounds = rounds * ROWS * (seats - 1)
        self.seed = 0

    def slice(self, seconds: float) -> Tally:
        """Whole calls until so much time is spent."""
        spent, rounds = 0.0, 0
        while not rounds or spent < seconds:
            self.seed += 1
            start = perf_counter()
            outcomes = play(self.rules, self.table, self.player, self.banker, self.rounds, seed=self.seed)
            spent += perf_counter() - start
            rounds += len(outcomes)
        return Tally(spent, episodes=rounds)


class PerftRun:
    """Every line of play with a small shoe counted; each is an episode of the tally."""

    shoe: ClassVar[dict[str, int]] = {"A": 2, "5": 2, "9": 2, "K": 2}

    def slice(self, seconds: float) -> Tally:
        """Whole counts until so much time is spent."""
        spent, lines = 0.0, 0
        while not lines or spent < seconds:
            start = perf_counter()
            count = perft(Rules.of("home"), Table(), self.shoe, depth=9)
            spent += perf_counter() - start
            lines += count.ended + count.open
        return Tally(spent, episodes=lines)


def _rows(**settings: Any) -> RowsRun:
    return RowsRun(PontoonRows(**settings))


def rows_entry(name: str, rows: int, *, seats: int = 2, threads: int = 1, **settings: Any) -> Entry:
    """A vector environment; the other players keep to the rule of thumb `thumb`."""
    make = partial(_rows, num_envs=rows, seats=seats, threads=threads, players="thumb", **settings)
    return Entry(f"pontoon/{name}rows={rows}/threads={threads}", make, rows, seats, threads)


def play_entry(seats: int, player: str, quick: bool) -> Entry:
    """Whole rounds; `player` sits at every place."""
    make = partial(PlayRun, seats, player, BLOCK // 8 if quick else BLOCK)
    return Entry(f"pontoon/play/{player}/seats={seats}", make, ROWS, seats)


def entries(quick: bool = False) -> list[Entry]:
    """All of them; a quick run has no 65,536 rows."""
    many = MANY[:-1] if quick else MANY
    return [
        Entry("pontoon/single", lambda: SingleRun(PontoonSingle())),
        *(rows_entry("", n, threads=threads) for n in many for threads in (1, 2) if threads <= n),
        *(rows_entry(f"seats={seats}/", 1024, seats=seats) for seats in (5, 9)),
        rows_entry("situation/", 1024, observation="situation"),
        rows_entry("banker/", 1024, env=BANKER),
        Entry("pontoon/perft", PerftRun),
        *(play_entry(seats, player, quick) for player in ("thumb", "random") for seats in (2, 5, 6)),
    ]
