"""Every line of play, counted: proof that the engine allows what it should and nothing else.

Chess programs count the leaves of their move generator's tree to a fixed depth (the "perft" command of Robert Hyatt's
Crafty); programs written apart must find the same integers. Here chance moves too. An event is a card dealt (of equal
cards one stands for all) or a choice of a seat, forced ones included; a line is the events of one round that begins
with a full shoe.

Nothing of the rules is stated here: `engine.round` and `engine.legal` play. The shoe lies in a fixed order, so that an
action deals the cards on top of it. The same action is done again for every other order of those cards, in
lexicographic order, as an odometer counts: the wheels are the places of the shoe that the action dealt from, the last
turns fastest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.cards import PACK, parse_shoe
from pontoon_gym.compiled import Record, int64, kernel, leaf
from pontoon_gym.engine.deal import fill_shoe
from pontoon_gym.engine.legal import allowed
from pontoon_gym.engine.round import choose, open_round
from pontoon_gym.engine.state import LOG, RING, ROUND, pack, set_shoe
from pontoon_gym.errors import BadArgument, BadCards
from pontoon_gym.names import Phase, Reshuffle
from pontoon_gym.rules import Rules, Table

_WRAP = RING - 1
_ENDLESSLY = 1 << 40
"""More events than any round has."""

FRAME = np.dtype(
    [
        ("untried", "i8"),  # actions not yet tried, as bits
        ("action", "i8"),  # the one being tried
        ("wheels", "i8"),  # how many of the cards that it dealt the last time are events of the line
        ("events", "i8"),  # events before it
    ],
    align=True,
)
"""How far the trying has come in a position on the way to the present one."""

_ENDED, _OPEN, _RESULT = range(3)


class Perft(NamedTuple):
    """What `perft` counts."""

    ended: int
    """Lines whose round ends with their last event."""
    open: int
    """Sequences of as many events as were asked for after which the round is not over."""
    result: int
    """Half chips won by seat 0 in all ended lines together, each line counted once."""


def perft(
    rules: Rules,
    table: Table,
    shoe: Mapping[str, int] | Sequence[int] | None = None,
    depth: int | None = None,
) -> Perft:
    """Count the lines of a round; the last seat banks.

    Args:
        shoe: the full shoe, as counts of ranks (`cards.parse_shoe`) or as cards 0..51; None for the rules' own.
            Where the rules draw with replacement they draw from its distinct cards.
        depth: the most events of a line; None for all.

    Raises:
        BadArgument: for a depth that is neither None nor a whole number from 0.
        BadCards: for a shoe that does not last for the deal (4.1) or holds what is no card.
    """
    most = _events(depth)
    game = pack(rules, table)
    if shoe is not None:
        set_shoe(game, _cards(shoe, rules.shoe_sizes(table.seats)))
    decisions = min(most, LOG)
    # One row before the deal, one for each decision, one for what comes after the last.
    rows = np.zeros(decisions + 2, ROUND)
    counts = np.zeros(3, np.int64)
    _walk(game, rows, np.zeros(len(rows), FRAME), most, counts)
    return Perft(*counts.tolist())


def _events(depth: int | None) -> int:
    """The most events of a line. Raises `BadArgument`."""
    if depth is None:
        return _ENDLESSLY
    if isinstance(depth, bool) or not isinstance(depth, int | np.integer) or depth < 0:
        raise BadArgument("bad depth", got=depth, allowed="None, or whole numbers from 0")
    return min(int(depth), _ENDLESSLY)


def _cards(shoe: Mapping[str, int] | Sequence[int], sizes: range) -> list[int]:
    """The cards of a shoe, sorted. Raises `BadCards`."""
    cards = parse_shoe(shoe) if isinstance(shoe, Mapping) else shoe
    if not isinstance(cards, list | tuple | np.ndarray) or not all(isinstance(c, int | np.integer) for c in cards):
        raise BadCards("a shoe must be counts of ranks, or cards by number", got=shoe)
    if len(cards) not in sizes:
        raise BadCards("bad number of cards in a shoe", got=len(cards), allowed=f"{sizes[0]} to {sizes[-1]}")
    if not 0 <= min(cards) <= max(cards) < PACK:
        raise BadCards("no such card in a shoe", got=shoe, allowed=f"0 to {PACK - 1}")
    return sorted(int(card) for card in cards)


# --- the tree ----------------------------------------------------------------------------------------------------


@kernel
def _walk(
    game: NDArray[np.void], rows: NDArray[np.void], frames: NDArray[np.void], depth: int, counts: NDArray[np.int64]
) -> None:
    """Visit every line, depth first.

    Args:
        game: `GAME` of shape (1,).
        rows: `ROUND` of shape (n,), zeros: the positions from the first to the present one.
        frames: `FRAME` of shape (n,), zeros: one for each position.
        counts: int64 of shape (3,): the fields of `Perft`, added to.
    """
    r, at = game[0], 0
    _begin(r, rows[0], frames[0])
    while at >= 0:
        before, after, frame = rows[at], rows[at + 1], frames[at]
        if not _next_trial(r, before, frame):
            at -= 1
            continue
        rows[at + 1] = rows[at]
        _do(r, after, frame["action"])
        if _goes_on(before, after, frame, depth, counts):
            at += 1
            _ask(r, after, frames[at], frame["events"] + _chosen(before) + after["dealt"] - before["dealt"])


@kernel
def _begin(r: Record, s: Record, frame: Record) -> None:
    """The position before the deal: a full shoe in order; no round is on, so that one thing can be done, to deal."""
    fill_shoe(r, s)
    s["stacked"] = RING
    if s["endless"]:
        for i in range(r["size"], RING):
            s["shoe"][i] = s["shoe"][0]
    s["banker"], s["agent"] = r["seats"] - 1, -1
    s["phase"] = Phase.DONE
    frame["untried"] = 1


@leaf
def _chosen(before: Record) -> int:
    """The events that doing something in a position is, beside the cards: none if it is only to deal."""
    return 0 if before["phase"] == Phase.DONE else 1


@leaf
def _do(r: Record, s: Record, action: int) -> None:
    """An action, or the deal that opens a round."""
    if s["phase"] == Phase.DONE:
        open_round(r, s)
    else:
        choose(r, s, action)


@leaf
def _goes_on(before: Record, after: Record, frame: Record, depth: int, counts: NDArray[np.int64]) -> bool:
    """Whether the line goes on after what was just done; counts it if not."""
    room = depth - frame["events"] - _chosen(before)
    dealt = int64(after["dealt"]) - before["dealt"]
    frame["wheels"] = min(dealt, room)
    if dealt <= room and after["phase"] == Phase.DONE:
        counts[_ENDED] += 1
        counts[_RESULT] += after["result"][0]
        return False
    if dealt >= room:
        counts[_OPEN] += 1
        return False
    return True


@leaf
def _ask(r: Record, s: Record, frame: Record, events: int) -> None:
    """A new position after so many events: nothing is tried yet."""
    frame["untried"] = allowed(r, s)
    frame["wheels"] = 0
    frame["events"] = events
    if r["reshuffle"] == Reshuffle.ROUND:
        _sort_under(s)


@leaf
def _next_trial(r: Record, s: Record, frame: Record) -> bool:
    """Lay other cards for the action last tried, or go on to the next action; false if all is tried."""
    if _next_cards(r, s, frame["wheels"]):
        return True
    if frame["untried"] == 0:
        return False
    frame["action"] = 0
    while frame["untried"] >> frame["action"] & 1 == 0:
        frame["action"] += 1
    frame["untried"] &= frame["untried"] - 1
    frame["wheels"] = 0
    return True


# --- the odometer ------------------------------------------------------------------------------------------------
#
# Wheel i is the i-th card from the top. It can show each card that lies with it among those in no fixed order, except
# those that the wheels before it show; the places behind it hold the rest, sorted. So a wheel's next card is the first
# behind it that is higher, and what changes places with it leaves the rest sorted (the algorithm of Narayana Pandita
# for the next permutation, cut off after some places). Which wheels an action needs may depend on the first of them:
# those not needed are at rest, sorted, and are right when they are needed.


@kernel
def _next_cards(r: Record, s: Record, wheels: int) -> bool:
    """Turn the odometer by one; false, and all wheels are back at their first cards, if it was at its end."""
    for i in range(wheels - 1, -1, -1):
        if _turn_endless(s, i) if s["endless"] else _turn(s, i, _end_of_lot(r, s, i)):
            return True
    return False


@leaf
def _end_of_lot(r: Record, s: Record, i: int) -> int:
    """Wheel i is drawn at random among the cards from it to this place; there are no others if the next is its own.

    Behind the shoe's unseen cards come the busts under it, in order or shuffled (1.5).
    """
    if r["reshuffle"] == Reshuffle.PONTOON:
        return max(int64(s["fresh"]), i + 1)
    return s["pool"] if i < s["pool"] else s["pool"] + s["under"]


@leaf
def _turn(s: Record, i: int, end: int) -> bool:
    """Turn wheel i to its next card, or back to its first, which is false."""
    shoe, head = s["shoe"], int64(s["head"])
    here = (head + i) & _WRAP
    card = shoe[here]
    higher = _first_higher(shoe, card, head + i + 1, head + end)
    if higher < head + end:
        shoe[here], shoe[higher & _WRAP] = shoe[higher & _WRAP], card
        return True
    for k in range(head + i + 1, head + end):
        shoe[(k - 1) & _WRAP] = shoe[k & _WRAP]
    shoe[(head + end - 1) & _WRAP] = card
    return False


@leaf
def _turn_endless(s: Record, i: int) -> bool:
    """The same for draws with replacement: every wheel has all the cards of the pack, which stays where it is."""
    shoe, size, here = s["shoe"], int64(s["size"]), (int64(s["head"]) + i) & _WRAP
    higher = _first_higher(shoe, shoe[here], 0, size)
    shoe[here] = shoe[higher if higher < size else 0]
    return higher < size


@leaf
def _first_higher(shoe: NDArray[np.uint8], card: int, first: int, end: int) -> int:
    """The place of the first card above `card` among sorted ones; `end` if there is none."""
    while first < end:
        middle = (first + end) // 2
        if shoe[middle & _WRAP] > card:
            end = middle
        else:
            first = middle + 1
    return end


@kernel
def _sort_under(s: Record) -> None:
    """Sort the cards under the shoe, which are to be drawn at random; by insertion, since few are new."""
    shoe, first = s["shoe"], int64(s["head"]) + s["pool"]
    for i in range(1, s["under"]):
        card, k = shoe[(first + i) & _WRAP], i
        while k > 0 and shoe[(first + k - 1) & _WRAP] > card:
            shoe[(first + k) & _WRAP] = shoe[(first + k - 1) & _WRAP]
            k -= 1
        shoe[(first + k) & _WRAP] = card
