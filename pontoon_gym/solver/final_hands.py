"""How a banker ends: the distribution of the final hand, given cards that are gone."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pontoon_gym.cards import parse_shoe
from pontoon_gym.engine.hand import VALUES, one_card, value
from pontoon_gym.engine.view.infostate import key_bits
from pontoon_gym.errors import BadCards, NotCovered
from pontoon_gym.names import Role
from pontoon_gym.policies.resolve import PolicySource
from pontoon_gym.policies.seating import banker_of
from pontoon_gym.policies.tabular import Strategy, asked_bits
from pontoon_gym.rules import RulesSource, Table
from pontoon_gym.solver.banker.asking import READ, is_blind
from pontoon_gym.solver.banker.endings import distribution
from pontoon_gym.solver.banker.outcomes import Outcomes, outcomes_of
from pontoon_gym.solver.cards.shoe import shoe_of
from pontoon_gym.solver.heads_up import heads_up


def banker_outcomes(
    rules: RulesSource,
    *,
    banker: PolicySource | None = None,
    gone: Mapping[str, int] | None = None,
    upcard: str | None = None,
    facing: str = "total",
    table: Table | Mapping[str, object] | None = None,
    shoe: Mapping[str, int] | None = None,
) -> Outcomes:
    """The exact distribution of the banker's final hand.

    Where the banker peeks (5.1) it is conditional on no Pontoon in two cards.

    Args:
        rules, banker, table, shoe: as for `expectation.value`.
        gone: cards known to be gone, the banker's own left out, as counts of ranks, `{"K": 1, "7": 2}`.
        upcard: the rank of the banker's first card, where it is known.
        facing: the kind of the player's hand, `"total"`, `"trick"` or `"pontoon"`, for bankers who look at it.

    Raises:
        BadCards: cards that the shoe does not hold.
        BadArgument: another kind of hand.
        NotCovered: a banker who looks at more of the player's hand than its kind.
        UnknownInfostate: the banker's table has no answer.
    """
    game = heads_up(rules, table, shoe)
    policy = banker_of(banker, game.rules, game.table)
    if not is_blind(policy) and not (isinstance(policy, Strategy) and _looks_at_kind(policy)):
        raise NotCovered("outcomes of a banker who looks at more of a hand than its kind", allowed="value, regrets")
    counts, up = _known(shoe_of(game.game)[0], gone, upcard)
    return outcomes_of(distribution(game.game, policy, counts, up, facing))


def _known(whole: np.void, gone: Mapping[str, int] | None, upcard: str | None) -> tuple[int, int]:
    """The cards that are gone as counts by value, and the value of the card lying up or 0. Raises `BadCards`."""
    counts, values = 0, np.zeros(VALUES, np.int64)
    for card in parse_shoe(gone or {}):
        values[value(card) - 1] += 1
        counts += int(one_card(value(card)))
    up = value(parse_shoe({str(upcard): 1})[0]) if upcard is not None else 0
    left = whole["values"] - values * whole["used"]
    if (left < 0).any() or left.sum() < 2 or (up and left[up - 1] < 1):
        raise BadCards("cards that are gone, and the banker's two, must lie in the shoe", got=(gone, upcard))
    return counts, up


def _looks_at_kind(banker: Strategy) -> bool:
    """Whether a table looks at no more of the player's hands than how many of each kind are live."""
    return not asked_bits(banker) & READ & ~key_bits(Role.BANKER, ("plain", "tricks", "pontoons"))
