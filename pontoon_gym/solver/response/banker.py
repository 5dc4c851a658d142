"""Bankers against one player: what any of them costs, and the best of them.

The banker sees what clause 8 lets him see, and infers the rest: of the player's finished hands that look alike to him
(`banker.readings`), each counts as often as the player's policy makes it. All chances here are those of card
sequences, the player's and his own, so that nothing has to be divided by what he knows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.compiled import Record, kernel
from pontoon_gym.engine.hand import AFTER, VALUES, kind, total_of
from pontoon_gym.engine.legal import allowed, may
from pontoon_gym.engine.settle import STAKE, hand_win_rate, rate, total_stake
from pontoon_gym.engine.state import ROUND
from pontoon_gym.engine.view.infostate import ALL_BITS, KEYS, banker_key
from pontoon_gym.errors import NotCovered
from pontoon_gym.names import BANKER_ACTIONS, STICK, TWIST, HandKind, Role
from pontoon_gym.policies.baselines import baseline
from pontoon_gym.policies.metadata import Metadata
from pontoon_gym.policies.policy import Policy, name_of
from pontoon_gym.policies.tabular import Strategy
from pontoon_gym.solver.banker.asking import Readings, asker_of, pose_banker, readings
from pontoon_gym.solver.banker.outcomes import DRAWABLE, OUTCOMES, ends_at_once, kind_of, outcome_of
from pontoon_gym.solver.cards.chance import chances
from pontoon_gym.solver.cards.shoe import CARDS, COUNTS, TOTALS, fits, left_of, sequence_chance
from pontoon_gym.solver.expectation import (
    again_of,
    ask_player,
    check_answered,
    check_reached_splits,
    order_seen,
    reach_of,
)
from pontoon_gym.solver.heads_up import HeadsUp
from pontoon_gym.solver.tree.build import SHOWN_ORDER, Tree, tree_of
from pontoon_gym.solver.tree.pose import pose


class Facing(NamedTuple):
    """One player's policy as bankers meet it.

    Attributes:
        tree: the infostates, told apart by the order of shown cards.
        told: what a banker can tell apart of the finished hands that the policy comes to.
        often: of each finished hand (`told.ended`), how often it is come to for one order of its cards; float64.
        pays: what it then gets by how the banker ends, chips; float64 of shape (n, OUTCOMES).
        fixed: what is lost or won whatever the banker does: busts, and Pontoons shown at once; chips.
    """

    tree: Tree
    told: Readings
    often: NDArray[np.float64]
    pays: NDArray[np.float64]
    fixed: float


@kernel
def fill_pays(
    game: NDArray[np.void], nodes: NDArray[np.void], ended: NDArray[np.int64], pays: NDArray[np.float64]
) -> None:
    """What finished hands get by how the banker ends, chips; fills `pays`, float64 of shape (n, OUTCOMES)."""
    for i in range(len(ended)):
        hand = nodes[ended[i]]["hand"]
        win, total, stake = hand_win_rate(game[0], hand), total_of(hand), total_stake(hand)
        for outcome in range(OUTCOMES):
            half = rate(game[0], hand["kind"], total, win, kind_of(outcome), outcome)
            pays[i, outcome] = stake * half / STAKE


def facing(game: HeadsUp, player: Policy) -> Facing:
    """A player's policy as bankers meet it.

    Raises `UnknownInfostate`, and `NotCovered` for splits, up cards, and hands of which a banker's key does not hold
    all shown cards.
    """
    check_readable(game)
    tree = tree_of(game.game, max(SHOWN_ORDER, order_seen(game, player, None)))
    played = ask_player(player, tree)
    chance = chances(tree, again_of(tree, played))
    reach = reach_of(tree, chance, played)
    check_answered(tree, reach, played, name_of(player))
    check_reached_splits(tree, reach, blind=False)
    told = readings(tree, reach > 0.0)
    pays = np.zeros((len(told.ended), OUTCOMES))
    fill_pays(tree.game, tree.nodes, told.ended, pays)
    lost = np.flatnonzero((tree.nodes["made"] < 0) & (reach > 0.0))
    busts = np.zeros((len(lost), OUTCOMES))
    fill_pays(tree.game, tree.nodes, lost, busts)
    shown = float((played[tree.deal_moves] * tree.deals["shown"]).sum())
    often = reach[told.ended] / chance.measure[told.ended]
    return Facing(tree, told, often, pays, shown + float(busts[:, 0] @ reach[lost]))


def check_readable(game: HeadsUp) -> None:
    """Raise `NotCovered` where a banker's infostate key does not hold all that he knows."""
    rules = game.rules
    if rules.banker_upcard:
        raise NotCovered("a banker's best response with a card of his lying up", allowed="banker_upcard=no")
    if not rules.players_face_up and not 0 < rules.trick_cards <= 5:
        raise NotCovered(
            "a banker's best response to hidden hands of more than five cards", allowed="trick_cards=3 to 5"
        )


