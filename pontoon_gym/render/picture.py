"""The drawn picture of a round, from one seat's chair: the only file that needs Pillow.

The banker sits at the head of the table, the players below, from the banker's left. What the viewer may know is decided
in `description`. A round is first laid out as a list of elements, each in a box of its own, then painted. Where the
panels lie depends on the rules and the table only, so that every picture of a table has the same size.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from pontoon_gym.compiled import Record
from pontoon_gym.names import HandKind
from pontoon_gym.render.description import (
    DOWN,
    Description,
    HandDescription,
    SeatDescription,
    describe,
    longest_choices,
    longest_stake,
    rules_words,
)
from pontoon_gym.rules import Rules, Table

WIDTH = 640
_BLOCK = 16
"""Heights are multiples of it: video encoders like them so."""
_MARGIN, _GAP, _PAD, _INDENT = 12, 8, 8, 16
_TITLE, _NAME, _TEXT, _SMALL = 20.0, 15.0, 13.0, 12.0
_MOST_CARD, _LEAST_CARD, _BANKER_CARD = 84, 30, 72
_SHAPE = 0.7
"""A card's width by its height, where there is room."""
_PILL = 24
_FINE = 4
"""Cards and symbols are drawn so many times larger, then reduced: that smooths their edges."""

_Color = tuple[int, int, int]
_FELT, _PANEL, _OWN, _TURN, _EDGE = (22, 92, 62), (17, 74, 50), (31, 108, 76), (44, 128, 92), (41, 116, 82)
_WHITE, _DIM, _GOLD = (244, 246, 240), (178, 205, 188), (255, 209, 92)
_WON, _LOST = (164, 236, 150), (255, 158, 142)
_PAPER, _RED, _BLACK, _BACK, _BACK_LINE = (252, 252, 247), (200, 24, 38), (24, 24, 28), (46, 78, 148), (150, 174, 224)
_PILL_FILL, _PILL_INK = (236, 240, 226), (20, 60, 42)
_WORTH = {HandKind.PONTOON: _GOLD, HandKind.TRICK: _GOLD, HandKind.ACE_KING: _GOLD, HandKind.BUST: _LOST}


def picture(rules: Rules, table: Table, s: Record, viewer: int) -> NDArray[np.uint8]:
    """The round `s` as the seat `viewer` sees it: uint8 of shape (height, 640, 3), the height that of `size`.

    Args:
        rules, table: those that `s` is played by.
        s: one row of `state.ROUND`; it is only read.
        viewer: a seat, from 0.
    """
    image = paint(elements(plan_of(rules, table), describe(rules, table, s, viewer)), size(rules, table))
    return np.array(image, np.uint8)


def size(rules: Rules, table: Table) -> tuple[int, int]:
    """Width and height of every picture of a table, in pixels."""
    return WIDTH, plan_of(rules, table).height


# --- elements ----------------------------------------------------------------------------------------------------


class Box(NamedTuple):
    """Pixels from `left` and `top` up to, and without, `right` and `bottom`."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def width(self) -> int:
        return self.right - self.left

    @property
    def height(self) -> int:
        return self.bottom - self.top

    def inside(self, x: int, y: int) -> Box:
        """The box without a border of `x` and `y` pixels."""
        return Box(self.left + x, self.top + y, self.right - x, self.bottom - y)


class Panel(NamedTuple):
    """A ground on which other elements lie."""

    box: Box
    fill: _Color
    edge: _Color


class Words(NamedTuple):
    """One line of text."""

    box: Box
    text: str
    size: float
    color: _Color


class Card(NamedTuple):
    """A card's face, as `"10♣"`, or its back."""

    box: Box
    face: str


class Chip(NamedTuple):
    """The mark of a stake."""

    box: Box


class Arrow(NamedTuple):
    """The mark of the hand whose turn it is."""

    box: Box


Element = Panel | Words | Card | Chip | Arrow


def elements(plan: Plan, description: Description) -> list[Element]:
    """Everything to paint, in order. Only panels lie under other elements."""
    drawn = list(_header(plan, description))
    for box, seat in zip(plan.seats, description.seats, strict=True):
        drawn += _seat(box, seat, plan.lines)
    return [*drawn, *_footer(plan, description)]


# --- where things lie --------------------------------------------------------------------------------------------


class Plan(NamedTuple):
    """What a table's pictures have in common.

    rules: lines that name them. seats: a panel for each from the banker's left. lines: of words over a hand's cards.
    """

    rules: tuple[str, ...]
    seats: tuple[Box, ...]
    lines: int
    footer: int
    height: int


