"""What is allowed, and at what price: clauses 1.5, 6 and 7.2, stated once.

Kernels take the rules and scalars, so that the engine asks them about a live hand and the solver about an infostate.
`left` is the number of cards that can still be dealt. `allowed` is the whole answer for the seat whose turn it is, as
an integer: bit a is set where action a is allowed. `mask` is the same as an array.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.compiled import Record, int64, kernel, leaf
from pontoon_gym.engine.deal import cards_left
from pontoon_gym.engine.hand import FACE, is_soft, total_of, value
from pontoon_gym.names import BUY, SPLIT, STICK, TWIST, Banker, Buying, HandKind, Phase, Split

ALL = -1
"""Every action, as bits."""


@leaf
def may_stick(r: Record, total: int, left: int) -> bool:
    """6.2; with no card left any total may stick (1.5)."""
    return total >= r["stick_minimum"] or left == 0


@leaf
def may_twist(r: Record, total: int, left: int) -> bool:
    """6.3, on an unfinished hand."""
    return total < r["twist_under"] and left > 0


@leaf
def may_buy(r: Record, total: int, count: int, bought: int, twists: int, left: int) -> bool:
    """6.4, on an unfinished hand."""
    if r["buying"] != Buying.BUY or left == 0 or twists > 0 or bought >= r["most_buys"]:
        return False
    return total < r["buy_under"] and (count != 4 or total >= r["buy_fifth_minimum"])


@leaf
def may_double(r: Record, count: int, bought: int, split: bool, left: int) -> bool:
    """6.5, on an unfinished hand."""
    if r["buying"] != Buying.DOUBLE or left == 0 or bought >= r["most_buys"]:
        return False
    return count <= r["double_cards_max"] and (not split or r["double_after_split"] > 0)


@leaf
def may_raise(r: Record, hand: Record, left: int) -> bool:
    """Whether a hand in play may buy or double (6.4, 6.5)."""
    count, bought = int64(hand["count"]), int64(hand["bought"])
    if r["buying"] == Buying.DOUBLE:
        return may_double(r, count, bought, hand["split"] > 0, left)
    return may_buy(r, total_of(hand), count, bought, hand["twists"], left)


@leaf
def is_pair(r: Record, first: int, second: int) -> bool:
    """Whether two cards are a pair (6.6)."""
    if r["split"] == Split.RANK:
        return (first & FACE) // 4 == (second & FACE) // 4
    if r["split"] == Split.NONE:
        return False
    return value(first) == value(second) and (r["split"] == Split.VALUE or value(first) == 1)


@leaf
def may_split(r: Record, pair: bool, hands: int, left: int) -> bool:
    """6.6, on an unfinished hand of two cards; both new hands need a card (1.5)."""
    return pair and hands < r["most_hands"] and left >= 2


@leaf
def is_finished_ace(r: Record, split: bool, count: int, first: int) -> bool:
    """A split ace that got its one card (6.6)."""
    return r["split_aces_one_card"] > 0 and split and count == 2 and value(first) == 1


@leaf
def level(i: int, n: int, least: int, most: int) -> int:
    """The amount of level i of n between two amounts (9.3)."""
    if i == 0:
        return least
    # The last needs no division; neither do two levels.
    return most if i == n - 1 else least + (2 * i * (most - least) + n - 1) // (2 * (n - 1))


@kernel
def level_of(amount: int, n: int, least: int, most: int) -> int:
    """The level nearest to an amount; of equal ones the lowest (9.3)."""
    if n == 1 or most <= least:
        return 0
    i = min(max(((amount - least) * (n - 1)) // (most - least), 0), n - 1)
    while i + 1 < n and level(i, n, least, most) < amount:
        i += 1
    while i > 0 and level(i - 1, n, least, most) >= amount:
        i -= 1
    return i


@leaf
def buy_least(stake: int) -> int:
    """The least that a buy may add (6.4)."""
    return stake


@leaf
def buy_most(r: Record, stake: int, bought: int, previous: int) -> int:
    """The most that a buy may add (6.4); a double adds the initial stake (6.5)."""
    if r["buying"] == Buying.DOUBLE:
        return stake
    return previous if bought > 0 else r["buy_max"] * stake


@leaf
def next_buy_most(r: Record, hand: Record) -> int:
    """The most that the hand's next buy or double may add (6.4, 6.5)."""
    return buy_most(r, hand["stake"], hand["bought"], hand["buys"][max(hand["bought"] - 1, 0)])


