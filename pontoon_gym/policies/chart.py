"""Charts: a player's policy that fits on a sheet of paper.

A chart says what to do by the total of a hand, the number of its cards and whether it has bought, doubled or twisted;
beside it stand the stake by the first card and the pairs to split. It is written as CSV, JSON, Markdown, HTML or PNG,
loads back, and plays as a table. What a file shows is what plays: it may be edited by hand (a PNG may not), and is
refused where a label or a cell is none of its game's.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from pontoon_gym.engine.hand import COMPOSITIONS, VALUES, best_total, is_soft
from pontoon_gym.engine.view.infostate import pack_key
from pontoon_gym.errors import BadArgument
from pontoon_gym.files import digest, facts_of, text_of
from pontoon_gym.names import BUY, SPLIT, STICK, TWIST, Phase, Role, action_name, action_number
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

FORMAT = "pontoon-chart/2"
MOST_BYTES = 1 << 22
"""No chart's file is larger."""
STAKES, PAIRS = "stakes", "pairs"
"""Tables of a chart beside that of its hands."""
PARTS = ("phase", "cards", "bought", "twisted", "pair", "upcard")
"""The parts of an infostate key that a chart looks at."""

Cell = tuple[str, str, str]
"""Table, row and column."""
SILENT = "S"
"""How a hand without a cell is played: as `stick15` does."""
WORTH = ("against", "value", "whole", "loss")
"""What notes tell of a chart's worth."""
_SEAL = "digest"
"""The note that holds the digest of a chart's worth and of what it is the worth of."""


@dataclass(frozen=True)
class Chart:
    """A player's chart.

    It does not change: `dataclasses.replace(chart, cells={**chart.cells, cell: "S"})` makes another. Charts are equal
    if all that is said here of them is; their hash is of what they play, and leaves out the name and the notes.

    Attributes:
        name: of the policy that it was made from.
        cells: the action of each cell, by its letter (`names.action_name`); a pair's is `P`, or `-` if it is played.
        notes: JSON-able facts: what it is worth, what it loses against the policy it was made from (`with_worth`). What
            was said of other cells, rules or another table is left out.

    Raises:
        BadArgument: a cell that no chart of the game has, or an action that cannot stand there.
    """

    name: str
    rules: Rules
    table: Table
    cells: Mapping[Cell, str]
    notes: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        known = _known(self.rules, self.table)
        for cell, action in self.cells.items():
            _check_cell(known, cell, action)
        object.__setattr__(self, "cells", MappingProxyType(dict(self.cells)))
        notes = dict(self.notes)
        seal = _seal(self, notes)
        if seal is None or notes.get(_SEAL) != seal:
            notes = {name: said for name, said in notes.items() if name not in (*WORTH, _SEAL)}
        object.__setattr__(self, "notes", MappingProxyType(notes))

    def __hash__(self) -> int:
        return hash((self.rules, self.table, frozenset(self.cells.items())))

    def __reduce__(self) -> tuple[object, ...]:
        """Copies are made by its arguments: views of what is read only cannot be copied."""
        return Chart, (self.name, self.rules, self.table, dict(self.cells), dict(self.notes))

    def with_worth(self, **worth: Any) -> Chart:
        """This chart with a note of what it is worth, by the names of `WORTH`."""
        notes = {**self.notes, **worth}
        return replace(self, notes={**notes, _SEAL: _seal(self, notes)})

    def as_dict(self) -> dict[str, Any]:
        """JSON-able."""
        return {**_stamp(self), "cells": [[*cell, action] for cell, action in self.cells.items()]}

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
        if _SEAL not in self.notes:
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
        facts = _stamp(self) if suffix in chart_formats.BY_TABLES else self.as_dict()
        return chart_formats.encode(suffix, self.sheet(), json_text(facts))

    @classmethod
    def load(cls, path: str | Path) -> Chart:
        """Read a file that `save` wrote, or that was edited since. Raises `UnknownPolicy` if there is none,
        `BadPolicyFile` if it is bad, and `MissingExtra` (PNG)."""
        suffix = suffix_of(path)
        return load_file(path, "chart", lambda data: _build(chart_formats.decode(suffix, data)), MOST_BYTES)


# --- where an infostate stands on a chart -------------------------------------------------------------------------


def card_label(v: int) -> str:
    """A card's value as charts write it."""
    return "A" if v == 1 else str(v)


def hand_cell(rules: Rules, made: int, bought: int, twisted: int, up: int) -> Cell:
    """The cell of a hand in play, a pair that is not split among them."""
    row, cards = _row(made)
    return _section("hands", up), row, _column(rules, cards, bought, twisted)


