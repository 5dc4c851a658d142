"""What an environment may be asked for: its keyword arguments, said and checked once for single and vector ones."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any, NamedTuple, TypedDict, Unpack

from pontoon_gym.envs.spaces import OBSERVATIONS
from pontoon_gym.errors import BadArgument, check_amount, check_count, check_one_of, native
from pontoon_gym.names import Role
from pontoon_gym.policies.policy import actions_of
from pontoon_gym.policies.resolve import PolicySource
from pontoon_gym.policies.seating import Seating, banker_of, players_of
from pontoon_gym.rules import Rules, RulesSource, Table

ILLEGAL = ("penalty", "raise", "random")
MOST_STEPS = 1_000_000_000
RENDER_MODES = ("ansi", "human", "rgb_array")


class Asked(TypedDict, total=False):
    """The keyword arguments of an environment beside `rules`; `envs.single.SingleEnv` says what they mean."""

    seats: int
    stake_min: int
    stake_max: int
    stake_levels: int
    buy_levels: int
    seat: int | None
    banker: PolicySource | None
    players: PolicySource | Sequence[PolicySource] | None
    rounds: int
    memory: bool
    observation: str
    illegal: str
    illegal_penalty: float
    illegal_limit: int
    render_mode: str | None


RULES = "home"
DEFAULTS: dict[str, Any] = {
    **Table().as_dict(),
    "seat": None,
    "banker": None,
    "players": None,
    "rounds": 1,
    "memory": False,
    "observation": "vector",
    "illegal": "penalty",
    "illegal_penalty": 1.0,
    "illegal_limit": 100,
    "render_mode": None,
}
"""What an environment is that nothing is asked of; the table is that of `Table()`, as everywhere."""

SIGNATURE = inspect.Signature(
    [
        inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY if k else inspect.Parameter.POSITIONAL_OR_KEYWORD, default=value
        )
        for k, (name, value) in enumerate({"rules": RULES, **DEFAULTS}.items())
    ]
)
"""What `help` and editors show of an environment's arguments."""


class Settings(NamedTuple):
    """What an environment was asked for, checked."""

    rules: Rules
    table: Table
    role: Role
    seat: int | None
    rounds: int
    memory: bool
    observation: str
    illegal: str
    illegal_penalty: float
    illegal_limit: int
    render_mode: str | None

    @property
    def actions(self) -> int:
        """The size of the action space."""
        return actions_of(self.role.name.lower(), self.table)


def settings_of(role: Role, rules: RulesSource, **asked: Unpack[Asked]) -> Settings:
    """The settings of an environment. Raises `BadRules`, `BadTable`, `BadArgument`; `TypeError` for other names."""
    for name in asked:
        if name not in DEFAULTS:
            raise TypeError(f"no such argument of an environment: {name}; allowed: rules, {', '.join(DEFAULTS)}")
    given = {name: native(value) for name, value in {**DEFAULTS, **asked}.items()}
    check_one_of("illegal", given["illegal"], ILLEGAL)
    check_one_of("render_mode", given["render_mode"], (None, *RENDER_MODES))
    checked, table = Rules.of(rules), Table.of({name: given[name] for name in Table._fields})
    check_one_of("observation", given["observation"], OBSERVATIONS)
    check_one_of("memory", given["memory"], (False, True))
    check_count("rounds", given["rounds"], 1, 1_000_000)
    check_count("illegal_limit", given["illegal_limit"], 1, MOST_STEPS)
    check_amount("illegal_penalty", given["illegal_penalty"])
    _check_seat(role, given["seat"], table)
    return Settings(checked, table, role, *(given[name] for name in Settings._fields[3:]))


def _check_seat(role: Role, seat: object, table: Table) -> None:
    """Raise `BadArgument` unless the learner's seat may be given so."""
    if seat is not None:
        if role == Role.BANKER:
            raise BadArgument("the banker's seat is given", got=seat, allowed="seat=None", where="clause 9.4")
        check_count("seat", seat, 0, table.seats - 2)


def seating_of(settings: Settings, **asked: Unpack[Asked]) -> Seating:
    """Who plays the other seats. Raises as `policies.resolve.resolve`, and `BadArgument`."""
    rules, table, banker = settings.rules, settings.table, asked.get("banker")
    players = players_of(asked.get("players"), rules, table)
    if settings.role == Role.PLAYER:
        return Seating(rules, table, players, banker_of(banker, rules, table))
    if banker is not None:
        raise BadArgument("the learner is the banker: leave the banker out", got=banker)
    return Seating(rules, table, players, None)
