"""The judge: what policies of one side are worth against a fixed policy of the other, exactly."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from pontoon_gym.errors import BadArgument
from pontoon_gym.names import Role
from pontoon_gym.policies.policy import Policy, role_number
from pontoon_gym.policies.resolve import PolicySource, resolve
from pontoon_gym.policies.seating import banker_of
from pontoon_gym.policies.tabular import Strategy
from pontoon_gym.rules import RulesSource, Table
from pontoon_gym.solver.heads_up import HeadsUp, heads_up
from pontoon_gym.solver.response.action_values import ActionValues
from pontoon_gym.solver.response.answers import BestResponse, Regret
from pontoon_gym.solver.response.banker import AgainstPlayer
from pontoon_gym.solver.response.player import AgainstBanker


class Judge:
    """The exact values of many policies of one side against one opponent; what they share is found once.

    A policy that is no table is asked as `expectation.value` says.

    Args:
        game: what is played, by one player and the bank (`heads_up.heads_up`).
        opponent: the other side's policy; None is the banker whom the rules bind.

    Attributes:
        role: whose policies are judged, `"player"` or `"banker"`: the side that the opponent does not play.

    Raises:
        BadArgument: no opponent where no rule binds the banker, or policies of a bound banker to judge.
        UnknownInfostate: a player's table, as opponent, has no answer for an infostate that it reaches.
        NotCovered: an opponent against whom the solver knows no exact value of a banker's policy.
    """

    def __init__(self, game: HeadsUp, opponent: Policy | None) -> None:
        self.game, self.opponent = game, opponent
        bound = game.rules.banker != "free"
        self._side: AgainstBanker | AgainstPlayer
        if opponent is None or role_number(opponent.role) == Role.BANKER:
            if (opponent is None) != bound:
                raise BadArgument("players are judged against a banker: a policy, or the rules' own", got=opponent)
            self.role, self._side = "player", AgainstBanker(game, opponent)
        elif bound:
            raise BadArgument("a bound banker has nothing to choose", got=game.rules.banker, where="clause 7.2")
        else:
            self.role, self._side = "banker", AgainstPlayer(game, opponent)

    @property
    def best(self) -> float:
        """A round's value to the judged side with its best response, in least stakes. Raises as `best_response`."""
        return self._to_judged(self.best_response().value)

    def value(self, policy: Policy) -> float:
        """A round's value to the judged side, in least stakes. Raises `UnknownInfostate`, `NotCovered`."""
        return self._to_judged(self._side.value(policy))

    def action_values(self, policy: Policy) -> ActionValues:
        """What each action in each infostate is worth to the judged side (`ActionValues`). Raises as `value`."""
        return self._side.action_values(policy)

    def best_response(self) -> BestResponse:
        """The judged side's best response, with its value to the player (`best.best_response`). Raises `NotCovered`."""
        return self._best_response

    @cached_property
    def _best_response(self) -> BestResponse:
        return self._side.best_response()

    def regret(self, policy: Policy) -> Regret:
        """What a policy gives away, infostate by infostate (`regret.regrets`); its `total` is `best` − `value`.

        Raises as `value` and `best_response`.
        """
        return self._side.regret(policy)

    def tabulate(self, policy: Policy) -> Strategy:
        """The table that a policy amounts to (`tabulating.tabulate`). Raises as `value`."""
        return self._side.tabulate(policy)

    def _to_judged(self, value: float) -> float:
        """The judged side's value from the player's."""
        return value if self.role == "player" else -value


def judge_pair(
    rules: RulesSource,
    player: PolicySource,
    banker: PolicySource | None,
    of: str,
    table: Table | Mapping[str, object] | None,
    shoe: Mapping[str, int] | None,
) -> tuple[Judge, Policy]:
    """The judge of one side of a pair of policies, and that side's policy. Raises as `expectation.value` and `Judge`.

    Args:
        of: whose policy is judged, `"player"` or `"banker"`.
        The others are those of `expectation.value`.
    """
    game = heads_up(rules, table, shoe)
    bank = banker_of(banker, game.rules, game.table)
    seat = resolve(player, "player", game.rules, game.table)
    if role_number(of) == Role.PLAYER:
        return Judge(game, bank), seat
    judge = Judge(game, seat)
    assert bank is not None  # The judge has refused a bound banker.
    return judge, bank
