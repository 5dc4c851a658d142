"""How the tree grows: the engine says what is allowed and plays each choice with each card that may come.

No rule is restated here. What lies on the round after a choice is the next infostate; two infostates are the same
where the parts of their keys agree that anybody looks at.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.compiled import Record, int64, kernel, leaf
from pontoon_gym.engine.act import act
from pontoon_gym.engine.hand import VALUES, one_card, value
from pontoon_gym.engine.legal import allowed, may
from pontoon_gym.engine.round import choose, has_choice, open_round
from pontoon_gym.engine.settle import total_stake
from pontoon_gym.engine.state import ORDERED
from pontoon_gym.engine.view.infostate import player_key
from pontoon_gym.engine.view.observe import suit_flag
from pontoon_gym.names import BUY, SPLIT, STICK, HandKind, Phase
from pontoon_gym.solver.cards.shoe import pontoon_chance, sequence_chance
from pontoon_gym.solver.tree.pose import BANKER, SEAT, card_of, lay_shoe, pose, put_next

DEAL = np.dtype(
    [
        ("stake", "i4"),  # the node at which a stake is put down
        ("action", "i4"),
        ("node", "i4"),  # the two cards then held
        ("orders", "f8"),  # in how many orders of two values; a fraction where ranks or suits tell more than values
        ("shown", "f8"),  # chips won against a Pontoon that the banker shows at once (5.1), times its chance
    ],
    align=True,
)
"""From a stake to a hand of two cards."""

KIND = np.dtype([("card", "i8"), ("number", "i8")], align=True)
"""A kind of card in the shoe: of one rank, or where suits count of one rank and suit."""

DONE_BIT = int64(1) << 62
FALLS = 2
"""Ways in which a card may come where suits count: of the hand's one suit, or of another."""


@leaf
def received(hand: Record) -> int:
    """A hand's first cards in the order received, as `hand["shown"]` has shown ones."""
    code = int64(0)
    for i in range(min(hand["count"], ORDERED)):
        code |= int64(value(hand["cards"][i])) << (4 * i)
    return code


@leaf
def slot_of(ident: int, cls: int, size: int) -> int:
    """Where the search for a node begins."""
    mixed = (ident ^ (int64(cls) << 40)) * int64(0x9E3779B97F4A7C1)
    return (mixed ^ (mixed >> 29)) & (size - 1)


@leaf
def is_same(a: Record, b: Record) -> bool:
    """Whether two nodes are one; a finished A-K has the key of any ace and ten-valued card, but another kind."""
    if a["ident"] != b["ident"] or a["cls"] != b["cls"] or a["order"] != b["order"]:
        return False
    return a["hand"]["kind"] == b["hand"]["kind"]


@kernel
def add_node(node: Record, nodes: NDArray[np.void], n: int, index: NDArray[np.int32]) -> int:
    """The number of a node: of one that is there already, else `n`, where it is then put."""
    at = slot_of(node["ident"], node["cls"], len(index))
    while index[at] >= 0:
        if is_same(nodes[index[at]], node):
            return index[at]
        at = (at + 1) & (len(index) - 1)
    index[at] = n
    nodes[n] = node
    return n


@kernel
def note(r: Record, s: Record, node: Record, parent: Record, done: bool, told: int, order: bool) -> None:
    """Make a node of the hand that lies first on the scratch round; class, hands and up card are its parent's."""
    hand = s["hands"][0, SEAT]
    node["hand"] = hand
    node["made"], node["cls"], node["hands"], node["up"] = hand["made"], parent["cls"], parent["hands"], parent["up"]
    node["phase"], node["done"], node["first"], node["bits"], node["row"] = Phase.PLAY, done, -1, 0, -1
    node["key"] = node["order"] = 0
    if hand["kind"] == HandKind.BUST:
        # All that matters is what was lost.
        node["cls"], node["ident"] = -1, -1 - int64(total_stake(hand))
        return
    s["phase"], s["turn"], s["hand"] = Phase.PLAY, SEAT, 0
    node["key"] = player_key(r, s)
    node["ident"] = (node["key"] & told) | (DONE_BIT if done else int64(0))
    node["order"] = received(hand) if order else 0


@kernel
def play_move(r: Record, s: Record, parent: Record, action: int, card: int) -> bool:
    """What an action makes of an infostate if that card comes; whether the hand is then finished."""
    pose(r, s, parent)
    put_next(s, 0, card)
    act(r, s, action)
    return not has_choice(r, s["hands"][0, SEAT])


