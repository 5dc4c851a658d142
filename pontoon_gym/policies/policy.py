"""What chooses: the `Policy` protocol, and what is asked of policies of every kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.engine.view.columns import FIELDS
from pontoon_gym.engine.view.infostate import KEYS, key_bits
from pontoon_gym.errors import BadArgument, StaleStrategy
from pontoon_gym.names import BANKER_ACTIONS, Role
from pontoon_gym.rules import Rules, Table

Observation = NDArray[np.float32]

Mask = NDArray[np.bool_]

Probabilities = NDArray[np.float64]


@runtime_checkable
class Policy(Protocol):
    """Whatever chooses for a side.

    Attributes:
        role: `"player"` or `"banker"`.
        rules, table: what it was made for; it is not asked under others.
    """

    role: str
    rules: Rules
    table: Table

    def probabilities(self, observation: Observation, mask: Mask, /) -> Probabilities:
        """The probability of each action.

        Args:
            observation: vector observations, float32 of shape (n, d).
            mask: allowed actions, bool of shape (n, actions).

        Returns:
            float64 of shape (n, actions); rows sum to 1, forbidden actions have 0.
        """
        ...


def name_of(policy: Policy | None) -> str:
    """A policy's name for people; None is the banker that the rules bind (7.2)."""
    return "the bound banker" if policy is None else str(getattr(policy, "name", "") or type(policy).__name__)


def role_number(role: str) -> Role:
    """The number of a role's name. Raises `BadArgument`."""
    if role not in ("player", "banker"):
        raise BadArgument("no such role", got=role, allowed="player, banker")
    return Role[role.upper()]


def parts_of(role: str) -> tuple[str, ...]:
    """The parts of a side's infostate keys, by name (`engine.view.infostate.KEYS`)."""
    return tuple(KEYS[role_number(role)])


def fields_of(role: str) -> tuple[str, ...]:
    """The fields of a side's observations, by name (`engine.view.columns.FIELDS`); not every game has them all."""
    number = role_number(role)
    return tuple(column.name.lower() for column, field in FIELDS.items() if number in field.roles)


def bits_of_parts(role: str, parts: Sequence[str]) -> int:
    """The bits of an infostate key that hold some of its parts. Raises `BadArgument` for one that it does not have."""
    known = parts_of(role)
    for part in parts:
        if part not in known:
            raise BadArgument("no such part of an infostate key", got=part, allowed=", ".join(known))
    return key_bits(role_number(role), tuple(parts))


def actions_of(role: str, table: Table) -> int:
    """The size of a role's action space at a table."""
    return BANKER_ACTIONS if role_number(role) == Role.BANKER else table.actions


def check_made_for(policy: Policy, role: str, rules: Rules, table: Table, name: str = "") -> None:
    """Raise `StaleStrategy` unless a policy was made for this role, these rules and this table."""
    where = name or name_of(policy)
    if not isinstance(policy.rules, Rules) or not isinstance(policy.table, Table):
        raise BadArgument("a policy must say its rules and table", got=(policy.rules, policy.table), where=where)
    if policy.role != role:
        raise StaleStrategy("a policy of the other side", got=policy.role, allowed=role, where=where)
    faults = {**rules.differences(policy.rules), **table.differences(policy.table)}
    if faults:
        differences = ", ".join(f"{field} {theirs} instead of {mine}" for field, (mine, theirs) in faults.items())
        raise StaleStrategy(f"a policy made for other rules or another table: {differences}", where=where)