@leaf
def offered(n: int, least: int, most: int) -> int:
    """Which of n levels are allowed: each amount once (9.3); bits."""
    bits, before = int64(1), least
    for i in range(1, n):
        amount = level(i, n, least, most)
        bits |= int64(amount != before) << i
        before = amount
    return bits


@leaf
def bound_to_draw(r: Record, total: int, soft: bool) -> bool:
    """Whether a bound banker draws (7.2)."""
    return total <= 16 or (r["banker"] == Banker.H17 and total == 17 and soft)


@kernel
def live_hands(s: Record, players: int) -> int:
    """Hands of all players that are not bust, once all are finished."""
    live = 0
    for seat in range(players + 1):
        if seat != s["banker"]:
            for h in range(s["hands_of"][seat]):
                live += s["hands"][h, seat]["kind"] != HandKind.BUST
    return live


@kernel
def banker_must_stick(r: Record, s: Record) -> bool:
    """Whether nothing is left for the banker to choose (1.5, 5.1, 7.1, 7.3, 12.4)."""
    if s["hands"][0, s["banker"]]["kind"] == HandKind.PONTOON or s["sudden"] >= 0 or cards_left(s) == 0:
        return True
    return live_hands(s, r["seats"] - 1) == 0


def clause_of(phase: int, action: int, buy_levels: int) -> str:
    """Where the rule book says when an action is allowed, for a message."""
    if phase == Phase.PLAY and action < BUY + buy_levels:
        return ("6.2", "6.3", "6.6")[action] if action <= SPLIT else "6.4, 6.5"
    return "7" if phase == Phase.BANKER else "3.2, 3.3, 9.3"


@kernel
def banker_may(r: Record, s: Record) -> int:
    """What the banker may do (7.2); bits."""
    hand = s["hands"][0, s["banker"]]
    if banker_must_stick(r, s):
        return 1 << STICK
    if r["banker"] == Banker.FREE:
        return 1 << STICK | 1 << TWIST
    return 1 << TWIST if bound_to_draw(r, total_of(hand), is_soft(hand["hard"], hand["aces"])) else 1 << STICK


@leaf
def player_may(r: Record, s: Record) -> int:
    """What a player may do with the hand in play (6); bits."""
    hand = s["hands"][s["hand"], s["turn"]]
    total, left = total_of(hand), cards_left(s)
    pair = hand["count"] == 2 and is_pair(r, hand["cards"][0], hand["cards"][1])
    bits = int64(may_stick(r, total, left)) << STICK
    bits |= int64(may_twist(r, total, left)) << TWIST
    bits |= int64(may_split(r, pair, s["hands_of"][s["turn"]], left)) << SPLIT
    if may_raise(r, hand, left):
        bits |= offered(r["buy_levels"], buy_least(hand["stake"]), next_buy_most(r, hand)) << BUY
    return bits


@leaf
def allowed(r: Record, s: Record) -> int:
    """What the seat whose turn it is may do: bit a is set where action a is allowed.

    At a round's end all is, since nothing is asked.
    """
    if s["phase"] == Phase.STAKE:
        return offered(r["stake_levels"], r["stake_min"], r["stake_max"]) << r["first_stake"]
    if s["phase"] == Phase.PLAY:
        return player_may(r, s)
    return banker_may(r, s) if s["phase"] == Phase.BANKER else ALL


@leaf
def spread(bits: int, out: NDArray[np.bool_]) -> None:
    """Fill a mask, bool of shape (actions,), from bits."""
    for action in range(len(out)):
        out[action] = (bits >> action) & 1


@kernel
def mask(r: Record, s: Record, out: NDArray[np.bool_]) -> None:
    """Fill `out` with what is `allowed`, bool of as many places as the seat has actions."""
    spread(allowed(r, s), out)


@leaf
def only_action(bits: int) -> int:
    """The one allowed action, or −1 if there are several."""
    if bits & (bits - 1):
        return -1
    action = 0
    while bits >> action > 1:
        action += 1
    return action


@leaf
def may(allowed: int, action: int) -> bool:
    """Whether an action is among those allowed, as bits (`legal.allowed`)."""
    return (allowed >> action) & 1 > 0
