"""Rounds played in the kernels, and what each brought the judged seat."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.engine.rng import seed_words
from pontoon_gym.engine.run.batch import OUTCOME, finish_rounds
from pontoon_gym.engine.run.episode import OVER
from pontoon_gym.engine.state import ROUND, pack
from pontoon_gym.policies.policy import Policy
from pontoon_gym.policies.seating import Seating
from pontoon_gym.rules import Rules, Table

ROWS = 1024
"""Rows that play side by side; a round's deal depends on it, as on the seed."""

BLOCK = 128
"""Rounds of one row between two looks at the progress."""

Outcomes = NDArray[np.void]


class Rows:
    """Rounds of one seating, row by row, with the outcomes of the judged place."""

    def __init__(self, rules: Rules, table: Table, seating: Seating, judged: int, seed: int) -> None:
        self.game, self.seating, self.judged = pack(rules, table), seating, judged
        self.rows = np.zeros(ROWS, ROUND)
        for i in range(ROWS):
            self.rows[i]["source"] = seed_words((seed, judged, i))
        self.status = np.full(ROWS, OVER, np.int64)

    def play(self, rounds: int) -> Outcomes:
        """The next outcomes, `OUTCOME` of shape (ROWS, rounds)."""
        outcomes, done, seating = np.zeros((ROWS, rounds), OUTCOME), np.zeros(ROWS, np.int64), self.seating
        lookups = (seating.seats, *seating.lookups)
        while finish_rounds(self.game, *lookups, self.rows, self.judged, self.status, done, outcomes):
            seating.answer(self.game, self.rows, self.status)
        return outcomes


def play(
    rules: Rules,
    table: Table,
    player: Policy,
    banker: Policy | None,
    rounds: int,
    *,
    seed: int = 0,
    others: Policy | None = None,
    judged: str = "player",
) -> Outcomes:
    """Play rounds, each from a full shoe, and note what each brought the judged side.

    Args:
        player: sits at each place in turn, a share of the rounds at each.
        banker: None where the rules bind the banker.
        rounds: is rounded up to whole blocks of rows.
        others: plays the places where `player` does not sit; None is `player` too.
        judged: `"player"`, or `"banker"`, whose results are divided by the number of players.

    Returns:
        `OUTCOME` of shape (rounds,), `result` in half chips.
    """
    blocks = blocks_of(table, rounds, judged)
    seatings = seatings_of(rules, table, player, banker, others, judged, seed)
    return np.concatenate([seating.play(length).ravel() for seating in seatings for length in blocks])


def blocks_of(table: Table, rounds: int, judged: str) -> list[int]:
    """Lengths of the blocks that make up a seating's share of the rounds."""
    share = math.ceil(rounds / (ROWS * (table.seats - 1 if judged == "player" else 1)))
    return [BLOCK] * (share // BLOCK) + ([share % BLOCK] if share % BLOCK else [])


def seatings_of(
    rules: Rules,
    table: Table,
    player: Policy,
    banker: Policy | None,
    others: Policy | None,
    judged: str,
    seed: int,
) -> list[Rows]:
    """The player at each place in turn; one seating with all of them if the banker is judged."""
    places = table.seats - 1
    if judged == "banker":
        return [Rows(rules, table, Seating(rules, table, [player] * places, banker), places, seed)]
    seatings = []
    for place in range(places):
        seats = [others or player] * places
        seats[place] = player
        seatings.append(Rows(rules, table, Seating(rules, table, seats, banker), place, seed))
    return seatings