@kernel
def stop_values(
    shoe: Record,
    b: int,
    outcome: int,
    gone: NDArray[np.int64],
    counts: NDArray[np.int64],
    often: NDArray[np.float64],
    pays: NDArray[np.float64],
) -> tuple[float, float, float]:
    """What a banker's composition is worth if he stops at `outcome`, what the cards are that would bust it, and its
    chance.

    Args:
        gone, counts: cards of each finished hand that looks like this one, by value and in number.
    """
    stop, bust, met = 0.0, 0.0, 0.0
    for i in range(len(gone)):
        both = gone[i] + COUNTS[b]
        chance = often[i] * sequence_chance(shoe, both)
        if chance > 0.0:
            met += chance
            stop += chance * pays[i, outcome]
            left = shoe["size"] - shoe["used"] * (counts[i] + CARDS[b])
            for v in range(1, VALUES + 1):
                if AFTER[b, v - 1] < 0 and left > 0:
                    bust += chance * max(left_of(shoe, both, v), 0) / left * pays[i, 0]
    return stop, bust, met


@kernel
def walk_back(
    game: NDArray[np.void],
    rows: NDArray[np.void],
    shoe: NDArray[np.void],
    node: NDArray[np.void],
    gone: NDArray[np.int64],
    counts: NDArray[np.int64],
    often: NDArray[np.float64],
    pays: NDArray[np.float64],
    follows: bool,
    twists: NDArray[np.float64],
    worth: NDArray[np.float64],
    values: NDArray[np.float64],
    choices: NDArray[np.bool_],
    chances: NDArray[np.float64],
) -> float:
    """What a reading is worth to the player, chips times its chance: the banker's compositions, most cards first.

    Args:
        node: one of the finished hands that look alike, `NODE` of shape (1,).
        follows: the banker plays `twists`; else he plays best, and `twists` is filled with what he does.
        twists: the chance that he twists, float64 of shape (compositions,).
        worth: of a stick and a twist, filled; float64 of shape (compositions, BANKER_ACTIONS).
        values: of each composition, filled; float64 of shape (compositions,).
        choices: whether each can be, and leaves a choice, filled; bool of shape (compositions,).
        chances: of each composition in one order, filled; float64 of shape (compositions,).
    """
    r, s = game[0], rows[0]
    pose(r, s, node[0])
    for b in range(len(CARDS) - 1, -1, -1):
        ended = kind(r, TOTALS[b], CARDS[b], False, False)
        if CARDS[b] < 2 or (r["trick_cards"] > 0 and CARDS[b] > r["trick_cards"]) or not fits(shoe[0], b):
            continue
        stop, bust, met = stop_values(shoe[0], b, outcome_of(ended, TOTALS[b]), gone, counts, often, pays)
        worth[b, STICK], worth[b, TWIST], chances[b] = stop, bust, met
        if ended != HandKind.TOTAL:
            values[b], twists[b] = stop, 0.0
            continue
        for v in range(VALUES):
            if AFTER[b, v] >= 0:
                worth[b, TWIST] += values[AFTER[b, v]]
        pose_banker(s, r, b, max(shoe[0]["size"] - counts[0] - CARDS[b], 0))
        bits = allowed(r, s)
        choices[b] = met > 0.0 and may(bits, STICK) and may(bits, TWIST)
        if not choices[b]:
            twists[b] = 0.0 if may(bits, STICK) else 1.0
        elif not follows:
            twists[b] = 1.0 if worth[b, TWIST] < worth[b, STICK] else 0.0
        values[b] = worth[b, STICK] if twists[b] <= 0.0 else (1.0 - twists[b]) * stop + twists[b] * worth[b, TWIST]
    return first_values(shoe[0], values)


@kernel
def first_values(shoe: Record, values: NDArray[np.float64]) -> float:
    """The sum over the banker's first two cards in each order, but for those that he shows at once (5.1)."""
    total = 0.0
    for v in range(1, VALUES + 1):
        for w in range(1, VALUES + 1):
            if not ends_at_once(shoe, v, w):
                total += values[AFTER[AFTER[0, v - 1], w - 1]]
    return total


@kernel
def fill_orders(shoe: Record, twists: NDArray[np.float64], orders: NDArray[np.float64]) -> None:
    """In how many orders of cards a banker comes to each composition; fills `orders`, float64 of (compositions,)."""
    orders[:] = 0.0
    for v in range(1, VALUES + 1):
        for w in range(1, VALUES + 1):
            if not ends_at_once(shoe, v, w):
                orders[AFTER[AFTER[0, v - 1], w - 1]] += 1.0
    for b in range(len(CARDS)):
        if orders[b] > 0.0 and twists[b] > 0.0:
            for v in range(VALUES):
                if AFTER[b, v] >= 0:
                    orders[AFTER[b, v]] += orders[b] * twists[b]


