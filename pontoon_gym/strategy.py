"""What a choice is made of: the `Policy` protocol, and `Strategy`, a table from situation to weights of actions.

Learners learn strategies, the solver computes them, environments play them in their kernels. A strategy is stamped
with the rules and the table it was made for, and is saved without pickle or any other way to run code from a file.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable
from zipfile import ZipFile

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.engine.fields import FIELDS, Game, layout
from pontoon_gym.engine.situation import KEYS, key_bits, keys_of
from pontoon_gym.engine.state import pack
from pontoon_gym.engine.tables import EMPTY, MISSING, TABLE, digits_for, fill_all_probabilities, lay_out
from pontoon_gym.errors import BadArgument, BadPolicyFile, StaleStrategy, UnknownPolicy, UnknownSituation
from pontoon_gym.names import BANKER_ACTIONS, Role
from pontoon_gym.rules import Rules, Table
from pontoon_gym.stamps import Stamp, read_stamp, write_bytes, write_stamp

Observation = NDArray[np.float32]
Mask = NDArray[np.bool_]
Probabilities = NDArray[np.float64]

FORMAT = "pontoon-strategy/2"
MOST_BYTES = 1 << 28
"""No strategy file is, or unpacks to, more."""
MOST_LINKS = 8
"""Strategies that one file may hold, each the `otherwise` of the one before."""
MOST_WEIGHT = 1e100
"""So that no sum of weights leaves the floating-point numbers."""


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
        """The chance of each action.

        Args:
            observation: vector observations, float32 of shape (n, d).
            mask: allowed actions, bool of shape (n, actions).

        Returns:
            float64 of shape (n, actions); rows sum to 1, forbidden actions have 0.
        """
        ...


def role_number(role: str) -> Role:
    """The number of a role's name. Raises `BadArgument`."""
    if role not in ("player", "banker"):
        raise BadArgument("no such role", got=role, allowed="player, banker")
    return Role[role.upper()]


def parts_of(role: str) -> tuple[str, ...]:
    """The parts of a side's situation keys, by name (`engine.situation.KEYS`)."""
    return tuple(KEYS[role_number(role)])


def fields_of(role: str) -> tuple[str, ...]:
    """The fields of a side's observations, by name (`engine.fields.FIELDS`); not every game has them all."""
    number = role_number(role)
    return tuple(column.name.lower() for column, field in FIELDS.items() if number in field.roles)


def bits_of_parts(role: str, parts: Sequence[str]) -> int:
    """The bits of a situation key that hold some of its parts. Raises `BadArgument` for one that it does not have."""
    known = parts_of(role)
    for part in parts:
        if part not in known:
            raise BadArgument("no such part of a situation key", got=part, allowed=", ".join(known))
    return key_bits(role_number(role), tuple(parts))


def actions_of(role: str, table: Table) -> int:
    """The size of a role's action space at a table."""
    return BANKER_ACTIONS if role_number(role) == Role.BANKER else table.actions


def check_made_for(policy: Policy, role: str, rules: Rules, table: Table, name: str = "") -> None:
    """Raise `StaleStrategy` unless a policy was made for this role, these rules and this table."""
    where = name or getattr(policy, "name", "") or type(policy).__name__
    if not isinstance(policy.rules, Rules) or not isinstance(policy.table, Table):
        raise BadArgument("a policy must say its rules and table", got=(policy.rules, policy.table), where=where)
    if policy.role != role:
        raise StaleStrategy("a policy of the other side", got=policy.role, allowed=role, where=where)
    faults = {**rules.differences(policy.rules), **table.differences(policy.table)}
    if faults:
        told = ", ".join(f"{field} {theirs} instead of {mine}" for field, (mine, theirs) in faults.items())
        raise StaleStrategy(f"a policy made for other rules or another table: {told}", where=where)


