"""The report of a judgement: as JSON and for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from pontoon_gym.evaluation.statistics import Z95, Estimate
from pontoon_gym.rules import Rules, Table
from pontoon_gym.solver.best import BestResponse
from pontoon_gym.solver.regret import Regret


@dataclass(frozen=True)
class Contestant:
    """What one player and one banker did in a match.

    Attributes:
        value: of a round to the judged side, in units of `stake_min`; the banker's a player; from the rounds played.
        exact: the same as the solver has it, None where it has no exact answer.
        win, loss: shares of rounds won and lost by the judged side.
        bust, pontoon, trick: shares of the judged seat's hands.
        stake: mean total stake of the judged player a round, in units of `stake_min`; the banker's is 0.
        difference: of `value` from the first contestant's, paired by deal; exact, without an error, where both
            values are; None for the first.
    """

    player: str
    banker: str
    value: Estimate
    exact: float | None
    win: float
    loss: float
    bust: float
    pontoon: float
    trick: float
    stake: float
    difference: Estimate | None

    def as_dict(self) -> dict[str, Any]:
        """JSON-able."""
        shares = {name: getattr(self, name) for name in ("win", "loss", "bust", "pontoon", "trick", "stake")}
        difference = None if self.difference is None else self.difference.as_dict()
        value = self.value.as_dict()
        known = {"player": self.player, "banker": self.banker, "exact": self.exact, "value": value}
        return {**known, **shares, "difference": difference}


@dataclass(frozen=True)
class Match:
    """The report of a match."""

    rules: Rules
    table: Table
    judged: str
    rounds: int
    seed: int
    contestants: tuple[Contestant, ...]

    def as_dict(self) -> dict[str, Any]:
        """JSON-able."""
        return {
            "rules": self.rules.text(),
            "rules_digest": self.rules.digest(),
            "table": self.table.as_dict(),
            "judged": self.judged,
            "rounds": self.rounds,
            "seed": self.seed,
            "method": "play" if any(one.exact is None for one in self.contestants) else "exact",
            "contestants": [contestant.as_dict() for contestant in self.contestants],
        }

    def told_apart(self, players: Sequence[str], bankers: Sequence[str | None]) -> Match:
        """The report with contestants by these names, in the order of the match, if their own do not differ."""
        names = [(one.player, one.banker) for one in self.contestants]
        if len(set(names)) == len(names):
            return self
        pairs = zip(self.contestants, product(players, bankers), strict=True)
        return replace(self, contestants=tuple(replace(one, player=p, banker=b or one.banker) for one, (p, b) in pairs))

    def text(self) -> str:
        """A table for people."""
        whose = "the player" if self.judged == "player" else "the banker, for each player"
        width = [2 + max(len(getattr(c, side)) for c in self.contestants) for side in ("player", "banker")]
        width = [max(16, n) for n in width]
        lines = [
            f"{self.rules.text()}, {self.table.seats} seats, stakes {self.table.stake_min}-{self.table.stake_max}: "
            f"{self.rounds:,} rounds each on the same deals (seed {self.seed})",
            f"value of a round to {whose}, in least stakes: exact, or from the rounds with its 95 % interval;",
            "all else from the rounds",
            "",
            f"{'player':<{width[0]}}{'banker':<{width[1]}}{'value':>10}  {'interval':<20}{'win':>7}{'loss':>7}"
            f"{'bust':>7}{'Pontoon':>9}{'trick':>7}  difference from the first",
        ]
        return "\n".join(lines + [_line(contestant, *width) for contestant in self.contestants])


def _line(c: Contestant, player: int, banker: int) -> str:
    difference = "" if c.difference is None else f"{c.difference.mean:+.6f}"
    if c.difference is not None and c.difference.error > 0.0:
        difference += f" ± {Z95 * c.difference.error:.6f}"
    mean, interval = c.value.mean, f"{c.value.low:+.5f} {c.value.high:+.5f}"
    if c.exact is not None:
        mean, interval = c.exact, "exact"
    shares = f"{c.win:>7.1%}{c.loss:>7.1%}{c.bust:>7.1%}{c.pontoon:>9.1%}{c.trick:>7.1%}"
    return f"{c.player:<{player}}{c.banker:<{banker}}{mean:>+10.6f}  {interval:<20}{shares}  {difference}".rstrip()


def response_report(response: BestResponse) -> tuple[dict[str, Any], list[str]]:
    """A best response, JSON-able and for people."""
    strategy, value = response.strategy, response.value
    report = {"role": strategy.role, "name": strategy.name, "value": value, "infostates": len(strategy.keys)}
    line = f"value of a round to the player {value:+.9f} least stakes with the {strategy.role} {strategy.name!r}"
    return report, [line, f"{len(strategy.keys):,} infostates"]


def regret_report(regret: Regret, top: int) -> tuple[dict[str, Any], list[str]]:
    """A policy's regret, JSON-able and for people, with so many of its costliest infostates."""
    report, rest = regret.as_dict(top), regret.infostates[top:].loss
    report["others"] = {"infostates": len(rest), "loss": float(rest.sum())}
    lines = [
        f"value of a round to the player {regret.value:+.9f} least stakes, with the best {regret.role} "
        f"{regret.best:+.9f}: the {regret.role}'s regret is {regret.total:.9f}",
        "",
        f"{'loss a round':>12}{'met a round':>13}  infostate; what is done; what is best",
    ]
    for one in regret.infostates[:top]:
        done = " ".join(action if p == 1.0 else f"{action} {p:.1%}" for action, p in one.chosen.items())
        lines.append(f"{one.loss:>12.7f}{one.reach:>13.7f}  {one.text}; {done}; {one.best}")
    return report, [*lines, f"{rest.sum():>12.7f}{'':>13}  in {len(rest):,} other infostates"]
