"""Players against one banker: what any policy of theirs is worth, and the best of them."""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.engine.view.infostate import KEYS
from pontoon_gym.names import Role
from pontoon_gym.policies.metadata import Metadata
from pontoon_gym.policies.policy import Policy, name_of
from pontoon_gym.policies.tabular import Strategy
from pontoon_gym.solver.banker.asking import is_blind
from pontoon_gym.solver.banker.endings import Endings, endings_of
from pontoon_gym.solver.cards.chance import chances
from pontoon_gym.solver.heads_up import HeadsUp, check_splits, may_split
from pontoon_gym.solver.response.action_values import ActionValues, player_action_values
from pontoon_gym.solver.response.answers import BestResponse, Regret
from pontoon_gym.solver.response.asking import ask_player, check_answered, decisions, order_seen
from pontoon_gym.solver.response.backup import add_by_key, choose_best, fill_moves, fill_stakes, fill_values
from pontoon_gym.solver.response.losses import player_regret
from pontoon_gym.solver.response.played import (
    Judged,
    Played,
    again_moves,
    again_of,
    anybody,
    blocks,
    check_reached_splits,
    evaluate,
    leaves,
    reach_of,
    split_moves,
    stake_moves,
)
from pontoon_gym.solver.tree.build import NO_ORDER, Tree, player_bits, tree_of

NEVER = 1e-12
"""What an infostate that is not reached counts beside one that is."""


class PlayerSearch:
    """The search for a player's best policy against a banker who ends like that.

    Every choice looks at the infostate's key. What a pair is worth if it is split depends on how often it is split
    again; each way is tried.
    """

    def __init__(self, tree: Tree, endings: Endings, order: bool) -> None:
        self.tree, self.endings = tree, endings
        nodes = decisions(tree)
        self.keys, number = np.unique(tree.nodes["key"][nodes] & player_bits(order), return_inverse=True)
        self.group = np.zeros(len(tree.nodes), np.int64)
        self.group[nodes] = number.ravel()
        self.blocks, self.again_nodes = blocks(tree), tree.move_nodes[again_moves(tree)]

    def solve(self, again: NDArray[np.float64]) -> Played:
        """The best policy that splits pairs again as given, float64 of shape (pairs, hands − 2)."""
        tree, chance = self.tree, chances(self.tree, again)
        values, moves = leaves(tree, chance, self.endings), np.zeros(len(tree.actions))
        played = anybody(tree)
        weights = reach_of(tree, chance, played)
        splits_again = np.zeros(len(tree.nodes), np.bool_)
        known = tree.classes[tree.nodes["cls"][self.again_nodes]]
        splits_again[self.again_nodes] = again[known["pair"], known["hands"] - 2] >= 1.0
        for first, last in reversed(self.blocks):
            fill_moves(first, last, tree.links, chance, values, moves)
            self._choose(first, last, weights, splits_again, moves, played)
            fill_values(first, last, tree.links, chance, played, moves, values)
        fill_stakes(tree.deals, tree.deal_moves, chance.measure, values, moves)
        self._choose_stakes(moves, played)
        stakes = stake_moves(tree)
        return Played(played, moves, values, chance, float(played[stakes] @ moves[stakes]))

    def _choose(
        self,
        first: int,
        last: int,
        weights: NDArray[np.float64],
        splits_again: NDArray[np.bool_],
        moves: NDArray[np.float64],
        played: NDArray[np.float64],
    ) -> None:
        """Let the infostates of a block play their best moves, those of one key the same."""
        tree = self.tree
        sums = np.zeros((len(self.keys), 1 + int(tree.actions.max())))
        add_by_key(first, last, tree.links, self.group, weights, moves, sums)
        choose_best(first, last, tree.links, self.group, splits_again, sums, played)

    def _choose_stakes(self, moves: NDArray[np.float64], played: NDArray[np.float64]) -> None:
        stakes = stake_moves(self.tree)
        owners = self.tree.move_nodes[stakes]
        played[stakes] = 0.0
        for node in np.unique(owners).tolist():
            own = stakes[owners == node]
            played[own[np.argmax(moves[own])]] = 1.0

    def best(self) -> Played:
        """The best policy."""
        splits = split_moves(self.tree)
        can_again = again_of(self.tree, np.ones(len(self.tree.actions)))
        found, worth = can_again.copy(), np.full(len(splits), -np.inf)
        for pattern in product((1.0, 0.0), repeat=found.shape[1]):
            again = np.array(pattern) * can_again
            worths = self.solve(again).moves[splits]
            better = worths > worth
            worth[better], found[better] = worths[better], again[better]
        return self.solve(found)


