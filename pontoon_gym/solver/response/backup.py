"""From the last choice to the first: what each infostate and each move is worth."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.compiled import Record, kernel, leaf
from pontoon_gym.names import SPLIT, STICK, Phase
from pontoon_gym.solver.cards.chance import Chances
from pontoon_gym.solver.tree.build import Links


@leaf
def number_of_moves(node: Record) -> int:
    """How many moves an infostate has."""
    n, bits = 0, node["bits"]
    while bits:
        bits &= bits - 1
        n += 1
    return n


@kernel
def move_value(
    action: int, following: NDArray[np.float64], children: NDArray[np.int32], values: NDArray[np.float64]
) -> float:
    """What a stick, twist or buy is worth: a finished hand, or the mean over cards."""
    if action == STICK:
        return values[children[0]]
    mean = 0.0
    for i in range(len(children)):
        if following[i] > 0.0:
            mean += following[i] * values[children[i]]
    return mean


@kernel
def split_value(
    pair: int, own: float, links: Links, measures: NDArray[np.float64], values: NDArray[np.float64]
) -> float:
    """What a pair is worth if it is split: the sum over the hands it makes, each as often as it is played."""
    total = 0.0
    for k in range(links.pairs[pair], links.pairs[pair + 1]):
        root = links.roots[k]
        total += root["part"] * measures[root["node"]] * values[root["node"]]
    return total / own


@kernel
def fill_moves(
    first: int, last: int, links: Links, chance: Chances, values: NDArray[np.float64], moves: NDArray[np.float64]
) -> None:
    """What each move of the infostates from `first` to before `last` is worth; fills `moves`.

    To split again is worth 0 here: how often that is done stands in the measures of the hands that it makes.
    """
    for x in range(first, last):
        node, own = links.nodes[x], chance.measure[x]
        if node["done"] or node["phase"] != Phase.PLAY or own <= 0.0:
            continue
        for m in range(node["first"], node["first"] + number_of_moves(node)):
            action, children = links.actions[m], links.children[m]
            if action != SPLIT:
                moves[m] = move_value(action, chance.following[node["row"]], children, values)
            elif node["hands"] == 1:
                moves[m] = split_value(children[0], own, links, chance.measure, values)


@kernel
def fill_values(
    first: int,
    last: int,
    links: Links,
    chance: Chances,
    played: NDArray[np.float64],
    moves: NDArray[np.float64],
    values: NDArray[np.float64],
) -> None:
    """What the infostates from `first` to before `last` are worth to who plays moves with the chances `played`.

    A pair that may be split again is worth what it brings where it is not.
    """
    for x in range(first, last):
        node = links.nodes[x]
        if node["done"] or node["phase"] != Phase.PLAY or chance.measure[x] <= 0.0:
            continue
        value, weight = 0.0, 0.0
        for m in range(node["first"], node["first"] + number_of_moves(node)):
            if links.actions[m] != SPLIT or node["hands"] == 1:
                value += played[m] * moves[m]
                weight += played[m]
        values[x] = value / weight if weight > 0.0 else 0.0


@kernel
def fill_stakes(
    deals: NDArray[np.void],
    move_of: NDArray[np.int64],
    measures: NDArray[np.float64],
    values: NDArray[np.float64],
    moves: NDArray[np.float64],
) -> None:
    """What each stake brings, times the chance of the card at which it is put down; adds to `moves`."""
    for d in range(len(deals)):
        deal = deals[d]
        at = deal["node"]
        moves[move_of[d]] += deal["orders"] * measures[at] * values[at] + deal["shown"]


@kernel
def add_by_key(
    first: int,
    last: int,
    links: Links,
    group: NDArray[np.int64],
    weights: NDArray[np.float64],
    moves: NDArray[np.float64],
    sums: NDArray[np.float64],
) -> None:
    """Add up what moves are worth over the infostates that share a key; fills `sums`, float64 of (keys, actions)."""
    for x in range(first, last):
        node = links.nodes[x]
        if node["done"]:
            continue
        for m in range(node["first"], node["first"] + number_of_moves(node)):
            sums[group[x], links.actions[m]] += weights[x] * moves[m]


@kernel
def choose_best(
    first: int,
    last: int,
    links: Links,
    group: NDArray[np.int64],
    again: NDArray[np.bool_],
    sums: NDArray[np.float64],
    played: NDArray[np.float64],
) -> None:
    """Let each infostate play the move of most worth, of equal ones the first; fills `played` with 0 and 1.

    Args:
        again: whether a pair is split again, by infostate; bool of shape (nodes,).
    """
    for x in range(first, last):
        node = links.nodes[x]
        if node["done"]:
            continue
        best, most = -1, -np.inf
        for m in range(node["first"], node["first"] + number_of_moves(node)):
            played[m] = 0.0
            worth = sums[group[x], links.actions[m]]
            if links.actions[m] == SPLIT and node["hands"] > 1:
                worth = np.inf if again[x] else -np.inf
            if best < 0 or worth > most:
                best, most = m, worth
        played[best] = 1.0


@kernel
def spread_reach(links: Links, chance: Chances, played: NDArray[np.float64], reach: NDArray[np.float64]) -> None:
    """How often each infostate is reached by who plays moves with the chances `played`; adds to `reach`.

    That of hands of two cards must be there. Split hands are counted each for itself.
    """
    for x in range(len(links.nodes)):
        node = links.nodes[x]
        if node["done"] or node["phase"] != Phase.PLAY or reach[x] == 0.0:
            continue
        last = node["first"] + number_of_moves(node)
        kept = 1.0
        for m in range(node["first"], last):
            if links.actions[m] == SPLIT and node["hands"] > 1:
                kept -= played[m]
        for m in range(node["first"], last):
            if played[m] > 0.0 and (links.actions[m] != SPLIT or node["hands"] == 1):
                spread_move(links, chance, x, m, reach[x] * played[m] / kept, reach)


@kernel
def spread_move(links: Links, chance: Chances, x: int, m: int, often: float, reach: NDArray[np.float64]) -> None:
    """Add what one move of an infostate, made so often, leads to."""
    children, following = links.children[m], chance.following[links.nodes[x]["row"]]
    if links.actions[m] == STICK:
        reach[children[0]] += often
    elif links.actions[m] == SPLIT:
        for k in range(links.pairs[children[0]], links.pairs[children[0] + 1]):
            root = links.roots[k]
            reach[root["node"]] += often * root["part"] * chance.measure[root["node"]] / chance.measure[x]
    else:
        for i in range(len(children)):
            if following[i] > 0.0:
                reach[children[i]] += often * following[i]
