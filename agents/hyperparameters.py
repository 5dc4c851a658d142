"""A learner's settings: what each may be and means; read from a file or from words, checked before anything starts."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from pontoon_gym.errors import BadArgument
from pontoon_gym.files import text_of


class Limit(NamedTuple):
    """What a setting means and what it may be.

    Attributes:
        meaning: for people, a few words.
        kind: `int`, `float`, `bool`, `str`, or `list` of whole numbers or words.
        least, most: of a number, or of each in a list; of words, the least number of them.
        words: what words there are.
    """

    meaning: str
    kind: type
    least: float = 0
    most: float = math.inf
    words: tuple[str, ...] = ()

    def allowed(self) -> str:
        """What it may be and what it means, for a message."""
        return f"{self._range()} ({self.meaning})"

    def _range(self) -> str:
        if self.words:
            return f"{'a list of some of ' if self.kind is list else ''}{', '.join(self.words)}"
        if self.kind is bool:
            return "true, false"
        what = {int: "whole numbers", float: "numbers", list: "lists of whole numbers"}[self.kind]
        return f"{what} from {self.least:g} to {self.most:g}"

    def holds(self, value: Any) -> bool:
        """Whether a value of the right kind is within the limits."""
        values = value if isinstance(value, list) else [value]
        if self.words:
            return self._are_words(values)
        if self.kind is bool:
            return True
        whole = self.kind is float or all(type(number) is int for number in values)
        return whole and 0 < len(values) <= 8 and all(self.least <= number <= self.most for number in values)

    def _are_words(self, values: list[Any]) -> bool:
        different = len(set(map(str, values))) == len(values)
        return different and len(values) >= self.least and all(word in self.words for word in values)


Limits = Mapping[str, Limit]
"""The settings of an algorithm, by name."""


def read_settings(limits: Limits, path: Path, role: str, changes: Mapping[str, str]) -> dict[str, Any]:
    """The settings of a learner for a role.

    Args:
        path: a TOML file like those in `agents/settings`.
        changes: texts by name; they take the place of what the file says.

    Raises:
        BadArgument: an unreadable file, or a setting that is unknown, missing or out of its limits.
    """
    try:
        read = tomllib.loads(text_of(path.read_bytes())).get(role)
    except (OSError, ValueError, RecursionError) as error:
        raise BadArgument(f"no settings for a {role}: {error}", where=str(path)) from error
    if not isinstance(read, dict):
        raise BadArgument(f"no settings for a {role}: it has no table [{role}]", where=str(path))
    return checked_settings(limits, {**read, **changed_settings(limits, changes)}, str(path))


def changed_settings(limits: Limits, changes: Mapping[str, str]) -> dict[str, Any]:
    """Settings that are written as texts. Raises `BadArgument`."""
    check_names(limits, changes)
    return {name: _checked(name, _value(name, text, limits[name]), limits[name]) for name, text in changes.items()}


def checked_settings(limits: Limits, given: Mapping[str, Any], where: str) -> dict[str, Any]:
    """All settings, in the order of their limits; `where` they come from is for messages. Raises `BadArgument`."""
    check_names(limits, given)
    missing = [name for name in limits if name not in given]
    if missing:
        raise BadArgument(f"settings that lack {', '.join(missing)}", where=where)
    return {name: _checked(name, given[name], limits[name]) for name in limits}


def check_names(limits: Limits, given: Mapping[str, Any]) -> None:
    """Raise `BadArgument` for a setting that the algorithm does not have."""
    for name in given:
        if name not in limits:
            raise BadArgument("no such setting", got=name, allowed=", ".join(limits))


def _value(name: str, text: str, limit: Limit) -> Any:
    """The value that a text writes as TOML does; a word may go without quotes."""
    if limit.kind is str:
        return text
    try:
        return float(text) if limit.kind is float else tomllib.loads(f"x = {text}")["x"]
    except (ValueError, RecursionError):
        raise BadArgument(f"bad setting {name}", got=text, allowed=limit.allowed()) from None


def _checked(name: str, value: Any, limit: Limit) -> Any:
    if limit.kind is float and type(value) is int:
        with suppress(OverflowError):
            value = float(value)
    if type(value) is not limit.kind or not limit.holds(value):
        raise BadArgument(f"bad setting {name}", got=value, allowed=limit.allowed())
    return value
