"""A round on the table as a record."""

from __future__ import annotations

import numpy as np

from pontoon_gym.engine import deal, state
from pontoon_gym.engine.hand import FACE
from pontoon_gym.errors import BadArgument
from pontoon_gym.names import HandKind, Phase
from pontoon_gym.records.record import Record
from pontoon_gym.rules import Rules, Table


def write(rules: Rules, table: Table, s: np.void) -> str:
    """The line of the round in `s`, a row of `state.ROUND`; see `record_of`."""
    return record_of(rules, table, s).text()


def record_of(rules: Rules, table: Table, s: np.void) -> Record:
    """The record of the round in `s`, a row of `state.ROUND`, up to its next decision or its end.

    Raises `BadArgument` if the table has been cleared (11.2), so that the round is gone, or if so many cards were dealt
    that the first of them lie no longer in the ring.
    """
    dealt = int(s["dealt"])
    if not s["endless"] and dealt + s["pool"] + s["under"] > state.RING:
        raise BadArgument("more cards were dealt than a record can tell", got=dealt)
    shoe = _all_cards(s, table.seats)
    if len(shoe) != s["size"] or (s["endless"] and s["head"] != s["size"] + dealt):
        raise BadArgument("a round must be recorded before its table is cleared")
    results = tuple(s["result"][: table.seats].tolist()) if s["phase"] == Phase.DONE else None
    cards = tuple(int(deal.dealt_card(s, i)) for i in range(dealt))
    choices = tuple(s["log"][: s["logged"]].tolist())
    return Record(rules, table, int(s["banker"]), cards, choices, results, tuple(shoe), bool(s["carried"]))


def _all_cards(s: np.void, seats: int) -> list[int]:
    """The shoe: the cards in the ring and those in hands, but players' busts, which lie in the ring too (11.2)."""
    if s["endless"]:
        return sorted(s["shoe"][: s["size"]].tolist())
    cards = coming(s, int(s["pool"] + s["under"]))
    for seat in range(seats):
        for hand in s["hands"][: s["hands_of"][seat], seat]:
            if seat == s["banker"] or hand["kind"] != HandKind.BUST:
                cards += (hand["cards"][: hand["count"]] & FACE).tolist()
    return sorted(cards)


def coming(s: np.void, count: int) -> list[int]:
    """The cards in the next `count` places of the ring."""
    return [int(s["shoe"][(s["head"] + i) % state.RING]) for i in range(count)]
