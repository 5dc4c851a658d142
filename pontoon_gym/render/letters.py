"""Texts for terminals that know few characters: suits and other signs become letters (`cp1252`, `ascii`, ...)."""

from __future__ import annotations

import codecs
from typing import TextIO

LETTERS = {"♣": "C", "♦": "D", "♥": "H", "♠": "S", "▒": "#", "·": "-", "±": "+-", "−": "-", "–": "-"}
"""What stands for each sign that this package prints; those of one column for one column."""

HANDLER = "pontoon_letters"
"""The name under which `str.encode` and streams take it as what to do with characters that they do not know."""


def _letters(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    signs = error.object[error.start : error.end]
    known = (LETTERS.get(sign) or sign.encode("ascii", "backslashreplace").decode() for sign in signs)
    return "".join(known), error.end


codecs.register_error(HANDLER, _letters)


def printable(text: str, stream: TextIO) -> str:
    """A text as a stream can take it."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return text.encode(encoding, HANDLER).decode(encoding)


def take_letters(stream: TextIO) -> None:
    """Let a stream write letters where it knows no sign, whatever is printed there from now on."""
    if reconfigure := getattr(stream, "reconfigure", None):
        reconfigure(errors=HANDLER)
