"""How the tree grows: the engine says what is allowed and plays each choice with each card that may come.

No rule is restated here. What lies on the round after a choice is the next infostate; two infostates are the same
where the parts of their keys agree that anybody looks at.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.compiled import Record, int64, kernel, leaf
from pontoon_gym.engine.act import act
from pontoon_gym.engine.deal import dealt_by
from pontoon_gym.engine.hand import VALUES, one_card, value
from pontoon_gym.engine.legal import allowed, may
from pontoon_gym.engine.round import choose, has_choice, open_round
from pontoon_gym.engine.settle import total_stake
from pontoon_gym.engine.state import ORDERED
from pontoon_gym.engine.view.infostate import player_key
from pontoon_gym.engine.view.observe import suit_flag
from pontoon_gym.hashing import EMPTY, place_of
from pontoon_gym.names import BUY, SPLIT, STICK, HandKind, Phase
from pontoon_gym.solver.cards.shoe import PONTOONS, pontoon_chance, sequence_chance
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
"""Tells the ident of a finished hand from a key, which has 62 bits. A bust's ident is this and its stake: a hand in
play has its phase in its key, so that no other ident is the same."""
FALLS = 2
"""Ways in which a card may come where suits count: of the hand's one suit, or of another."""
MOST_NODES = 1 << 22
"""Infostates of the largest tree: about three gigabytes."""
NODES, MOVES = 0, 1
"""Places in `Growth.counts`."""


class Growth(NamedTuple):
    """A tree as it grows, for kernels.

    Attributes:
        game: the packed game; rows: a scratch round, `ROUND` of shape (1,); shoe: `SHOE` of the game.
        key_bits: the bits of a key that tell infostates apart.
        order: whether the order in which cards were received does so too.
        scratch: `NODE` of shape (2,): a node that may be new, and one from which it takes class, hands and up card.
        nodes, actions, children: see `build.Tree`; with room for more.
        idents: a hash table of 2 ** `digits` places (`hashing`): the idents of all nodes.
        node_keys: a hash table of as many: what else tells nodes apart (`node_key`); numbers: the node at each place.
        counts: how many nodes and moves there are, int64 of shape (2,).
    """

    game: NDArray[np.void]
    rows: NDArray[np.void]
    shoe: NDArray[np.void]
    key_bits: int
    order: bool
    scratch: NDArray[np.void]
    nodes: NDArray[np.void]
    actions: NDArray[np.int8]
    children: NDArray[np.int32]
    idents: NDArray[np.int64]
    node_keys: NDArray[np.int64]
    numbers: NDArray[np.int32]
    digits: int
    counts: NDArray[np.int64]


@leaf
def received(hand: Record) -> int:
    """A hand's first cards in the order received, as `hand["shown"]` has shown ones."""
    code = int64(0)
    for i in range(min(hand["count"], ORDERED)):
        code |= int64(value(hand["cards"][i])) << (4 * i)
    return code


@leaf
def node_key(place: int, node: Record) -> int:
    """All that tells a node from others, in one integer of 63 bits.

    A finished A-K has the key of any ace and ten-valued card, but another kind. Every class but the first few has a
    node of its own, so that `MOST_NODES` bounds their number too.

    Args:
        place: of the node's ident in `Growth.idents`, below 2 ** 24.
    """
    key = place << 24 | (int64(node["cls"]) + 1)
    return (key << 12 | int64(node["order"])) << 3 | int64(node["hand"]["kind"])


@kernel
def add_node(tree: Growth, node: Record) -> int:
    """The number of a node: of one that is there already, else the next, which it is then given."""
    place = place_of(tree.idents, 0, tree.digits, node["ident"])
    tree.idents[place] = node["ident"]
    key = node_key(place, node)
    at = place_of(tree.node_keys, 0, tree.digits, key)
    if tree.node_keys[at] == EMPTY:
        tree.node_keys[at], tree.numbers[at] = key, tree.counts[NODES]
        tree.nodes[tree.counts[NODES]] = node
        tree.counts[NODES] += 1
    return tree.numbers[at]


