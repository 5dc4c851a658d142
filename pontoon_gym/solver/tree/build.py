"""Every infostate of a heads-up round: what the player may face, and what each choice can make of it.

`tree_of` builds it for some rules, a table and a shoe; policies are judged and found on it (`expectation`, `best`).
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.engine.hand import VALUES, value
from pontoon_gym.engine.legal import is_pair
from pontoon_gym.engine.state import ROUND
from pontoon_gym.engine.view.infostate import KEYS, key_bits
from pontoon_gym.errors import NotCovered
from pontoon_gym.names import SPLIT, Bonus, Phase, Role
from pontoon_gym.solver.cards.shoe import shoe_of
from pontoon_gym.solver.tree.grow import DEAL, FALLS, KIND, add_nodes, deal_all, grow, split_hand
from pontoon_gym.solver.tree.pose import NODE
from pontoon_gym.solver.tree.splits import CLASS, ROOT, kind_parts


class Tree(NamedTuple):
    """All infostates of the player's under some rules at a table.

    Attributes:
        game: the packed rules, table and shoe; shoe: `SHOE` of it.
        nodes: `NODE` of shape (n,); parents before children.
        actions: of each move, int8 of shape (moves,); a node's moves follow each other from `first` on.
        children: where each move leads to by the card that comes, int32 of shape (moves, VALUES * FALLS), −1 for none.
            A STICK has one in the first place, a SPLIT the number of its pair.
        deals: `DEAL`; deal_moves: the number of each one's move, int64 of shape (deals,).
        classes: `splits.CLASS`.
        roots: `splits.ROOT`, in the order of their pairs.
        move_nodes: the infostate of each move, int64 of shape (moves,).
        pairs: where each pair's roots begin in `roots`, and where the last one's end; int64.
        suits: cards in the shoe by suit and value, float64 of shape (4, VALUES).
    """

    game: NDArray[np.void]
    shoe: NDArray[np.void]
    nodes: NDArray[np.void]
    actions: NDArray[np.int8]
    move_nodes: NDArray[np.int64]
    children: NDArray[np.int32]
    deals: NDArray[np.void]
    deal_moves: NDArray[np.int64]
    classes: NDArray[np.void]
    roots: NDArray[np.void]
    pairs: NDArray[np.int64]
    suits: NDArray[np.float64]


def player_bits(order: bool) -> int:
    """The bits of a player's key that tell infostates apart, with or without the order of shown cards."""
    parts = tuple(part for part in KEYS[Role.PLAYER] if order or part != "shown")
    return key_bits(Role.PLAYER, parts)


NO_ORDER, SHOWN_ORDER, FULL_ORDER = range(3)
"""What of the order of cards tells infostates apart: nothing; that of shown cards, as in infostate keys; that of the
first three received too, which a player's policy that is no table sees where his cards lie up."""


MOST_NODES = 1 << 22
"""Infostates of the largest tree: about three gigabytes."""


class _Made(NamedTuple):
    """What tells apart the hands that a pair makes."""

    hands: int
    own: int
    ident: int
    kind: int