@kernel
def next_suit(r: Record, hand: Record, way: int) -> int:
    """The suit of a card that comes one `way` (FALLS); −1 where that way cannot be."""
    suit = hand["cards"][0] & 3
    if suit_flag(r, hand) == 0:
        return suit if way == 0 else -1
    return suit if way == 0 else (suit + 1) % 4


@kernel
def expand_move(
    r: Record,
    s: Record,
    shoe: Record,
    x: int,
    action: int,
    told: int,
    order: bool,
    scratch: Record,
    nodes: NDArray[np.void],
    n: int,
    index: NDArray[np.int32],
    children: NDArray[np.int32],
) -> int:
    """Find or add what one move leads to; fills its `children`, int32 of (VALUES × FALLS,), and counts nodes."""
    parent = nodes[x]
    children[:] = -1
    if action == SPLIT:
        return n
    for i in range(1 if action == STICK else VALUES * FALLS):
        suit = next_suit(r, parent["hand"], i % FALLS)
        if suit < 0 or (action != STICK and shoe["values"][i // FALLS] == 0):
            continue
        done = play_move(r, s, parent, action, card_of(i // FALLS + 1, suit))
        note(r, s, scratch, parent, done, told, order)
        children[i] = add_node(scratch, nodes, n, index)
        n = max(n, children[i] + 1)
    return n


@kernel
def grow(
    game: NDArray[np.void],
    rows: NDArray[np.void],
    shoe: NDArray[np.void],
    told: int,
    order: bool,
    start: int,
    n: int,
    moves: int,
    scratch: NDArray[np.void],
    nodes: NDArray[np.void],
    index: NDArray[np.int32],
    actions: NDArray[np.int8],
    children: NDArray[np.int32],
) -> tuple[int, int, int]:
    """Expand nodes from `start` on, and those that come of them, as far as there is room.

    Args:
        told: the bits of a key that tell infostates apart.
        order: so does the order in which cards were received.
        n, moves: how many there are already.
        actions, children: of each move, filled.

    Returns:
        The first node that is not expanded, and how many nodes and moves there are now.
    """
    x, r, s = start, game[0], rows[0]
    room = 2 * VALUES * 16
    while x < n and n + room < len(nodes) and moves + 16 < len(actions):
        if not nodes[x]["done"] and nodes[x]["phase"] == Phase.PLAY:
            pose(r, s, nodes[x])
            bits = allowed(r, s)
            nodes[x]["bits"], nodes[x]["first"] = bits, moves
            action = 0
            while bits >> action:
                if may(bits, action):
                    actions[moves] = action
                    n = expand_move(
                        r, s, shoe[0], x, action, told, order, scratch[0], nodes, n, index, children[moves]
                    )  # fmt: skip
                    moves += 1
                action += 1
        x += 1
    return x, n, moves


@kernel
def open_deal(r: Record, s: Record, first: int, second: int, bank: int, hidden: int) -> None:
    """Begin a round with these cards on top: the player's two, the banker's two."""
    lay_shoe(r, s, 0)
    s["banker"] = BANKER
    for i, card in enumerate((first, bank, second, hidden)):
        put_next(s, i, card)
    open_round(r, s)


@leaf
def orders_of(shoe: Record, a: Record, b: Record) -> float:
    """How many of the orders in which two cards' values come are these two kinds of card."""
    same = a["card"] == b["card"]
    v, w = value(a["card"]), value(b["card"])
    kinds = a["number"] * (b["number"] - same * shoe["used"])
    return kinds / (shoe["values"][v - 1] * (shoe["values"][w - 1] - (v == w) * shoe["used"]))


@kernel
def shown_pontoon(r: Record, s: Record, shoe: Record, a: Record, b: Record, up: int, action: int) -> float:
    """What the banker's Pontoon, shown at once, does to a stake: chips times its chance (5.1)."""
    gone = one_card(value(a["card"])) + one_card(value(b["card"]))
    chance = sequence_chance(shoe, gone) * pontoon_chance(shoe, gone, 2, up)
    if chance == 0.0 or not shoe["peek"]:
        return 0.0
    bank, hidden = (1, VALUES) if up != VALUES else (VALUES, 1)
    open_deal(r, s, a["card"], b["card"], card_of(bank, 0), card_of(hidden, 0))
    choose(r, s, action)
    choose(r, s, STICK)
    return chance * s["result"][SEAT] / 2.0


@kernel
def deal_pair(
    r: Record,
    s: Record,
    shoe: Record,
    a: Record,
    b: Record,
    up: int,
    told: int,
    order: bool,
    scratch: NDArray[np.void],
    nodes: NDArray[np.void],
    n: int,
    index: NDArray[np.int32],
    deals: NDArray[np.void],
    d: int,
) -> tuple[int, int]:
    """Add the stake before a hand of two cards, and the hand after each stake; counts nodes and deals."""
    plain = card_of(5, 0)
    open_deal(r, s, a["card"], b["card"], card_of(up, 0) if up > 0 else plain, plain)
    first = r["banker_upcard"] and r["stake_after_first_card"]
    scratch[1]["cls"] = scratch[1]["up"] = up if first else 0
    scratch[1]["hands"] = 1
    note(r, s, scratch[0], scratch[1], False, told, order)
    s["phase"] = scratch[0]["phase"] = Phase.STAKE
    scratch[0]["key"] = player_key(r, s)
    scratch[0]["ident"] = scratch[0]["key"] & told
    stake = add_node(scratch[0], nodes, n, index)
    n = max(n, stake + 1)
    scratch[1]["cls"] = scratch[1]["up"] = up
    bits = allowed(r, s)
    for action in range(BUY, 31):
        if may(bits, action):
            open_deal(r, s, a["card"], b["card"], card_of(up, 0) if up > 0 else plain, plain)
            choose(r, s, action)
            note(r, s, scratch[0], scratch[1], s["hands"][0, SEAT]["done"] > 0, told, order)
            child = add_node(scratch[0], nodes, n, index)
            n = max(n, child + 1)
            deal = deals[d]
            deal["stake"], deal["action"], deal["node"] = stake, action, child
            deal["orders"] = orders_of(shoe, a, b)
            deal["shown"] = deal["orders"] * shown_pontoon(r, s, shoe, a, b, up, action)
            d += 1
    return n, d


@kernel
def deal_all(
    game: NDArray[np.void],
    rows: NDArray[np.void],
    shoe: NDArray[np.void],
    kinds: NDArray[np.void],
    told: int,
    order: bool,
    scratch: NDArray[np.void],
    nodes: NDArray[np.void],
    index: NDArray[np.int32],
    deals: NDArray[np.void],
) -> tuple[int, int]:
    """Add every stake and every hand of two cards; how many nodes and deals there are."""
    n, d, r, up_card = 0, 0, game[0], game[0]["banker_upcard"]
    for a in range(len(kinds)):
        for b in range(len(kinds)):
            if a == b and kinds[b]["number"] - shoe[0]["used"] < 1:
                continue
            for up in range(1 if up_card else 0, VALUES + 1 if up_card else 1):
                n, d = deal_pair(
                    r, rows[0], shoe[0], kinds[a], kinds[b], up, told, order, scratch, nodes, n, index, deals, d
                )  # fmt: skip
    return n, d


@kernel
def split_hand(
    game: NDArray[np.void],
    rows: NDArray[np.void],
    pair: NDArray[np.void],
    first: int,
    second: int,
    hands: int,
    told: int,
    order: bool,
    scratch: NDArray[np.void],
) -> None:
    """The hand that a split makes of a pair's first card and a second one; fills `scratch[0]`; its class is set later.

    Args:
        pair: an infostate, `NODE` of shape (1,).
        hands: own hands then; more than two after further splits.
    """
    r, s = game[0], rows[0]
    pose(r, s, pair[0])
    for i in range(2):
        s["hands"][0, SEAT]["cards"][i] = first
    put_next(s, 0, second)
    put_next(s, 1, second)
    act(r, s, SPLIT)
    s["hands_of"][SEAT] = hands
    scratch[1] = pair[0]
    scratch[1]["hands"] = hands
    done = not has_choice(r, s["hands"][0, SEAT])
    note(r, s, scratch[0], scratch[1], done, told, order)


@kernel
def add_nodes(
    new: NDArray[np.void], nodes: NDArray[np.void], n: int, index: NDArray[np.int32], where: NDArray[np.int32]
) -> int:
    """Find or add nodes; fills `where` with their numbers, and returns how many nodes there are."""
    for i in range(len(new)):
        where[i] = add_node(new[i], nodes, n, index)
        n = max(n, where[i] + 1)
    return n
