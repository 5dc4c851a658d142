"""The five formats of a chart: CSV, JSON, Markdown, HTML and PNG.

Each shows a page (`render.sheet.Sheet`) to people and holds its facts, a JSON text, for the way back. What the facts
say is the business of `chart`.
"""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Callable, Sequence
from typing import NamedTuple

from pontoon_gym.files import text_of
from pontoon_gym.render.sheet import Sheet, png_bytes, png_text


def markdown(sheet: Sheet) -> str:
    """A page as Markdown."""
    lines = [f"# {sheet.title}", "", *(f"- {note}" for note in sheet.notes)]
    for name, grid in sheet.grids.items():
        lines += ["", f"## {name}", "", _markdown_row(grid[0]), _markdown_row(["---"] * len(grid[0]))]
        lines += [_markdown_row(row) for row in grid[1:]]
    return "\n".join(lines)


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _to_csv(sheet: Sheet, facts: str) -> bytes:
    out = io.StringIO()
    out.write(f"# {facts}\n")
    writer = csv.writer(out, lineterminator="\n")
    for name, grid in sheet.grids.items():
        writer.writerow([name, *grid[0][1:]])
        writer.writerows(grid[1:])
    return out.getvalue().encode()


def _to_json(sheet: Sheet, facts: str) -> bytes:
    return f"{facts}\n".encode()


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


class _Format(NamedTuple):
    """How a page and its facts become bytes, and where in the bytes the facts are."""

    encode: Callable[[Sheet, str], bytes]
    decode: Callable[[bytes], str]


def _between(start: str, end: str) -> Callable[[bytes], str]:
    """Finds the text between the last `start` and the `end` that follows it."""
    return lambda data: text_of(data).rpartition(start)[2].partition(end)[0]


_FORMATS: dict[str, _Format] = {
    ".csv": _Format(_to_csv, lambda data: text_of(data).partition("\n")[0].removeprefix("# ")),
    ".json": _Format(_to_json, text_of),
    ".md": _Format(_to_markdown, _between("<!-- ", " -->")),
    ".html": _Format(_to_html, _between('<script type="application/json">', "</script>")),
    ".png": _Format(png_bytes, png_text),
}
SUFFIXES = tuple(_FORMATS)
"""What a chart's file may end in."""


def encode(suffix: str, sheet: Sheet, facts: str) -> bytes:
    """A page with its facts, in the format of a suffix. Raises `MissingExtra` (PNG)."""
    return _FORMATS[suffix].encode(sheet, facts)


def decode(suffix: str, data: bytes) -> str:
    """The facts in a file of a suffix's format. Raises whatever a damaged file makes a reader raise."""
    if suffix not in _FORMATS:
        raise ValueError(f"a chart's name ends in one of {', '.join(SUFFIXES)}")
    return _FORMATS[suffix].decode(data)
