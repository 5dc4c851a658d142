"""Charts: a player's policy that fits on a sheet of paper.

A chart says what to do by the total of a hand, the number of its cards and whether it has bought, doubled or twisted;
beside it stand the stake by the first card and the pairs to split. Every form in which it is written (CSV, JSON,
Markdown, HTML, PNG) holds the same facts, so that it loads back, and plays as a table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from pontoon_gym.engine.hand import COMPOSITIONS, VALUES, best_total, is_soft
from pontoon_gym.engine.view.infostate import pack_key
from pontoon_gym.errors import BadArgument
from pontoon_gym.files import facts_of, text_of
from pontoon_gym.names import BUY, SPLIT, STICK, TWIST, Phase, Role, action_number
from pontoon_gym.policies import chart_formats
from pontoon_gym.policies.baselines import baseline, ranked
from pontoon_gym.policies.metadata import (
    Metadata,
    form_of,
    json_text,
    load_file,
    read_metadata,
    save_file,
    suffix_of,
    write_metadata,
)
from pontoon_gym.policies.tabular import Strategy
from pontoon_gym.render.sheet import Sheet
from pontoon_gym.rules import Rules, Table

FORMAT = "pontoon-chart/1"
MOST_BYTES = 1 << 22
"""No chart's file is larger."""
STAKES, PAIRS = "stakes", "pairs"
"""Sections of a chart beside that of its hands."""
PARTS = ("phase", "cards", "bought", "twisted", "pair", "upcard")
"""The parts of an infostate key that a chart looks at."""

Cell = tuple[str, str, str]
"""Section, row and column."""


