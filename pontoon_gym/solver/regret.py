"""Regret by infostate: what a policy gives away, and where (`response.losses`)."""

from __future__ import annotations

from collections.abc import Mapping

from pontoon_gym.policies.resolve import PolicySource
from pontoon_gym.rules import RulesSource, Table
from pontoon_gym.solver.judge import judge_pair
from pontoon_gym.solver.response.answers import InfostateRegret, Regret

__all__ = ["InfostateRegret", "Regret", "regrets"]


def regrets(
    rules: RulesSource,
    *,
    player: PolicySource,
    banker: PolicySource | None = None,
    of: str = "player",
    table: Table | Mapping[str, object] | None = None,
    shoe: Mapping[str, int] | None = None,
) -> Regret:
    """What one side's policy gives away against the other's, infostate by infostate.

    Args:
        of: whose, `"player"` or `"banker"`.
        The others are those of `expectation.value`.

    Raises:
        BadArgument: the regret of a bound banker.
        And what `best.best_response` raises.
    """
    judge, policy = judge_pair(rules, player, banker, of, table, shoe)
    return judge.regret(policy)
