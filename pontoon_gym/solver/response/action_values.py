"""Action values: what each action in each infostate is worth if the policy is followed afterwards."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.solver.response.played import Judged, again_moves, anybody, reach_of, stake_chances, stake_moves
from pontoon_gym.solver.tree.build import player_bits


class ActionValues(NamedTuple):
    """The action values of a policy, one row for each action of each infostate; sorted by key, then by action.

    A player's rows are all infostates that can be met, a banker's those with a choice to which the policy comes. To
    split a pair again has no row: what it brings is in the values of the hands that it makes.

    Attributes:
        keys: infostate keys (`engine.view.infostate`), int64 of shape (n,).
        actions: `names.Action` and what follows it, int64 of shape (n,).
        values: of the action to the judged side, in least stakes, given that the infostate is met; float64 of shape
            (n,). Where a key stands for several infostates, their mean, each as often as the policy meets it; or, where
            it meets none, as often as somebody who makes every move.
        reach: how often the policy meets the infostate in a round, float64 of shape (n,); split hands are counted each
            for itself.
    """

    keys: NDArray[np.int64]
    actions: NDArray[np.int64]
    values: NDArray[np.float64]
    reach: NDArray[np.float64]


def mean_by_key(single: ActionValues, possible: NDArray[np.float64]) -> ActionValues:
    """Rows of one key and action become one.

    Args:
        single: rows in any order, a key and action as often as you like.
        possible: how often somebody who makes every move meets the infostate of each row, float64 of shape (n,); rows
            where it is 0 are left out.
    """
    pairs = np.stack([single.keys, single.actions], axis=1)[possible > 0.0]
    values, reach, possible = (part[possible > 0.0] for part in (single.values, single.reach, possible))
    found, number = np.unique(pairs, axis=0, return_inverse=True)
    number = number.ravel()

    def sums(of_rows: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.bincount(number, weights=of_rows, minlength=len(found)).astype(np.float64)

    met = sums(reach)
    weights = np.where(met[number] > 0.0, reach, possible)
    return ActionValues(found[:, 0], found[:, 1], sums(weights * values) / sums(weights), met)


def player_action_values(judged: Judged, order: bool, unit: int) -> ActionValues:
    """The action values of a player's policy.

    Args:
        order: the keys of infostates tell the order of shown cards.
        unit: the least stake, chips.
    """
    tree, result, reach = judged
    first = stake_chances(tree)
    values = result.moves / unit
    stakes = stake_moves(tree)
    # A stake's worth has the chance of its card in it.
    values[stakes] /= first[tree.move_nodes[stakes]]
    rows = np.setdiff1d(np.arange(len(tree.actions)), again_moves(tree))
    nodes = tree.move_nodes[rows]
    possible = (reach_of(tree, result.chances, anybody(tree)) + first)[nodes]
    keys, actions = tree.nodes["key"][nodes] & player_bits(order), tree.actions[rows].astype(np.int64)
    return mean_by_key(ActionValues(keys, actions, values[rows], (reach + first)[nodes]), possible)
