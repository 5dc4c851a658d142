"""How a banker ends: the distribution of his final hand wherever the player's hands end.

Against a blind banker there is one distribution for each set of cards that are gone, against one who reads the table
one for each reading and set.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.cards import parse_shoe
from pontoon_gym.engine.hand import VALUES, one_card, value
from pontoon_gym.engine.view.infostate import key_bits
from pontoon_gym.errors import BadCards, NotCovered, UnknownInfostate
from pontoon_gym.names import Role
from pontoon_gym.policies.policy import Policy
from pontoon_gym.policies.resolve import PolicySource
from pontoon_gym.policies.seating import banker_of
from pontoon_gym.policies.tabular import Strategy, asked_bits
from pontoon_gym.rules import RulesSource, Table
from pontoon_gym.solver.banker.asking import READ, Readings, ask_facing, asker_of, is_blind, readings
from pontoon_gym.solver.banker.outcomes import DRAWABLE, OUTCOMES, Outcomes, finish_rows, outcomes_of
from pontoon_gym.solver.cards.shoe import CARDS, COUNTS, shoe_of
from pontoon_gym.solver.heads_up import heads_up
from pontoon_gym.solver.tree.build import Tree
from pontoon_gym.solver.tree.splits import EXTRA


class Endings(NamedTuple):
    """How the banker ends, by what is gone: `rows` of outcomes, float64 of shape (rows, OUTCOMES), and which of them
    belongs to a node of a tree by cards of the pair's kind gone, int32 of shape (nodes, EXTRA)."""

    row_of: NDArray[np.int32]
    rows: NDArray[np.float64]


def blind_endings(tree: Tree, banker: Policy | None) -> Endings:
    """How a blind banker ends. Raises `UnknownInfostate`."""
    nodes, endless = tree.nodes, not tree.shoe["used"][0]
    ended = np.flatnonzero((nodes["done"] == 1) & (nodes["made"] >= 0))
    known = tree.classes[nodes["cls"][ended]]
    made, up, split = nodes["made"][ended].astype(np.int64), known["up"], known["value"]
    row_of = np.zeros((len(nodes), EXTRA), np.int32)
    names = []
    for j in range(EXTRA):
        name = up if endless else ((up * (VALUES + 1) + split) * EXTRA + j) * len(COUNTS) + made
        names.append(np.where(known["kinds"][:, j] != 0.0, name, 0))
    found, inverse = np.unique(np.concatenate(names), return_inverse=True)
    row_of[ended] = inverse.reshape(EXTRA, -1).T
    if endless:
        gone, ups = np.zeros(len(found), np.int64), found
    else:
        rest, made = np.divmod(found, len(COUNTS))
        rest, extra = np.divmod(rest, EXTRA)
        ups, split = np.divmod(rest, VALUES + 1)
        gone = COUNTS[made] + np.where(split > 0, extra << (5 * np.maximum(split - 1, 0)), 0)
    twists = np.zeros((DRAWABLE, len(CARDS)))
    ask_facing(tree.game, banker, "total", twists)
    return Endings(row_of, _finished(tree, gone, ups, twists))