@kernel
def note(tree: Growth, parent: Record, done: bool) -> None:
    """Make a node of the hand that lies first on the scratch round; class, hands and up card are its parent's.

    Fills `scratch[0]`.
    """
    r, s, node = tree.game[0], tree.rows[0], tree.scratch[0]
    hand = s["hands"][0, SEAT]
    node["hand"] = hand
    node["made"], node["cls"], node["hands"], node["up"] = hand["made"], parent["cls"], parent["hands"], parent["up"]
    node["phase"], node["done"], node["first"], node["bits"], node["row"] = Phase.PLAY, done, -1, 0, -1
    node["key"] = node["order"] = 0
    if hand["kind"] == HandKind.BUST:
        # All that matters is what was lost.
        node["cls"], node["ident"] = -1, DONE_BIT | int64(total_stake(hand))
        return
    s["phase"], s["turn"], s["hand"] = Phase.PLAY, SEAT, 0
    node["key"] = player_key(r, s)
    node["ident"] = (node["key"] & tree.key_bits) | (DONE_BIT if done else int64(0))
    node["order"] = received(hand) if tree.order else 0


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
def expand_move(tree: Growth, x: int, action: int, children: NDArray[np.int32]) -> None:
    """Find or add what one move of node `x` leads to; fills its `children`, int32 of shape (VALUES × FALLS,)."""
    r, s, shoe, parent = tree.game[0], tree.rows[0], tree.shoe[0], tree.nodes[x]
    children[:] = -1
    if action == SPLIT:
        return
    for i in range(1 if action == STICK else VALUES * FALLS):
        suit = next_suit(r, parent["hand"], i % FALLS)
        if suit < 0 or (action != STICK and shoe["values"][i // FALLS] == 0):
            continue
        done = play_move(r, s, parent, action, card_of(i // FALLS + 1, suit))
        note(tree, parent, done)
        children[i] = add_node(tree, tree.scratch[0])


@kernel
def expand_node(tree: Growth, x: int) -> None:
    """Give node `x` its moves, and each move what it leads to."""
    r, s, node, counts = tree.game[0], tree.rows[0], tree.nodes[x], tree.counts
    pose(r, s, node)
    bits = allowed(r, s)
    node["bits"], node["first"] = bits, counts[MOVES]
    action = 0
    while bits >> action:
        if may(bits, action):
            tree.actions[counts[MOVES]] = action
            expand_move(tree, x, action, tree.children[counts[MOVES]])
            counts[MOVES] += 1
        action += 1


@kernel
def grow(tree: Growth, start: int) -> int:
    """Expand nodes from `start` on, and those that come of them, as far as there is room.

    Returns the first node that is not expanded.
    """
    x, counts, room = start, tree.counts, 2 * VALUES * 16
    while x < counts[NODES] and counts[NODES] + room < len(tree.nodes) and counts[MOVES] + 16 < len(tree.actions):
        if not tree.nodes[x]["done"] and tree.nodes[x]["phase"] == Phase.PLAY:
            expand_node(tree, x)
        x += 1
    return x


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
def shown_pontoon(tree: Growth, a: Record, b: Record, up: int, action: int) -> float:
    """What the banker's Pontoon, shown at once, does to a stake: chips times its chance (5.1)."""
    r, s, shoe = tree.game[0], tree.rows[0], tree.shoe[0]
    gone = one_card(value(a["card"])) + one_card(value(b["card"]))
    chance = sequence_chance(shoe, gone) * pontoon_chance(shoe, gone, 2, up)
    if chance == 0.0 or not shoe["peek"]:
        return 0.0
    way = 0
    while up > 0 and PONTOONS[way, 0] != up:
        way += 1
    open_deal(r, s, a["card"], b["card"], card_of(PONTOONS[way, 0], 0), card_of(PONTOONS[way, 1], 0))
    choose(r, s, action)
    choose(r, s, STICK)
    return chance * s["result"][SEAT] / 2.0


@kernel
def deal_stake(tree: Growth, a: Record, b: Record, up: int) -> int:
    """Add the stake before a hand of two cards; it is to be chosen on the scratch round then."""
    r, s, scratch = tree.game[0], tree.rows[0], tree.scratch
    open_plain(r, s, a, b, up)
    seen = r["banker_upcard"] and dealt_by(r, Phase.STAKE) > 0
    scratch[1]["cls"] = scratch[1]["up"] = up if seen else 0
    scratch[1]["hands"] = 1
    note(tree, scratch[1], False)
    s["phase"] = scratch[0]["phase"] = Phase.STAKE
    scratch[0]["key"] = player_key(r, s)
    scratch[0]["ident"] = scratch[0]["key"] & tree.key_bits
    return add_node(tree, scratch[0])


@leaf
def open_plain(r: Record, s: Record, a: Record, b: Record, up: int) -> None:
    """Begin a round in which the player gets these two kinds of card, and the banker no Pontoon."""
    plain = card_of(5, 0)
    open_deal(r, s, a["card"], b["card"], card_of(up, 0) if up > 0 else plain, plain)


@kernel
def deal_pair(tree: Growth, a: Record, b: Record, up: int, deals: NDArray[np.void], d: int) -> int:
    """Add the stake before a hand of two cards, and the hand after each stake; how many deals there are then."""
    r, s, scratch = tree.game[0], tree.rows[0], tree.scratch
    stake = deal_stake(tree, a, b, up)
    bits = allowed(r, s)
    scratch[1]["cls"] = scratch[1]["up"] = up
    for action in range(BUY, 31):
        if may(bits, action):
            open_plain(r, s, a, b, up)
            choose(r, s, action)
            note(tree, scratch[1], s["hands"][0, SEAT]["done"] > 0)
            deal = deals[d]
            deal["stake"], deal["action"], deal["node"] = stake, action, add_node(tree, scratch[0])
            deal["orders"] = orders_of(tree.shoe[0], a, b)
            deal["shown"] = deal["orders"] * shown_pontoon(tree, a, b, up, action)
            d += 1
    return d


@kernel
def deal_all(tree: Growth, kinds: NDArray[np.void], deals: NDArray[np.void]) -> int:
    """Add every stake and every hand of two cards; how many deals there are."""
    d, up_card = 0, tree.game[0]["banker_upcard"]
    for a in range(len(kinds)):
        for b in range(len(kinds)):
            if a == b and kinds[b]["number"] - tree.shoe[0]["used"] < 1:
                continue
            for up in range(1 if up_card else 0, VALUES + 1 if up_card else 1):
                d = deal_pair(tree, kinds[a], kinds[b], up, deals, d)
    return d


@kernel
def split_hand(tree: Growth, pair: NDArray[np.void], first: int, second: int, hands: int) -> None:
    """The hand that a split makes of a pair's first card and a second one; fills `scratch[0]`; its class is set later.

    Args:
        pair: an infostate, `NODE` of shape (1,).
        hands: own hands then; more than two after further splits.
    """
    r, s = tree.game[0], tree.rows[0]
    pose(r, s, pair[0])
    for i in range(2):
        s["hands"][0, SEAT]["cards"][i] = first
    put_next(s, 0, second)
    put_next(s, 1, second)
    act(r, s, SPLIT)
    s["hands_of"][SEAT] = hands
    tree.scratch[1] = pair[0]
    tree.scratch[1]["hands"] = hands
    note(tree, tree.scratch[1], not has_choice(r, s["hands"][0, SEAT]))


@kernel
def add_nodes(tree: Growth, new: NDArray[np.void]) -> int:
    """Find or add nodes, one or more; the number of the last."""
    number = -1
    for i in range(len(new)):
        number = add_node(tree, new[i])
    return number
