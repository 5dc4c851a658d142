"""The judge: policies against each other, exactly where that is possible, and on the same deals.

For one player and the bank the solver counts every deal. Rounds are played in the engine's kernels where all policies
are tables; others are asked in batches. Every contestant of a match plays the same deals, so that differences between
them are paired.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.casting import Cast
from pontoon_gym.compiled import COMPILED
from pontoon_gym.engine.conduct import OVER
from pontoon_gym.engine.rng import seed_words
from pontoon_gym.engine.rows import OUTCOME, finish_rounds
from pontoon_gym.engine.state import ROUND, pack
from pontoon_gym.errors import BadArgument, NotCovered
from pontoon_gym.names import Role
from pontoon_gym.rules import Rules, Table
from pontoon_gym.solver.best import BestResponse, best_player
from pontoon_gym.solver.best_banker import BankerSearch
from pontoon_gym.solver.expectation import AgainstBanker
from pontoon_gym.solver.heads_up import heads_up
from pontoon_gym.solver.regret import Regret, banker_regret, player_regret
from pontoon_gym.solver.tabulating import banker_table, player_table
from pontoon_gym.strategy import Policy, Strategy, role_number

ROWS = 1024
"""Rows that play side by side; a round's deal depends on it, as on the seed."""
BLOCK = 128
"""Rounds of one row between two looks at the progress."""
Z95 = 1.959963984540054
"""Standard errors of a 95 % interval."""

Progress = Callable[[int], None]
Outcomes = NDArray[np.void]


@dataclass(frozen=True)
class Estimate:
    """A mean from sampled rounds, with its standard error; in units of `stake_min`."""

    mean: float
    error: float

    @property
    def low(self) -> float:
        """The lower end of the 95 % interval."""
        return self.mean - Z95 * self.error

    @property
    def high(self) -> float:
        """The upper end of the 95 % interval."""
        return self.mean + Z95 * self.error

    def as_dict(self) -> dict[str, float]:
        """JSON-able."""
        return {"mean": self.mean, "error": self.error, "low": self.low, "high": self.high}


class _Mean:
    """A mean and its error from blocks of numbers."""

    def __init__(self) -> None:
        self.n, self.sum, self.squares = 0, 0.0, 0.0

    def add(self, values: NDArray[np.float64]) -> None:
        self.n += values.size
        self.sum += float(values.sum())
        self.squares += float(np.square(values).sum())

    def estimate(self) -> Estimate:
        mean = self.sum / self.n
        spread = max(self.squares / self.n - mean * mean, 0.0)
        return Estimate(mean, math.sqrt(spread / max(self.n - 1, 1)))


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
        told = {"player": self.player, "banker": self.banker, "exact": self.exact, "value": value}
        return {**told, **shares, "difference": difference}


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
        told = [(one.player, one.banker) for one in self.contestants]
        if len(set(told)) == len(told):
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


class _Rows:
    """Rounds of one seating, row by row, with the outcomes of the judged place."""

    def __init__(self, rules: Rules, table: Table, cast: Cast, judged: int, seed: int) -> None:
        self.game, self.cast, self.judged = pack(rules, table), cast, judged
        self.rows = np.zeros(ROWS, ROUND)
        for i in range(ROWS):
            self.rows[i]["source"] = seed_words((seed, judged, i))
        self.status = np.full(ROWS, OVER, np.int64)

    def play(self, rounds: int) -> Outcomes:
        """The next outcomes, `OUTCOME` of shape (ROWS, rounds)."""
        outcomes, done, cast = np.zeros((ROWS, rounds), OUTCOME), np.zeros(ROWS, np.int64), self.cast
        tables = (cast.seats, cast.tables, cast.keys, cast.weights)
        while finish_rounds(self.game, self.rows, self.judged, *tables, self.status, done, outcomes):
            cast.answer(self.game, self.rows, self.status)
        return outcomes


