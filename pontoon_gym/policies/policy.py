"""What chooses: the `Policy` protocol, a policy made of any function, and what is asked of policies of every kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.engine.state import pack
from pontoon_gym.engine.view.columns import FIELDS, Game, Layout, layout
from pontoon_gym.engine.view.from_vector import keys_of
from pontoon_gym.engine.view.infostate import KEYS, key_bits
from pontoon_gym.errors import BadArgument, StaleStrategy, check_one_of
from pontoon_gym.names import BANKER_ACTIONS, Role
from pontoon_gym.rules import Rules, RulesSource, Table

Observation = NDArray[np.float32]

Mask = NDArray[np.bool_]

Probabilities = NDArray[np.float64]


@runtime_checkable
class Policy(Protocol):
    """Whatever chooses for a side.

    Attributes:
        role: `"player"` or `"banker"`.
        rules, table: what it was made for; it is not asked under others.
        memory: it observes also which cards were seen since the shuffle (8.3); False where it does not say.
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


class FunctionPolicy:
    """A policy made of any function that chooses an action, or says how likely each is.

    The function is asked only where two or more actions are allowed.

    Args:
        choose: from an observation, float32 of shape (d,), and a mask, bool of shape (actions,), to the number of an
            action or to the probability of each, shape (actions,). The columns are those of `observation="vector"`.
        role: `"player"` or `"banker"`.
        rules, table: what it is made for; default `home` at the default table.
        batched: the function takes all rows at once, with n as the first axis of what it is given and answers.
        memory: the columns are those of `memory=True`.
        name: for people.

    Raises:
        BadArgument: no function, or no such role.
        BadRules, BadTable: no such game.
    """

    def __init__(
        self,
        choose: Callable[[Observation, Mask], Any],
        role: str,
        rules: RulesSource = "home",
        table: Table | Mapping[str, object] | None = None,
        *,
        batched: bool = False,
        memory: bool = False,
        name: str = "",
    ) -> None:
        if not callable(choose):
            raise BadArgument("a policy must be made of a function", got=choose)
        role_number(role)
        check_one_of("batched", batched, (False, True))
        check_one_of("memory", memory, (False, True))
        self.choose, self.role, self.batched, self.memory = choose, role, batched, memory
        self.rules, self.table = Rules.of(rules), Table.of(table)
        self.name = name or str(getattr(choose, "__name__", type(choose).__name__))

    def probabilities(self, observation: Observation, mask: Mask, /) -> Probabilities:
        """See `Policy.probabilities`. Raises `BadArgument` for an answer that is neither action nor probabilities."""
        allowed = np.asarray(mask, np.bool_)
        out = allowed.astype(np.float64)
        asked = np.flatnonzero(allowed.sum(axis=1) > 1)
        if self.batched and len(asked):
            out[asked] = self._spread(self.choose(observation[asked], allowed[asked]), out[asked].shape)
        elif not self.batched:
            for i in asked:
                out[i] = self._spread(self.choose(observation[i], allowed[i]), out[i].shape)
        return out

    def _spread(self, answer: Any, shape: tuple[int, ...]) -> Probabilities:
        """An answer as probabilities of this shape, whose last axis are the actions."""
        try:
            found = np.asarray(answer)
        except (TypeError, ValueError):
            found = np.asarray(None)
        if found.shape == shape and found.dtype.kind in "biuf":
            return found.astype(np.float64)
        if found.shape == shape[:-1] and found.dtype.kind in "iu" and ((found >= 0) & (found < shape[-1])).all():
            one_hot: Probabilities = np.eye(shape[-1])[found]
            return one_hot
        said = f"one action of 0 to {shape[-1] - 1}{' a row' * self.batched}, or probabilities of shape {shape}"
        raise BadArgument(f"{self.name} must answer {said}", got=answer)


def name_of(policy: Policy | None) -> str:
    """A policy's name for people; None is the banker that the rules bind (7.2)."""
    return "the bound banker" if policy is None else str(getattr(policy, "name", "") or type(policy).__name__)


def view_of(policy: Policy) -> Layout:
    """What a policy observes, in the seats that it plays."""
    memory = bool(getattr(policy, "memory", False))
    return layout(Game(policy.rules, policy.table, role_number(policy.role), memory))


def role_number(role: str) -> Role:
    """The number of a role's name. Raises `BadArgument`."""
    if not isinstance(role, str) or role not in ("player", "banker"):
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


# --- keys of observations ----------------------------------------------------------------------------------------


def made_for(what: Any) -> tuple[str, Rules, Table]:
    """The role, rules and table of an environment, wrapped or not, or of a policy. Raises `BadArgument`."""
    told = getattr(getattr(what, "unwrapped", what), "settings", what)
    role, rules, table = (getattr(told, name, None) for name in ("role", "rules", "table"))
    role = role.name.lower() if isinstance(role, Role) else role
    if not isinstance(role, str) or not isinstance(rules, Rules) or not isinstance(table, Table):
        raise BadArgument("this says no role, rules and table", got=what, allowed="an environment or a policy")
    return role, rules, table


def key_of(observation: Any, env: Any) -> Any:
    """The infostate key that an observation tells: what `observation="situation"` shows in its place.

    Args:
        observation: as `observation="vector"` or `"dict"` shows it; of one row, or of n rows in the first axis.
        env: the environment that showed it, or a policy for that environment.

    Returns:
        The key as int, or int64 of shape (n,).

    Raises:
        BadArgument: an observation that the environment does not show.
    """
    role, rules, table = made_for(env)
    view = layout(Game(rules, table, role_number(role)))
    rows = _vectors(observation, view)
    keys = read_keys(np.atleast_2d(rows), view, pack(rules, table))
    return int(keys[0]) if rows.ndim == 1 else keys


def read_keys(rows: Observation, view: Layout, game: NDArray[np.void]) -> NDArray[np.int64]:
    """The keys that vector observations tell, int64 of shape (n,); columns beyond those of the layout may follow."""
    keys = np.zeros(len(rows), np.int64)
    keys_of(game, view.columns, view.game.role == Role.BANKER, rows, keys)
    return keys


def _vectors(observation: Any, view: Layout) -> Observation:
    """Vector observations from what an environment shows. Raises `BadArgument`."""
    try:
        if isinstance(observation, Mapping):
            parts = [np.asarray(observation[one.name], np.float32) / np.float32(one.divisor) for one in view.views]
            widths = [part.shape[-1:] for part in parts]
            if widths != [(one.width,) for one in view.views]:
                raise ValueError
            rows = np.concatenate(parts, axis=-1)
        else:
            rows = np.ascontiguousarray(observation, np.float32)
    except (KeyError, TypeError, ValueError):
        rows = np.zeros(0, np.float32)
    widths_known = {layout(view.game._replace(memory=memory)).size for memory in (False, True)}
    if rows.ndim not in (1, 2) or rows.shape[-1] not in widths_known or not ((rows >= 0) & (rows <= 1)).all():
        raise BadArgument(
            f"no observation of this {view.game.role.name.lower()}'s environment",
            got=getattr(observation, "shape", observation),
            allowed=f"vectors of {view.size} columns from 0 to 1, or dicts of the fields in layout.views",
        )
    return rows
