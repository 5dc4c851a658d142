"""What policies are worth: the exact expectation of a round for one player and the bank."""

from __future__ import annotations

from collections.abc import Mapping

from pontoon_gym.policies.resolve import PolicySource
from pontoon_gym.rules import RulesSource, Table
from pontoon_gym.solver.judge import judge_pair


def value(
    rules: RulesSource,
    *,
    player: PolicySource,
    banker: PolicySource | None = None,
    table: Table | Mapping[str, object] | None = None,
    shoe: Mapping[str, int] | None = None,
) -> float:
    """The exact expectation of a dealt round to the player, in units of the least stake.

    Every deal is counted, without replacement and to the last card; nothing is sampled. A policy that is no table is
    asked at every infostate, through the observation that the environment would show. On a split hand it is shown the
    other hands as they usually are (`pose`), since an expectation hand by hand (`splits`) needs choices that do not
    look at the other hands' cards; and a banker is shown cards that all lie open in one order, since the infostate key
    knows no other.

    Args:
        rules: a preset, a text or a mapping (`Rules.of`).
        player, banker: a baseline's name, a strategy file or a policy; no banker is the one whom the rules bind,
            else `"stand17"`.
        table: default one player, stakes 1–1, two buy levels.
        shoe: counts of ranks in place of the full shoe, `{"A": 4, "K": 2}`.

    Raises:
        BadRules, BadTable, BadCards, BadArgument, UnknownPolicy, BadPolicyFile, StaleStrategy: a bad argument.
        UnknownInfostate: a table has no answer for an infostate that is reached.
        NotCovered: more seats than two; a policy that splits against a banker who looks at the table, in a shoe that
            could run out, or where a bonus asks for the suits of what can be split.
    """
    judge, policy = judge_pair(rules, player, banker, "player", table, shoe)
    return judge.value(policy)
