"""Best responses: the player's to a banker, the banker's to a player."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.engine.view.infostate import KEYS
from pontoon_gym.errors import BadArgument
from pontoon_gym.names import Role
from pontoon_gym.policies.metadata import Metadata
from pontoon_gym.policies.policy import name_of
from pontoon_gym.policies.resolve import PolicySource, resolve
from pontoon_gym.policies.seating import banker_of
from pontoon_gym.policies.tabular import Strategy
from pontoon_gym.rules import RulesSource, Table
from pontoon_gym.solver.banker.endings import Endings
from pontoon_gym.solver.cards.chance import chances
from pontoon_gym.solver.expectation import (
    AgainstBanker,
    Played,
    again_moves,
    again_of,
    back_up,
    blocks,
    decisions,
    leaves,
    order_seen,
    reach_of,
    split_moves,
    stake_moves,
)
from pontoon_gym.solver.heads_up import HeadsUp, check_splits, heads_up, may_split
from pontoon_gym.solver.response.backup import add_by_key, choose_best, fill_stakes, fill_values
from pontoon_gym.solver.response.banker import BankerSearch
from pontoon_gym.solver.tree.build import NO_ORDER, Tree, player_bits


@dataclass(frozen=True)
class BestResponse:
    """The best that a side can do against a fixed policy of the other.

    Attributes:
        value: of a round to the player, in least stakes.
        strategy: that plays it.
    """

    value: float
    strategy: Strategy


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
        self.blocks, self.again_moves = blocks(tree), again_moves(tree)

    def solve(self, again: NDArray[np.float64]) -> Played:
        """The best policy that splits pairs again as given, float64 of shape (pairs, hands − 2)."""
        tree, chance = self.tree, chances(self.tree, again)
        values, moves = leaves(tree, chance, self.endings), np.zeros(len(tree.actions))
        # Every move but to split again, which the measures hold already.
        played = np.ones(len(tree.actions))
        played[self.again_moves] = 0.0
        weights = reach_of(tree, chance, played)
        splits_again = np.zeros(len(tree.nodes), np.bool_)
        again_nodes = tree.move_nodes[self.again_moves]
        known = tree.classes[tree.nodes["cls"][again_nodes]]
        splits_again[again_nodes] = again[known["pair"], known["hands"] - 2] >= 1.0
        for first, last in reversed(self.blocks):
            back_up(tree, chance, first, last, values, moves)
            self._choose(first, last, weights, splits_again, moves, played)
            fill_values(first, last, tree.nodes, tree.actions, chance.measure, played, moves, values)
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
        add_by_key(first, last, tree.nodes, self.group, weights, tree.actions, moves, sums)
        choose_best(first, last, tree.nodes, self.group, tree.actions, splits_again, sums, played)

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

    def strategy(self, result: Played, game: HeadsUp, order: bool, name: str) -> Strategy:
        """A policy as a table."""
        tree = self.tree
        weights = np.zeros((len(self.keys), game.table.actions))
        np.add.at(weights, (self.group[tree.move_nodes], tree.actions), result.played)
        parts = tuple(part for part in KEYS[Role.PLAYER] if order or part != "shown")
        return Strategy(
            Metadata("player", game.rules, game.table, name=name),
            parts=parts,
            keys=self.keys,
            weights=weights,
            greedy=True,
        )


def check_covered(judge: AgainstBanker) -> None:
    """Raise `NotCovered` where a player's best response could split, and split hands have no exact value."""
    if may_split(judge.game.game):
        check_splits(judge.game.game, judge.blind)


def best_player(judge: AgainstBanker) -> tuple[Tree, Played, Strategy]:
    """A player's best response. Raises `NotCovered`."""
    check_covered(judge)
    game = judge.game
    order = order_seen(game, None, judge.banker)
    tree = judge.tree(order)
    search = PlayerSearch(tree, judge.endings(order), order > NO_ORDER)
    result = search.best()
    name = f"best against {name_of(judge.banker)}"
    return tree, result, search.strategy(result, game, order > NO_ORDER, name)


def best_response(
    rules: RulesSource,
    *,
    banker: PolicySource | None = None,
    player: PolicySource | None = None,
    table: Table | Mapping[str, object] | None = None,
    shoe: Mapping[str, int] | None = None,
) -> BestResponse:
    """The player's best policy against a banker, or the banker's against a player; with its exact value.

    The player's looks at what his infostate key tells: his hand, never his other hands' cards (`splits`), and of suits
    whether they are one. The banker's sees what clause 8 lets
    him see, and infers the rest by Bayes from the player's policy.

    Args:
        rules, table, shoe: as for `expectation.value`.
        banker, player: the fixed side, one of them; neither is the banker whom the rules bind.

    Raises:
        BadArgument: both sides or, where no rule binds the banker, neither.
        NotCovered: as for `expectation.value`, where the best player might split or the given one does; for the best
            banker also a card of his lying up, and hidden hands of more than five cards.
        And what `expectation.value` raises.
    """
    game = heads_up(rules, table, shoe)
    if banker is not None and player is not None:
        raise BadArgument("a best response needs one side to respond to", got=(banker, player))
    if player is not None:
        if game.rules.banker != "free":
            raise BadArgument("a bound banker has nothing to choose", got=game.rules.banker, where="clause 7.2")
        value, strategy = BankerSearch(game, resolve(player, "player", game.rules, game.table)).best()
        return BestResponse(value, strategy)
    if banker is None and game.rules.banker == "free":
        raise BadArgument("a best response needs a banker or a player to respond to", got=None)
    _, result, strategy = best_player(AgainstBanker(game, banker_of(banker, game.rules, game.table)))
    return BestResponse(result.total / game.table.stake_min, strategy)
