"""`Strategy`: a policy that is a table, from infostate to weights of actions.

Learners learn strategies, the solver computes them, environments play them in their kernels. A strategy says for which
rules and which table it was made, and is saved without pickle or any other way to run code from a file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.engine.run.lookup import LOOKUP, MISSING, Lookups, fill_all_probabilities
from pontoon_gym.engine.state import pack
from pontoon_gym.engine.view.columns import Game, layout
from pontoon_gym.engine.view.infostate import KEYS, done_key
from pontoon_gym.engine.view.words import checked_key, in_words
from pontoon_gym.errors import BadArgument, UnknownInfostate
from pontoon_gym.files import digest, facts_of, text_of
from pontoon_gym.hashing import EMPTY, digits_for, lay_out
from pontoon_gym.names import Phase
from pontoon_gym.policies.metadata import (
    Metadata,
    archive_bytes,
    check_format,
    form_of,
    json_text,
    load_file,
    read_archive,
    read_metadata,
    save_file,
    suffix_of,
    write_metadata,
)
from pontoon_gym.policies.policy import (
    Mask,
    Observation,
    Probabilities,
    actions_of,
    bits_of_parts,
    check_made_for,
    made_for,
    read_keys,
    role_number,
)
from pontoon_gym.rules import Rules, Table

Weights = NDArray[np.float64]

FORMAT = "pontoon-strategy/4"
MOST_LINKS = 8
"""Strategies that one file may hold, each the `otherwise` of the one before."""
MOST_WEIGHT = 1e100
"""So that no sum of weights leaves the floating-point numbers."""


class Strategy:
    """A table from infostate to weights of actions.

    An infostate is the part of a key (`engine.view.infostate.KEYS`) that the strategy looks at. A greedy strategy plays
    the allowed action of most weight (of equal ones the first), another one draws in proportion to the weights of the
    allowed actions. Where it has no row it asks `otherwise`.

    Strategies are equal if all that a file would keep of them is. What is played does not change once one is made, its
    arrays are read-only: so it has a hash, of all but the name and notes, which alone may be given anew.

    Args:
        metadata: whose it is, and what it is made for.
        parts: the parts of a key that it looks at.
        keys: infostates, int64 of shape (n,), the other parts 0; in any order, each once.
        weights: float64 of shape (n, actions).
        greedy: see above.
        otherwise: the strategy to ask about infostates that this one does not have.

    Raises:
        BadArgument: arrays that do not fit each other or the table.
        StaleStrategy: an `otherwise` that was made for another role, other rules or another table.
    """

    def __init__(
        self,
        metadata: Metadata,
        *,
        parts: tuple[str, ...],
        keys: NDArray[np.int64],
        weights: NDArray[np.float64],
        greedy: bool,
        otherwise: Strategy | None = None,
    ) -> None:
        self.role, self.rules, self.table, self.name, notes = metadata
        self.parts, self.greedy, self.otherwise = tuple(parts), bool(greedy), otherwise
        self.notes = dict(notes)
        self._bits = bits_of_parts(self.role, self.parts)
        if otherwise is not None:
            if not isinstance(otherwise, Strategy):
                raise BadArgument("what a strategy passes on to must be a strategy", got=otherwise)
            check_made_for(otherwise, self.role, self.rules, self.table)
        self.keys, self.weights = _checked_rows(self, keys, weights)
        self._lookups = flatten([self])
        self._layout = layout(Game(self.rules, self.table, role_number(self.role)))
        self._game = pack(self.rules, self.table)

    def probabilities(self, observation: Observation, mask: Mask, /) -> Probabilities:
        """See `Policy.probabilities`. Raises `UnknownInfostate` where it has no answer.

        Where a round is over, as in rows of a vector environment that begin anew in their next step, every action of
        the mask is as likely.
        """
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
        keys = read_keys(rows, self._layout, self._game)
        out = np.zeros(allowed.shape, np.float64)
        missing = int(fill_all_probabilities(*self._lookups, keys, allowed, out))
        if missing != MISSING:
            over = keys == done_key(self.role == "banker")
            out[over] = allowed[over] / allowed[over].sum(axis=1, keepdims=True)
            self._check_answered(keys, out)
        return out

    def _check_answered(self, keys: NDArray[np.int64], out: Probabilities) -> None:
        unanswered = keys[~out.any(axis=1)]
        if len(unanswered):
            raise unanswered_by(self.name, int(unanswered[0]), self.table)

    @property
    def actions(self) -> int:
        """The size of the action space."""
        return actions_of(self.role, self.table)

    @classmethod
    def from_dict(
        cls,
        q: Mapping[int, Any],
        env: Any,
        otherwise: Strategy | str | Path | None = None,
        *,
        name: str = "policy",
    ) -> Strategy:
        """The greedy strategy of a table of action values, as a learner of `observation="situation"` keeps it.

        It plays the allowed action of most value, of equal ones the first.

        Args:
            q: from infostate keys to the value of each action, shape (actions,), or to the number of one action. A
                value of −inf or nan is less than any other. What is kept for a round's end is left out.
            env: the environment that it was learned in, or a policy for that environment.
            otherwise: plays where `q` has no row: a baseline's name, a strategy or its file. None plays nowhere else.
            name: for people.

        Raises:
            BadArgument: no such environment, keys of no infostate of its, or values that are none.
            UnknownPolicy, BadPolicyFile, StaleStrategy: no such `otherwise`, or one for another game.
        """
        from pontoon_gym.policies.resolve import resolve  # which knows strategies

        role, rules, table = made_for(env)
        if not isinstance(q, Mapping):
            raise BadArgument("action values must be a mapping from infostate keys", got=q)
        rows = dict(_rows_of(q, role, rules, table))
        weights = np.array(list(rows.values()), np.float64).reshape(-1, actions_of(role, table))
        return cls(
            Metadata(role, rules, table, name=name),
            parts=tuple(KEYS[role_number(role)]),
            keys=np.array(list(rows), np.int64),
            weights=weights,
            greedy=True,
            otherwise=None if otherwise is None else resolve(otherwise, role, rules, table),  # type: ignore[arg-type]
        )

    def as_dict(self) -> dict[str, Any]:
        """All of it, JSON-able."""
        return {**_stamp(self), "keys": self.keys.tolist(), "weights": self.weights.tolist()} | (
            {"otherwise": self.otherwise.as_dict()} if self.otherwise else {}
        )

    def __setattr__(self, name: str, value: object) -> None:
        if name in self.__dict__ and name not in ("name", "notes"):
            raise AttributeError(f"a strategy's {name} is given once: make another strategy")
        super().__setattr__(name, value)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Strategy):
            return NotImplemented
        return self is other or (
            self._content == other._content
            and (self.name, self.notes, self.otherwise) == (other.name, other.notes, other.otherwise)
        )

    def __hash__(self) -> int:
        return hash((self._content, self.otherwise))

    @cached_property
    def _content(self) -> tuple[object, ...]:
        """What is played."""
        # To add 0 makes one zero of two.
        arrays = digest(self.keys.tobytes() + (self.weights + 0.0).tobytes())
        return self.role, self.rules, self.table, self._bits, self.greedy, arrays

    def __reduce__(self) -> tuple[object, ...]:
        """Copies are made as it was, by its arguments, so that their arrays are read-only too."""
        metadata = Metadata(self.role, self.rules, self.table, self.name, self.notes)
        named: dict[str, Any] = {
            name: getattr(self, name) for name in ("parts", "keys", "weights", "greedy", "otherwise")
        }
        return partial(type(self), **named), (metadata,)

    def __repr__(self) -> str:
        """Whose it is and how large."""
        return f"Strategy({self.name!r}, {self.role}, {self.rules.text()!r}, {len(self.keys):,} keys)"

    def save(self, path: str | Path) -> Path:
        """Write it to a `.npz` or `.json` file. Raises `BadArgument` for another ending or an unwritable folder."""
        return save_file(path, "strategy", {".npz": lambda: _npz_bytes(self), ".json": lambda: _json_bytes(self)})

    @classmethod
    def load(cls, path: str | Path) -> Strategy:
        """Read a file that `save` wrote. Raises `UnknownPolicy` if there is none, `BadPolicyFile` if it is bad."""
        is_json = suffix_of(path) == ".json"
        return load_file(path, "strategy", lambda data: _nested(facts_of(text_of(data))) if is_json else _packed(data))


def unanswered_by(name: str, key: int, table: Table) -> UnknownInfostate:
    """The error that whoever is called so has no answer for an infostate, in words."""
    return UnknownInfostate(f"{name} has no answer for an infostate", got=in_words(key, table), where=f"key {key}")


def asked_bits(strategy: Strategy) -> int:
    """The bits of a key that a strategy, or those that it passes on to, look at."""
    bits = strategy._bits
    return bits if strategy.otherwise is None else bits | asked_bits(strategy.otherwise)


def flatten(strategies: list[Strategy]) -> Lookups:
    """Lay strategies out for kernels; the i-th of them is lookup i. Rows of weights are padded with zeros."""
    chain = list(strategies)
    for strategy in chain:
        if strategy.otherwise is not None and not any(strategy.otherwise is known for known in chain):
            chain.append(strategy.otherwise)
    digits = [digits_for(len(s.keys)) for s in chain]
    places = [1 << n for n in digits]
    lookups = np.zeros(len(chain), LOOKUP)
    keys = np.full(sum(places), EMPTY, np.int64)
    weights = np.zeros((sum(places), max((s.actions for s in chain), default=1)))
    for i, s in enumerate(chain):
        start = sum(places[:i])
        otherwise = -1 if s.otherwise is None else [known is s.otherwise for known in chain].index(True)
        lookups[i] = (start, digits[i], s._bits, asked_bits(s), s.greedy, otherwise)
        rows = start + lay_out(s.keys, digits[i])
        keys[rows], weights[rows, : s.actions] = s.keys, s.weights
    return Lookups(lookups, keys, weights)


def _checked_rows(
    strategy: Strategy, keys: NDArray[np.int64], weights: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The rows sorted by key, to be read only. Raises `BadArgument`."""
    keys, weights = np.asarray(keys), np.asarray(weights)
    if keys.ndim != 1 or not np.issubdtype(keys.dtype, np.integer):
        raise BadArgument(
            "keys of a strategy must be whole numbers in one dimension", got=(keys.dtype.name, keys.shape)
        )
    if len(keys) == weights.size == 0:
        weights = np.zeros((0, strategy.actions))
    if weights.shape != (len(keys), strategy.actions) or weights.dtype.kind not in "fiu":
        given, allowed = (weights.dtype.name, weights.shape), f"numbers, shape {(len(keys), strategy.actions)}"
        raise BadArgument("weights of a strategy", got=given, allowed=allowed)
    weights = weights.astype(np.float64)
    if not (np.abs(weights) <= MOST_WEIGHT).all() or (not strategy.greedy and (weights < 0).any()):
        raise BadArgument("weights of a strategy must be finite, and not below 0 unless it is greedy")
    keys = keys.astype(np.int64)
    bits = strategy._bits
    if (keys & ~np.int64(bits)).any() or len(np.unique(keys)) != len(keys):
        raise BadArgument("keys of a strategy must be different, and hold nothing but its parts", got=strategy.parts)
    order = np.argsort(keys)
    keys, weights = keys[order], weights[order]
    keys.flags.writeable = weights.flags.writeable = False
    return keys, weights