def _finished(
    tree: Tree, gone: NDArray[np.int64], ups: NDArray[np.int64], twists: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The banker's outcomes for each set of gone cards. Raises `UnknownInfostate`."""
    rows = np.zeros((len(gone), OUTCOMES))
    missing = int(finish_rows(tree.game[0], tree.shoe[0], gone, ups, twists, np.zeros(len(COUNTS)), rows))
    if missing >= 0:
        raise UnknownInfostate("the banker has no answer for a hand of his", got=COUNTS[missing])
    return rows


def endings_of(tree: Tree, banker: Policy | None, met: NDArray[np.bool_]) -> Endings:
    """How a banker ends on a tree; None is bound by the rules. Raises `UnknownInfostate`.

    Args:
        met: the infostates that matter, bool of shape (nodes,): one who reads the table is asked about no others.
    """
    if is_blind(banker) or banker is None:
        return blind_endings(tree, banker)
    told = readings(tree, met)
    sets = GoneSets(tree, told)
    rows = np.zeros((len(sets.gone), OUTCOMES))
    for k, twists in enumerate(asker_of(tree, banker)(told.shown)):
        part = slice(sets.starts[k], sets.starts[k + 1])
        rows[part] = _finished(tree, sets.gone[part], sets.ups[part], twists)
    return Endings(sets.row_of, rows)


class GoneSets:
    """The different sets of cards that may be gone at each reading.

    Attributes:
        gone: counts by value, int64 of shape (n,), in the order of the readings.
        ups: the banker's card lying up, int64 of shape (n,).
        starts: where each reading's sets begin, and the last one's end.
        row_of: which set belongs to a node, int32 of shape (nodes, EXTRA).
    """

    def __init__(self, tree: Tree, told: Readings) -> None:
        made, up = (tree.nodes[name][told.ended].astype(np.int64) for name in ("made", "up"))
        names = (told.reading * (VALUES + 1) + up) * len(COUNTS) + made
        found, inverse = np.unique(names, return_inverse=True)
        rest, made = np.divmod(found, len(COUNTS))
        reading, self.ups = np.divmod(rest, VALUES + 1)
        self.gone = COUNTS[made]
        self.starts = np.searchsorted(reading, np.arange(len(told.shown) + 1))
        self.row_of = np.zeros((len(tree.nodes), EXTRA), np.int32)
        self.row_of[told.ended] = inverse.reshape(-1, 1)


def banker_outcomes(
    rules: RulesSource,
    *,
    banker: PolicySource | None = None,
    gone: Mapping[str, int] | None = None,
    upcard: str | None = None,
    facing: str = "total",
    table: Table | Mapping[str, object] | None = None,
    shoe: Mapping[str, int] | None = None,
) -> Outcomes:
    """The exact distribution of the banker's final hand.

    Where he peeks (5.1) it is conditional on his having no Pontoon in two cards.

    Args:
        rules, banker, table, shoe: as for `expectation.value`.
        gone: cards known to be gone, his own left out, as counts of ranks, `{"K": 1, "7": 2}`.
        upcard: the rank of his first card, where it is known.
        facing: the kind of the player's hand, `"total"`, `"trick"` or `"pontoon"`, for bankers who look at it.

    Raises:
        BadCards: cards that the shoe does not hold.
        BadArgument: another kind of hand.
        NotCovered: a banker who looks at more of the player's hand than its kind.
        UnknownInfostate: his table has no answer.
    """
    game = heads_up(rules, table, shoe)
    policy = banker_of(banker, game.rules, game.table)
    if not is_blind(policy) and not (isinstance(policy, Strategy) and _looks_at_kind(policy)):
        raise NotCovered("outcomes of a banker who looks at more of a hand than its kind", allowed="value, regrets")
    whole = shoe_of(game.game)
    counts, values = 0, np.zeros(VALUES, np.int64)
    for card in parse_shoe(gone or {}):
        values[value(card) - 1] += 1
        counts += int(one_card(value(card)))
    up = value(parse_shoe({str(upcard): 1})[0]) if upcard is not None else 0
    left = whole["values"][0] - values * whole["used"][0]
    if (left < 0).any() or left.sum() < 2 or (up and left[up - 1] < 1):
        raise BadCards("cards that are gone, and the banker's two, must lie in the shoe", got=(gone, upcard))
    twists, rows = np.zeros((DRAWABLE, len(CARDS))), np.zeros((1, OUTCOMES))
    ask_facing(game.game, policy, facing, twists)
    missing = finish_rows(
        game.game[0], whole[0], np.array([counts]), np.array([up]), twists, np.zeros(len(CARDS)), rows
    )
    if missing >= 0:
        raise UnknownInfostate("the banker has no answer for a hand of his", got=int(COUNTS[missing]))
    return outcomes_of(rows[0])


def _looks_at_kind(banker: Strategy) -> bool:
    """Whether a table looks at no more of the player's hands than how many of each kind are live."""
    return not asked_bits(banker) & READ & ~key_bits(Role.BANKER, ("plain", "tricks", "pontoons"))
