"""What chance does on a tree: how likely each infostate and each card is, and what finished hands are worth."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.compiled import Record, kernel, leaf
from pontoon_gym.engine.hand import VALUES, card_count, one_card, total_of
from pontoon_gym.engine.settle import SPADES, STAKE, hand_win_rate, rate, total_stake
from pontoon_gym.engine.view.observe import suit_flag
from pontoon_gym.names import Bonus, HandKind, Phase
from pontoon_gym.solver.banker.outcomes import expected_rate
from pontoon_gym.solver.cards.shoe import measure, with_extra
from pontoon_gym.solver.tree.build import Tree
from pontoon_gym.solver.tree.grow import FALLS
from pontoon_gym.solver.tree.splits import EXTRA, plays

ROUNDING = 1e-11
"""Of a sum's parts, what may be left of it where it is 0."""


class Chances(NamedTuple):
    """What chance does on a tree.

    Attributes:
        classes: `splits.CLASS` with the weights of the policy's splits.
        measure: of each infostate, the chance of its cards in one order, of what its class knows, and that play goes
            on; float64 of shape (nodes,).
        following: the chance of each card that may come, as `Tree.children` has them, float64 of shape (rows, VALUES *
            FALLS): an infostate's row is its `row`.
    """

    classes: NDArray[np.void]
    measure: NDArray[np.float64]
    following: NDArray[np.float64]


@kernel
def node_measure(shoe: Record, known: Record, gone: int, count: int) -> float:
    """The measure of some cards of the player's, with what a class knows."""
    total, size = 0.0, 0.0
    for j in range(EXTRA):
        if known["weights"][j] != 0.0:
            extra = with_extra(gone, known["value"], j)
            part = known["weights"][j] * measure(shoe, extra, count + j, known["up"])
            total += part
            size += abs(part)
    # A signed sum of what cannot be leaves rounding behind.
    return total if total > ROUNDING * size else 0.0


@kernel
def suit_chance(shoe: Record, suits: NDArray[np.float64], gone: int, suit: int) -> float:
    """The chance that cards are all of one suit, given their values."""
    chance = 1.0
    for v in range(VALUES):
        for i in range(card_count(gone, v + 1)):
            chance *= max(suits[suit, v] - shoe["used"] * i, 0.0) / max(shoe["values"][v] - shoe["used"] * i, 1)
    return chance


@kernel
def one_suit_chance(shoe: Record, suits: NDArray[np.float64], gone: int, flag: int) -> float:
    """The chance that cards are all spades (flag 2), or all of one other suit (flag 1), given their values."""
    if flag == 2:
        return suit_chance(shoe, suits, gone, SPADES)
    total = 0.0
    for suit in range(SPADES):
        total += suit_chance(shoe, suits, gone, suit)
    return total


@leaf
def stay_chance(r: Record, shoe: Record, suits: NDArray[np.float64], hand: Record, v: int) -> float:
    """The chance that a card of a value keeps the hand in its one suit; 1 where suits do not count."""
    flag = suit_flag(r, hand)
    if flag == 0:
        return 1.0
    before = one_suit_chance(shoe, suits, hand["counts"], flag)
    after = one_suit_chance(shoe, suits, hand["counts"] + one_card(v), flag)
    return after / before if before > 0.0 else 0.0


@kernel
def fill_chances(
    game: NDArray[np.void],
    shoe: NDArray[np.void],
    suits: NDArray[np.float64],
    nodes: NDArray[np.void],
    classes: NDArray[np.void],
    measures: NDArray[np.float64],
    following: NDArray[np.float64],
) -> None:
    """Fill `Chances` of a tree."""
    r = game[0]
    for x in range(len(nodes)):
        node = nodes[x]
        measures[x] = 0.0
        if node["made"] < 0 or node["phase"] != Phase.PLAY:
            continue
        hand, known = node["hand"], classes[node["cls"]]
        measures[x] = node_measure(shoe[0], known, hand["counts"], hand["count"])
        if node["done"] or measures[x] <= 0.0:
            continue
        for v in range(1, VALUES + 1):
            chance = node_measure(shoe[0], known, hand["counts"] + one_card(v), hand["count"] + 1) / measures[x]
            stays = stay_chance(r, shoe[0], suits, hand, v) if r["bonus"] != Bonus.NONE else 1.0
            following[node["row"], FALLS * (v - 1)] = chance * stays
            following[node["row"], FALLS * (v - 1) + 1] = chance * (1.0 - stays)


def classes_of(tree: Tree, again: NDArray[np.float64]) -> NDArray[np.void]:
    """The tree's classes with the weights that a policy's splits give them.

    Args:
        again: by pair, the chance that it is split again at 2, 3, ... hands; float64 of shape (pairs, hands − 2).
    """
    most = int(tree.game["most_hands"][0])
    classes = tree.classes.copy()
    for known in classes:
        if known["pair"] >= 0:
            found = plays(most, tuple(again[known["pair"]].tolist()))
            known["weights"] = known["kinds"] * found[int(known["hands"]), int(known["own"])]
    return classes


def chances(tree: Tree, again: NDArray[np.float64]) -> Chances:
    """What chance does on a tree where pairs are split again so often (`classes_of`)."""
    classes = classes_of(tree, again)
    measure, following = np.zeros(len(tree.nodes)), np.zeros((int(tree.nodes["row"].max()) + 1, VALUES * FALLS))
    fill_chances(tree.game, tree.shoe, tree.suits, tree.nodes, classes, measure, following)
    return Chances(classes, measure, following)


# --- what finished hands are worth -------------------------------------------------------------------------------


@kernel
def hand_value(
    r: Record,
    shoe: Record,
    node: Record,
    known: Record,
    own: float,
    row_of: NDArray[np.int32],
    rows: NDArray[np.float64],
) -> float:
    """What a finished hand of measure `own` is worth on average, in stakes."""
    hand, value = node["hand"], 0.0
    win = hand_win_rate(r, hand)
    for j in range(EXTRA):
        if known["weights"][j] != 0.0:
            gone = with_extra(hand["counts"], known["value"], j)
            part = known["weights"][j] * measure(shoe, gone, hand["count"] + j, known["up"])
            if part != 0.0:
                value += part * expected_rate(r, hand["kind"], total_of(hand), win, rows[row_of[j]])
    return value / own / STAKE


@kernel
def pay_off(
    game: NDArray[np.void],
    shoe: NDArray[np.void],
    nodes: NDArray[np.void],
    classes: NDArray[np.void],
    measures: NDArray[np.float64],
    row_of: NDArray[np.int32],
    rows: NDArray[np.float64],
    values: NDArray[np.float64],
) -> None:
    """What finished hands are worth on average, in chips; fills `values` of all finished nodes.

    Args:
        row_of: by node and by cards of the pair's kind gone, the row of the banker's outcomes; (nodes, EXTRA).
        rows: distributions of the banker's final hand, float64 of shape (n, OUTCOMES).
    """
    for x in range(len(nodes)):
        node = nodes[x]
        stake = total_stake(node["hand"])
        if node["done"] and node["made"] < 0:
            values[x] = stake * rate(game[0], HandKind.BUST, 0, 0, 0, 0) / STAKE
        elif node["done"] and measures[x] > 0.0:
            known = classes[node["cls"]]
            values[x] = stake * hand_value(game[0], shoe[0], node, known, measures[x], row_of[x], rows)
