"""From slices to rates, from rates to ratios, and both as tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from statistics import median
from typing import Any, NamedTuple

from benchmarks.speed.contest import Entry, Tally

RATES = ("transitions", "decisions", "episodes")


class Ratio(NamedTuple):
    """One rate held against another.

    Attributes:
        above, below: patterns of contestants' names; on either side the one with the best median counts.
        rate: one of `RATES`.
        target: at least so much, or if `most`, less than so much; None for what is only shown.
    """

    name: str
    above: str
    below: str
    rate: str = "transitions"
    target: float | None = None
    most: bool = False

    def holds(self, value: float) -> bool | None:
        """Whether the target is met."""
        if self.target is None:
            return None
        return value < self.target if self.most else value >= self.target


_OURS = r"pontoon/rows={}/threads={}"
_NOT_ONE = "(64|1024|4096)"

RATIOS = (
    Ratio("best / EnvPool's best", _OURS.format(_NOT_ONE, r"\d"), "envpool/.*", target=12.0),
    Ratio("single / Blackjack-v1 single", "pontoon/single", "gymnasium/blackjack/single", target=8.0),
    Ratio("two threads / one, each at its best", _OURS.format(r"\d+", 2), _OURS.format(r"\d+", 1), target=1.5),
    Ratio(
        "rounds, five seats in the kernels / RLCard, five players",
        "pontoon/play/thumb/seats=5",
        "rlcard/blackjack/players=5",
        "episodes",
        30.0,
    ),
    Ratio("environment / floor that looks, 1,024 rows", _OURS.format(1024, 1), "floor/seen/rows=1024", target=0.5),
    Ratio("environment / floor of memory, 1,024 rows", _OURS.format(1024, 1), "floor/memory/rows=1024", target=0.5),
    Ratio(
        "cost of a decision, 65,536 rows / 64",
        _OURS.format(64, 1),
        _OURS.format(65536, 1),
        "decisions",
        1.5,
        most=True,
    ),
    Ratio("best on one thread / EnvPool's best", _OURS.format(_NOT_ONE, 1), "envpool/.*"),
    Ratio("best / gymnasium's sync vector, best", _OURS.format(_NOT_ONE, r"\d"), "gymnasium/blackjack/sync/.*"),
    Ratio("single / OpenSpiel blackjack", "pontoon/single", "openspiel/.*"),
    Ratio("single / RLCard, one player", "pontoon/single", "rlcard/blackjack/players=1"),
    *(Ratio(f"two threads / one, {n:,} rows", _OURS.format(n, 2), _OURS.format(n, 1)) for n in (64, 1024, 4096, 65536)),
    *(
        Ratio(f"environment / floor {words}, {n:,} rows", _OURS.format(n, 1), f"floor/{kind}/rows={n}")
        for kind, words in (("seen", "that looks"), ("memory", "of memory"))
        for n in (64, 4096, 65536)
    ),
    Ratio(
        "rounds, five players and banker in the kernels / RLCard, five players and dealer",
        "pontoon/play/thumb/seats=6",
        "rlcard/blackjack/players=5",
        "episodes",
    ),
    Ratio(
        "the same, all playing at random",
        "pontoon/play/random/seats=6",
        "rlcard/blackjack/players=5",
        "episodes",
    ),
)
"""The first six have targets."""


def result(entry: Entry, slices: Sequence[Tally], absent: str | None) -> dict[str, Any]:
    """A contestant's part of the report: what it is, its rates, and every slice."""
    about = {"name": entry.name, "rows": entry.rows, "seats": entry.seats, "threads": entry.threads, "absent": absent}
    rates = {what: _spread([one.rate(what) for one in slices]) for what in RATES}
    return {**about, "rates": rates, "slices": [one._asdict() for one in slices]}


def _spread(values: Iterable[float]) -> dict[str, float] | None:
    """Median, least and most; None for what is not counted."""
    known = sorted(values)
    if not known or not known[-1]:
        return None
    return {"median": median(known), "low": known[0], "high": known[-1]}


