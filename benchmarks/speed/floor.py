"""The least that such an environment can cost: chance and memory, without a game.

The floor draws as many cards from the same shoes, opens as many shoes and writes the same arrays, made anew for each
step, as the environment; when, follows a fixed pattern. It knows no rules, checks no action, and leaves out the
info's copies. There are two: one writes one number all over a row, which is memory alone; the other writes what a
learner sees of the round that lies there and what it may do, by the environment's own kernels.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.speed.contest import Dice, Entry, Rows, RowsRun
from pontoon_gym.compiled import Record, kernel, leaf
from pontoon_gym.engine.deal import draw, fill_shoe
from pontoon_gym.engine.legal import allowed, spread
from pontoon_gym.engine.run.episode import OVER
from pontoon_gym.engine.view.observe import look
from pontoon_gym.envs.player import PlayerEnv
from pontoon_gym.envs.rows import Rows as EnvRows

PATTERN = 1 << 12
"""Steps after which the pattern begins anew."""


class Work(NamedTuple):
    """What a transition of the game does on average, played with random legal actions."""

    ends: float
    cards: float


@cache
def measured(rows: int = 1024, steps: int = 200) -> Work:
    """Ends of episodes and cards dealt a transition, counted on the game itself."""
    begun, dice = _begun(rows, autoreset=False), Dice(2, 1 << 16)
    ends = cards = transitions = 0
    for _ in range(steps):
        before = np.where(begun.status == OVER, 0, begun.rounds["dealt"])
        transitions += int(np.count_nonzero(begun.status != OVER))
        begun.step(dice.one_a_row(begun.masks))
        # A row that was over has begun its next episode instead, and counts its cards from 0.
        cards += int((begun.rounds["dealt"] - before).sum())
        ends += int(np.count_nonzero(begun.status == OVER))
    return Work(ends / transitions, cards / transitions)


def _begun(rows: int, *, autoreset: bool) -> EnvRows:
    """Begun rows with the environment's own defaults."""
    pattern = PlayerEnv()
    begun = EnvRows(pattern.settings, pattern.seating, rows, autoreset=autoreset)
    begun.reset(np.ones(rows, np.bool_), range(rows))
    return begun


def even(rate: float) -> NDArray[np.int64]:
    """Whole numbers with a mean of `rate`, spread as evenly as can be; int64 of shape (PATTERN,)."""
    sums = np.floor(np.arange(PATTERN + 1) * rate).astype(np.int64)
    pattern: NDArray[np.int64] = np.diff(sums)
    return pattern


@leaf
def write_row(
    r: Record,
    s: Record,
    sight: Record,
    seen: bool,
    number: int,
    vector: NDArray[np.float32],
    mask: NDArray[np.bool_],
) -> None:
    """Fill a vector and a mask with what is `seen`, or with a number and ones."""
    if seen:
        spread(allowed(r, s), mask)
        look(r, s, s["agent"], sight, vector)
        return
    for j in range(len(mask)):
        mask[j] = True
    for j in range(len(vector)):
        vector[j] = number


@kernel
def least_rows(
    setup: NDArray[np.void],
    rounds: NDArray[np.void],
    seen: bool,
    first: int,
    ends_of: NDArray[np.int64],
    cards_of: NDArray[np.int64],
    shown: NDArray[np.void],
    masks: NDArray[np.bool_],
    vectors: NDArray[np.float32],
    finals: NDArray[np.float32],
) -> None:
    """One step of every row.

    Args:
        seen: write what the learner sees, rather than a number.
        first: the first row's place in the pattern; the others follow.
        ends_of, cards_of: the pattern, int64 of shape (PATTERN,).
        shown, masks, vectors, finals: filled, as `engine.run.batch.step_rows` does.
    """
    r, sight = setup[0]["game"], setup[0]["sight"]
    for i in range(len(rounds)):
        s = rounds[i]
        k = (first + i) & (PATTERN - 1)
        over = ends_of[k] > 0
        if over:
            write_row(r, s, sight, seen, 1, finals[i], masks[i])
            fill_shoe(r, s)
        card = 0
        for _ in range(cards_of[k]):
            card = draw(r, s)
        shown[i]["terminated"] = over
        shown[i]["truncated"] = shown[i]["illegal"] = False
        shown[i]["reward"] = card
        write_row(r, s, sight, seen, card, vectors[i], masks[i])


class Floor(Rows):
    """The floor as a contestant."""

    def __init__(self, rows: int, seen: bool) -> None:
        self.rows, self.seen = _begun(rows, autoreset=True), seen
        self.shape = (rows, self.rows.settings.actions)
        work = measured()
        self.ends_of, self.cards_of = even(work.ends), even(work.cards)
        self.first = 0

    def begin(self) -> None:
        """Nothing: the rows have begun."""

    def move(self, actions: NDArray[Any]) -> None:
        """One step; the actions are not read."""
        rows, seen = self.rows, self.rows.blank()
        # An odd stride, and not the number of rows: each row meets the whole pattern.
        self.first = (self.first + 1237) % PATTERN
        pattern = (self.seen, self.first, self.ends_of, self.cards_of)
        least_rows(rows.setup, rows.rounds, *pattern, rows.shown, rows.masks, *seen)

    def ended(self) -> NDArray[np.bool_]:
        """As the pattern has it."""
        ended: NDArray[np.bool_] = self.rows.shown["terminated"].copy()
        return ended


def _floor(rows: int, seen: bool) -> RowsRun:
    return RowsRun(Floor(rows, seen))


def bytes_per_row(rows: int = 1024) -> dict[str, float]:
    """Memory of a row of the heads-up player's environment: its round, and what a step hands out."""
    begun = _begun(rows, autoreset=True)
    output = sum(array.nbytes for array in (*begun.blank(), begun.shown, begun.masks))
    return {"round": float(begun.rounds.dtype.itemsize), "output": output / rows}


def entries(quick: bool = False) -> list[Entry]:
    """Both floors at each number of rows at which the environment is held against them."""
    sizes = (64, 1024, 4096, *(() if quick else (65536,)))
    kinds = {"memory": False, "seen": True}
    return [
        Entry(f"floor/{kind}/rows={n}", partial(_floor, n, seen), rows=n) for kind, seen in kinds.items() for n in sizes
    ]