@cache
def _row(made: int) -> tuple[str, int]:
    """The row of a hand, and its number of cards."""
    counts = COMPOSITIONS[made].astype(int)
    hard = int(counts @ np.arange(1, VALUES + 1))
    kind = "soft" if is_soft(hard, int(counts[0])) else "hard"
    return f"{kind} {best_total(hard, int(counts[0]))}", int(counts.sum())


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


@cache
def _known(rules: Rules, table: Table) -> dict[Cell, tuple[str, ...]]:
    """Every cell that a chart of a game may have, and the actions that may stand in it."""
    buys = {"none": 0, "double": 1, "buy": table.buy_levels}[rules.buying]
    plays = ("S", "T", *(action_name(BUY + level, table.buy_levels) for level in range(buys)))
    stakes = tuple(action_name(action, table.buy_levels) for action in range(table.first_stake, table.actions))
    known: dict[Cell, tuple[str, ...]] = {}
    for parts, cell, pair in _infostates(rules):
        known[cell] = stakes if parts["phase"] == Phase.STAKE else plays
        if pair is not None:
            known[pair] = ("P", "-")
    return known


def _check_cell(known: Mapping[Cell, tuple[str, ...]], cell: Cell, action: str) -> None:
    """Raise `BadArgument` unless a chart may say so."""
    if cell in known:
        if action not in known[cell]:
            raise BadArgument("no such action", got=action, allowed=", ".join(known[cell]), where=" / ".join(cell))
        return
    for k, label in enumerate(cell):
        _check_label(known, cell[0], k, label)
    raise BadArgument("no hand stands in such a cell", got=", ".join(cell))


def _check_label(known: Mapping[Cell, tuple[str, ...]], table: str, k: int, label: str) -> None:
    """Raise `BadArgument` unless the k-th part of a cell of a table may be so."""
    if not any(cell[k] == label and (k == 0 or cell[0] == table) for cell in known):
        labels = sorted({cell[k] for cell in known if k == 0 or cell[0] == table}, key=_order)
        what = ("table", "row", "column")[k]
        raise BadArgument(f"no such {what} on a chart of this game", got=label, allowed=", ".join(labels))


# --- as a policy -------------------------------------------------------------------------------------------------


def _infostates(rules: Rules) -> Iterator[tuple[dict[str, int], Cell, Cell | None]]:
    """What a chart tells apart: parts of an infostate key, with their cell, and that of the pair if they are one."""
    ups = range(1, VALUES + 1) if rules.banker_upcard else (0,)
    first = 1 if rules.stake_after_first_card else 0
    for made, counts in enumerate(COMPOSITIONS.tolist()):
        cards = sum(counts)
        for up in ups if cards >= first else ():
            if cards == first:
                seen = up if first else 0
                yield {"phase": Phase.STAKE, "cards": made, "upcard": seen}, stake_cell(made, seen), None
            elif cards > 1 and not 0 < rules.trick_cards <= cards:
                yield from _hands(rules, made, up)


def _hands(rules: Rules, made: int, up: int) -> Iterator[tuple[dict[str, int], Cell, Cell | None]]:
    """The infostates of a hand in play."""
    counts, (_, cards) = COMPOSITIONS[made], _row(made)
    for bought in range(min(rules.most_buys, cards - 2) + 1):
        for twisted in (0, 1) if cards - 2 - bought > 0 else (0,):
            parts = {"phase": Phase.PLAY, "cards": made, "bought": bought, "twisted": twisted, "upcard": up}
            cell = hand_cell(rules, made, bought, twisted, up)
            yield parts, cell, None
            if cards == 2 and counts.max() == 2:
                pair = pair_cell(int(counts.argmax()) + 1, up) if rules.most_hands > 1 else None
                yield {**parts, "pair": 1}, cell, pair


def _rows(chart: Chart) -> Iterator[tuple[int, list[float]]]:
    """Keys and weights of the table that plays a chart."""
    for parts, cell, pair in _infostates(chart.rules):
        splits = chart.cells.get(pair) == "P" if pair is not None else False
        if cell in chart.cells or splits:
            action = action_number(chart.cells.get(cell, SILENT), chart.table.buy_levels)
            wanted = [SPLIT] * splits + wishes(action, chart.table)
            yield pack_key(Role.PLAYER, **parts), ranked(wanted, chart.table.actions)


def wishes(action: int, table: Table) -> list[int]:
    """A cell's action, and what is done where it is not allowed, the most wanted first."""
    if action >= table.first_stake:
        return list(dict.fromkeys([action, *range(table.first_stake, table.actions)]))
    return list(dict.fromkeys([action, *range(action - 1, BUY - 1, -1), TWIST, STICK]))


# --- for people ---------------------------------------------------------------------------------------------------


def _title(chart: Chart) -> str:
    stakes = f"stakes {chart.table.stake_min}-{chart.table.stake_max}"
    return _line(f"{chart.name}: {chart.rules.text()}, {stakes}")


