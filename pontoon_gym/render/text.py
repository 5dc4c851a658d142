"""The text picture of a round, from one seat's chair.

One line a hand, from the banker's left, the banker last: cards, stake with its buys, what the hand is worth where the
viewer knows, and how it stands. What the viewer may know is decided in `description`.
"""

from __future__ import annotations

import re
import textwrap
from typing import NamedTuple

from pontoon_gym.compiled import Record
from pontoon_gym.render.description import DOWN, Description, HandDescription, SeatDescription, describe
from pontoon_gym.rules import Rules, Table

HIDDEN = "▒▒"
"""A card that lies face down for the viewer."""
WIDTH = 80
_CARDS_A_LINE = 7
_RED, _DIM, _BOLD = "31", "2", "1"
_PAINT = ((re.compile(r"\S+[♥♦]"), _RED), (re.compile(HIDDEN), _DIM), (re.compile(r"(in play|to stake) <-"), _BOLD))


class _Row(NamedTuple):
    """The cells of one line."""

    who: str = ""
    cards: str = ""
    stake: str = ""
    state: str = ""
    result: str = ""


def picture(rules: Rules, table: Table, s: Record, viewer: int, *, color: bool = False) -> str:
    """The round `s` as the seat `viewer` sees it: lines without a newline at the end.

    Players are numbered by seat, from 1. The banker sees their own cards once they are turned up.

    Args:
        rules, table: those that `s` is played by.
        s: one row of `state.ROUND`; it is only read.
        viewer: a seat, from 0.
        color: paint red suits, hidden cards and the turn with ANSI escapes.
    """
    description = describe(rules, table, s, viewer)
    rows = [row for seat in description.seats for row in _seat_rows(seat)]
    text = "\n".join([*_header(description), *_aligned(rows), *_footer(description)])
    return _painted(text) if color else text


def _header(description: Description) -> list[str]:
    """Which game, which round, how full a shoe."""
    return _wrapped(" · ".join(["Pontoon", description.rules, description.round, description.shoe]))


def _footer(description: Description) -> list[str]:
    """What ended a round before its time, and what the viewer may do."""
    if not description.choices:
        return [*description.notes]
    # A no-break space holds the words of one choice together.
    choices = ", ".join(choice.replace(" ", "\xa0") for choice in description.choices)
    return [*description.notes, *(line.replace("\xa0", " ") for line in _wrapped(f"you may {choices}"))]


def _wrapped(line: str) -> list[str]:
    return textwrap.wrap(line, WIDTH, subsequent_indent="  ")


def _seat_rows(seat: SeatDescription) -> list[_Row]:
    """A seat's hands in order of play, and where it split, what it won in all."""
    if not seat.hands:
        return [_Row(seat.name)]
    rows = [row for h, hand in enumerate(seat.hands) for row in _hand_rows(hand, "  split" if h else seat.name)]
    if seat.in_all:
        rows.append(_Row(state="in all", result=seat.in_all))
    return rows


def _hand_rows(hand: HandDescription, who: str) -> list[_Row]:
    """A hand on one line, and on more where it holds very many cards."""
    faces = [HIDDEN if face == DOWN else face for face in hand.cards]
    parts = [" ".join(faces[i : i + _CARDS_A_LINE]) for i in range(0, max(len(faces), 1), _CARDS_A_LINE)]
    activity = f"{hand.activity} <-" if hand.is_turn else hand.activity
    words = ", ".join(filter(None, (hand.worth, activity)))
    first = _Row(who, parts[0], f"stake {hand.stake}" if hand.stake else "", words, hand.result)
    return [first, *(_Row(cards=part) for part in parts[1:])]


def _aligned(rows: list[_Row]) -> list[str]:
    """The rows as lines, each column as wide as its widest cell, columns without a word left out."""
    columns = [column for column in zip(*rows, strict=True) if any(column)]
    widths = [max(map(len, column)) for column in columns]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
        for cells in zip(*columns, strict=True)
    ]


def _painted(text: str) -> str:
    for pattern, code in _PAINT:
        text = pattern.sub(f"\x1b[{code}m\\g<0>\x1b[0m", text)
    return text
