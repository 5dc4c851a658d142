"""A player's policy on a tree: how often it comes to each infostate, and what each move is worth.

Below a stake, values are conditional on what the player knows and on the banker's check having let play go on (5.1);
a stake's own values are absolute, so that their sum is the round's.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.names import SPLIT, Phase
from pontoon_gym.solver.banker.endings import Endings
from pontoon_gym.solver.cards.chance import Chances, pay_off
from pontoon_gym.solver.cards.shoe import measure
from pontoon_gym.solver.heads_up import check_splits
from pontoon_gym.solver.response.asking import decisions
from pontoon_gym.solver.response.backup import fill_moves, fill_stakes, fill_values, spread_reach
from pontoon_gym.solver.tree.build import Tree


class Played(NamedTuple):
    """A player's policy on a tree.

    Attributes:
        played: the chance of each move; float64 of shape (moves,).
        moves: what each move is worth if the policy is followed afterwards, chips.
        values: what each infostate is worth, chips.
        chances: what chance does, with this policy's splits.
        total: the round's value, chips.
    """

    played: NDArray[np.float64]
    moves: NDArray[np.float64]
    values: NDArray[np.float64]
    chances: Chances
    total: float


class Judged(NamedTuple):
    """A player's policy against a banker.

    Attributes:
        tree: the infostates.
        result: the policy on them.
        reach: how often it comes to each infostate in a round, float64 of shape (nodes,); stakes are left out.
    """

    tree: Tree
    result: Played
    reach: NDArray[np.float64]


def blocks(tree: Tree) -> list[tuple[int, int]]:
    """Ranges of infostates that do not lead to each other, parents first."""
    nodes = decisions(tree)
    nodes = nodes[tree.nodes["phase"][nodes] == Phase.PLAY]
    level = tree.nodes["hand"]["count"][nodes] + 100 * (tree.nodes["hands"][nodes] > 1)
    return list(pairwise([0, *nodes[1:][np.diff(level) != 0].tolist(), len(tree.nodes)]))


def split_moves(tree: Tree) -> NDArray[np.int64]:
    """The move that splits each pair, int64 of shape (pairs,)."""
    moves = np.flatnonzero((tree.actions == SPLIT) & (tree.nodes["hands"][tree.move_nodes] == 1))
    return moves[np.argsort(tree.children[moves, 0])]


def again_moves(tree: Tree) -> NDArray[np.int64]:
    """The moves that split a pair again, int64."""
    return np.flatnonzero((tree.actions == SPLIT) & (tree.nodes["hands"][tree.move_nodes] > 1))


def again_of(tree: Tree, played: NDArray[np.float64]) -> NDArray[np.float64]:
    """How often each pair is split again at 2, 3, ... hands, float64 of shape (pairs, hands − 2)."""
    again = np.zeros((len(tree.pairs) - 1, max(int(tree.game["most_hands"][0]) - 2, 0)))
    moves = again_moves(tree)
    nodes = tree.nodes[tree.move_nodes[moves]]
    again[tree.classes["pair"][nodes["cls"]], nodes["hands"] - 2] = played[moves]
    return again


def stake_moves(tree: Tree) -> NDArray[np.int64]:
    """The moves that put down a stake, int64."""
    return np.unique(tree.deal_moves)


def anybody(tree: Tree) -> NDArray[np.float64]:
    """The moves of somebody who makes every one, float64 of shape (moves,).

    To split again is left out: how often that is done stands in the measures of the hands that it makes.
    """
    played = np.ones(len(tree.actions))
    played[again_moves(tree)] = 0.0
    return played


def by_node(tree: Tree, of_moves: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sums over the moves of each infostate, float64 of shape (nodes,)."""
    return np.bincount(tree.move_nodes, weights=of_moves, minlength=len(tree.nodes)).astype(np.float64)


def leaves(tree: Tree, chance: Chances, endings: Endings) -> NDArray[np.float64]:
    """What finished hands are worth, chips, float64 of shape (nodes,); 0 for others."""
    values = np.zeros(len(tree.nodes))
    pay_off(tree.game, tree.shoe, tree.nodes, chance.classes, chance.measure, *endings, values)
    return values


def evaluate(tree: Tree, chance: Chances, endings: Endings, played: NDArray[np.float64]) -> Played:
    """What a player's policy is worth against a banker who ends like that; `chance` is that of its splits."""
    values, moves = leaves(tree, chance, endings), np.zeros(len(tree.actions))
    for first, last in reversed(blocks(tree)):
        fill_moves(first, last, tree.links, chance, values, moves)
        fill_values(first, last, tree.links, chance, played, moves, values)
    fill_stakes(tree.deals, tree.deal_moves, chance.measure, values, moves)
    stakes = stake_moves(tree)
    return Played(played, moves, values, chance, float(played[stakes] @ moves[stakes]))


def reach_of(tree: Tree, chance: Chances, played: NDArray[np.float64]) -> NDArray[np.float64]:
    """How often each infostate is met in a round by who plays moves with these chances, float64 of shape (nodes,).

    Play having to go on; split hands are counted each for itself.
    """
    reach = np.zeros(len(tree.nodes))
    stakes = played[tree.deal_moves]
    np.add.at(reach, tree.deals["node"], stakes * tree.deals["orders"] * chance.measure[tree.deals["node"]])
    spread_reach(tree.links, chance, played, reach)
    return reach


def stake_chances(tree: Tree) -> NDArray[np.float64]:
    """The chance of the card at which each stake is put down, float64 of shape (nodes,); 0 for other infostates."""
    shoe, found = tree.shoe[0].copy(), np.zeros(len(tree.nodes))
    shoe["peek"] = 0
    _, first = np.unique(tree.deals["stake"], return_index=True)
    actions = dict(zip(tree.deals["stake"][first].tolist(), tree.deals["action"][first].tolist(), strict=True))
    for deal in tree.deals:
        if deal["action"] == actions[int(deal["stake"])]:
            hand, up = tree.nodes[deal["node"]]["hand"], int(tree.nodes[deal["node"]]["up"])
            found[deal["stake"]] += deal["orders"] * measure(shoe, int(hand["counts"]), 2, up)
    return found


def check_reached_splits(tree: Tree, reach: NDArray[np.float64], blind: bool) -> None:
    """Raise `NotCovered` if a policy splits where split hands have no exact value (`heads_up.check_splits`)."""
    if (reach[tree.nodes["hands"] > 1] > 0.0).any():
        check_splits(tree.game, blind)