class Strategy:
    """A table from situation to weights of actions.

    A situation is the part of a key (`engine.situation.KEYS`) that the strategy looks at. A greedy strategy plays the
    allowed action of most weight (of equal ones the first), another one draws in proportion to the weights of the
    allowed actions. Where it has no row it asks `otherwise`.

    Args:
        role: `"player"` or `"banker"`.
        rules, table: what it is made for.
        parts: the parts of a key that it looks at.
        keys: situations, int64 of shape (n,), the other parts 0; in any order, each once.
        weights: float64 of shape (n, actions).
        greedy: see above.
        otherwise: the strategy to ask about situations that this one does not have.
        name: for people.
        notes: JSON-able facts to keep with it: how it was made, its values.

    Raises:
        BadArgument: arrays that do not fit each other or the table.
        StaleStrategy: an `otherwise` that was made for another role, other rules or another table.
    """

    def __init__(
        self,
        role: str,
        rules: Rules,
        table: Table,
        *,
        parts: tuple[str, ...],
        keys: NDArray[np.int64],
        weights: NDArray[np.float64],
        greedy: bool,
        otherwise: Strategy | None = None,
        name: str = "strategy",
        notes: Mapping[str, Any] | None = None,
    ) -> None:
        self.role, self.rules, self.table, self.name = role, rules, table, name
        self.parts, self.greedy, self.otherwise = tuple(parts), bool(greedy), otherwise
        self.notes = dict(notes or {})
        self._bits = bits_of_parts(role, self.parts)
        if otherwise is not None:
            if not isinstance(otherwise, Strategy):
                raise BadArgument("what a strategy passes on to must be a strategy", got=otherwise)
            check_made_for(otherwise, role, rules, table)
        self.keys, self.weights = _checked_rows(self, keys, weights)
        self._tables = flatten([self])
        self._layout = layout(Game(rules, table, role_number(role)))
        self._game = pack(rules, table)

    def probabilities(self, observation: Observation, mask: Mask, /) -> Probabilities:
        """See `Policy.probabilities`. Raises `UnknownSituation` where it has no answer."""
        rows = np.ascontiguousarray(observation, np.float32)
        allowed = np.ascontiguousarray(mask, np.bool_)
        if rows.ndim != 2 or rows.shape[1] < self._layout.size or allowed.shape != (len(rows), self.actions):
            raise BadArgument(
                f"observations and masks of {self.name} do not fit",
                got=(rows.shape, allowed.shape),
                allowed=f"shapes (n, {self._layout.size}) and (n, {self.actions})",
            )
        if not allowed.any(axis=1).all():
            raise BadArgument(f"a mask of {self.name} allows nothing")
        keys = np.zeros(len(rows), np.int64)
        keys_of(self._game, self._layout.columns, self.role == "banker", rows, keys)
        out = np.zeros(allowed.shape, np.float64)
        missing = int(
            fill_all_probabilities(self._tables.tables, self._tables.keys, self._tables.weights, keys, allowed, out)
        )
        if missing != MISSING:
            raise UnknownSituation(f"{self.name} has no answer for a situation", got=int(keys[missing]))
        return out

    @property
    def actions(self) -> int:
        """The size of the action space."""
        return actions_of(self.role, self.table)

    def as_dict(self) -> dict[str, Any]:
        """All of it, JSON-able."""
        return {**_stamp(self), "keys": self.keys.tolist(), "weights": self.weights.tolist()} | (
            {"otherwise": self.otherwise.as_dict()} if self.otherwise else {}
        )

    def save(self, path: str | Path) -> Path:
        """Write it to a `.npz` or `.json` file. Raises `BadArgument` for another ending or an unwritable folder."""
        target = Path(path)
        if target.suffix == ".json":
            write: Callable[[], bytes] = lambda: json.dumps(self.as_dict()).encode()  # noqa: E731
        elif target.suffix == ".npz":
            write = lambda: _npz_bytes(self)  # noqa: E731
        else:
            raise BadArgument("a strategy is saved as .npz or .json", got=str(path))
        try:
            data = write()
        except (TypeError, ValueError) as error:
            raise BadArgument(f"notes of a strategy must be JSON-able: {error}") from error
        write_bytes(target, data)
        return target

    @classmethod
    def load(cls, path: str | Path) -> Strategy:
        """Read a file that `save` wrote. Raises `UnknownPolicy` if there is none, `BadPolicyFile` if it is bad."""
        source = Path(path)
        if not source.is_file():
            raise UnknownPolicy("no strategy file", got=str(path))
        try:
            if source.stat().st_size > MOST_BYTES:
                raise ValueError("it is too large")
            data = source.read_bytes()
            parts = json.loads(data) if source.suffix == ".json" else _npz_parts(data)
            return _build(parts)
        except Exception as error:  # whatever a hostile file makes a reader raise
            raise BadPolicyFile(f"not a strategy file: {error}"[:400], where=str(path)) from error


class Flat(NamedTuple):
    """Strategies as kernels read them: `tables` is one `TABLE` row each (and one for each they pass on to)."""

    tables: NDArray[np.void]
    keys: NDArray[np.int64]
    weights: NDArray[np.float64]


def _asked(strategy: Strategy) -> int:
    """The bits of a key that a strategy, or those that it passes on to, look at."""
    bits = strategy._bits
    return bits if strategy.otherwise is None else bits | _asked(strategy.otherwise)


def flatten(strategies: list[Strategy]) -> Flat:
    """Lay strategies out for kernels; the i-th of them is table i. Rows of weights are padded with zeros."""
    chain = list(strategies)
    for strategy in chain:
        if strategy.otherwise is not None and not any(strategy.otherwise is known for known in chain):
            chain.append(strategy.otherwise)
    digits = [digits_for(len(s.keys)) for s in chain]
    places = [1 << n for n in digits]
    tables = np.zeros(len(chain), TABLE)
    keys = np.full(sum(places), EMPTY, np.int64)
    weights = np.zeros((sum(places), max((s.actions for s in chain), default=1)))
    for i, s in enumerate(chain):
        otherwise = -1 if s.otherwise is None else [known is s.otherwise for known in chain].index(True)
        tables[i] = (sum(places[:i]), places[i], digits[i], s._bits, _asked(s), s.greedy, otherwise)
        rows = lay_out(tables[i], s.keys)
        keys[rows], weights[rows, : s.actions] = s.keys, s.weights
    return Flat(tables, keys, weights)