def play(
    rules: Rules,
    table: Table,
    player: Policy,
    banker: Policy | None,
    rounds: int,
    *,
    seed: int = 0,
    others: Policy | None = None,
    judged: str = "player",
) -> Outcomes:
    """Play rounds, each from a full shoe, and note what each brought the judged side.

    Args:
        player: sits at each place in turn, a share of the rounds at each.
        banker: None where the rules bind him.
        rounds: is rounded up to whole blocks of rows.
        others: plays the places where `player` does not sit; None is `player` himself.
        judged: `"player"`, or `"banker"`, whose results are divided by his number of players.

    Returns:
        `OUTCOME` of shape (rounds,), `result` in half chips.
    """
    blocks = _blocks(table, rounds, judged)
    seatings = _seatings(rules, table, player, banker, others, judged, seed)
    return np.concatenate([seating.play(length).ravel() for seating in seatings for length in blocks])


def match(
    rules: Rules,
    table: Table,
    players: Sequence[Policy],
    bankers: Sequence[Policy | None],
    rounds: int,
    *,
    seed: int = 0,
    others: Policy | None = None,
    judged: str = "player",
    progress: Progress = lambda rounds: None,
) -> Match:
    """Every player against every banker, all on the same deals (see `play`), and exactly (see `exact_values`).

    Args:
        progress: told how many rounds were played since the last call.

    Raises:
        BadArgument: nobody to play, or no rounds.
    """
    if not players or not bankers or rounds < 1 or judged not in ("player", "banker"):
        raise BadArgument("a match needs players, bankers, rounds, and a side to judge", got=(rounds, judged))
    pairs = list(product(players, bankers))
    seatings = [_seatings(rules, table, p, b, others, judged, seed) for p, b in pairs]
    scores = [_Score() for _ in pairs]
    unit = 2.0 * table.stake_min * (table.seats - 1 if judged == "banker" else 1)
    for place in range(len(seatings[0])):
        for length in _blocks(table, rounds, judged):
            blocks = [seating[place].play(length) for seating in seatings]
            for score, block in zip(scores, blocks, strict=True):
                score.add(block, blocks[0], unit)
                progress(block.size)
    exact = exact_values(rules, table, pairs, judged)
    told = [score.contestant(_name(p), _name(b), table) for score, (p, b) in zip(scores, pairs, strict=True)]
    contestants = [replace(one, exact=value) for one, value in zip(told, exact, strict=True)]
    first, *others_told = contestants
    compared = [replace(one, difference=_exact_difference(first, one)) for one in others_told]
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

    That needs one player; where he may split, one who looks at the hand in play alone, as a table does; and the
    compiler, without which it takes hours.

    Raises `UnknownSituation`: a table has no answer where it needs one.
    """
    if table.seats != 2 or not COMPILED:
        return [None] * len(pairs)
    sign, judges = 1.0 if judged == "player" else -1.0, {}
    found: list[float | None] = []
    for player, banker in pairs:
        try:
            if not isinstance(player, Strategy) and rules.split != "none" and rules.max_hands > 1:
                raise NotCovered("a player who may look at his other hands")
            if id(banker) not in judges:
                judges[id(banker)] = AgainstBanker(heads_up(rules, table), banker)
            found.append(sign * judges[id(banker)].value(player))
        except NotCovered:
            found.append(None)
    return found


class ExactJudge:
    """The exact regret of many policies of one side against one opponent, one player and the bank.

    A network that may look at its other split hands is judged as if they were what they usually are
    (`solver.expectation.value`).

    Args:
        role: whose policies, `"player"` or `"banker"`.
        opponent: the other side's policy; None for a banker whom the rules bind.
        shoe: counts of ranks in place of the full shoe.

    Attributes:
        best: the value of a round to the judged side with its best response, in units of `stake_min`.

    Raises:
        NotCovered: what the solver has no exact value of.
    """

    def __init__(
        self,
        rules: Rules,
        table: Table,
        role: str,
        opponent: Policy | None,
        shoe: Mapping[str, int] | None = None,
    ) -> None:
        self.role, game = role, heads_up(rules, table, shoe)
        self._of_banker, self._of_player = None, None
        if role_number(role) == Role.PLAYER:
            self._of_player = AgainstBanker(game, opponent)
            self.best = best_player(self._of_player)[1].total / table.stake_min
        elif opponent is None:
            raise BadArgument("a banker is judged against a player", got=None)
        else:
            self._of_banker = BankerSearch(game, opponent)
            self.best = -self._of_banker.best()[0]

    def value(self, policy: Policy) -> float:
        """A round's value to the judged side, in units of `stake_min`. Raises `UnknownSituation`."""
        if self._of_player is not None:
            return self._of_player.value(policy)
        assert self._of_banker is not None
        return -self._of_banker.table(self._of_banker.follow(policy), "judged")[0]

    def regret(self, policy: Policy) -> float:
        """A policy's distance from the best response. Raises as `value`."""
        return self.best - self.value(policy)

    def table(self, policy: Policy) -> Strategy:
        """The table that a policy amounts to (`solver.tabulate`). Raises as `value`."""
        if self._of_player is not None:
            return player_table(self._of_player, policy)
        assert self._of_banker is not None
        return banker_table(self._of_banker, policy)

    def report(self, policy: Policy) -> Regret:
        """The same situation by situation."""
        if self._of_player is not None:
            return player_regret(self._of_player, policy)
        assert self._of_banker is not None
        return banker_regret(self._of_banker, policy)


