"""What is seen (clause 8): the only file that hides a card.

`look` writes the columns that `columns` lays out. What of them a policy's lookup looks at is in `infostate`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.compiled import Record, int64, kernel, leaf, uint64
from pontoon_gym.engine.bank import place, seat_at
from pontoon_gym.engine.deal import cards_left
from pontoon_gym.engine.hand import VALUES, card_count, is_soft, total_of, value
from pontoon_gym.engine.legal import buy_least, is_pair, may_raise, next_buy_most
from pontoon_gym.engine.settle import suits, total_stake
from pontoon_gym.engine.state import KNOWN, ORDERED, SHOWN
from pontoon_gym.engine.view.columns import STATES, Column
from pontoon_gym.names import Bonus, HandKind, Phase

LIVE, A_TRICK, A_PONTOON, AN_ACE_KING, A_BUST = range(STATES)
"""What others know of a hand: live, or how it ended."""


# --- what one seat sees of a hand -------------------------------------------------------------------------------


@leaf
def knows_own(r: Record, s: Record, seat: int) -> bool:
    """Whether a seat has looked at its own cards: a player always, the banker after their check or turn (3.4, 8.2)."""
    return seat != s["banker"] or s["phase"] >= (Phase.PLAY if r["peek"] else Phase.BANKER)


@leaf
def lies_up(hand: Record, i: int, own: bool) -> bool:
    """Whether a seat sees the face of a hand's i-th card; `own` says that it knows the hand."""
    return own or hand["cards"][i] & SHOWN > 0


@leaf
def knows_value(hand: Record, i: int, own: bool) -> bool:
    """Whether a seat knows the value of a hand's i-th card: a declared Pontoon's both, though it shows its ace only."""
    return lies_up(hand, i, own) or (hand["done"] and hand["kind"] == HandKind.PONTOON)


@leaf
def is_open(hand: Record) -> bool:
    """Whether all of a hand's cards are known to everybody."""
    return hand["public"] == hand["counts"]


@leaf
def public_state(hand: Record) -> int:
    """What others know of a hand: LIVE, A_TRICK, A_PONTOON, AN_ACE_KING or A_BUST."""
    kind = hand["kind"]
    if not hand["done"] or kind == HandKind.TOTAL:
        return LIVE
    if kind == HandKind.BUST:
        return A_BUST
    if kind == HandKind.TRICK:
        return A_TRICK
    return A_PONTOON if kind == HandKind.PONTOON else AN_ACE_KING


@leaf
def suit_flag(r: Record, hand: Record) -> int:
    """Which suits the cards have, as `settle.suits`; 0 unless a bonus asks (12.1)."""
    return suits(hand["cards"], hand["count"]) if r["bonus"] != Bonus.NONE and hand["count"] > 0 else 0


@leaf
def drawable(s: Record) -> int:
    """0, 1, or 2 for more cards that can still be dealt."""
    return min(cards_left(s), 2)


@leaf
def pair_flag(r: Record, hand: Record) -> bool:
    """Whether the hand is a pair by the rules."""
    return hand["count"] == 2 and is_pair(r, hand["cards"][0], hand["cards"][1])


# --- the vector --------------------------------------------------------------------------------------------------


@leaf
def put(
    out: NDArray[np.float32],
    sight: Record,
    field: int,
    k: int,
    amount: int,
) -> None:
    """Write the k-th column of a field."""
    column = sight["columns"][field]["start"] + uint64(k)
    out[column] = np.float32(amount) * sight["scales"][column]


@leaf
def put_values(
    out: NDArray[np.float32],
    sight: Record,
    field: int,
    counts: int,
    at: int,
) -> None:
    """Write cards by value to a field, the ten columns from `at` on."""
    for v in range(VALUES):
        put(out, sight, field, at + v, card_count(counts, v + 1))


@leaf
def put_shown(out: NDArray[np.float32], sight: Record, field: int, hand: Record, at: int) -> None:
    """Write the values of a hand's first shown cards."""
    for k in range(ORDERED):
        put(out, sight, field, at + k, (int64(hand["shown"]) >> (4 * k)) & 15)


@leaf
def put_own_hand(hand: Record, sight: Record, out: NDArray[np.float32]) -> None:
    """The columns that both roles have of their hand in play."""
    put_values(out, sight, Column.CARDS, hand["counts"], 0)
    put(out, sight, Column.TOTAL, 0, total_of(hand))
    put(out, sight, Column.SOFT, 0, is_soft(hand["hard"], hand["aces"]))
    put(out, sight, Column.COUNT, 0, hand["count"])


@leaf
def put_stakes(r: Record, s: Record, hand: Record, sight: Record, out: NDArray[np.float32]) -> None:
    """What lies on the hand in play, and what may be added now."""
    put(out, sight, Column.STAKE, 0, hand["stake"])
    put(out, sight, Column.TOTAL_STAKE, 0, total_stake(hand))
    put(out, sight, Column.BOUGHT, 0, hand["bought"])
    put(out, sight, Column.TWISTS, 0, hand["twists"])
    bought = hand["bought"]
    for k in range(bought):
        put(out, sight, Column.BUYS, k, hand["buys"][k])
    if s["phase"] != Phase.PLAY:
        return
    if may_raise(r, hand, cards_left(s)):
        put(out, sight, Column.BUY_LEAST, 0, buy_least(hand["stake"]))
        put(out, sight, Column.BUY_MOST, 0, next_buy_most(r, hand))