def _rows_of(q: Mapping[int, Any], role: str, rules: Rules, table: Table) -> Iterator[tuple[int, Weights]]:
    """Keys and weights of what a learner keeps. Raises `BadArgument`."""
    actions = actions_of(role, table)
    for key, given in q.items():
        if checked_key(key, rules, table, role_number(role))["phase"] == Phase.DONE:
            continue
        try:
            weights = _weights_of(np.asarray(given), actions)
        except ValueError:
            what = f"bad action values for {in_words(int(key), table)}"
            allowed = f"{actions} numbers, or an action of 0 to {actions - 1}"
            raise BadArgument(what, got=given, allowed=allowed, where=f"key {key}") from None
        yield int(key), weights


def _weights_of(given: NDArray[Any], actions: int) -> Weights:
    """Weights of action values, or of an action's number. Raises `ValueError`."""
    if given.shape == () and given.dtype.kind in "iu" and 0 <= given < actions:
        chosen: Weights = np.eye(actions)[int(given)]
        return chosen
    if given.shape != (actions,) or given.dtype.kind not in "iuf":
        raise ValueError
    values = given.astype(np.float64)
    values[np.isnan(values) | np.isneginf(values)] = -MOST_WEIGHT
    if (values > MOST_WEIGHT).any() or (values <= -MOST_WEIGHT).all():
        raise ValueError
    made: Weights = values
    return made


