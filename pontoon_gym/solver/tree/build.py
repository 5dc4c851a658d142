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
from pontoon_gym.hashing import EMPTY, digits_for
from pontoon_gym.names import SPLIT, Bonus, Phase, Role
from pontoon_gym.solver.cards.shoe import shoe_of
from pontoon_gym.solver.tree.grow import (
    DEAL,
    FALLS,
    KIND,
    MOST_NODES,
    MOVES,
    NODES,
    Growth,
    add_nodes,
    deal_all,
    grow,
    split_hand,
)
from pontoon_gym.solver.tree.pose import NODE
from pontoon_gym.solver.tree.splits import CLASS, ROOT, kind_parts


class Links(NamedTuple):
    """How the infostates of a tree hang together, for kernels; see `Tree`."""

    nodes: NDArray[np.void]
    actions: NDArray[np.int8]
    children: NDArray[np.int32]
    roots: NDArray[np.void]
    pairs: NDArray[np.int64]


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

    @property
    def links(self) -> Links:
        """How the infostates hang together."""
        return Links(self.nodes, self.actions, self.children, self.roots, self.pairs)


def player_bits(order: bool) -> int:
    """The bits of a player's key that tell infostates apart, with or without the order of shown cards."""
    parts = tuple(part for part in KEYS[Role.PLAYER] if order or part != "shown")
    return key_bits(Role.PLAYER, parts)


NO_ORDER, SHOWN_ORDER, FULL_ORDER = range(3)
"""What of the order of cards tells infostates apart: nothing; that of shown cards, as in infostate keys; that of the
first three received too, which a player's policy that is no table sees where the player's cards lie up."""


class _Made(NamedTuple):
    """What tells apart the hands that a pair makes."""

    hands: int
    own: int
    ident: int
    kind: int


def _first_growth(game: NDArray[np.void], order: int) -> Growth:
    """A tree without nodes."""
    return _indexed(
        Growth(
            game=game,
            rows=np.zeros(1, ROUND),
            shoe=shoe_of(game),
            key_bits=player_bits(order > NO_ORDER),
            order=order == FULL_ORDER,
            scratch=np.zeros(2, NODE),
            nodes=np.zeros(1 << 14, NODE),
            actions=np.zeros(1 << 14, np.int8),
            children=np.zeros((1 << 14, VALUES * FALLS), np.int32),
            idents=np.zeros(0, np.int64),
            node_keys=np.zeros(0, np.int64),
            numbers=np.zeros(0, np.int32),
            digits=0,
            counts=np.zeros(2, np.int64),
        )
    )


def _indexed(growth: Growth) -> Growth:
    """A tree with hash tables for as many nodes as it has room for, in which those that it has are found."""
    digits, n = digits_for(len(growth.nodes)), growth.counts[NODES]
    new = growth._replace(
        idents=np.full(1 << digits, EMPTY, np.int64),
        node_keys=np.full(1 << digits, EMPTY, np.int64),
        numbers=np.zeros(1 << digits, np.int32),
        digits=digits,
    )
    new.counts[NODES] = 0
    add_nodes(new, growth.nodes[:n].copy())
    return new


def _doubled(growth: Growth) -> Growth:
    """A tree with twice the room. Raises `NotCovered`."""
    if len(growth.nodes) >= MOST_NODES:
        raise NotCovered("a game of so many stakes and buys", got=f"over {MOST_NODES:,} infostates")
    nodes, actions, children = (
        np.concatenate([part, np.zeros_like(part)]) for part in (growth.nodes, growth.actions, growth.children)
    )
    return _indexed(growth._replace(nodes=nodes, actions=actions, children=children))


