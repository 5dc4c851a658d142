"""The five formats of a chart: CSV, JSON, Markdown, HTML and PNG.

Each shows a page (`render.sheet.Sheet`) to people. CSV, Markdown and HTML are read back from what they show; only facts
that no table shows stand beside it, as a JSON text. A JSON file is its facts, and a PNG holds them. What the facts and
the tables say is the business of `chart`.
"""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Callable, Sequence
from html.parser import HTMLParser
from typing import NamedTuple

from pontoon_gym.files import text_of
from pontoon_gym.render.sheet import Sheet, png_bytes, png_text


class Page(NamedTuple):
    """What is read of a file.

    Attributes:
        facts: the JSON text.
        rows: every row of the tables, as texts; where one begins, its name stands in the corner. None where the facts
            have the cells.
        words: what stands beside the tables, in one line (see `words`); None where nothing does.
    """

    facts: str
    rows: list[list[str]] | None = None
    words: str | None = None


# --- written -----------------------------------------------------------------------------------------------------


def markdown(sheet: Sheet) -> str:
    """A page as Markdown."""
    # Nothing in them may begin a comment.
    title, *notes = (text.replace("<", r"\<") for text in (sheet.title, *sheet.notes))
    lines = [f"# {title}", "", *(f"- {note}" for note in notes)]
    for name, grid in sheet.grids.items():
        lines += ["", f"## {name}", "", _markdown_row(grid[0]), _markdown_row(["---"] * len(grid[0]))]
        lines += [_markdown_row(row) for row in grid[1:]]
    return "\n".join(lines)


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _to_csv(sheet: Sheet, facts: str) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for name, grid in sheet.grids.items():
        writer.writerow([name, *grid[0][1:]])
        writer.writerows(grid[1:])
    # Last, so that a file that was cut off lacks it.
    writer.writerow([f"# {facts}"])
    return out.getvalue().encode()


def _to_json(sheet: Sheet, facts: str) -> bytes:
    return f"{facts}\n".encode()


_COMMENT = re.compile(r"(?<!\\)<!--(.*?)-->", re.DOTALL)


def _to_markdown(sheet: Sheet, facts: str) -> bytes:
    # A comment may not hold two hyphens.
    data = facts.replace("--", r"\u002d\u002d")
    return f"{markdown(sheet)}\n\n<!-- {data} -->\n".encode()


_STYLE = (
    "body{font:16px sans-serif;margin:2em}table{border-collapse:collapse;margin:1em 0}"
    "th,td{border:1px solid #999;padding:.2em .6em;text-align:center}td:first-child,th{background:#eee}"
)


def _to_html(sheet: Sheet, facts: str) -> bytes:
    escape = html.escape
    parts = [f"<h1>{escape(sheet.title)}</h1>", *(f"<p>{escape(note)}</p>" for note in sheet.notes)]
    for name, grid in sheet.grids.items():
        head = "".join(f"<th>{escape(cell)}</th>" for cell in grid[0])
        body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in grid[1:])
        parts.append(f"<h2>{escape(name)}</h2><table><tr>{head}</tr>{body}</table>")
    # Nothing in it may end the script.
    data = facts.replace("<", r"\u003c")
    parts.append(f'<script type="application/json">{data}</script>')
    page = f"<meta charset=utf-8><title>{escape(sheet.title)}</title><style>{_STYLE}</style>{''.join(parts)}"
    return f"<!doctype html><html lang=en>{page}</html>\n".encode()


# --- read --------------------------------------------------------------------------------------------------------


def _from_csv(data: bytes) -> Page:
    """Programs write semicolons or tabs where the comma is a decimal sign; no label has any."""
    text = text_of(data)
    first = text.lstrip().partition("\n")[0]
    separator = next((mark for mark in ";\t" if mark in first), ",")
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    rows = [row for row in map(_stripped, lines) if row]
    facts = [",".join(row).removeprefix("#") for row in rows if row[0].startswith("#")]
    return Page(_only(facts), [row for row in rows if not row[0].startswith("#")])


def _stripped(row: Sequence[str]) -> list[str]:
    """A row without blanks around its texts, and without empty texts at its end."""
    texts = [text.strip() for text in row]
    while texts and not texts[-1]:
        texts.pop()
    return texts


def _only(facts: Sequence[str]) -> str:
    """The facts, if they are there once. Raises `ValueError`."""
    if len(facts) != 1:
        raise ValueError(f"it holds the facts of {len(facts)} charts: it was cut off, or is none")
    return facts[0]


