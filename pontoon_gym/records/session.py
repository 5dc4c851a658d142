"""A session: its rounds' lines, first to last, cards carried from each to the next; as text, and played again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import numpy as np

from pontoon_gym.engine.round import clear_table
from pontoon_gym.errors import BadRecord
from pontoon_gym.records.record import Record, parse
from pontoon_gym.records.replay import fault, play, sit_down


def write_session(rounds: Iterable[Record]) -> str:
    """The text of a session."""
    return "\n".join(record.text() for record in rounds)


def parse_session(text: str) -> tuple[Record, ...]:
    """The rounds of a session, first to last, not replayed.

    Raises `BadRecord`, with the number of the round, if a line cannot be read or cannot come after the one before.
    """
    rounds: list[Record] = []
    for number, line in enumerate(text.strip().split("\n"), 1):
        with _round(number):
            record = parse(line)
            before = rounds[-1] if rounds else record._replace(results=())
            if before.results is None:
                raise BadRecord("the round before is not over")
            if (before.rules, before.table, before.shoe) != (record.rules, record.table, record.shoe):
                raise BadRecord("other rules, another table or another shoe than the round before")
            rounds.append(record)
    return tuple(rounds)


def replay_session(source: str | Iterable[Record]) -> list[np.void]:
    """Play a session through the engine, cards carried from round to round (11.2): each round where it ends.

    Who banks is as recorded. Raises `BadRecord` as `parse_session` and `replay` do, or if a record says wrongly
    whether its shoe was carried.
    """
    rounds = parse_session(source if isinstance(source, str) else write_session(source))
    r, s = sit_down(rounds[0])
    ends: list[np.void] = []
    for number, record in enumerate(rounds, 1):
        with _round(number):
            _check_shoe(s, record)
            ends.append(list(play(r, s, record))[-1].copy())
            clear_table(r, s)
            s["round"] += 1
    return ends


def _check_shoe(s: np.void, record: Record) -> None:
    """The record says rightly whether its shoe was carried."""
    carried = bool(s["carried"])
    if carried != record.carried:
        raise fault(record, "wrong state of the shoe", "11.2", allowed="carried=yes" if carried else "no carried=yes")


@contextmanager
def _round(number: int) -> Iterator[None]:
    """Say in which round of a session, from 1, a fault is."""
    try:
        yield
    except BadRecord as fault:
        raise BadRecord(f"round {number} of the session: {fault}") from None