def by_key(
    tree: Tree, of_moves: NDArray[np.float64], order: bool, actions: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Infostate keys, int64 of shape (n,), and sums of what belongs to their moves, float64 of shape (n, actions)."""
    keys, number = np.unique(tree.nodes["key"][tree.move_nodes] & player_bits(order), return_inverse=True)
    sums = np.zeros((len(keys), actions))
    np.add.at(sums, (number.ravel(), tree.actions), of_moves)
    return keys, sums


class AgainstBanker:
    """Judges players' policies against one banker. Values are the player's.

    Args:
        game: what is played.
        banker: None where the rules bind the banker.
    """

    def __init__(self, game: HeadsUp, banker: Policy | None) -> None:
        self.game, self.banker, self.blind = game, banker, is_blind(banker)
        self._trees: dict[int, Tree] = {}
        self._endings: dict[int, Endings] = {}
        self._searches: dict[int, PlayerSearch] = {}
        self._best: dict[int, Played] = {}

    def tree(self, order: int) -> Tree:
        """All infostates, told apart by the order of cards or not (`build.NO_ORDER` ...)."""
        if order not in self._trees:
            self._trees[order] = tree_of(self.game.game, order)
        return self._trees[order]

    def endings(self, order: int) -> Endings:
        """How the banker ends wherever that tree ends."""
        if order not in self._endings:
            tree = self.tree(order)
            self._endings[order] = endings_of(tree, self.banker, np.ones(len(tree.nodes), np.bool_))
        return self._endings[order]

    def search(self, order: int) -> PlayerSearch:
        """The search for the best response on that tree. Raises `NotCovered`."""
        if order not in self._searches:
            if may_split(self.game.game):
                check_splits(self.game.game, self.blind)
            self._searches[order] = PlayerSearch(self.tree(order), self.endings(order), order > NO_ORDER)
        return self._searches[order]

    def best(self, order: int) -> Played:
        """The best response on that tree. Raises `NotCovered`."""
        if order not in self._best:
            self._best[order] = self.search(order).best()
        return self._best[order]

    def judge(self, player: Policy) -> Judged:
        """A player's policy on the tree. Raises `UnknownInfostate`, `NotCovered`."""
        order = order_seen(self.game, player, self.banker)
        tree = self.tree(order)
        played = ask_player(player, tree)
        chance = chances(tree, again_of(tree, played))
        reach = reach_of(tree, chance, played)
        check_answered(tree, reach, played, name_of(player))
        check_reached_splits(tree, reach, self.blind)
        endings = self.endings(order) if self.blind else endings_of(tree, self.banker, reach > 0.0)
        return Judged(tree, evaluate(tree, chance, endings, played), reach)

    def value(self, player: Policy) -> float:
        """A round's value to a player, in least stakes."""
        return self.judge(player).result.total / self.game.table.stake_min

    def action_values(self, player: Policy) -> ActionValues:
        """The action values of a player's policy. Raises as `judge`."""
        return player_action_values(self.judge(player), not self.blind, self.game.table.stake_min)

    def best_response(self) -> BestResponse:
        """The best response. Raises `NotCovered`."""
        order = order_seen(self.game, None, self.banker)
        result = self.best(order)
        name = f"best against {name_of(self.banker)}"
        keys, weights = by_key(self.tree(order), result.played, order > NO_ORDER, self.game.table.actions)
        strategy = self._table(keys, weights, order > NO_ORDER, greedy=True, name=name)
        return BestResponse(result.total / self.game.table.stake_min, strategy)

    def regret(self, player: Policy) -> Regret:
        """A player's regret. Raises as `judge` and `best_response`."""
        order = order_seen(self.game, player, self.banker)
        best, judged = self.best(order), self.judge(player)
        after = self.search(order).solve(again_of(judged.tree, judged.result.played))
        return player_regret(self.game, judged, best, after, not self.blind)

    def tabulate(self, player: Policy) -> Strategy:
        """A player's policy as a table (`tabulating.tabulate`). Raises as `judge`."""
        tree, result, reach = self.judge(player)
        order = order_seen(self.game, player, self.banker) > NO_ORDER
        greedy = bool(((result.played == 0.0) | (result.played == 1.0)).all())
        often = np.maximum(reach[tree.move_nodes], NEVER) * result.played
        keys, weights = by_key(tree, often, order, self.game.table.actions)
        weights /= np.maximum(weights.sum(axis=1, keepdims=True), NEVER)
        return self._table(keys, weights, order, greedy=greedy, name=f"{name_of(player)} as a table")

    def _table(
        self, keys: NDArray[np.int64], weights: NDArray[np.float64], order: bool, *, greedy: bool, name: str
    ) -> Strategy:
        return Strategy(
            Metadata("player", self.game.rules, self.game.table, name=name),
            parts=tuple(part for part in KEYS[Role.PLAYER] if order or part != "shown"),
            keys=keys,
            weights=weights,
            greedy=greedy,
        )
