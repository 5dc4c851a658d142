"""The judge: policies against each other, exactly where that is possible, and on the same deals.

For one player and the bank the solver counts every deal. Rounds are played in the engine's kernels where all policies
are tables; others are asked in batches. Every contestant of a match plays the same deals, so that differences between
them are paired.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np

from pontoon_gym.compiled import COMPILED
from pontoon_gym.errors import BadArgument, NotCovered, check_count, checked_seed
from pontoon_gym.evaluation.play import Outcomes, blocks_of, seatings_of
from pontoon_gym.evaluation.report import Contestant, Match
from pontoon_gym.evaluation.statistics import Estimate, Mean
from pontoon_gym.policies.policy import Policy, name_of
from pontoon_gym.policies.resolve import PolicySource, resolve
from pontoon_gym.policies.seating import banker_of
from pontoon_gym.policies.tabular import Strategy
from pontoon_gym.rules import Rules, RulesSource, Table
from pontoon_gym.solver.heads_up import heads_up
from pontoon_gym.solver.judge import Judge

MOST_ROUNDS = 10**15
__all__ = ["Judge", "exact_judge", "exact_values", "judge_of", "match"]


class Contest(NamedTuple):
    """Who plays in a match, and whose value it tells.

    Attributes:
        players, bankers: each player meets each banker, by name, path or object; a banker of None is the usual one,
            or the one whom the rules bind (7.2).
        others: plays the seats beside a judged player; None is that player too.
        judged: `"player"` or `"banker"`.
    """

    players: Sequence[PolicySource]
    bankers: Sequence[PolicySource | None]
    others: PolicySource | None = None
    judged: str = "player"

    def seated(self, rules: Rules, table: Table) -> tuple[list[Policy], list[Policy | None], Policy | None]:
        """Their policies. Raises as `policies.resolve.resolve`, and `BadArgument` for nobody to play or to judge, and
        for others where nobody sits beside a judged player."""
        if not self.players or not self.bankers or self.judged not in ("player", "banker"):
            raise BadArgument("a match needs players, bankers and a side to judge", got=self.judged)
        if self.others is not None and (table.seats == 2 or self.judged == "banker"):
            raise BadArgument("nobody sits beside a judged player: leave the others out", got=self.others)
        players = [resolve(one, "player", rules, table) for one in self.players]
        bankers = [banker_of(one, rules, table) for one in self.bankers]
        return players, bankers, None if self.others is None else resolve(self.others, "player", rules, table)


def match(
    rules: RulesSource,
    table: Table | Mapping[str, object] | None,
    contest: Contest,
    rounds: int,
    *,
    seed: int = 0,
    on_rounds: Callable[[int], None] = lambda rounds: None,
) -> Match:
    """Every player against every banker, all on the same deals (see `play`), and exactly (see `exact_values`).

    Args:
        rounds: of each pair; rounded up as `play` does.
        on_rounds: is called with the number of rounds played since its last call.

    Raises:
        BadArgument: nobody to play, or no rounds.
        BadRules, BadTable, and what `policies.resolve.resolve` raises.
    """
    check_count("rounds", rounds, 1, MOST_ROUNDS)
    seed = checked_seed(seed) or 0
    rules, table, judged = Rules.of(rules), Table.of(table), contest.judged
    players, bankers, others = contest.seated(rules, table)
    pairs = list(product(players, bankers))
    seatings = [seatings_of(rules, table, p, b, others, judged, seed) for p, b in pairs]
    scores = [_Score() for _ in pairs]
    unit = 2.0 * table.stake_min * (table.seats - 1 if judged == "banker" else 1)
    for place in range(len(seatings[0])):
        for length in blocks_of(table, rounds, judged):
            blocks = [seating[place].play(length) for seating in seatings]
            for score, block in zip(scores, blocks, strict=True):
                score.add(block, blocks[0], unit)
                on_rounds(block.size)
    exact = exact_values(rules, table, pairs, judged)
    played = [score.contestant(name_of(p), name_of(b), table) for score, (p, b) in zip(scores, pairs, strict=True)]
    contestants = [replace(one, exact=value) for one, value in zip(played, exact, strict=True)]
    first, *others_played = contestants
    compared = [replace(one, difference=_exact_difference(first, one)) for one in others_played]
    return Match(rules, table, judged, scores[0].value.n, seed, (replace(first, difference=None), *compared))


def _exact_difference(first: Contestant, one: Contestant) -> Estimate | None:
    """The difference of two contestants: exact if both values are."""
    if first.exact is None or one.exact is None:
        return one.difference
    return Estimate(one.exact - first.exact, 0.0)


def exact_values(
    rules: Rules, table: Table, pairs: Sequence[tuple[Policy, Policy | None]], judged: str = "player"
) -> list[float | None]:
    """What a round is worth to the judged side, exactly, in units of `stake_min`; None where nobody can say.

    That needs one player. Where the rules allow splits, it needs one who looks at the hand in play alone, as a table
    does. And it needs the compiler, without which it takes hours.

    Raises `UnknownInfostate`: a table has no answer where it needs one.
    """
    if table.seats != 2 or not COMPILED:
        return [None] * len(pairs)
    sign, judges = 1.0 if judged == "player" else -1.0, {}
    found: list[float | None] = []
    for player, banker in pairs:
        try:
            if not isinstance(player, Strategy) and rules.most_hands > 1:
                raise NotCovered("a player who may look at the other split hands")
            if id(banker) not in judges:
                judges[id(banker)] = judge_of(rules, table, banker)
            found.append(sign * judges[id(banker)].value(player))
        except NotCovered:
            found.append(None)
    return found


def judge_of(rules: Rules, table: Table, opponent: Policy | None) -> Judge:
    """The exact judge of policies of one side: the one that the opponent does not play; None is the bound banker.

    A network that may look at its other split hands is judged as if they were what they usually are
    (`solver.expectation.value`).

    Raises `NotCovered`: what the solver has no exact value of.
    """
    return Judge(heads_up(rules, table), opponent)


def exact_judge(rules: Rules, table: Table, opponent: Policy | None) -> Judge | None:
    """`judge_of` where there is a best response; else None, as without the compiler (`exact_values`)."""
    if table.seats != 2 or not COMPILED:
        return None
    try:
        judge = judge_of(rules, table, opponent)
        judge.best_response()
        return judge
    except NotCovered:
        return None


class _Score:
    """What one contestant has done so far."""

    def __init__(self) -> None:
        self.value, self.difference = Mean(), Mean()
        self.sums = dict.fromkeys(("win", "loss", "hands", "busts", "pontoons", "tricks", "stake"), 0)

    def add(self, block: Outcomes, first: Outcomes, unit: float) -> None:
        self.value.add(block["result"] / unit)
        self.difference.add((block["result"] - first["result"]) / unit)
        self.sums["win"] += int((block["result"] > 0).sum())
        self.sums["loss"] += int((block["result"] < 0).sum())
        for name in ("hands", "busts", "pontoons", "tricks", "stake"):
            self.sums[name] += int(block[name].sum(dtype=np.int64))

    def contestant(self, player: str, banker: str, table: Table) -> Contestant:
        n, sums = self.value.n, self.sums
        return Contestant(
            player,
            banker,
            self.value.estimate(),
            exact=None,
            win=sums["win"] / n,
            loss=sums["loss"] / n,
            bust=sums["busts"] / sums["hands"],
            pontoon=sums["pontoons"] / sums["hands"],
            trick=sums["tricks"] / sums["hands"],
            stake=sums["stake"] / n / table.stake_min,
            difference=self.difference.estimate(),
        )
