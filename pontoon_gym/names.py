"""Every integer that the house uses, named once.

Members of the enumerations whose names are options of `Rules` (`Split.RANK` is `split="rank"`) are how kernels
see those options.
"""

from __future__ import annotations

import re
from enum import IntEnum


class Action(IntEnum):
    """The first actions of every action space; buys start at `BUY`, stakes follow the last buy.

    With `b` buy levels, action `BUY + i` is buy level `i` (0 the least; a DOUBLE is `BUY`), and `BUY + b + i` is
    stake level `i`. The banker has STICK and TWIST only.
    """

    STICK = 0
    TWIST = 1
    SPLIT = 2
    BUY = 3


BANKER_ACTIONS = 2
"""The banker's action space: STICK and TWIST."""

STICK, TWIST, SPLIT, BUY = (int(action) for action in Action)


def action_name(action: int, buy_levels: int) -> str:
    """The letter of an action as records, charts and pictures write it.

    `S` stick, `T` twist, `P` split, `B0` the least buy, `W0` the least stake (wager), and so on.
    """
    if action < BUY:
        return "STP"[action]
    level = action - BUY
    return f"B{level}" if level < buy_levels else f"W{level - buy_levels}"


def action_number(name: str, buy_levels: int) -> int:
    """The inverse of `action_name`, −1 for a name that no action has. Stakes have no upper end here."""
    if name in ("S", "T", "P"):
        return "STP".index(name)
    found = re.fullmatch("([BW])(0|[1-9][0-9]?)", name)
    if found is None or (found[1] == "B" and int(found[2]) >= buy_levels):
        return -1
    return BUY + int(found[2]) + (buy_levels if found[1] == "W" else 0)


class Phase(IntEnum):
    """Where a round stands."""

    STAKE = 0
    PLAY = 1
    BANKER = 2
    DONE = 3


class HandKind(IntEnum):
    """Kinds of hand (clauses 2 and 12.3). BUST to PONTOON rise in rank; ACE_KING has a row of its own in 10."""

    BUST = 0
    TOTAL = 1
    TRICK = 2
    PONTOON = 3
    ACE_KING = 4


class Role(IntEnum):
    """The two sides of the game."""

    PLAYER = 0
    BANKER = 1


class Reshuffle(IntEnum):
    """When the shoe is shuffled (11.2)."""

    PONTOON = 0
    ROUND = 1


class Split(IntEnum):
    """Which two cards are a pair (6.6)."""

    NONE = 0
    ACES = 1
    RANK = 2
    VALUE = 3


class Buying(IntEnum):
    """How a stake is raised (6.4, 6.5)."""

    NONE = 0
    BUY = 1
    DOUBLE = 2


class Banker(IntEnum):
    """What binds the banker (7.2)."""

    FREE = 0
    H17 = 1
    S17 = 2


class Ties(IntEnum):
    """Who wins equal hands (10.1)."""

    BANKER = 0
    PUSH = 1
    PLAYER = 2


class Bonus(IntEnum):
    """Extra pay for some hands (12.1)."""

    NONE = 0
    SPANISH21 = 1


class Bank(IntEnum):
    """Who banks next (11.1)."""

    PONTOON = 0
    ROTATE = 1
    FIXED = 2
