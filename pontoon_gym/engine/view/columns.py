"""Which column of an observation holds what, and by which divisor.

`FIELDS` is the layout: every column comes from it, and the spaces, named views and documentation are made of it.
`observe` writes the columns.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.engine.state import MOST_CARDS, ORDERED
from pontoon_gym.names import Role
from pontoon_gym.rules import Rules, Table

MOST_TOTAL = 31
MOST_COLUMNS = 1024
"""Room for the widest layout."""
STATES = 5
"""What others may know of a hand: that it is live, or how it ended (`observe.public_state`)."""


class Game(NamedTuple):
    """What a layout depends on."""

    rules: Rules
    table: Table
    role: Role
    memory: bool = False

    @property
    def most_cards(self) -> int:
        """Cards of the longest hand."""
        return self.rules.trick_cards or MOST_CARDS

    @property
    def others(self) -> int:
        """Places for other players' hands."""
        return (self.table.seats - (2 if self.role == Role.PLAYER else 1)) * self.rules.most_hands


class Field(NamedTuple):
    """Some columns of an observation: how many, what divides them, what they tell, who has them."""

    width: Callable[[Game], int]
    divisor: Callable[[Game], int]
    meaning: str
    roles: tuple[Role, ...] = (Role.PLAYER, Role.BANKER)


_PLAYER = (Role.PLAYER,)
_ONE: Callable[[Game], int] = lambda g: 1  # noqa: E731
_BUY: Callable[[Game], int] = lambda g: g.table.stake_max * g.rules.most_raise  # noqa: E731
_ALL: Callable[[Game], int] = lambda g: g.table.stake_max * (1 + g.rules.most_buys * g.rules.most_raise)  # noqa: E731


class Column(IntEnum):
    """The fields of an observation, in the order in which their columns stand."""

    PHASE = 0
    CARDS = 1
    TOTAL = 2
    SOFT = 3
    COUNT = 4
    DRAWABLE = 5
    SHOWN = 6
    PAIR = 7
    STAKE = 8
    TOTAL_STAKE = 9
    BUYS = 10
    BUY_LEAST = 11
    BUY_MOST = 12
    BOUGHT = 13
    TWISTS = 14
    SPLIT = 15
    HAND = 16
    HANDS = 17
    SEAT = 18
    LIMITS = 19
    ONE_SUIT = 20
    OWN_CARDS = 21
    OWN_TOTAL = 22
    OWN_STAKE = 23
    OWN_DONE = 24
    BANKER_CARDS = 25
    OTHER_CARDS = 26
    OTHER_SHOWN = 27
    OTHER_COUNT = 28
    OTHER_STAKE = 29
    OTHER_BUYS = 30
    OTHER_TWISTS = 31
    OTHER_SPLIT = 32
    OTHER_STATE = 33
    SEEN = 34