def _stamp(strategy: Strategy) -> dict[str, Any]:
    """What a file says of a strategy beside its arrays."""
    metadata = Metadata(strategy.role, strategy.rules, strategy.table, strategy.name, strategy.notes)
    return {**write_metadata(metadata, FORMAT), "parts": list(strategy.parts), "greedy": strategy.greedy}


def _npz_bytes(strategy: Strategy) -> bytes:
    arrays: dict[str, NDArray[Any]] = {}
    stamps: list[dict[str, Any]] = []
    link: Strategy | None = strategy
    while link is not None:
        arrays[f"keys{len(stamps)}"], arrays[f"weights{len(stamps)}"] = link.keys, link.weights
        stamps.append(_stamp(link))
        link = link.otherwise
    return archive_bytes(stamps, arrays)


def _json_bytes(strategy: Strategy) -> bytes:
    return json_text(strategy.as_dict()).encode()


def _packed(data: bytes) -> Strategy:
    """The strategy of an archive's bytes."""
    stamps, arrays = read_archive(data)
    if not 0 < len(stamps) <= MOST_LINKS:
        raise ValueError(f"it holds {len(stamps)} tables")
    link: Strategy | None = None
    for i in reversed(range(len(stamps))):
        link = _build(stamps[i], arrays.pop(f"keys{i}"), arrays.pop(f"weights{i}"), link)
    if link is None or arrays:
        raise ValueError(f"it holds more than its tables: {', '.join(arrays)}")
    return link