def best(results: Sequence[dict[str, Any]], pattern: str, rate: str) -> dict[str, Any] | None:
    """The contestant with the highest median of those whose name matches; None if no such one has run."""
    known = [one for one in results if re.fullmatch(pattern, one["name"]) and one["rates"][rate]]
    return max(known, key=lambda one: float(one["rates"][rate]["median"]), default=None)


def ratios(results: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Every ratio of which both sides have run: of their medians, and the least and most of slices of one turn."""
    found = []
    for ratio in RATIOS:
        above, below = best(results, ratio.above, ratio.rate), best(results, ratio.below, ratio.rate)
        if above and below:
            value = above["rates"][ratio.rate]["median"] / below["rates"][ratio.rate]["median"]
            pairs = zip(_rates_of(above, ratio.rate), _rates_of(below, ratio.rate), strict=True)
            each = [a / b for a, b in pairs if b]
            about = {"name": ratio.name, "of": ratio.rate, "above": above["name"], "below": below["name"]}
            target = {"target": ratio.target, "most": ratio.most, "met": ratio.holds(value)}
            found.append({**about, "value": value, "low": min(each), "high": max(each), **target})
    return found


def _rates_of(one: dict[str, Any], rate: str) -> list[float]:
    return [Tally(**tally).rate(rate) for tally in one["slices"]]


def growth(results: Sequence[dict[str, Any]]) -> dict[str, float]:
    """Nanoseconds of a decision by number of rows, on one thread."""
    costs = {}
    for one in results:
        if re.fullmatch(_OURS.format(r"\d+", 1), one["name"]) and one["rates"]["decisions"]:
            costs[str(one["rows"])] = 1e9 / one["rates"]["decisions"]["median"]
    return costs


# --- as text -----------------------------------------------------------------------------------------------------


def _cell(rate: dict[str, float] | None) -> str:
    if rate is None:
        return f"{'-':>28}"
    around = "".join(f"{rate[end] / rate['median'] - 1:>+7.0%}" for end in ("low", "high"))
    return f"{rate['median']:>14,.0f}{around}"


def _line(one: dict[str, Any]) -> str:
    about = f"{one['name']:<42}{one['rows']:>6}{one['seats']:>6}{one['threads']:>8}"
    if one["absent"]:
        return f"{about}   absent: {one['absent']}"
    return about + "".join(_cell(one["rates"][what]) for what in RATES)


def verdict(ratio: dict[str, Any]) -> str:
    """What a ratio should be, and whether it is."""
    if ratio["target"] is None:
        return ""
    return f"{'<' if ratio['most'] else '>='} {ratio['target']:g}: {'pass' if ratio['met'] else 'FAIL'}"


def text(report: dict[str, Any]) -> str:
    """The whole report for people."""
    lines = [f"{report['cpu']}, {report['cores']} cores, {report['date']}", f"{report['command']}", ""]
    heads = "".join(f"{f'{what}/s':>14}  least   most" for what in RATES)
    lines += [f"{'contestant':<42}{'rows':>6}{'seats':>6}{'threads':>8}{heads}"]
    lines += [_line(one) for one in report["contestants"]]
    lines += ["", f"{'ratio':<82}{'value':>8}  {'least to most':<18}target"]
    lines += [
        f"{ratio['name']:<82}{ratio['value']:>8.2f}  {ratio['low']:<6.2f} to {ratio['high']:<8.2f}{verdict(ratio)}"
        for ratio in report["ratios"]
    ]
    costs = ", ".join(f"{int(n):,} rows {cost:,.0f}" for n, cost in report["growth"].items())
    memory, work = report["memory"], report["work"]
    lines += [
        "",
        f"nanoseconds of a decision, one thread: {costs or 'not measured'}",
        f"bytes a row: {memory['round']:,.0f} of the round, {memory['output']:,.0f} of what a step hands out",
        f"a transition of the game: {work['cards']:.3f} cards, {work['ends']:.3f} ends of episodes",
    ]
    return "\n".join(lines)
