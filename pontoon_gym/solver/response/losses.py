"""What a policy gives away, and where.

The loss of an infostate is how often it is met in a round times what the chosen action gives away there against the
best that could follow. The losses add up to the policy's whole distance from the best response (S. Kakade and
J. Langford, Approximately optimal approximate reinforcement learning, 2002, lemma 6.1).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.names import BANKER_ACTIONS, STICK, TWIST, Role
from pontoon_gym.solver.heads_up import HeadsUp
from pontoon_gym.solver.response.answers import InfostateRegrets, Regret
from pontoon_gym.solver.response.played import (
    Judged,
    Played,
    again_moves,
    by_node,
    split_moves,
    stake_chances,
    stake_moves,
)
from pontoon_gym.solver.tree.build import player_bits

NOISE = 1e-17
"""A loss below it, in least stakes, is rounding."""


class _Losses:
    """Losses and choices added up by key."""

    def __init__(self, keys: NDArray[np.int64], actions: int) -> None:
        self.keys, self.number = np.unique(keys, return_inverse=True)
        self.number = self.number.ravel()
        self.loss, self.reach = np.zeros(len(self.keys)), np.zeros(len(self.keys))
        self.chosen, self.best = np.zeros((len(self.keys), actions)), np.zeros((len(self.keys), actions))

    def infostates(self, role: Role, game: HeadsUp) -> InfostateRegrets:
        """Those that cost something, costliest first."""
        order = np.argsort(-self.loss, kind="stable")
        order = order[np.abs(self.loss[order]) >= NOISE]
        chosen = self.chosen[order] / np.maximum(self.chosen[order].sum(axis=1, keepdims=True), 1e-300)
        best = self.best[order].argmax(axis=1)
        return InfostateRegrets(role, game.table, self.keys[order], self.reach[order], self.loss[order], chosen, best)


def player_regret(game: HeadsUp, judged: Judged, best: Played, after: Played, order: bool) -> Regret:
    """A player's regret.

    Args:
        judged: the policy.
        best: the best response to the same banker, on the same tree.
        after: the best play after the policy's own way of splitting again: what split hands are held against.
        order: the keys of infostates tell the order of shown cards.
    """
    losses = _Losses(judged.tree.nodes["key"][judged.tree.move_nodes] & player_bits(order), game.table.actions)
    _add_choices(losses, judged, best, after)
    _add_again(losses, judged, best, after)
    unit = game.table.stake_min
    losses.loss /= unit
    return Regret("player", judged.result.total / unit, best.total / unit, losses.infostates(Role.PLAYER, game))


def _add_choices(losses: _Losses, judged: Judged, best: Played, after: Played) -> None:
    """What each infostate's own choice gives away, but for that to split again."""
    tree, result, met = judged.tree, judged.result, judged.reach + stake_chances(judged.tree)
    nodes, split_hand = tree.move_nodes, tree.nodes["hands"][tree.move_nodes] > 1
    moves, wished = np.where(split_hand, after.moves, best.moves), np.where(split_hand, after.played, best.played)
    chosen = result.played.copy()
    chosen[again_moves(tree)] = wished[again_moves(tree)] = 0.0
    share, most = (p / np.maximum(by_node(tree, p), 1e-300)[nodes] for p in (chosen, wished))
    loss = met[nodes] * (most - share) * moves
    # A stake's worth has its chance in it already.
    stakes = stake_moves(tree)
    loss[stakes] = ((most - share) * moves)[stakes]
    np.add.at(losses.loss, losses.number, loss)
    np.add.at(losses.chosen, (losses.number, tree.actions), met[nodes] * result.played)
    np.add.at(losses.best, (losses.number, tree.actions), best.played)
    first = np.unique(nodes, return_index=True)[1]
    np.add.at(losses.reach, losses.number[first], met[nodes[first]])


def _add_again(losses: _Losses, judged: Judged, best: Played, after: Played) -> None:
    """What each pair loses by splitting again too often or too seldom: it goes to the first infostate that may."""
    tree, result, reach = judged
    splits, again = split_moves(tree), again_moves(tree)
    pairs = tree.classes["pair"][tree.nodes["cls"][tree.move_nodes[again]]]
    for pair, move in enumerate(splits.tolist()):
        own = again[pairs == pair]
        if len(own):
            met = reach[tree.move_nodes[move]] * result.played[move]
            losses.loss[losses.number[own[0]]] += met * (best.moves[move] - after.moves[move])


class BankerChoices(NamedTuple):
    """Choices of a banker where the policy comes to them, each array of shape (n,).

    Attributes:
        keys: infostate keys.
        loss: what the choice costs a round, chips.
        reach: how often it is met.
        twist, wished: the chance of a twist, the policy's and the best response's.
    """

    keys: NDArray[np.int64]
    loss: NDArray[np.float64]
    reach: NDArray[np.float64]
    twist: NDArray[np.float64]
    wished: NDArray[np.float64]


def banker_regret(game: HeadsUp, value: float, best: float, choices: BankerChoices) -> Regret:
    """A banker's regret.

    Args:
        value, best: of a round to the player, chips, with the policy and with the best response.
    """
    unit, sums = game.table.stake_min, _Losses(choices.keys, BANKER_ACTIONS)
    np.add.at(sums.loss, sums.number, choices.loss / unit)
    np.add.at(sums.reach, sums.number, choices.reach)
    for chances, twist in ((sums.chosen, choices.twist), (sums.best, choices.wished)):
        np.add.at(chances[:, STICK], sums.number, 1.0 - twist)
        np.add.at(chances[:, TWIST], sums.number, twist)
    return Regret("banker", value / unit, best / unit, sums.infostates(Role.BANKER, game))