def _nested(facts: Any, links: int = 1) -> Strategy:
    """The strategy of the form that `as_dict` has."""
    check_format(form_of(facts), FORMAT)
    if links > MOST_LINKS:
        raise ValueError(f"it holds more than {MOST_LINKS} tables")
    otherwise = _nested(facts["otherwise"], links + 1) if "otherwise" in facts else None
    keys, weights = _arrays_of(facts["keys"], facts["weights"])
    stamp = {name: facts[name] for name in facts if name not in ("keys", "weights", "otherwise")}
    return _build(stamp, keys, weights, otherwise)


def _arrays_of(keys: list[int], weights: list[list[float]]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Keys and weights of the form that `as_dict` has: numbers, and not what could be taken for some."""
    if type(keys) is not list or not all(type(key) is int and 0 <= key < 1 << 63 for key in keys):
        raise ValueError("keys of a strategy must be whole numbers")
    if type(weights) is not list or not all(type(weight) in (int, float) for row in weights for weight in row):
        raise ValueError("weights of a strategy must be rows of numbers")
    return np.array(keys, np.int64), np.array(weights, np.float64)


def _build(stamp: Any, keys: NDArray[Any], weights: NDArray[Any], otherwise: Strategy | None) -> Strategy:
    """The strategy of one link of a chain."""
    metadata = read_metadata(stamp, FORMAT, parts=list, greedy=bool)
    parts = tuple(stamp["parts"])
    return Strategy(metadata, parts=parts, keys=keys, weights=weights, greedy=stamp["greedy"], otherwise=otherwise)