class _Builder:
    """A tree as it grows; arrays are doubled when they are full."""

    def __init__(self, game: NDArray[np.void], order: int) -> None:
        self.game, self.shoe, self.kinds = game, shoe_of(game), kinds_of(game)
        self.told, self.order = player_bits(order > NO_ORDER), order == FULL_ORDER
        self.rows, self.scratch = np.zeros(1, ROUND), np.zeros(2, NODE)
        self.nodes, self.index = np.zeros(1 << 14, NODE), np.full(1 << 16, -1, np.int32)
        self.actions = np.zeros(1 << 14, np.int8)
        self.children = np.zeros((1 << 14, VALUES * FALLS), np.int32)
        self.n = self.moves = self.next = 0
        self.classes = [_plain_class(up) for up in range(VALUES + 1)]
        self.roots: list[tuple[int, int, float]] = []

    def deal(self) -> NDArray[np.void]:
        """Add stakes and hands of two cards; the deals, those of the same cards together."""
        room = len(self.kinds) ** 2 * (VALUES if self.game["banker_upcard"][0] else 1)
        deals = np.zeros(room * int(self.game["stake_levels"][0]), DEAL)
        self.n, d = deal_all(
            self.game, self.rows, self.shoe, self.kinds, self.told, self.order, self.scratch, self.nodes,
            self.index, deals,
        )  # fmt: skip
        return _merged(deals[:d])

    def grow(self) -> None:
        """Expand every node that is not expanded yet, and what comes of them."""
        while self.next < self.n:
            self.next, self.n, self.moves = grow(
                self.game, self.rows, self.shoe, self.told, self.order, self.next, self.n, self.moves, self.scratch,
                self.nodes, self.index, self.actions, self.children,
            )  # fmt: skip
            if self.next < self.n:
                self._make_room()

    def _make_room(self) -> None:
        if len(self.nodes) >= MOST_NODES:
            raise NotCovered("a game of so many stakes and buys", got=f"over {MOST_NODES:,} infostates")
        self.nodes = np.concatenate([self.nodes, np.zeros_like(self.nodes)])
        self.actions = np.concatenate([self.actions, np.zeros_like(self.actions)])
        self.children = np.concatenate([self.children, np.zeros_like(self.children)])
        self.index = np.full(2 * len(self.index), -1, np.int32)
        add_nodes(self.nodes[: self.n].copy(), self.nodes, 0, self.index, np.zeros(self.n, np.int32))

    def add_stakes(self, deals: NDArray[np.void]) -> NDArray[np.int64]:
        """Give every stake its moves, after all others; the move of each deal."""
        ends = np.stack([deals["stake"], deals["action"]], axis=1)
        found, move_of = np.unique(ends, axis=0, return_inverse=True)
        nodes, first = np.unique(found[:, 0], return_index=True)
        self.nodes["first"][nodes] = self.moves + first
        np.bitwise_or.at(self.nodes["bits"], found[:, 0], 1 << found[:, 1])
        self.actions = np.concatenate([self.actions[: self.moves], found[:, 1].astype(np.int8)])
        nowhere = np.full((len(found), VALUES * FALLS), -1, np.int32)
        self.children = np.concatenate([self.children[: self.moves], nowhere])
        return self.moves + move_of.ravel()

    def split(self, deals: NDArray[np.void]) -> NDArray[np.int64]:
        """Add the hands that splits make; where each pair's roots begin, and the last one's end."""
        orders = np.bincount(deals["node"], weights=deals["orders"], minlength=self.n)
        bits = self.nodes["bits"][: self.n]
        starts = [0]
        for node in np.flatnonzero((bits >> SPLIT & 1) & (self.nodes["hands"][: self.n] == 1)).tolist():
            self.children[self.nodes[node]["first"] + _place_of(int(bits[node]), SPLIT), 0] = len(starts) - 1
            self._split_pair(node, len(starts) - 1, float(orders[node]))
            starts.append(len(self.roots))
        return np.array(starts, np.int64)

    def _split_pair(self, node: int, pair: int, orders: float) -> None:
        """The hands that a pair makes at 2, 3, ... hands, by what ranks and suits they may be."""
        made: dict[_Made, tuple[NDArray[np.void], NDArray[np.float64]]] = {}
        held = value(int(self.nodes[node]["hand"]["cards"][0]))
        firsts = [a for a in range(len(self.kinds)) if value(int(self.kinds[a]["card"])) == held]
        for first, second in product(firsts, range(len(self.kinds))):
            parts = kind_parts(self.game, self.shoe, self.kinds, first, second)
            if not parts.any():
                continue
            for hands in range(2, int(self.game["max_hands"][0]) + 1):
                what, root = self._split_to(node, first, second, hands)
                known = made.get(what)
                made[what] = (root, parts if known is None else known[1] + parts)
        for what, (root, parts) in made.items():
            self._add_root(node, pair, what, root, parts / orders)

    def _split_to(self, node: int, first: int, second: int, hands: int) -> tuple[_Made, NDArray[np.void]]:
        """The hand of two kinds of card that a split makes, and what tells it from others."""
        cards = int(self.kinds[first]["card"]), int(self.kinds[second]["card"])
        pair = self.nodes[node : node + 1]
        split_hand(self.game, self.rows, pair, *cards, hands, self.told, self.order, self.scratch)
        root = self.scratch[:1].copy()
        own = int(is_pair(self.game[0], *cards))
        return _Made(hands, own, int(root[0]["ident"]), int(root[0]["hand"]["kind"])), root

    def _add_root(self, node: int, pair: int, what: _Made, root: NDArray[np.void], parts: NDArray[np.float64]) -> None:
        part = float(parts[parts != 0][0])
        root["cls"] = self._class_of(node, pair, what.hands, what.own, parts / part)
        where = np.zeros(1, np.int32)
        if self.n == len(self.nodes):
            self._make_room()
        self.n = add_nodes(root, self.nodes, self.n, self.index, where)
        self.roots.append((pair, int(where[0]), part))

    def _class_of(self, node: int, pair: int, hands: int, own: int, kinds: NDArray[np.float64]) -> int:
        """The number of a class, which is made if it is new."""
        for number in range(len(self.classes) - 1, VALUES, -1):
            known = self.classes[number][0]
            if known["pair"] != pair:
                break
            if known["hands"] == hands and known["own"] == own and np.allclose(known["kinds"], kinds, rtol=1e-12):
                return number
        new = np.zeros(1, CLASS)
        new["up"], new["value"] = self.nodes[node]["up"], value(int(self.nodes[node]["hand"]["cards"][0]))
        new["pair"], new["hands"], new["own"], new["kinds"] = pair, hands, own, kinds
        self.classes.append(new)
        return len(self.classes) - 1