@kernel
def fill_keys(
    game: NDArray[np.void],
    rows: NDArray[np.void],
    node: NDArray[np.void],
    size: int,
    made: NDArray[np.int64],
    out: NDArray[np.int64],
) -> None:
    """The banker's infostate keys with some compositions against a finished hand; fills `out`, int64 of (n,)."""
    r, s = game[0], rows[0]
    pose(r, s, node[0])
    for i in range(len(made)):
        pose_banker(s, r, made[i], max(size - node[0]["hand"]["count"] - CARDS[made[i]], 0))
        out[i] = banker_key(r, s, ALL_BITS)


class Walk(NamedTuple):
    """The banker's compositions against hands that look alike, walked back once (`walk_back`).

    Attributes:
        node: one of the finished hands.
        total: what they are worth to the player, chips times their chance.
        twists, worth, values, choices, met: see `walk_back`; the last are its chances.
    """

    node: int
    total: float
    twists: NDArray[np.float64]
    worth: NDArray[np.float64]
    values: NDArray[np.float64]
    choices: NDArray[np.bool_]
    met: NDArray[np.float64]


class BankerSearch:
    """The search for the best banker against one player."""

    def __init__(self, game: HeadsUp, player: Policy) -> None:
        self.game, self.player, self.facing = game, player, facing(game, player)
        told = self.facing.told
        self._order = np.argsort(told.reading, kind="stable")
        self._starts = np.searchsorted(told.reading[self._order], np.arange(len(told.shown) + 1))
        self._rows = np.zeros(1, ROUND)

    def walk(self, reading: int, twists: NDArray[np.float64] | None = None) -> Walk:
        """One reading, with the best banker or one who plays `twists`."""
        facing, tree = self.facing, self.facing.tree
        of = self._order[self._starts[reading] : self._starts[reading + 1]]
        hands, node = tree.nodes["hand"][facing.told.ended[of]], int(facing.told.shown[reading])
        played = np.zeros(len(CARDS)) if twists is None else twists.copy()
        worth, values = np.zeros((len(CARDS), BANKER_ACTIONS)), np.zeros(len(CARDS))
        choices, met = np.zeros(len(CARDS), np.bool_), np.zeros(len(CARDS))
        total = walk_back(
            tree.game, self._rows, tree.shoe, tree.nodes[node : node + 1], hands["counts"],
            hands["count"].astype(np.int64), facing.often[of], facing.pays[of], twists is not None, played, worth,
            values, choices, met,
        )  # fmt: skip
        return Walk(node, float(total), played, worth, values, choices, met)

    def choices(self, walk: Walk) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Where a banker who plays like that comes and has a choice: compositions, keys, in how many orders."""
        tree = self.facing.tree
        orders = np.zeros(len(CARDS))
        fill_orders(tree.shoe[0], walk.twists, orders)
        made = np.flatnonzero(walk.choices & (orders > 0.0))
        keys = np.zeros(len(made), np.int64)
        size = int(tree.shoe["size"][0])
        fill_keys(tree.game, self._rows, tree.nodes[walk.node : walk.node + 1], size, made, keys)
        return made, keys, orders[made]

    def follow(self, banker: Policy) -> Iterator[Walk]:
        """Every reading, with this banker. Raises `UnknownInfostate`."""
        tree, told = self.facing.tree, self.facing.told
        for reading, answers in enumerate(asker_of(tree, banker)(told.shown)):
            left = int(tree.shoe["size"][0]) - int(tree.nodes[told.shown[reading]]["hand"]["count"]) - CARDS
            row = np.clip(left, 0, DRAWABLE - 1) if tree.shoe["used"][0] else DRAWABLE - 1
            yield self.walk(reading, answers[row, np.arange(len(CARDS))])

    def table(self, walks: Iterable[Walk], name: str) -> tuple[float, Strategy]:
        """The round's value to the player in least stakes, and the table, of a banker who plays like that.

        The table draws if the banker does; it passes on to `stand17` where he cannot come against this player.
        """
        total, keys, twists = self.facing.fixed, [np.zeros(0, np.int64)], [np.zeros(0)]
        for walk in walks:
            total += walk.total
            made, found, _ = self.choices(walk)
            keys.append(found)
            twists.append(walk.twists[made])
        rules, table, twist = self.game.rules, self.game.table, np.concatenate(twists)
        strategy = Strategy(
            Metadata("banker", rules, table, name=name),
            parts=tuple(KEYS[Role.BANKER]),
            keys=np.concatenate(keys),
            weights=np.stack([1.0 - twist, twist], axis=1),
            greedy=bool(((twist == 0.0) | (twist == 1.0)).all()),
            otherwise=baseline("stand17", "banker", rules, table),
        )
        return total / table.stake_min, strategy

    def best(self) -> tuple[float, Strategy]:
        """The round's value to the player in least stakes, and the banker's table."""
        walks = (self.walk(reading) for reading in range(len(self.facing.told.shown)))
        return self.table(walks, f"best against {name_of(self.player)}")
