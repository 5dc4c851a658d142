"""The table that a policy amounts to: what it plays in every situation, situation by situation."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pontoon_gym.casting import PolicySource, banker_of, policy_of
from pontoon_gym.engine.situation import KEYS
from pontoon_gym.errors import BadArgument
from pontoon_gym.names import Role
from pontoon_gym.rules import RulesSource, Table
from pontoon_gym.solver.best_banker import BankerSearch
from pontoon_gym.solver.expectation import AgainstBanker, order_seen
from pontoon_gym.solver.heads_up import heads_up
from pontoon_gym.solver.tree import NO_ORDER, player_bits
from pontoon_gym.strategy import Policy, Strategy, role_number

NEVER = 1e-12
"""What a situation that is not reached counts beside one that is."""


def tabulate(
    rules: RulesSource,
    *,
    player: PolicySource,
    banker: PolicySource | None = None,
    of: str = "player",
    table: Table | Mapping[str, object] | None = None,
    shoe: Mapping[str, int] | None = None,
) -> Strategy:
    """One side's policy as a table for one player and the bank.

    A player's table answers every situation. Where a key stands for several situations (split hands, whose other hands
    it does not tell) they count as often as they are met, and a greedy policy's table plays what it does most. A
    banker's answers wherever he comes against this player, and passes on to `stand17` elsewhere. The table of a policy
    that draws draws too.

    Args:
        of: whose, `"player"` or `"banker"`.
        The others are those of `expectation.value`.

    Raises:
        BadArgument: a bound banker's table, or no such side.
        And what `expectation.value` raises.
    """
    game = heads_up(rules, table, shoe)
    bank = banker_of(banker, game.rules, game.table)
    seat = policy_of(player, "player", game.rules, game.table)
    if role_number(of) == Role.PLAYER:
        return player_table(AgainstBanker(game, bank), seat)
    if bank is None:
        raise BadArgument("a bound banker has nothing to choose", got=game.rules.banker, where="clause 7.2")
    return banker_table(BankerSearch(game, seat), bank)


def _name(policy: Policy) -> str:
    return f"{getattr(policy, 'name', type(policy).__name__)} as a table"


def banker_table(search: BankerSearch, banker: Policy) -> Strategy:
    """A banker's table against the player of a search (`tabulate`)."""
    return search.table(search.follow(banker), _name(banker))[1]


def player_table(judge: AgainstBanker, player: Policy) -> Strategy:
    """A player's table against the banker of a judge (`tabulate`)."""
    tree, result, reach = judge.judge(player)
    order = order_seen(judge.game, player, judge.banker) > NO_ORDER
    nodes = tree.move_nodes
    keys, number = np.unique(tree.nodes["key"][nodes] & player_bits(order), return_inverse=True)
    weights = np.zeros((len(keys), judge.game.table.actions))
    np.add.at(weights, (number.ravel(), tree.actions), np.maximum(reach[nodes], NEVER) * result.played)
    weights /= np.maximum(weights.sum(axis=1, keepdims=True), NEVER)
    rules, table = judge.game.rules, judge.game.table
    return Strategy(
        "player",
        rules,
        table,
        parts=tuple(part for part in KEYS[Role.PLAYER] if order or part != "shown"),
        keys=keys,
        weights=weights,
        greedy=bool(((result.played == 0.0) | (result.played == 1.0)).all()),
        name=_name(player),
    )
