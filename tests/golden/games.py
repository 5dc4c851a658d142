"""Who plays what in the transcripts: for every preset a table, a learner and two seeds."""

from __future__ import annotations

from typing import NamedTuple

from pontoon_gym.rules import PRESETS, Rules, Table

ROUNDS = 6
"""Rounds of a session."""


class Play(NamedTuple):
    """A learner at a table.

    `seat` is a player's place from the banker's left; the seeds give the cards and the learner's choices.
    """

    rules: Rules
    table: Table
    role: str
    seat: int | None
    round_seed: int
    session_seed: int

    @property
    def others(self) -> str:
        """Who has the other seats, in words."""
        banker = "the rules bind the banker" if self.rules.banker != "free" else "banker stand17"
        players = "players thumb"
        if self.role == "banker":
            return players
        return banker if self.table.seats == 2 else f"{players}, {banker}"


def _game(
    preset: str, role: str, round_seed: int, session_seed: int, *, seats: int = 2, seat: int = 0, **stakes: int
) -> Play:
    table = Table.of({"stake_max": 10, "stake_levels": 2} | stakes, seats=seats)
    return Play(PRESETS[preset], table, role, seat if role == "player" else None, round_seed, session_seed)


GAMES: dict[str, Play] = {
    "british": _game("british", "banker", 1975, 98, seats=3),
    "home": _game("home", "player", 894, 104),
    "casino6": _game("casino6", "player", 320, 32),
    "casino8": _game("casino8", "player", 1132, 16, seats=3, seat=1, stake_min=2, stake_levels=3),
    "blackjack": _game("blackjack", "player", 929, 21),
    "spanish": _game("spanish", "player", 381, 127),
    "malaysian": _game("malaysian", "banker", 487, 104),
    "ace_high": _game("ace_high", "player", 1576, 51),
    "sudden_death": _game("sudden_death", "player", 1, 95, seats=3, seat=1),
    "rotating": _game("rotating", "banker", 1105, 8, seats=5, stake_levels=1),
}
"""By preset. Seeds are chosen such that everything in `transcript.KINDS` comes up somewhere."""