class _Builder:
    """A tree as it grows; arrays are doubled when they are full."""

    def __init__(self, game: NDArray[np.void], order: int) -> None:
        self.game, self.kinds, self.growth = game, kinds_of(game), _first_growth(game, order)
        self.next = 0
        self.classes = [_plain_class(up) for up in range(VALUES + 1)]
        self.roots: list[tuple[int, int, float]] = []

    @property
    def nodes(self) -> NDArray[np.void]:
        """The nodes that there are."""
        return self.growth.nodes[: self.growth.counts[NODES]]

    def deal(self) -> NDArray[np.void]:
        """Add stakes and hands of two cards; the deals, those of the same cards together."""
        room = len(self.kinds) ** 2 * (VALUES if self.game["banker_upcard"][0] else 1)
        deals = np.zeros(room * int(self.game["stake_levels"][0]), DEAL)
        return _merged(deals[: deal_all(self.growth, self.kinds, deals)])

    def grow(self) -> None:
        """Expand every node that is not expanded yet, and what comes of them."""
        while self.next < len(self.nodes):
            self.next = grow(self.growth, self.next)
            if self.next < len(self.nodes):
                self.growth = _doubled(self.growth)

    def add_stakes(self, deals: NDArray[np.void]) -> tuple[NDArray[np.int64], NDArray[np.int8], NDArray[np.int32]]:
        """Give every stake its moves, after all others: the move of each deal, all actions, all children."""
        ends = np.stack([deals["stake"], deals["action"]], axis=1)
        found, move_of = np.unique(ends, axis=0, return_inverse=True)
        stakes, first = np.unique(found[:, 0], return_index=True)
        moves = int(self.growth.counts[MOVES])
        self.nodes["first"][stakes] = moves + first
        np.bitwise_or.at(self.nodes["bits"], found[:, 0], 1 << found[:, 1])
        actions = np.concatenate([self.growth.actions[:moves], found[:, 1].astype(np.int8)])
        nowhere = np.full((len(found), VALUES * FALLS), -1, np.int32)
        return moves + move_of.ravel(), actions, np.concatenate([self.growth.children[:moves], nowhere])

    def split(self, deals: NDArray[np.void]) -> NDArray[np.int64]:
        """Add the hands that splits make; where each pair's roots begin, and the last one's end."""
        orders = np.bincount(deals["node"], weights=deals["orders"], minlength=len(self.nodes))
        bits, starts = self.nodes["bits"], [0]
        for node in np.flatnonzero((bits >> SPLIT & 1) & (self.nodes["hands"] == 1)).tolist():
            move = self.nodes[node]["first"] + _place_of(int(bits[node]), SPLIT)
            self.growth.children[move, 0] = len(starts) - 1
            self._split_pair(node, len(starts) - 1, float(orders[node]))
            starts.append(len(self.roots))
        return np.array(starts, np.int64)

    def _split_pair(self, node: int, pair: int, orders: float) -> None:
        """The hands that a pair makes at 2, 3, ... hands, by what ranks and suits they may be."""
        made: dict[_Made, tuple[NDArray[np.void], NDArray[np.float64]]] = {}
        held = value(int(self.nodes[node]["hand"]["cards"][0]))
        firsts = [a for a in range(len(self.kinds)) if value(int(self.kinds[a]["card"])) == held]
        for first, second in product(firsts, range(len(self.kinds))):
            parts = kind_parts(self.game, self.growth.shoe, self.kinds, first, second)
            if not parts.any():
                continue
            for hands in range(2, int(self.game["most_hands"][0]) + 1):
                what, root = self._split_to(node, first, second, hands)
                known = made.get(what)
                made[what] = (root, parts if known is None else known[1] + parts)
        for what, (root, parts) in made.items():
            self._add_root(node, pair, what, root, parts / orders)

    def _split_to(self, node: int, first: int, second: int, hands: int) -> tuple[_Made, NDArray[np.void]]:
        """The hand of two kinds of card that a split makes, and what tells it from others."""
        cards = int(self.kinds[first]["card"]), int(self.kinds[second]["card"])
        split_hand(self.growth, self.nodes[node : node + 1], *cards, hands)
        root = self.growth.scratch[:1].copy()
        own = int(is_pair(self.game[0], *cards))
        return _Made(hands, own, int(root[0]["ident"]), int(root[0]["hand"]["kind"])), root

    def _add_root(self, node: int, pair: int, what: _Made, root: NDArray[np.void], parts: NDArray[np.float64]) -> None:
        part = float(parts[parts != 0][0])
        root["cls"] = self._class_of(node, pair, what.hands, what.own, parts / part)
        if len(self.nodes) == len(self.growth.nodes):
            self.growth = _doubled(self.growth)
        self.roots.append((pair, add_nodes(self.growth, root), part))

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
    deal_moves, actions, children = builder.add_stakes(deals)
    nodes = builder.nodes
    drawing = (nodes["done"] == 0) & (nodes["phase"] == Phase.PLAY)
    nodes["row"][drawing] = np.arange(np.count_nonzero(drawing))
    return Tree(
        game=game,
        shoe=builder.growth.shoe,
        nodes=nodes,
        actions=actions,
        move_nodes=_move_nodes(nodes, len(actions)),
        children=children,
        deals=deals,
        deal_moves=deal_moves,
        classes=np.concatenate(builder.classes),
        roots=np.array(builder.roots, ROOT),
        pairs=pairs,
        suits=suits_of(game),
    )