FIELDS: dict[Column, Field] = {
    Column.PHASE: Field(lambda g: 4, _ONE, "one of stake, play, banker, done (`names.Phase`)"),
    Column.CARDS: Field(lambda g: 10, lambda g: g.most_cards, "own hand in play: cards of value 1 (ace) to 10"),
    Column.TOTAL: Field(_ONE, lambda g: MOST_TOTAL, "its best total"),
    Column.SOFT: Field(_ONE, _ONE, "an ace counts 11"),
    Column.COUNT: Field(_ONE, lambda g: g.most_cards, "its number of cards"),
    Column.DRAWABLE: Field(_ONE, lambda g: 2, "cards that can still be dealt: 0, 1, or 2 for more"),
    Column.SHOWN: Field(lambda g: ORDERED, lambda g: 10, "values of its first shown cards, in order", _PLAYER),
    Column.PAIR: Field(_ONE, _ONE, "its two cards may be split by the rules", _PLAYER),
    Column.STAKE: Field(_ONE, lambda g: g.table.stake_max, "its initial stake, chips", _PLAYER),
    Column.TOTAL_STAKE: Field(_ONE, _ALL, "with its buys, chips", _PLAYER),
    Column.BUYS: Field(lambda g: g.rules.most_buys, _BUY, "each buy or double made, chips", _PLAYER),
    Column.BUY_LEAST: Field(_ONE, _BUY, "least buy now, chips; 0 if none is allowed", _PLAYER),
    Column.BUY_MOST: Field(_ONE, _BUY, "most buy now, chips; 0 if none is allowed", _PLAYER),
    Column.BOUGHT: Field(_ONE, lambda g: max(g.rules.most_buys, 1), "number of buys made", _PLAYER),
    Column.TWISTS: Field(_ONE, lambda g: g.most_cards, "twists made", _PLAYER),
    Column.SPLIT: Field(_ONE, _ONE, "it came of a split", _PLAYER),
    Column.HAND: Field(_ONE, lambda g: g.rules.most_hands, "its number among own hands, from 0", _PLAYER),
    Column.HANDS: Field(_ONE, lambda g: g.rules.most_hands, "own hands", _PLAYER),
    Column.SEAT: Field(_ONE, lambda g: max(g.table.seats - 2, 1), "own place from the banker's left, from 0", _PLAYER),
    Column.LIMITS: Field(lambda g: 2, lambda g: g.table.stake_max, "least and most initial stake, chips"),
    Column.ONE_SUIT: Field(
        lambda g: 2 if g.rules.bonus != "none" else 0,
        _ONE,
        "cards of one suit; all spades (only where a bonus pays for it)",
        _PLAYER,
    ),
    Column.OWN_CARDS: Field(
        lambda g: 10 * (g.rules.most_hands - 1), lambda g: g.most_cards, "own other hands: by value", _PLAYER
    ),
    Column.OWN_TOTAL: Field(lambda g: g.rules.most_hands - 1, lambda g: MOST_TOTAL, "their best totals", _PLAYER),
    Column.OWN_STAKE: Field(lambda g: g.rules.most_hands - 1, _ALL, "their total stakes, chips", _PLAYER),
    Column.OWN_DONE: Field(lambda g: g.rules.most_hands - 1, _ONE, "whether they are finished", _PLAYER),
    Column.BANKER_CARDS: Field(lambda g: 10, lambda g: g.most_cards, "the banker's cards lying up, by value", _PLAYER),
    Column.OTHER_CARDS: Field(
        lambda g: 10 * g.others, lambda g: g.most_cards, "others' hands: cards lying up, by value"
    ),
    Column.OTHER_SHOWN: Field(
        lambda g: ORDERED * g.others, lambda g: 10, "values of their first shown cards, in order"
    ),
    Column.OTHER_COUNT: Field(lambda g: g.others, lambda g: g.most_cards, "their numbers of cards"),
    Column.OTHER_STAKE: Field(lambda g: g.others, lambda g: g.table.stake_max, "their initial stakes, chips"),
    Column.OTHER_BUYS: Field(lambda g: g.rules.most_buys * g.others, _BUY, "each of their buys, chips"),
    Column.OTHER_TWISTS: Field(lambda g: g.others, lambda g: g.most_cards, "their twists"),
    Column.OTHER_SPLIT: Field(lambda g: g.others, _ONE, "whether they came of a split"),
    Column.OTHER_STATE: Field(lambda g: STATES * g.others, _ONE, "one of live, trick, Pontoon, A-K, bust"),
    Column.SEEN: Field(
        lambda g: 10 if g.memory else 0,
        lambda g: 16 * max(g.rules.packs + 1, 1),
        "cards seen since the shuffle, by value",
    ),
}
"""What stands in each field. Other players' hands stand by seat from the banker's left, the viewer left out, each seat
with `Rules.most_hands` places; a place without a hand is 0."""

COLUMNS = np.dtype([("start", "u8"), ("width", "i8"), ("divisor", "f8")], align=True)
"""Where a field lies: its first column, how many, its divisor."""


SIGHT = np.dtype([("columns", COLUMNS, len(FIELDS)), ("scales", "f4", MOST_COLUMNS)], align=True)
"""A layout as kernels read it: where the fields lie, and what each column is multiplied by."""


class View(NamedTuple):
    """A field as it stands in one layout."""

    name: str
    start: int
    width: int
    divisor: int
    meaning: str


class Layout(NamedTuple):
    """The columns of one observation: for people (`views`) and for kernels.

    columns: `COLUMNS` of shape (len(FIELDS),). sight: `SIGHT` of shape (1,), whose scales are one over the divisors;
    plain: the same with ones.
    """

    game: Game
    views: tuple[View, ...]
    size: int
    columns: NDArray[np.void]
    sight: NDArray[np.void]
    plain: NDArray[np.void]


def layout(game: Game) -> Layout:
    """The layout of what a role sees at a table under some rules."""
    columns = np.zeros(len(FIELDS), COLUMNS)
    views, start = [], 0
    for number, field in FIELDS.items():
        width = field.width(game) if game.role in field.roles else 0
        divisor = field.divisor(game)
        columns[number] = (start, width, divisor)
        if width:
            views.append(View(number.name.lower(), start, width, divisor, field.meaning))
        start += width
    scales = np.concatenate([np.full(view.width, _scale(view.divisor), np.float32) for view in views])
    ones = np.ones(start, np.float32)
    return Layout(game, tuple(views), start, columns, _sight(columns, scales), _sight(columns, ones))


def _sight(columns: NDArray[np.void], scales: NDArray[np.float32]) -> NDArray[np.void]:
    sight = np.zeros(1, SIGHT)
    sight["columns"], sight["scales"][0, : len(scales)] = columns, scales
    return sight


def _scale(divisor: int) -> np.float32:
    """One over a divisor, rounded such that a column never passes 1."""
    scale = np.float32(1.0 / divisor)
    return scale if np.float32(divisor) * scale <= 1 else np.nextafter(scale, np.float32(0))
