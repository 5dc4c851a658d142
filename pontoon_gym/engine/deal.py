"""The shoe: cards leave it and come back (clauses 1.1, 1.5, 11.2).

The shoe lies in a ring. From `head` on come the cards that can be dealt: `pool` of them, the first `stacked` in a
fixed order, the rest drawn at random one at a time, so that nothing is ever shuffled whole. Used cards follow behind
the pool, in order. The cards dealt in this round lie just before `head`, in the order in which they were dealt.

An endless shoe keeps its pack in the first places of the ring and writes each card drawn behind it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.compiled import Record, int64, kernel, leaf
from pontoon_gym.engine.hand import FACE, value
from pontoon_gym.engine.rng import below
from pontoon_gym.engine.state import KNOWN, RING
from pontoon_gym.names import Phase, Reshuffle

_WRAP = RING - 1


@kernel
def fill_shoe(r: Record, s: Record) -> None:
    """Put a full, shuffled shoe on the table; it lies as if never played with."""
    s["size"] = r["size"]
    for i in range(r["size"]):
        s["shoe"][i] = r["pack"][i]
    s["endless"] = 1 if r["packs"] == 0 else 0
    s["head"] = s["size"] if s["endless"] else 0
    s["pool"] = s["size"]
    s["under"] = 0
    s["dealt"] = 0
    shuffle(s)


@kernel
def shuffle(s: Record) -> None:
    """All is shuffled: every card lies in the shoe already, none of them seen (11.2)."""
    s["pool"] += s["under"]
    s["under"] = 0
    s["stacked"] = 0
    s["carried"] = 0
    s["fresh"] = s["pool"]
    s["seen"][:] = 0
    if s["endless"]:
        s["head"] = s["size"]


@kernel
def stack(s: Record, cards: NDArray[np.uint8]) -> int:
    """Lay cards on top of the shoe, in dealing order; −1, or the place of the first that it does not hold."""
    for k in range(len(cards)):
        at = _find(s, k, cards[k])
        if at < 0:
            return k
        top = (s["head"] + k) & _WRAP
        if s["endless"]:
            s["shoe"][top] = cards[k]
        else:
            s["shoe"][at] = s["shoe"][top]
            s["shoe"][top] = cards[k]
    s["stacked"] = max(s["stacked"], len(cards))
    return -1


@kernel
def _find(s: Record, first: int, card: int) -> int:
    """The place of a card among those that can be dealt, from the `first` of them on; −1 if it is not there."""
    start = 0 if s["endless"] else s["head"] + first
    for i in range(start, s["size"] if s["endless"] else s["head"] + s["pool"]):
        if s["shoe"][i & _WRAP] == card:
            return i & _WRAP
    return -1


@leaf
def cards_left(s: Record) -> int:
    """Cards that can still be dealt in this round, the busts under the shoe with them (1.5)."""
    return RING if s["endless"] else s["pool"] + s["under"]


@leaf
def dealt_by(r: Record, phase: int) -> int:
    """How many cards each seat was dealt before the stakes (`Phase.STAKE`), or before play (3.3, 4.1)."""
    return 2 if phase != Phase.STAKE else int64(r["stake_after_first_card"])


@leaf
def draw(r: Record, s: Record) -> int:
    """Deal the next card: its byte, with KNOWN if everybody saw it before in this shoe (8.3)."""
    if s["endless"]:
        return _draw_endless(s)
    if s["pool"] == 0:
        _bring_up_busts(r, s)
    at = s["head"] & _WRAP
    if s["stacked"] > 0:
        s["stacked"] -= 1
    else:
        drawn = (s["head"] + below(s["deals"], s["pool"])) & _WRAP
        s["shoe"][at], s["shoe"][drawn] = s["shoe"][drawn], s["shoe"][at]
    s["head"] = (at + 1) & _WRAP
    s["pool"] -= 1
    s["dealt"] += 1
    if s["fresh"] > 0:
        s["fresh"] -= 1
        return s["shoe"][at]
    return s["shoe"][at] | KNOWN


@kernel
def _draw_endless(s: Record) -> int:
    """With replacement (1.1): what was seen says nothing about what comes, so every card counts as known."""
    at = s["head"] & _WRAP
    if s["stacked"] > 0:
        s["stacked"] -= 1
    else:
        s["shoe"][at] = s["shoe"][below(s["deals"], s["size"])]
    s["head"] += 1
    s["dealt"] += 1
    return s["shoe"][at] | KNOWN


@kernel
def _bring_up_busts(r: Record, s: Record) -> None:
    """The shoe is empty in mid-round: the cards under it are dealt in order, or shuffled in (1.5).

    Here `stacked` is above 0 only if it was set to more than the pool, by a caller who orders the cards.
    """
    s["pool"] = s["under"]
    s["under"] = 0
    if r["reshuffle"] == Reshuffle.PONTOON:
        s["stacked"] = s["pool"]


@kernel
def put_under(s: Record, hand: Record) -> None:
    """Put a hand's cards under the shoe, in the order received; from now on all have seen them (11.2, 8.3)."""
    for i in range(hand["count"]):
        card = hand["cards"][i]
        if not s["endless"]:
            s["shoe"][(s["head"] + s["pool"] + s["under"]) & _WRAP] = card & FACE
            s["under"] += 1
        if card & KNOWN == 0:
            s["seen"][value(card) - 1] += 1
            hand["cards"][i] = card | KNOWN


@kernel
def dealt_card(s: Record, i: int) -> int:
    """The i-th card dealt in this round."""
    return s["shoe"][(s["head"] - s["dealt"] + i) & _WRAP]
