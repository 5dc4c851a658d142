"""Who pays what (clauses 5.1, 10, 12): the only file with money.

Rates count half stakes, results half chips, so that 3:2 is kept exactly.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.compiled import Record, kernel, leaf
from pontoon_gym.engine.act import show
from pontoon_gym.engine.hand import total_of, value
from pontoon_gym.names import Bonus, HandKind, Ties

STAKE = 2
"""One stake, in half stakes."""
SPADES = 3
"""The suit of spades."""


@kernel
def suits(cards: NDArray[np.uint8], count: int) -> int:
    """0 for cards of several suits, 1 for one suit, 2 for spades alone."""
    first = cards[0] & 3
    for i in range(1, count):
        if cards[i] & 3 != first:
            return 0
    return 2 if first == SPADES else 1


@kernel
def bonus_rate(r: Record, kind: int, total: int, count: int, low: int, high: int, suited: int) -> int:
    """What a bonus pays instead of the hand's own rate, in half stakes; 0 for none (12.1).

    Args:
        low, high: the least and the greatest card value of the hand, an ace 1.
        suited: as `suits` gives it.
    """
    if r["bonus"] != Bonus.SPANISH21 or total != 21:
        return 0
    if kind == HandKind.TRICK:
        return 3 * STAKE
    if count == 3 and ((low == 6 and high == 8) or (low == 7 and high == 7)):
        return 3 + suited + (suited == 2)
    return 0


@leaf
def win_rate(r: Record, kind: int, bonus: int) -> int:
    """What a hand wins when it wins, in half stakes (10)."""
    if kind == HandKind.PONTOON:
        return r["pontoon_pays"]
    if kind == HandKind.ACE_KING:
        return r["ace_king_pays"]
    if bonus > 0:
        return bonus
    return r["trick_pays"] if kind == HandKind.TRICK else STAKE


@leaf
def tie_rate(r: Record, win: int, loss: int) -> int:
    """What equal hands pay (10.1)."""
    if r["ties"] == Ties.BANKER:
        return -loss
    return win if r["ties"] == Ties.PLAYER else 0


@leaf
def rate(r: Record, kind: int, total: int, win: int, banker_kind: int, banker_total: int) -> int:
    """What a hand pays its player, in half stakes: the table of clause 10.

    Args:
        win: the hand's `win_rate`.
    """
    if kind == HandKind.BUST:
        return -STAKE
    if banker_kind == HandKind.BUST:
        return win
    if banker_kind == HandKind.PONTOON:
        loss = r["banker_pontoon_loss"]
        return tie_rate(r, win, loss) if kind == HandKind.PONTOON else -loss
    if kind == HandKind.PONTOON:
        return win
    if banker_kind == HandKind.TRICK:
        loss = r["banker_trick_loss"]
        return tie_rate(r, win, loss) if kind == HandKind.TRICK else -loss
    if kind != HandKind.TOTAL or total > banker_total:
        return win
    return tie_rate(r, win, STAKE) if total == banker_total else -STAKE


@leaf
def total_stake(hand: Record) -> int:
    """What lies on a hand: its initial stake and its buys, in chips."""
    chips = hand["stake"]
    for i in range(hand["bought"]):
        chips += hand["buys"][i]
    return chips


@kernel
def hand_bonus(r: Record, hand: Record, total: int) -> int:
    """`bonus_rate` of a hand as it lies."""
    low = high = value(hand["cards"][0])
    for i in range(1, hand["count"]):
        low = min(low, value(hand["cards"][i]))
        high = max(high, value(hand["cards"][i]))
    suited = suits(hand["cards"], hand["count"])
    return bonus_rate(r, hand["kind"], total, hand["count"], low, high, suited)


@kernel
def hand_win_rate(r: Record, hand: Record) -> int:
    """`win_rate` of a hand as it lies."""
    return win_rate(r, hand["kind"], hand_bonus(r, hand, total_of(hand)) if r["bonus"] != Bonus.NONE else 0)


@kernel
def settle_hand(r: Record, s: Record, seat: int, h: int) -> int:
    """What a hand wins its seat, in half chips."""
    hand, bank = s["hands"][h, seat], s["hands"][0, s["banker"]]
    win = hand_win_rate(r, hand)
    if s["sudden"] >= 0:
        return win * total_stake(hand) if seat == s["sudden"] else 0
    paid = rate(r, hand["kind"], total_of(hand), win, bank["kind"], total_of(bank))
    return paid * total_stake(hand)


@kernel
def settle(r: Record, s: Record) -> None:
    """Pay every hand and turn every card up (8.2, 10); fills `result`, half chips by seat."""
    for seat in range(r["seats"]):
        s["result"][seat] = 0
    for seat in range(r["seats"]):
        if seat == s["banker"]:
            continue
        for h in range(s["hands_of"][seat]):
            won = settle_hand(r, s, seat, h)
            s["result"][seat] += won
            s["result"][s["banker"]] -= won
    for seat in range(r["seats"]):
        for h in range(s["hands_of"][seat]):
            show(s["hands"][h, seat])
