"""Who sits where: the policies of both sides, and how they answer for their seats.

Tables play inside the kernels; any other policy is outside and is asked in batches, its choices drawn from each row's
own stream.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.engine.run.batch import choose_rows, look_rows, places_of
from pontoon_gym.engine.run.episode import OUTSIDE, UNANSWERED
from pontoon_gym.engine.view.infostate import ALL_BITS, key_of_turn
from pontoon_gym.engine.view.words import in_words
from pontoon_gym.errors import BadArgument, UnknownInfostate
from pontoon_gym.policies.policy import Policy, actions_of, name_of, view_of
from pontoon_gym.policies.resolve import PolicySource, resolve
from pontoon_gym.policies.tabular import Strategy, flatten
from pontoon_gym.records import write
from pontoon_gym.rules import Rules, Table

NOBODY = np.iinfo(np.int64).min
"""The number of a seat that no policy plays: a bound banker's, or a learner's own."""
DEFAULT_PLAYER, DEFAULT_BANKER = "thumb", "stand17"


def banker_of(source: PolicySource | None, rules: Rules, table: Table) -> Policy | None:
    """The banker's policy, None where the rules bind the banker (7.2).

    Raises `BadArgument` for a policy under such rules.
    """
    if rules.banker != "free":
        if source is not None:
            raise BadArgument("the rules bind the banker: leave the banker out", got=source, where="clause 7.2")
        return None
    return resolve(DEFAULT_BANKER if source is None else source, "banker", rules, table)


def players_of(source: PolicySource | Sequence[PolicySource] | None, rules: Rules, table: Table) -> list[Policy]:
    """The players' policies by place from the banker's left, from one for all or one a seat.

    Raises `BadArgument` for a wrong number of them.
    """
    if source is None:
        source = DEFAULT_PLAYER
    if isinstance(source, list | tuple):
        if len(source) != table.seats - 1:
            raise BadArgument(
                "players must be one policy, or one a seat from the banker's left (the learner's is not asked)",
                got=len(source),
                allowed=str(table.seats - 1),
            )
        made = {one: resolve(one, "player", rules, table) for one in source if isinstance(one, str)}
        return [made[one] if isinstance(one, str) else resolve(one, "player", rules, table) for one in source]
    return [resolve(source, "player", rules, table)] * (table.seats - 1)  # type: ignore[arg-type]


class Seating:
    """The policies of all seats, in the form that kernels take.

    Args:
        players: by place from the banker's left.
        banker: None where the rules bind the banker.

    Attributes:
        seats: for kernels, int64 of shape (seats,): a place's table, −1 − k for outside policy k, or NOBODY.
        lookups: what kernels read, see `tabular.flatten`.
        outside: the policies to be asked in batches.
    """

    def __init__(self, rules: Rules, table: Table, players: Sequence[Policy], banker: Policy | None) -> None:
        self.rules, self.table = rules, table
        self.policies = [*players, banker]
        strategies: list[Strategy] = []
        self.outside: list[Policy] = []
        self.seats = np.array([_number(p, strategies, self.outside) for p in self.policies], np.int64)
        self.lookups = flatten(strategies)
        self._layouts = [view_of(policy) for policy in self.outside]

    def answer(self, game: NDArray[np.void], rows: NDArray[np.void], status: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Let outside policies choose once in every row that waits for one; says in which, bool of shape (n,).

        Raises:
            UnknownInfostate: a row stands where a table has no answer.
            BadArgument: a policy gives something else than probabilities of actions.
        """
        self._check_answered(game, rows, status)
        waiting: NDArray[np.bool_] = status == OUTSIDE
        places = np.zeros(len(rows), np.int64)
        places_of(game, rows, places)
        if (self.seats[places[waiting]] == NOBODY).any():
            raise BadArgument("nobody plays the banker's seat, and no rule binds it", where="clause 7.2")
        for k, (policy, view) in enumerate(zip(self.outside, self._layouts, strict=True)):
            which = np.flatnonzero(waiting & (self.seats[places] == -1 - k))
            if len(which):
                vectors = np.zeros((len(which), view.size), np.float32)
                allowed = np.zeros((len(which), actions_of(policy.role, self.table)), np.bool_)
                look_rows(game, rows, which, view.sight, vectors, allowed)
                choose_rows(game, rows, which, checked_probabilities(policy, vectors, allowed))
        return waiting

    def _check_answered(self, game: NDArray[np.void], rows: NDArray[np.void], status: NDArray[np.int64]) -> None:
        for i in np.flatnonzero(status == UNANSWERED)[:1]:
            s = rows[i]
            key = int(key_of_turn(game[0], s, s["turn"] == s["banker"], ALL_BITS))
            who = "banker" if s["turn"] == s["banker"] else "player"
            what = f"the {who}'s strategy has no answer for an infostate"
            raise UnknownInfostate(what, got=in_words(key, self.table), where=write(self.rules, self.table, s))


def _number(policy: Policy | None, strategies: list[Strategy], outside: list[Policy]) -> int:
    """A policy's number for kernels; adds it to its list unless it is there already."""
    if policy is None:
        return NOBODY
    if isinstance(policy, Strategy):
        for i, known in enumerate(strategies):
            if known is policy:
                return i
        strategies.append(policy)
        return len(strategies) - 1
    for k, other in enumerate(outside):
        if other is policy:
            return -1 - k
    outside.append(policy)
    return -len(outside)


def checked_probabilities(
    policy: Policy, vectors: NDArray[np.float32], allowed: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """A policy's answer, if it is one probability an action. Raises `BadArgument`."""
    name = name_of(policy)
    # Copies: whatever the policy does to them, its answer is held against the real mask.
    answer = policy.probabilities(vectors.copy(), allowed.copy())
    try:
        if np.iscomplexobj(answer):
            raise ValueError
        found = np.asarray(answer, np.float64)
    except (TypeError, ValueError):
        raise BadArgument(f"probabilities of {name} must be numbers", got=answer) from None
    if found.shape != allowed.shape:
        raise BadArgument(f"probabilities of {name}", got=found.shape, allowed=f"shape {allowed.shape}")
    if not np.isfinite(found).all() or (found < 0).any() or (found[~allowed] > 0).any():
        raise BadArgument(f"probabilities of {name} must be finite, not negative, and 0 where an action is forbidden")
    if (np.abs(found.sum(axis=1) - 1.0) > 1e-4).any():
        raise BadArgument(f"probabilities of {name} must sum to 1 in each row")
    return np.ascontiguousarray(found)