@dataclass(frozen=True)
class Chart:
    """A player's chart.

    Attributes:
        name: of the policy that it was made from.
        cells: the action of each cell, by its letter (`names.action_name`); a pair's is `P`, or `-` if it is played.
        notes: JSON-able facts: what it is worth, what it loses against the policy it was made from.
    """

    name: str
    rules: Rules
    table: Table
    cells: dict[Cell, str]
    notes: dict[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """JSON-able."""
        stamp = Metadata("player", self.rules, self.table, self.name, self.notes)
        return {**write_metadata(stamp, FORMAT), "cells": [[*cell, action] for cell, action in self.cells.items()]}

    def policy(self) -> Strategy:
        """The table that plays it; where the chart is silent, `stick15` plays.

        Of an action that is not allowed the next one counts: lesser buys, then a twist, then a stick.
        """
        rows = dict(_rows(self))
        if not rows:
            raise BadArgument("a chart without a cell plays nothing", where=self.name)
        return Strategy(
            Metadata("player", self.rules, self.table, name=self.name, notes=self.notes),
            parts=PARTS,
            keys=np.array(list(rows), np.int64),
            weights=np.array(list(rows.values())),
            greedy=True,
            otherwise=baseline("stick15", "player", self.rules, self.table),
        )

    def worth(self) -> str:
        """What the chart is worth and loses, in words, if its notes tell."""
        if "value" not in self.notes:
            return "nobody has said what this chart is worth"
        loss = self.notes["loss"]
        change = "loses" if loss >= 0 else "gains"
        return (
            f"value of a round {self.notes['value']:+.6f} least stakes against {self.notes['against']}; "
            f"the whole policy is worth {self.notes['whole']:+.6f}: the chart {change} {abs(loss):.6f}"
        )

    def sheet(self) -> Sheet:
        """The chart as tables of text, for people."""
        sections = dict.fromkeys(section for section, _, _ in self.cells)
        return Sheet(_title(self), tuple(_notes(self)), {name: _grid(self, name) for name in sections})

    def text(self) -> str:
        """The chart as Markdown."""
        return chart_formats.markdown(self.sheet())

    def save(self, path: str | Path) -> Path:
        """Write it in the form that the file's ending asks for. Raises `BadArgument`, `MissingExtra` (PNG)."""
        return save_file(path, "chart", {suffix: partial(self._encoded, suffix) for suffix in chart_formats.SUFFIXES})

    def _encoded(self, suffix: str) -> bytes:
        return chart_formats.encode(suffix, self.sheet(), json_text(self.as_dict()))

    @classmethod
    def load(cls, path: str | Path) -> Chart:
        """Read a file that `save` wrote. Raises `UnknownPolicy` if there is none, `BadPolicyFile` if it is bad, and
        `MissingExtra` (PNG)."""
        suffix = suffix_of(path)
        return load_file(path, "chart", lambda data: _build(facts_of(chart_formats.decode(suffix, data))), MOST_BYTES)


# --- where an infostate stands on a chart -------------------------------------------------------------------------


def card_label(v: int) -> str:
    """A card's value as charts write it."""
    return "A" if v == 1 else str(v)


def hand_cell(rules: Rules, made: int, bought: int, twisted: int, up: int) -> Cell:
    """The cell of a hand in play, a pair that is not split among them."""
    counts = COMPOSITIONS[made].astype(int)
    hard, cards = int(counts @ np.arange(1, VALUES + 1)), int(counts.sum())
    kind = "soft" if is_soft(hard, int(counts[0])) else "hard"
    return _section("hands", up), f"{kind} {best_total(hard, int(counts[0]))}", _column(rules, cards, bought, twisted)


def pair_cell(value: int, up: int) -> Cell:
    """The cell of a pair, split or not."""
    return _section(PAIRS, up), f"{card_label(value)},{card_label(value)}", "2 cards"


def stake_cell(made: int, up: int) -> Cell:
    """The cell of a stake, by the card that is seen before it."""
    counts = COMPOSITIONS[made]
    return _section(STAKES, up), card_label(int(counts.argmax()) + 1) if counts.any() else "any", "stake"


def _section(name: str, up: int) -> str:
    return f"{name}, banker shows {card_label(up)}" if up else name


def _column(rules: Rules, cards: int, bought: int, twisted: int) -> str:
    """Buys close when a card is twisted; doubles stay open."""
    if rules.buying == "buy":
        state = "twisted" if twisted else f"bought {bought}" if bought else ""
    else:
        state = "doubled" if bought else ""
    return f"{cards} cards, {state}" if state else f"{cards} cards"


def _order(label: str) -> tuple[object, ...]:
    """Hard totals before soft ones, greater before lesser; fewer cards before more; the ace first."""
    head, _, rest = label.partition(" ")
    if head in ("hard", "soft"):
        return (head, -int(rest))
    if rest.startswith("cards"):
        return ("", int(head), rest)
    first = label.partition(",")[0]
    return ("", 1 if first == "A" else int(first) if first.isdigit() else 0, "")


# --- as a policy -------------------------------------------------------------------------------------------------


def _rows(chart: Chart) -> Iterator[tuple[int, list[float]]]:
    """Keys and weights of the table that plays a chart."""
    ups = range(1, VALUES + 1) if chart.rules.banker_upcard else (0,)
    for made in range(len(COMPOSITIONS)):
        for up in ups:
            yield from _stake_rows(chart, made, up)
            yield from _hand_rows(chart, made, up)


def _stake_rows(chart: Chart, made: int, up: int) -> Iterator[tuple[int, list[float]]]:
    seen = up if chart.rules.stake_after_first_card else 0
    action = chart.cells.get(stake_cell(made, seen)) if COMPOSITIONS[made].sum() <= 1 else None
    if action is not None:
        stakes = range(chart.table.first_stake, chart.table.actions)
        wanted = list(dict.fromkeys([action_number(action, chart.table.buy_levels), *stakes]))
        yield pack_key(Role.PLAYER, phase=Phase.STAKE, cards=made, upcard=seen), ranked(wanted, chart.table.actions)


def _hand_rows(chart: Chart, made: int, up: int) -> Iterator[tuple[int, list[float]]]:
    counts, cards = COMPOSITIONS[made].astype(int), int(COMPOSITIONS[made].sum())
    most = chart.rules.most_buys
    for bought in range(max(min(most, cards - 2), 0) + 1):
        for twisted in (0, 1) if cards - 2 - bought > 0 else (0,):
            action = chart.cells.get(hand_cell(chart.rules, made, bought, twisted, up))
            if cards < 2 or action is None:
                continue
            parts = {"phase": Phase.PLAY, "cards": made, "bought": bought, "twisted": twisted, "upcard": up}
            wanted = wishes(action_number(action, chart.table.buy_levels), chart.table)
            yield pack_key(Role.PLAYER, **parts), ranked(wanted, chart.table.actions)
            if cards == 2 and counts.max() == 2:
                splits = chart.cells.get(pair_cell(int(counts.argmax()) + 1, up)) == "P"
                yield pack_key(Role.PLAYER, **parts, pair=1), ranked([SPLIT] * splits + wanted, chart.table.actions)


def wishes(action: int, table: Table) -> list[int]:
    """A cell's action, and what is done where it is not allowed, the most wanted first."""
    lesser = range(action - 1, BUY - 1, -1) if BUY <= action < table.first_stake else range(0)
    return list(dict.fromkeys([action, *lesser, TWIST, STICK]))


# --- for people ---------------------------------------------------------------------------------------------------


def _title(chart: Chart) -> str:
    return f"{chart.name}: {chart.rules.text()}, stakes {chart.table.stake_min}-{chart.table.stake_max}"


def _notes(chart: Chart) -> Iterator[str]:
    """What a reader has to know: the letters, and what the chart loses."""
    buys = (
        [f"B{i} {_buy_words(chart, i)}" for i in range(chart.table.buy_levels)] if chart.rules.buying == "buy" else []
    )
    double = ["B0 double"] if chart.rules.buying == "double" else []
    stakes = [f"W{i} stake level {i}" for i in range(chart.table.stake_levels)] if chart.table.stake_levels > 1 else []
    yield "S stick, T twist, P split" + "".join(f", {words}" for words in [*buys, *double, *stakes])
    yield "where an action is not allowed: the next lesser buy, else twist, else stick"
    if "value" in chart.notes:
        yield chart.worth()


def _buy_words(chart: Chart, level: int) -> str:
    levels = chart.table.buy_levels
    return "buy least" if level == 0 else "buy most" if level == levels - 1 else f"buy level {level} of {levels}"


def _grid(chart: Chart, section: str) -> list[list[str]]:
    """A section as rows of text, the first of them its columns' heads."""
    cells = {(row, column): action for (of, row, column), action in chart.cells.items() if of == section}
    rows = sorted({row for row, _ in cells}, key=_order)
    columns = sorted({column for _, column in cells}, key=_order)
    return [["", *columns], *([row, *(cells.get((row, column), "") for column in columns)] for row in rows)]


def _build(parts: Any) -> Chart:
    """The chart of the form that `as_dict` has."""
    stamp = read_metadata(parts, FORMAT, cells=list)
    if stamp.role != "player":
        raise ValueError("it is not a player's")
    cells = {}
    for section, row, column, action in parts["cells"]:
        if action != "-" and action_number(action, stamp.table.buy_levels) < 0:
            raise ValueError(f"no such action {action!r}")
        cells[str(section), str(row), str(column)] = str(action)
    return Chart(stamp.name, stamp.rules, stamp.table, cells, dict(stamp.notes))


def is_chart(path: str | Path) -> bool:
    """Whether a file is a chart, of whatever version, and no strategy. Raises `BadPolicyFile`."""
    if suffix_of(path) != ".json":
        return suffix_of(path) in chart_formats.SUFFIXES
    form = load_file(path, "policy", lambda data: form_of(facts_of(text_of(data))))
    return form.partition("/")[0] == FORMAT.partition("/")[0]
