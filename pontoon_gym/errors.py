"""What can go wrong, one exception for each fault.

Every message is one line: what is wrong, what was got, what is allowed, and where (a clause of the rule book, a
file, or the canonical text of the round in which it happened).
"""

from __future__ import annotations


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