def _move_nodes(nodes: NDArray[np.void], moves: int) -> NDArray[np.int64]:
    """The infostate of each move."""
    found = np.zeros(moves, np.int64)
    for node in np.flatnonzero(nodes["bits"]).tolist():
        first = int(nodes["first"][node])
        found[first : first + int(nodes["bits"][node]).bit_count()] = node
    return found


def _plain_class(up: int) -> NDArray[np.void]:
    """What is known of a hand that came of no split."""
    new = np.zeros(1, CLASS)
    new["up"], new["pair"], new["hands"] = up, -1, 1
    new["kinds"][0, 0] = new["weights"][0, 0] = 1.0
    return new


def _place_of(bits: int, action: int) -> int:
    """Which of a node's moves an action is."""
    return (bits & ((1 << action) - 1)).bit_count()


def _merged(deals: NDArray[np.void]) -> NDArray[np.void]:
    """Deals between the same nodes by the same action become one."""
    ends = np.stack([deals[name] for name in ("stake", "action", "node")], axis=1)
    found, inverse = np.unique(ends, axis=0, return_inverse=True)
    out = np.zeros(len(found), DEAL)
    for i, name in enumerate(("stake", "action", "node")):
        out[name] = found[:, i]
    for name in ("orders", "shown"):
        out[name] = np.bincount(inverse.ravel(), weights=deals[name], minlength=len(found))
    return out


def kinds_of(game: NDArray[np.void]) -> NDArray[np.void]:
    """The kinds of card in a game's shoe: `KIND`, by rank, and by suit too where a bonus asks for it."""
    cards = game["pack"][0, : int(game["size"][0])].astype(np.int64)
    if game["bonus"][0] == Bonus.NONE:
        cards = cards // 4 * 4
    found, numbers = np.unique(cards, return_counts=True)
    kinds = np.zeros(len(found), KIND)
    kinds["card"], kinds["number"] = found, numbers
    return kinds


def suits_of(game: NDArray[np.void]) -> NDArray[np.float64]:
    """Cards of a game's shoe by suit and value, float64 of shape (4, VALUES)."""
    suits = np.zeros((4, VALUES))
    for card in game["pack"][0, : int(game["size"][0])].tolist():
        suits[card % 4, value(card) - 1] += 1.0
    return suits


def tree_of(game: NDArray[np.void], order: int = NO_ORDER) -> Tree:
    """Every infostate of a heads-up game.

    Args:
        game: packed rules, table and shoe.
        order: NO_ORDER, SHOWN_ORDER or FULL_ORDER.
    """
    builder = _Builder(game, order)
    deals = builder.deal()
    builder.grow()
    pairs = builder.split(deals)
    builder.grow()
    deal_moves = builder.add_stakes(deals)
    drawing = (builder.nodes["done"] == 0) & (builder.nodes["phase"] == Phase.PLAY)
    drawing[builder.n :] = False
    builder.nodes["row"][drawing] = np.arange(np.count_nonzero(drawing))
    return Tree(
        game=game,
        shoe=builder.shoe,
        nodes=builder.nodes[: builder.n],
        actions=builder.actions,
        move_nodes=_move_nodes(builder.nodes[: builder.n], len(builder.actions)),
        children=builder.children,
        deals=deals,
        deal_moves=deal_moves,
        classes=np.concatenate(builder.classes),
        roots=np.array(builder.roots, ROOT),
        pairs=pairs,
        suits=suits_of(game),
    )
