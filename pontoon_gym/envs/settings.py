"""What an environment may be asked for: its keyword arguments, checked once for single and vector environments."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pontoon_gym.envs.spaces import OBSERVATIONS
from pontoon_gym.errors import BadArgument
from pontoon_gym.names import Role
from pontoon_gym.policies.policy import actions_of
from pontoon_gym.rules import Rules, Table

ILLEGAL = ("penalty", "raise")


class Settings(NamedTuple):
    """What an environment was asked for, checked."""

    rules: Rules
    table: Table
    role: Role
    seat: int | None
    rounds: int
    memory: bool
    observation: str

    @property
    def actions(self) -> int:
        """The size of the action space."""
        return actions_of(self.role.name.lower(), self.table)


def check_one_of(name: str, value: object, allowed: tuple[object, ...]) -> None:
    """Raise `BadArgument` unless a value is one of those allowed."""
    if not any(value is one or (isinstance(value, str) and value == one) for one in allowed):
        raise BadArgument(f"bad {name}", got=value, allowed=", ".join(map(str, allowed)))


def check_count(name: str, value: object, least: int, most: int) -> None:
    """Raise `BadArgument` unless a value is a whole number in a range."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not least <= value <= most:
        raise BadArgument(f"bad {name}", got=value, allowed=f"{least} to {most}")


def checked_seed(seed: object) -> int | None:
    """The seed, if it is None or a whole number from 0. Raises `BadArgument`."""
    if seed is None:
        return None
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise BadArgument("bad seed", got=seed, allowed="None, or whole numbers from 0")
    return int(seed)


def settings_of(
    role: Role, rules: Rules, table: Table, seat: int | None, rounds: int, memory: bool, observation: str
) -> Settings:
    """The settings of an environment. Raises `BadArgument`."""
    check_one_of("observation", observation, OBSERVATIONS)
    check_one_of("memory", memory, (False, True))
    check_count("rounds", rounds, 1, 1_000_000)
    if seat is not None:
        if role == Role.BANKER:
            raise BadArgument("the banker's seat is given", got=seat, allowed="seat=None", where="clause 9.4")
        check_count("seat", seat, 0, table.seats - 2)
    return Settings(rules, table, role, seat, rounds, memory, observation)
