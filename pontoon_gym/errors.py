"""What can go wrong, one exception for each fault.

Every message is one line: what is wrong, what was got, what is allowed, and where (a clause of the rule book, a
file, or the canonical text of the round in which it happened). What is said of arguments is said here once.
"""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

import numpy as np


def _short(text: str, most: int = 200) -> str:
    return text if len(text) <= most else f"{text[:most]}..."


class PontoonError(Exception):
    """Something that the caller asked for cannot be done.

    Args:
        what: the fault, in words.
        got: the offending value; left out of the message if not given.
        allowed: what would have been accepted.
        where: a clause, a path, or a round's record.
    """

    _ABSENT = object()

    def __init__(self, what: str, *, got: object = _ABSENT, allowed: str = "", where: str = "") -> None:
        message = what
        if got is not self._ABSENT:
            message += f": got {_short(repr(got))}"
        if allowed:
            message += f"; allowed: {allowed}"
        if where:
            message += f" [{where}]"
        super().__init__(" ".join(message.split()))
        self.what, self.where = what, where


class BadRules(PontoonError, ValueError):
    """A preset or field of `Rules` that does not exist, or a value that it does not allow."""


class BadTable(PontoonError, ValueError):
    """Seats, stake limits or levels that no table has."""


class BadCards(PontoonError, ValueError):
    """Cards that do not exist, or that the shoe does not hold."""


class BadArgument(PontoonError, ValueError):
    """An argument of an environment, a command or a function that is outside what it accepts."""


class IllegalAction(PontoonError, ValueError):
    """An action that the rules forbid at this point."""


class EpisodeOver(PontoonError, RuntimeError):
    """A step before the first reset, or after the end of an episode."""


class UnknownPolicy(PontoonError, ValueError):
    """A name that no rule of thumb has, or a path where no policy lies."""


class BadPolicyFile(PontoonError, ValueError):
    """A policy file that is truncated, hostile, or of a version this package does not read."""


class StaleStrategy(PontoonError, ValueError):
    """A policy made for other rules or another table than those it is to play under."""


class UnknownInfostate(PontoonError, LookupError):
    """A strategy was asked about an infostate for which it has no answer."""


class BadRecord(PontoonError, ValueError):
    """A record's text that cannot be read, or that the rules do not allow to have happened."""


class MissingExtra(PontoonError, ImportError):
    """A library that belongs to an optional extra is not installed."""


class NotCovered(PontoonError, NotImplementedError):
    """A game, or a pair of policies, for which the solver has no exact answer."""


# --- arguments -----------------------------------------------------------------------------------------------------


def native(value: object) -> Any:
    """A NumPy number or boolean as the one of Python's that it equals; anything else as it is."""
    return value.item() if isinstance(value, np.generic | np.ndarray) and value.ndim == 0 else value


def check_one_of(name: str, value: object, allowed: tuple[object, ...]) -> None:
    """Raise `BadArgument` unless a value is one of those allowed."""
    value = native(value)
    if not any(value is one or (isinstance(value, str) and value == one) for one in allowed):
        raise BadArgument(f"bad {name}", got=value, allowed=", ".join(map(str, allowed)))


def check_count(name: str, value: object, least: int, most: int) -> None:
    """Raise `BadArgument` unless a value is a whole number in a range."""
    number = native(value)
    if isinstance(number, bool) or not isinstance(number, int) or not least <= number <= most:
        raise BadArgument(f"bad {name}", got=value, allowed=f"{least} to {most}")


def check_amount(name: str, value: object) -> None:
    """Raise `BadArgument` unless a value is a finite number from 0."""
    number = native(value)
    if isinstance(number, bool) or not isinstance(number, int | float) or not 0.0 <= number < math.inf:
        raise BadArgument(f"bad {name}", got=value, allowed="numbers from 0")


def checked_seed(seed: object) -> int | None:
    """The seed, if it is None or a whole number from 0. Raises `BadArgument`."""
    number = native(seed)
    if number is None:
        return None
    if isinstance(number, bool) or not isinstance(number, int) or number < 0:
        raise BadArgument("bad seed", got=seed, allowed="None, or whole numbers from 0")
    return number


def checked_path(value: object) -> Path:
    """The path that a text or path object stands for. Raises `BadArgument`."""
    if not isinstance(value, str | os.PathLike) or not isinstance(os.fspath(value), str):
        raise BadArgument("a path must be a text or a path object", got=value)
    return Path(value)