def _checked_rows(
    strategy: Strategy, keys: NDArray[np.int64], weights: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The rows sorted by key. Raises `BadArgument`."""
    keys, weights = np.asarray(keys), np.asarray(weights, np.float64)
    if keys.ndim != 1 or not np.issubdtype(keys.dtype, np.integer):
        raise BadArgument(
            "keys of a strategy must be whole numbers in one dimension", got=(keys.dtype.name, keys.shape)
        )
    if weights.shape != (len(keys), strategy.actions):
        raise BadArgument("weights of a strategy", got=weights.shape, allowed=f"shape {(len(keys), strategy.actions)}")
    if not (np.abs(weights) <= MOST_WEIGHT).all() or (not strategy.greedy and (weights < 0).any()):
        raise BadArgument("weights of a strategy must be finite, and not below 0 unless it is greedy")
    keys = keys.astype(np.int64)
    bits = strategy._bits
    if (keys & ~np.int64(bits)).any() or len(np.unique(keys)) != len(keys):
        raise BadArgument("keys of a strategy must be different, and hold nothing but its parts", got=strategy.parts)
    order = np.argsort(keys)
    return keys[order], weights[order]


def _stamp(strategy: Strategy) -> dict[str, Any]:
    """What a file says of a strategy beside its arrays."""
    stamp = Stamp(strategy.name, strategy.role, strategy.rules, strategy.table, strategy.notes)
    return {**write_stamp(stamp, FORMAT), "parts": list(strategy.parts), "greedy": strategy.greedy}


def _npz_bytes(strategy: Strategy) -> bytes:
    arrays: dict[str, Any] = {}
    stamps: list[dict[str, Any]] = []
    link: Strategy | None = strategy
    while link is not None:
        arrays[f"keys{len(stamps)}"], arrays[f"weights{len(stamps)}"] = link.keys, link.weights
        stamps.append(_stamp(link))
        link = link.otherwise
    buffer = io.BytesIO()
    np.savez_compressed(buffer, stamps=np.frombuffer(json.dumps(stamps).encode(), np.uint8), **arrays)
    return buffer.getvalue()


def _npz_parts(data: bytes) -> dict[str, Any]:
    """The nested form that `as_dict` has, from the bytes of an npz file."""
    with ZipFile(io.BytesIO(data)) as archive:
        if sum(member.file_size for member in archive.infolist()) > MOST_BYTES:
            raise ValueError("it unpacks to too much")
        stamps = json.loads(_array(archive, "stamps").tobytes())
        if len(stamps) > MOST_LINKS:
            raise ValueError(f"it holds {len(stamps)} tables")
        whole: dict[str, Any] | None = None
        for i in reversed(range(len(stamps))):
            link = {**stamps[i], "keys": _array(archive, f"keys{i}"), "weights": _array(archive, f"weights{i}")}
            whole = link if whole is None else {**link, "otherwise": whole}
    if whole is None:
        raise ValueError("it holds no table")
    return whole


def _array(archive: ZipFile, name: str) -> NDArray[Any]:
    """One array of an npz file; no more memory is taken than its bytes are there for."""
    raw = archive.read(f"{name}.npy")
    stream = io.BytesIO(raw)
    read_header = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    shape, _, dtype = read_header[np.lib.format.read_magic(stream)](stream)
    if dtype.hasobject or math.prod(shape) * dtype.itemsize > len(raw):
        raise ValueError(f"its array {name} is not there")
    array: NDArray[Any] = np.load(io.BytesIO(raw), allow_pickle=False)
    return array


def _build(parts: Any, links: int = 1) -> Strategy:
    """The strategy of the nested form that `as_dict` has."""
    if links > MOST_LINKS:
        raise ValueError(f"it holds more than {MOST_LINKS} tables")
    stamp = read_stamp(parts, FORMAT)
    keys = np.asarray(parts["keys"])
    return Strategy(
        stamp.role,
        stamp.rules,
        stamp.table,
        parts=tuple(parts["parts"]),
        keys=keys if keys.size else keys.astype(np.int64),
        weights=np.asarray(parts["weights"], np.float64).reshape(-1, actions_of(stamp.role, stamp.table)),
        greedy=parts["greedy"] is True,
        otherwise=_build(parts["otherwise"], links + 1) if "otherwise" in parts else None,
        name=stamp.name,
        notes=stamp.notes,
    )