@kernel
def put_other_own_hands(s: Record, seat: int, current: int, sight: Record, out: NDArray[np.float32]) -> None:
    """A player's hands beside the one in play, in order."""
    k = 0
    for h in range(s["hands_of"][seat]):
        if h != current:
            hand = s["hands"][h, seat]
            put_values(out, sight, Column.OWN_CARDS, hand["counts"], VALUES * k)
            put(out, sight, Column.OWN_TOTAL, k, total_of(hand))
            put(out, sight, Column.OWN_STAKE, k, total_stake(hand))
            put(out, sight, Column.OWN_DONE, k, hand["done"])
            k += 1


@kernel
def put_public_hand(
    hand: Record,
    k: int,
    most_buys: int,
    sight: Record,
    out: NDArray[np.float32],
) -> None:
    """What everybody knows of a hand, at place k of the others' columns."""
    put_values(out, sight, Column.OTHER_CARDS, hand["public"], VALUES * k)
    put_shown(out, sight, Column.OTHER_SHOWN, hand, ORDERED * k)
    put(out, sight, Column.OTHER_COUNT, k, hand["count"])
    put(out, sight, Column.OTHER_STAKE, k, hand["stake"])
    put(out, sight, Column.OTHER_TWISTS, k, hand["twists"])
    put(out, sight, Column.OTHER_SPLIT, k, hand["split"])
    put(out, sight, Column.OTHER_STATE, STATES * k + public_state(hand), 1)
    for b in range(hand["bought"]):
        put(out, sight, Column.OTHER_BUYS, most_buys * k + b, hand["buys"][b])


@kernel
def put_others(r: Record, s: Record, viewer: int, sight: Record, out: NDArray[np.float32]) -> None:
    """Every other player's hands as everybody knows them."""
    places = sight["columns"][Column.OTHER_COUNT]["width"]
    most_buys = sight["columns"][Column.OTHER_BUYS]["width"] // places
    k = 0
    for where in range(r["seats"] - 1):
        seat = seat_at(r, s, where)
        if seat != viewer:
            for h in range(s["hands_of"][seat]):
                put_public_hand(s["hands"][h, seat], k + h, most_buys, sight, out)
            k += r["most_hands"]


@kernel
def put_seen(r: Record, s: Record, viewer: int, sight: Record, out: NDArray[np.float32]) -> None:
    """Cards by value that the viewer saw since the shuffle: used ones, and those that lie before them (8.3)."""
    first = int64(sight["columns"][Column.SEEN]["start"]) - 1
    for v in range(VALUES):
        out[first + 1 + v] = s["seen"][v]
    for seat in range(r["seats"]):
        for h in range(s["hands_of"][seat]):
            hand = s["hands"][h, seat]
            own = seat == viewer and knows_own(r, s, viewer)
            for i in range(hand["count"]):
                if knows_value(hand, i, own) and hand["cards"][i] & KNOWN == 0:
                    out[first + value(hand["cards"][i])] += 1.0
    for v in range(VALUES):
        # A shoe that was replaced may hold more of a value than any pack.
        put(out, sight, Column.SEEN, v, min(out[first + 1 + v], sight["columns"][Column.SEEN]["divisor"]))


@leaf
def put_player(r: Record, s: Record, seat: int, sight: Record, out: NDArray[np.float32]) -> None:
    """The columns that only a player has."""
    current = min(s["hand"], s["hands_of"][seat] - 1) if s["turn"] == seat else s["hands_of"][seat] - 1
    hand = s["hands"][current, seat]
    put_own_hand(hand, sight, out)
    put_shown(out, sight, Column.SHOWN, hand, 0)
    put(out, sight, Column.PAIR, 0, pair_flag(r, hand))
    put_stakes(r, s, hand, sight, out)
    put(out, sight, Column.SPLIT, 0, hand["split"])
    put(out, sight, Column.HAND, 0, current)
    put(out, sight, Column.HANDS, 0, s["hands_of"][seat])
    put(out, sight, Column.SEAT, 0, place(r, s, seat))
    if sight["columns"][Column.ONE_SUIT]["width"] > 0:
        put(out, sight, Column.ONE_SUIT, 0, suit_flag(r, hand) > 0)
        put(out, sight, Column.ONE_SUIT, 1, suit_flag(r, hand) == 2)
    if s["hands_of"][seat] > 1:
        put_other_own_hands(s, seat, current, sight, out)
    put_values(out, sight, Column.BANKER_CARDS, s["hands"][0, s["banker"]]["public"], 0)


@kernel
def look(
    r: Record,
    s: Record,
    viewer: int,
    sight: Record,
    out: NDArray[np.float32],
) -> None:
    """What a seat sees now; fills `out`, float32 of shape (columns,).

    Args:
        sight: of a `columns.Layout`; its `plain` leaves numbers undivided.
    """
    out[:] = 0.0
    put(out, sight, Column.PHASE, s["phase"], 1)
    put(out, sight, Column.DRAWABLE, 0, drawable(s))
    put(out, sight, Column.LIMITS, 0, r["stake_min"])
    put(out, sight, Column.LIMITS, 1, r["stake_max"])
    if viewer == s["banker"]:
        if knows_own(r, s, viewer):
            put_own_hand(s["hands"][0, viewer], sight, out)
    else:
        put_player(r, s, viewer, sight, out)
    if sight["columns"][Column.OTHER_COUNT]["width"] > 0:
        put_others(r, s, viewer, sight, out)
    if sight["columns"][Column.SEEN]["width"] > 0:
        put_seen(r, s, viewer, sight, out)
