"""Best responses: the player's to a banker, the banker's to a player."""

from __future__ import annotations

from collections.abc import Mapping

from pontoon_gym.errors import BadArgument
from pontoon_gym.policies.resolve import PolicySource, resolve
from pontoon_gym.policies.seating import banker_of
from pontoon_gym.rules import RulesSource, Table
from pontoon_gym.solver.heads_up import heads_up
from pontoon_gym.solver.judge import Judge
from pontoon_gym.solver.response.answers import BestResponse

__all__ = ["BestResponse", "best_response"]


def best_response(
    rules: RulesSource,
    *,
    banker: PolicySource | None = None,
    player: PolicySource | None = None,
    table: Table | Mapping[str, object] | None = None,
    shoe: Mapping[str, int] | None = None,
) -> BestResponse:
    """The player's best policy against a banker, or the banker's against a player; with its exact value.

    The player's looks at what the infostate key tells: the hand in play, never the cards of other own hands (`splits`),
    and of suits whether they are one. The banker's sees what clause 8 allows, and infers the rest by Bayes from the
    player's policy.

    Args:
        rules, table, shoe: as for `expectation.value`.
        banker, player: the fixed side, one of them; neither is the banker whom the rules bind.

    Raises:
        BadArgument: both sides or, where no rule binds the banker, neither.
        NotCovered: as for `expectation.value`, where the best player might split or the given one does; for the best
            banker also a card lying up, and hidden hands of more than five cards.
        And what `expectation.value` raises.
    """
    game = heads_up(rules, table, shoe)
    if banker is not None and player is not None:
        raise BadArgument("a best response needs one side to respond to", got=(banker, player))
    if player is not None:
        return Judge(game, resolve(player, "player", game.rules, game.table)).best_response()
    if banker is None and game.rules.banker == "free":
        raise BadArgument("a best response needs a banker or a player to respond to", got=None)
    return Judge(game, banker_of(banker, game.rules, game.table)).best_response()