def _from_markdown(data: bytes) -> Page:
    text = text_of(data)
    facts = [comment for comment in _COMMENT.findall(text) if comment.lstrip().startswith("{")]
    rows: list[list[str]] = []
    prose: list[str] = []
    name, place = "", 0  # the last heading; how many lines of a table were read
    for line in map(str.strip, _COMMENT.sub("", text).splitlines()):
        told = line.startswith(("#", "- ", "* ", "+ "))
        # A table begins with a line of cells, and goes on until an empty line.
        place = place + 1 if line and not told and (place or "|" in line) else 0
        cells = _stripped(line.removeprefix("|").split("|"))
        if place == 0:
            name = line.strip("# ") if line.startswith("#") else name
            prose.append(line)
        elif place != 2 or not all(re.fullmatch(":?-+:?", cell) for cell in cells):
            rows.append(_headed(name, cells) if place == 1 else cells)
    return Page(_only(facts), rows, words(" ".join(prose)))


def _headed(name: str, row: list[str]) -> list[str]:
    """The first row of a table, with its name in the corner. Raises `ValueError`."""
    if row and row[0]:
        raise ValueError(f"the corner of a table must be empty: {row[0]!r:.80}")
    return [name, *row[1:]]


def words(text: str) -> str:
    """A text without the blanks and Markdown's marks that say nothing."""
    return re.sub(r"\\(?=[^\w\s])", "", " ".join(text.split()))


class _Reader(HTMLParser):
    """What a web page shows: its tables, and the words beside them; and the facts in its script."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.facts: list[str] = []
        self.prose: list[str] = []
        self._in, self._name, self._heads = "", "", dict[int, str]()
        self.feed(page)
        self.close()
        for row, name in self._heads.items():
            self.rows[row] = _headed(name, self.rows[row])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.prose.append(" ")
        if tag not in ("table", "tr", "td", "th", "h2", "script", "style", "title"):
            return
        if tag == "table":
            self._heads[len(self.rows)] = self._name.strip()
        elif tag == "tr" or (tag in ("td", "th") and self._in not in ("tr", "td", "th")):
            self.rows.append([])
        self._in = tag
        if tag in ("td", "th"):
            if any(name in ("colspan", "rowspan") for name, _ in attrs):
                raise ValueError("a cell that is as large as several: each must stand alone")
            self.rows[-1].append("")
        elif tag == "h2":
            self._name = ""
        elif ("type", "application/json") in attrs:
            self._in = "facts"
            self.facts.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag == self._in or tag in ("table", "tr", "script"):
            self._in = {"td": "tr", "th": "tr", "tr": "table"}.get(tag, "")

    def handle_data(self, data: str) -> None:
        if self._in in ("td", "th"):
            self.rows[-1][-1] += data
        elif self._in == "facts":
            self.facts[-1] += data
        elif self._in == "h2":
            self._name += data
        elif self._in in ("table", "tr") and data.strip():
            raise ValueError(f"a text in a table, but in no cell: {data.strip()!r:.80}")
        elif not self._in:
            self.prose.append(data)


def _from_html(data: bytes) -> Page:
    found = _Reader(text_of(data))
    return Page(_only(found.facts), [_stripped(row) for row in found.rows], words("".join(found.prose)))


class _Format(NamedTuple):
    """How a page and its facts become bytes, and what is read of the bytes; whether the tables are read or the facts
    have the cells."""

    encode: Callable[[Sheet, str], bytes]
    decode: Callable[[bytes], Page]
    by_tables: bool


_FORMATS: dict[str, _Format] = {
    ".csv": _Format(_to_csv, _from_csv, True),
    ".json": _Format(_to_json, lambda data: Page(text_of(data)), False),
    ".md": _Format(_to_markdown, _from_markdown, True),
    ".html": _Format(_to_html, _from_html, True),
    ".png": _Format(png_bytes, lambda data: Page(png_text(data)), False),
}
SUFFIXES = tuple(_FORMATS)
"""What a chart's file may end in."""
BY_TABLES = tuple(suffix for suffix, form in _FORMATS.items() if form.by_tables)
"""The formats that are read back from their tables: their facts have no cells."""


def encode(suffix: str, sheet: Sheet, facts: str) -> bytes:
    """A page with its facts, in the format of a suffix. Raises `MissingExtra` (PNG)."""
    return _FORMATS[suffix].encode(sheet, facts)


def decode(suffix: str, data: bytes) -> Page:
    """What is read of a file of a suffix's format. Raises whatever a damaged file makes a reader raise."""
    if suffix not in _FORMATS:
        raise ValueError(f"a chart's name ends in one of {', '.join(SUFFIXES)}")
    return _FORMATS[suffix].decode(data)
