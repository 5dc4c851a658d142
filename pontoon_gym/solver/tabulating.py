"""The table that a policy amounts to: what it plays in every infostate, infostate by infostate."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pontoon_gym.engine.view.infostate import KEYS
from pontoon_gym.errors import BadArgument
from pontoon_gym.names import Role
from pontoon_gym.policies.metadata import Metadata
from pontoon_gym.policies.policy import Policy, name_of, role_number
from pontoon_gym.policies.resolve import PolicySource, resolve
from pontoon_gym.policies.seating import banker_of
from pontoon_gym.policies.tabular import Strategy
from pontoon_gym.rules import RulesSource, Table
from pontoon_gym.solver.expectation import AgainstBanker, order_seen
from pontoon_gym.solver.heads_up import heads_up
from pontoon_gym.solver.response.banker import BankerSearch
from pontoon_gym.solver.tree.build import NO_ORDER, player_bits

NEVER = 1e-12
"""What an infostate that is not reached counts beside one that is."""


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

    A player's table answers every infostate. Where a key stands for several infostates (split hands, whose other hands
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
    seat = resolve(player, "player", game.rules, game.table)
    if role_number(of) == Role.PLAYER:
        return player_table(AgainstBanker(game, bank), seat)
    if bank is None:
        raise BadArgument("a bound banker has nothing to choose", got=game.rules.banker, where="clause 7.2")
    return banker_table(BankerSearch(game, seat), bank)


def _name(policy: Policy) -> str:
    return f"{name_of(policy)} as a table"


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
        Metadata("player", rules, table, name=_name(player)),
        parts=tuple(part for part in KEYS[Role.PLAYER] if order or part != "shown"),
        keys=keys,
        weights=weights,
        greedy=bool(((result.played == 0.0) | (result.played == 1.0)).all()),
    )