def exact_judge(rules: Rules, table: Table, role: str, opponent: Policy | None) -> ExactJudge | None:
    """The exact judge of one side's policies; None where there is none, and without the compiler (`exact_values`)."""
    if table.seats != 2 or not COMPILED:
        return None
    try:
        return ExactJudge(rules, table, role, opponent)
    except NotCovered:
        return None


class _Score:
    """What one contestant has done so far."""

    def __init__(self) -> None:
        self.value, self.difference = _Mean(), _Mean()
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


def _name(policy: Policy | None) -> str:
    return "bound" if policy is None else str(getattr(policy, "name", type(policy).__name__))


def _blocks(table: Table, rounds: int, judged: str) -> list[int]:
    """Lengths of the blocks that make up a seating's share of the rounds."""
    share = math.ceil(rounds / (ROWS * (table.seats - 1 if judged == "player" else 1)))
    return [BLOCK] * (share // BLOCK) + ([share % BLOCK] if share % BLOCK else [])


def _seatings(
    rules: Rules,
    table: Table,
    player: Policy,
    banker: Policy | None,
    others: Policy | None,
    judged: str,
    seed: int,
) -> list[_Rows]:
    """The player at each place in turn; one seating with all of them if the banker is judged."""
    places = table.seats - 1
    if judged == "banker":
        return [_Rows(rules, table, Cast(rules, table, [player] * places, banker), places, seed)]
    seatings = []
    for place in range(places):
        seats = [others or player] * places
        seats[place] = player
        seatings.append(_Rows(rules, table, Cast(rules, table, seats, banker), place, seed))
    return seatings


def response_report(response: BestResponse) -> tuple[dict[str, Any], list[str]]:
    """A best response, JSON-able and for people."""
    strategy, value = response.strategy, response.value
    report = {"role": strategy.role, "name": strategy.name, "value": value, "situations": len(strategy.keys)}
    line = f"value of a round to the player {value:+.9f} least stakes with the {strategy.role} {strategy.name!r}"
    return report, [line, f"{len(strategy.keys):,} situations"]


def regret_report(regret: Regret, top: int) -> tuple[dict[str, Any], list[str]]:
    """A policy's regret, JSON-able and for people, with so many of its dearest situations."""
    report, rest = regret.as_dict(), regret.situations[top:]
    report["situations"] = report["situations"][:top]
    report["others"] = {"situations": len(rest), "loss": sum(one.loss for one in rest)}
    lines = [
        f"value of a round to the player {regret.value:+.9f} least stakes, with the best {regret.role} "
        f"{regret.best:+.9f}: the {regret.role}'s regret is {regret.total:.9f}",
        "",
        f"{'loss a round':>12}{'met a round':>13}  situation; what is done; what is best",
    ]
    for one in regret.situations[:top]:
        done = " ".join(action if p == 1.0 else f"{action} {p:.1%}" for action, p in one.chosen.items())
        lines.append(f"{one.loss:>12.7f}{one.reach:>13.7f}  {one.text}; {done}; {one.best}")
    return report, [*lines, f"{sum(one.loss for one in rest):>12.7f}{'':>13}  in {len(rest):,} other situations"]
