"""The table that a policy amounts to: what it plays in every infostate, infostate by infostate."""

from __future__ import annotations

from collections.abc import Mapping

from pontoon_gym.policies.resolve import PolicySource
from pontoon_gym.policies.tabular import Strategy
from pontoon_gym.rules import RulesSource, Table
from pontoon_gym.solver.judge import judge_pair


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
    banker's answers wherever the banker can come against this player, and passes on to `stand17` elsewhere. The table
    of a policy that draws draws too.

    Args:
        of: whose, `"player"` or `"banker"`.
        The others are those of `expectation.value`.

    Raises:
        BadArgument: a bound banker's table, or no such side.
        And what `expectation.value` raises.
    """
    judge, policy = judge_pair(rules, player, banker, of, table, shoe)
    return judge.tabulate(policy)