@lru_cache(maxsize=16)
def plan_of(rules: Rules, table: Table) -> Plan:
    """The plan of a table's pictures; it depends on no round."""
    named = tuple(_wrapped(rules_words(rules), _SMALL))
    top = _MARGIN + _line(_TITLE) + len(named) * _line(_SMALL) + _GAP
    # Long stakes have a line to themselves.
    lines = 1 if _width(longest_stake(rules, table), _TEXT) < WIDTH // 5 else 2
    words = lines * _line(_TEXT)
    banker = Box(_MARGIN, top, WIDTH - _MARGIN, top + _panel_height(words + _BANKER_CARD))
    strips = max(words + _MOST_CARD, rules.max_hands * (words + _LEAST_CARD + 4))
    players = _player_boxes(table.seats - 1, banker.bottom + _GAP, _panel_height(strips))
    footer = players[-1].bottom + _GAP
    notes = _line(_TEXT) + _GAP // 2 if rules.sudden_death else 0
    height = footer + notes + _pill_rows(rules, table) * (_PILL + _GAP // 2) + _MARGIN
    return Plan(named, (*players, banker), lines, footer, ceil(height / _BLOCK) * _BLOCK)


def _panel_height(strips: int) -> int:
    return strips + _line(_NAME) + 2 * _PAD


def _player_boxes(players: int, top: int, height: int) -> list[Box]:
    """Panels in two columns; one that has a row to itself is as wide as the table."""
    half = (WIDTH - 2 * _MARGIN - _GAP) // 2
    boxes = []
    for i in range(players):
        y = top + i // 2 * (height + _GAP)
        alone = i % 2 == 0 and i == players - 1
        left = _MARGIN + i % 2 * (half + _GAP)
        boxes.append(Box(left, y, WIDTH - _MARGIN if alone else left + half, y + height))
    return boxes


def _pill_rows(rules: Rules, table: Table) -> int:
    """How many rows of choices there can be; all digits count as wide as the widest."""
    longest = [[re.sub(r"\d", _widest_digit(), choice) for choice in some] for some in longest_choices(rules, table)]
    return max(1 + (_pills(0, choices)[-1].top // (_PILL + _GAP // 2)) for choices in longest)


@lru_cache(maxsize=1)
def _widest_digit() -> str:
    return max("0123456789", key=lambda digit: _font(_TEXT).getlength(digit))


def _pills(top: int, choices: Sequence[str]) -> list[Box]:
    """Boxes for choices, in rows after the words before them."""
    left = _MARGIN + _width(_YOU_MAY, _TEXT) + _GAP
    boxes = []
    for choice in choices:
        width = _width(choice, _TEXT) + 20
        if left + width > WIDTH - _MARGIN:
            left, top = _MARGIN, top + _PILL + _GAP // 2
        boxes.append(Box(left, top, left + width, top + _PILL))
        left += width + 6
    return boxes


# --- header and footer -------------------------------------------------------------------------------------------

_YOU_MAY = "you may"


def _header(plan: Plan, description: Description) -> Iterator[Element]:
    """Which game, which round, how full a shoe."""
    yield _words("Pontoon", _MARGIN, _MARGIN, _TITLE, _WHITE)
    yield _words_before(f"{description.round} · {description.shoe}", WIDTH - _MARGIN, _MARGIN + 4, _TEXT, _WHITE)
    for i, line in enumerate(plan.rules):
        yield _words(line, _MARGIN, _MARGIN + _line(_TITLE) + i * _line(_SMALL), _SMALL, _DIM)


def _footer(plan: Plan, description: Description) -> Iterator[Element]:
    """What ended a round before its time, and what the viewer may do."""
    top = plan.footer
    for note in description.notes:
        yield _words(note, _MARGIN, top, _TEXT, _GOLD)
        top += _line(_TEXT) + _GAP // 2
    if description.choices:
        yield _words(_YOU_MAY, _MARGIN, top + (_PILL - _line(_TEXT)) // 2, _TEXT, _WHITE)
    for box, choice in zip(_pills(top, description.choices), description.choices, strict=True):
        yield Panel(box, _PILL_FILL, _PILL_FILL)
        yield _words(choice, box.left + 10, box.top + (_PILL - _line(_TEXT)) // 2, _TEXT, _PILL_INK)


# --- a seat and its hands ----------------------------------------------------------------------------------------


def _seat(box: Box, seat: SeatDescription, lines: int) -> Iterator[Element]:
    """A panel with the seat's name, and its hands in order of play below each other."""
    has_turn = any(hand.is_turn for hand in seat.hands)
    yield Panel(box, _OWN if seat.is_viewer else _PANEL, _GOLD if has_turn else _EDGE)
    inner = box.inside(_PAD, _PAD)
    yield _words(seat.name, inner.left, inner.top, _NAME, _GOLD if seat.is_viewer else _WHITE)
    if seat.in_all:
        yield _words_before(f"in all {seat.in_all}", inner.right - 2, inner.top, _TEXT, _result_color(seat.in_all))
    top = inner.top + _line(_NAME)
    # One hand leaves room for larger cards, and then some.
    height = min((inner.bottom - top) // max(len(seat.hands), 1), lines * _line(_TEXT) + _MOST_CARD)
    for h, hand in enumerate(seat.hands):
        yield from _hand(Box(inner.left, top + h * height, inner.right, top + (h + 1) * height), hand, lines)


def _hand(box: Box, hand: HandDescription, lines: int) -> Iterator[Element]:
    """One or two lines with stake, worth and result, and the cards below them."""
    height = _line(_TEXT)
    if hand.is_turn:
        yield Panel(Box(box.left - 2, box.top, box.right + 2, box.bottom), _TURN, _TURN)
        yield Arrow(Box(box.left + 2, box.top + 3, box.left + _INDENT - 4, box.top + height - 3))
    first = Box(box.left + _INDENT, box.top, box.right - 2, box.top + height)
    rows = [first._replace(top=first.top + i * height, bottom=first.bottom + i * height) for i in range(lines)]
    standing = list(_standing(rows[-1], hand))
    yield from standing
    if hand.stake:
        shares = lines == 1 and standing
        yield from _stake(first._replace(right=standing[-1].box.left - _GAP) if shares else first, hand.stake)
    yield from _cards(Box(first.left, rows[-1].bottom + 1, first.right, box.bottom - 3), hand.cards)


def _standing(row: Box, hand: HandDescription) -> Iterator[Words]:
    """How a hand stands, on the right of a row, from right to left: result, activity, worth."""
    worth = _WHITE if hand.kind is None else _WORTH.get(hand.kind, _WHITE)
    activity = _GOLD if hand.is_turn else _DIM
    words = ((hand.result, _result_color(hand.result)), (hand.activity, activity), (hand.worth, worth))
    right = row.right
    for text, color in words:
        if text:
            yield (line := _words_before(text, right, row.top, _TEXT, color))
            right = line.box.left - _GAP


def _stake(row: Box, stake: str) -> Iterator[Element]:
    """A chip and the stake, smaller where it is long."""
    side = row.height - 2
    left = row.left + side + 4
    yield Chip(Box(row.left, row.top + 1, row.left + side, row.top + 1 + side))
    yield _words(stake, left, row.top, _fitting(stake, _TEXT, row.right - left), _WHITE, row.height)


def _result_color(result: str) -> _Color:
    return {"+": _WON, "-": _LOST}.get(result[:1], _WHITE)


def _cards(box: Box, faces: Sequence[str]) -> Iterator[Card]:
    """A hand's cards in one row; very many are slim, so that none covers another."""
    n = max(len(faces), 1)
    gap = 4 if box.width >= 24 * n else 1
    room = (box.width + gap) // n - gap
    most = min(box.height, _MOST_CARD)
    height = min(most, max(_LEAST_CARD, int(room / _SHAPE)))
    width = min(room, int(height * _SHAPE))
    for i, face in enumerate(faces):
        left = box.left + i * (width + gap)
        yield Card(Box(left, box.top, left + width, box.top + height), face)


# --- words -------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def _font(size: float) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)


def _line(size: float) -> int:
    """The height of a line of text."""
    return ceil(size * 1.3)


def _width(text: str, size: float) -> int:
    # Some letters reach a little over their place.
    return ceil(_font(size).getlength(text)) + 2


def _words(text: str, left: int, top: int, size: float, color: _Color, height: int = 0) -> Words:
    """A line that begins at `left`."""
    return Words(Box(left, top, left + _width(text, size), top + (height or _line(size))), text, size, color)


def _words_before(text: str, right: int, top: int, size: float, color: _Color) -> Words:
    """A line that ends at `right`."""
    return _words(text, right - _width(text, size), top, size, color)


def _fitting(text: str, size: float, room: int) -> float:
    """The largest size, by halves, at which a text has room."""
    while size > 5 and _width(text, size) > room:
        size -= 0.5
    return size


def _wrapped(text: str, size: float) -> list[str]:
    """A text as lines no wider than the table."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if _width(longer, size) <= WIDTH - 2 * _MARGIN:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


# --- paint -------------------------------------------------------------------------------------------------------


def paint(drawn: Sequence[Element], canvas: tuple[int, int]) -> Image.Image:
    """The elements on the felt."""
    image = Image.new("RGB", canvas, _FELT)
    draw = ImageDraw.Draw(image)
    for element in drawn:
        box = element.box
        if isinstance(element, Words):
            start = (box.left + 1, (box.top + box.bottom) / 2 + element.size * 0.35)
            draw.text(start, element.text, element.color, _font(element.size), anchor="ls")
        elif isinstance(element, Panel):
            draw.rounded_rectangle(_corners(box), 6, element.fill, element.edge, 2)
        else:
            smooth = _smooth(element._replace(box=Box(0, 0, box.width, box.height)))
            image.paste(smooth, box[:2], smooth)
    return image


def _corners(box: Box) -> tuple[int, int, int, int]:
    """A box as Pillow wants it, the last pixels included."""
    return box.left, box.top, box.right - 1, box.bottom - 1


@lru_cache(maxsize=1024)
def _smooth(symbol: Card | Chip | Arrow) -> Image.Image:
    """A symbol with smooth edges, RGBA, its box at the origin."""
    width, height = symbol.box.width * _FINE, symbol.box.height * _FINE
    image = Image.new("RGBA", (width, height))
    draw = ImageDraw.Draw(image)
    if isinstance(symbol, Card):
        _draw_card(draw, width, height, symbol.face)
    elif isinstance(symbol, Chip):
        _draw_chip(draw, width)
    else:
        draw.polygon([(0, 0), (width - 1, height / 2), (0, height - 1)], _GOLD)
    # Premultiplied, so that the transparent black around a shape does not darken its edge.
    return image.convert("RGBa").reduce(_FINE).convert("RGBA")


def _draw_chip(draw: ImageDraw.ImageDraw, side: int) -> None:
    """A red ring around white."""
    for inset, color in ((0, _WHITE), (0.06, _RED), (0.24, _WHITE), (0.32, _RED)):
        draw.ellipse((side * inset, side * inset, side * (1 - inset) - 1, side * (1 - inset) - 1), color)


def _draw_card(draw: ImageDraw.ImageDraw, width: int, height: int, face: str) -> None:
    """Rank over suit on paper, or a back."""
    radius = min(width, height) * 0.14
    draw.rounded_rectangle((0, 0, width - 1, height - 1), radius, _PAPER)
    if face == DOWN:
        inset = min(width, height) * 0.09
        draw.rounded_rectangle((inset, inset, width - 1 - inset, height - 1 - inset), radius * 0.7, _BACK)
        _draw_back(draw, width, height, inset * 2)
        return
    rank, suit = face[:-1], face[-1]
    color = _RED if suit in "♥♦" else _BLACK
    size = _fitting(rank, height * 0.48, int(width * 0.9))
    draw.text((width / 2, height * 0.29), rank, color, _font(size), anchor="mm")
    side = min(width * 0.72, height * 0.4)
    _draw_suit(draw, suit, (width - side) / 2, height * 0.93 - side, side, color)


def _draw_back(draw: ImageDraw.ImageDraw, width: int, height: int, inset: float) -> None:
    """Lozenges down the middle."""
    rows = [inset + (height - 2 * inset) * i / 3 for i in range(4)]
    middle, reach = width / 2, width / 2 - inset
    for top, bottom in pairwise(rows):
        draw.polygon(_lozenge(middle, (top + bottom) / 2, reach, (bottom - top) / 2), None, _BACK_LINE, _FINE)


def _lozenge(x: float, y: float, across: float, down: float) -> list[tuple[float, float]]:
    return [(x, y - down), (x + across, y), (x, y + down), (x - across, y)]


def _draw_suit(draw: ImageDraw.ImageDraw, suit: str, left: float, top: float, side: float, color: _Color) -> None:
    """A suit's symbol, built of discs and polygons, in a square."""

    def disc(x: float, y: float, radius: float) -> None:
        x, y, radius = left + x * side, top + y * side, radius * side
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), color)

    def shape(*points: tuple[float, float]) -> None:
        draw.polygon([(left + x * side, top + y * side) for x, y in points], color)

    if suit == "♦":
        shape(*_lozenge(0.5, 0.5, 0.4, 0.5))
    elif suit == "♥":
        disc(0.27, 0.3, 0.25)
        disc(0.73, 0.3, 0.25)
        shape((0.06, 0.44), (0.5, 0.32), (0.94, 0.44), (0.5, 1))
    else:
        shape((0.5, 0.5), (0.7, 1), (0.3, 1))
        if suit == "♠":
            shape((0.5, 0), (0.95, 0.49), (0.5, 0.66), (0.05, 0.49))
        for x, y in ((0.26, 0.6), (0.74, 0.6)):
            disc(x, y, 0.23)
        if suit == "♣":
            disc(0.5, 0.26, 0.24)
            disc(0.5, 0.5, 0.12)
