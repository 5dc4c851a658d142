"""Where transcripts lie, and whether they are current."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from tests.golden.games import GAMES
from tests.golden.transcript import transcript

FOLDER = Path(__file__).parent
_MOST_LINES = 40
"""Lines of a difference that are shown."""


@cache
def current() -> Mapping[str, str]:
    """Every file's text as it has to be, by name."""
    return {f"{name}.txt": transcript(name, play) for name, play in GAMES.items()}


def rewrite(folder: Path = FOLDER) -> None:
    """Write every file, and remove those that no game has."""
    for name in sorted({file.name for file in folder.glob("*.txt")} - set(current())):
        (folder / name).unlink()
    for name, text in current().items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


def faults(folder: Path = FOLDER) -> Iterator[str]:
    """What is missing, stale or too much in a folder, a stale file with the difference."""
    stored = {file.name: file.read_text(encoding="utf-8") for file in folder.glob("*.txt")}
    yield from (f"{name} is missing" for name in sorted(set(current()) - set(stored)))
    yield from (f"{name} is of no game" for name in sorted(set(stored) - set(current())))
    for name, text in current().items():
        if name in stored and stored[name] != text:
            yield f"{name} is stale; if the change is meant, run make golden\n{difference(stored[name], text)}"


def difference(old: str, new: str) -> str:
    """The first lines in which two texts differ."""
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), "stored", "played now", n=2, lineterm="")
    return "\n".join(list(lines)[:_MOST_LINES])