def _line(text: str) -> str:
    """A text on one line."""
    return " ".join(text.split())


def _notes(chart: Chart) -> Iterator[str]:
    """What a reader has to know: the letters, and what the chart loses."""
    buys = (
        [f"B{i} {_buy_words(chart, i)}" for i in range(chart.table.buy_levels)] if chart.rules.buying == "buy" else []
    )
    double = ["B0 double"] if chart.rules.buying == "double" else []
    stakes = [f"W{i} stake level {i}" for i in range(chart.table.stake_levels)] if chart.table.stake_levels > 1 else []
    yield "S stick, T twist, P split" + "".join(f", {words}" for words in [*buys, *double, *stakes])
    yield "where an action is not allowed: the next lesser buy, else twist, else stick"
    yield f"an empty cell is played as {SILENT}"
    if _SEAL in chart.notes:
        yield _line(chart.worth())


def _buy_words(chart: Chart, level: int) -> str:
    levels = chart.table.buy_levels
    return "buy least" if level == 0 else "buy most" if level == levels - 1 else f"buy level {level} of {levels}"


def _grid(chart: Chart, section: str) -> list[list[str]]:
    """A section as rows of text, the first of them its columns' heads."""
    cells = {(row, column): action for (of, row, column), action in chart.cells.items() if of == section}
    rows = sorted({row for row, _ in cells}, key=_order)
    columns = sorted({column for _, column in cells}, key=_order)
    return [["", *columns], *([row, *(cells.get((row, column), "") for column in columns)] for row in rows)]


# --- as a file ---------------------------------------------------------------------------------------------------


def _seal(chart: Chart, notes: Mapping[str, Any]) -> str | None:
    """What the note says if the other notes tell what the chart is worth; None if they tell nothing."""
    try:
        against, *figures = (notes[name] for name in WORTH)
        said = [str(against), *(figure + 0.0 for figure in figures)]
    except (KeyError, TypeError):
        return None
    facts = [chart.rules.digest(), chart.table.digest(), sorted(chart.cells.items()), said]
    return digest(json.dumps(facts).encode())


def _stamp(chart: Chart) -> dict[str, Any]:
    """What a file says of a chart beside its cells."""
    return write_metadata(Metadata("player", chart.rules, chart.table, chart.name, chart.notes), FORMAT)


def _build(page: chart_formats.Page) -> Chart:
    """The chart of a file. Raises `ValueError` where its words are not those of its facts."""
    facts = facts_of(page.facts)
    stamp = read_metadata(facts, FORMAT, **({"cells": list} if page.rows is None else {}))
    if stamp.role != "player":
        raise ValueError("it is not a player's")
    cells = facts["cells"] if page.rows is None else _cells_shown(page.rows, _known(stamp.rules, stamp.table))
    chart = Chart(stamp.name, stamp.rules, stamp.table, _each_once(cells), stamp.notes)
    sheet = chart.sheet()
    for line in (sheet.title, *sheet.notes):
        if page.words is not None and chart_formats.words(line) not in page.words:
            raise ValueError(f"its page does not say what its facts say: {line!r}")
    return chart


def _cells_shown(rows: list[list[str]], known: Mapping[Cell, tuple[str, ...]]) -> Iterator[list[str]]:
    """The cells that tables show, each as table, row, column and action. Raises `ValueError`."""
    tables = {cell[0] for cell in known}
    table, columns = "", list[str]()
    for label, *texts in filter(None, rows):
        if label in tables or not table:
            _check_label(known, label, 0, label)
            table, columns = label, texts
            for column in columns:
                _check_label(known, table, 2, column)
            continue
        _check_label(known, table, 1, label)
        if len(texts) > len(columns):
            raise ValueError(f"a row of {table} has more cells than columns: {label!r}")
        yield from ([table, label, column, text] for column, text in zip(columns, texts, strict=False) if text)


def _each_once(cells: Iterable[list[str]]) -> dict[Cell, str]:
    """Cells with their actions. Raises `ValueError` where one is not four texts, or is there twice."""
    found: dict[Cell, str] = {}
    for one in cells:
        if not isinstance(one, list) or [type(text) for text in one] != [str] * 4:
            raise ValueError(f"a cell must be a table, a row, a column and an action: {one!r:.80}")
        table, row, column, action = one
        if (table, row, column) in found:
            raise ValueError(f"a cell is there twice: {', '.join(one[:3])}")
        found[table, row, column] = action
    return found


def is_chart(path: str | Path) -> bool:
    """Whether a file is a chart, of whatever version, and no strategy. Raises `BadPolicyFile`."""
    if suffix_of(path) != ".json":
        return suffix_of(path) in chart_formats.SUFFIXES
    form = load_file(path, "policy", lambda data: form_of(facts_of(text_of(data))))
    return form.partition("/")[0] == FORMAT.partition("/")[0]
