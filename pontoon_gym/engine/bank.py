"""The banker's side: who holds the bank, and what they turn up (clauses 5, 7, 11.1, 12.4)."""

from __future__ import annotations

from pontoon_gym.compiled import Record, kernel, leaf
from pontoon_gym.engine.act import show
from pontoon_gym.names import Bank, HandKind


@leaf
def place(r: Record, s: Record, seat: int) -> int:
    """How far a seat sits from the banker's left: 0 the first player, seats − 1 the banker."""
    where = seat - s["banker"] - 1
    return where + r["seats"] if where < 0 else where


@leaf
def seat_at(r: Record, s: Record, where: int) -> int:
    """The seat at a place from the banker's left."""
    seat = s["banker"] + 1 + where
    return seat - r["seats"] if seat >= r["seats"] else seat


@leaf
def has_pontoon(s: Record, seat: int) -> bool:
    """Whether a seat holds an unsplit Pontoon."""
    hand = s["hands"][0, seat]
    return hand["kind"] == HandKind.PONTOON and not hand["split"]


@kernel
def first_pontoon(r: Record, s: Record) -> int:
    """The player nearest to the banker's left with an unsplit Pontoon, or −1 (11.1, 12.4)."""
    for where in range(r["seats"] - 1):
        if has_pontoon(s, seat_at(r, s, where)):
            return seat_at(r, s, where)
    return -1


@leaf
def check_ends_round(peek: int, pontoon: bool) -> bool:
    """Whether the banker's check ends the round at once, given whether the banker has a Pontoon (5.1)."""
    return peek > 0 and pontoon


@kernel
def round_ends_at_once(r: Record, s: Record) -> bool:
    """Whether the banker's check (5.1) or sudden death (12.4) ends the round before anybody plays."""
    if check_ends_round(r["peek"], has_pontoon(s, s["banker"])):
        return True
    if r["sudden_death"]:
        s["sudden"] = first_pontoon(r, s)
    return s["sudden"] >= 0


@leaf
def turn_up(s: Record) -> None:
    """The banker turns their cards up (7.2)."""
    show(s["hands"][0, s["banker"]])


@kernel
def next_banker(r: Record, s: Record) -> int:
    """Who banks after this round, by the rules alone (5.2, 11.1)."""
    if r["bank"] == Bank.ROTATE:
        return seat_at(r, s, 0)
    if r["bank"] == Bank.PONTOON and not has_pontoon(s, s["banker"]) and first_pontoon(r, s) >= 0:
        return first_pontoon(r, s)
    return s["banker"]
