"""An infostate laid on a scratch round, where the engine can be asked about it."""

from __future__ import annotations

import numpy as np

from pontoon_gym.compiled import Record, int64, kernel, leaf
from pontoon_gym.engine.act import clear_hand, take
from pontoon_gym.engine.deal import dealt_by
from pontoon_gym.engine.hand import VALUES
from pontoon_gym.engine.state import HAND, SHOWN

NODE = np.dtype(
    [
        ("hand", HAND),
        ("key", "i8"),  # the infostate key
        ("ident", "i8"),  # what of it tells this node from others of its class
        ("order", "i4"),  # the first three cards as they were received, where somebody may see that; else 0
        ("made", "i4"),  # composition, −1 bust
        ("cls", "i4"),  # what is known beside the hand: see CLASS
        ("first", "i4"),  # its first move
        ("row", "i4"),  # its number among the infostates in which a card may come, −1
        ("bits", "i4"),  # allowed actions
        ("hands", "i1"),  # own hands
        ("phase", "i1"),
        ("up", "i1"),  # value of the banker's card lying up, 0 for none
        ("done", "i1"),  # 1: nothing more is chosen on this hand
    ],
    align=True,
)
"""An infostate: a decision, or a finished hand."""

SEAT, BANKER = 0, 1
PLACE = 512
"""Where in the scratch round's shoe the cards lie that are to come next."""


@leaf
def card_of(v: int, suit: int) -> int:
    """A card of a value."""
    return 4 * (v - 1) + suit


@kernel
def pose(r: Record, s: Record, node: Record) -> None:
    """Lay an infostate of the player's on a scratch round.

    What the player's other hands hold is no part of an infostate: each gets the split card and a ten-valued one,
    which is what they hold most often.
    """
    hands, bank = s["hands"], s["hands"][0, BANKER]
    s["phase"], s["turn"], s["hand"], s["banker"] = node["phase"], SEAT, 0, BANKER
    s["hands_of"][SEAT], s["hands_of"][BANKER] = node["hands"], 1
    hands[0, SEAT] = node["hand"]
    for h in range(1, node["hands"]):
        clear_hand(hands[h, SEAT])
        hands[h, SEAT]["stake"], hands[h, SEAT]["split"] = node["hand"]["stake"], 1
        take(r, hands[h, SEAT], node["hand"]["cards"][0] | SHOWN)
        take(r, hands[h, SEAT], card_of(VALUES, 0) | (SHOWN if r["players_face_up"] else 0))
    clear_hand(bank)
    dealt = dealt_by(r, node["phase"])
    for i in range(dealt):
        shown = i == 0 and node["up"] > 0
        take(r, bank, card_of(int64(node["up"]), 0) | SHOWN if shown else card_of(5, 0))
    lay_shoe(r, s, hands[0, SEAT]["count"] + 2 * (node["hands"] - 1) + dealt)


@leaf
def lay_shoe(r: Record, s: Record, count: int) -> None:
    """A shoe from which so many cards are gone; none of those to come is known."""
    s["endless"] = r["packs"] == 0
    s["head"], s["pool"] = PLACE, max(r["size"] - count, 0)
    s["stacked"] = s["under"] = s["fresh"] = s["dealt"] = s["logged"] = s["over"] = 0
    s["sudden"] = s["agent"] = -1


@leaf
def put_next(s: Record, i: int, card: int) -> None:
    """Make a card the i-th to come, the others being laid before."""
    s["shoe"][PLACE + i] = card
    s["stacked"] = i + 1
