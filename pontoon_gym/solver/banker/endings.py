"""How a banker ends: the distribution of the final hand wherever the player's hands end.

Against a blind banker there is one distribution for each set of cards that are gone, against one who reads the table
one for each reading and set.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.engine.hand import VALUES
from pontoon_gym.errors import UnknownInfostate
from pontoon_gym.policies.policy import Policy
from pontoon_gym.solver.banker.asking import Readings, ask_facing, asker_of, is_blind, readings
from pontoon_gym.solver.banker.outcomes import OUTCOMES, finish_rows
from pontoon_gym.solver.cards.shoe import COUNTS, shoe_of
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
    return Endings(row_of, _finished(tree.game, tree.shoe, gone, ups, ask_facing(tree.game, banker, "total")))


def _finished(
    game: NDArray[np.void],
    shoe: NDArray[np.void],
    gone: NDArray[np.int64],
    ups: NDArray[np.int64],
    twists: NDArray[np.float64],
) -> NDArray[np.float64]:
    """The banker's outcomes for each set of gone cards. Raises `UnknownInfostate`."""
    rows = np.zeros((len(gone), OUTCOMES))
    missing = int(finish_rows(game[0], shoe[0], gone, ups, twists, np.zeros(len(COUNTS)), rows))
    if missing >= 0:
        raise UnknownInfostate("the banker has no answer for a hand of theirs", got=int(COUNTS[missing]))
    return rows


def distribution(game: NDArray[np.void], banker: Policy | None, gone: int, up: int, facing: str) -> NDArray[np.float64]:
    """A banker's outcomes against a live hand of a kind, float64 of shape (OUTCOMES,).

    Raises `UnknownInfostate`, and `BadArgument` for no such kind.
    """
    twists = ask_facing(game, banker, facing)
    return _finished(game, shoe_of(game), np.array([gone]), np.array([up]), twists)[0]


def endings_of(tree: Tree, banker: Policy | None, met: NDArray[np.bool_]) -> Endings:
    """How a banker ends on a tree; None is bound by the rules. Raises `UnknownInfostate`.

    Args:
        met: the infostates that matter, bool of shape (nodes,): one who reads the table is asked about no others.
    """
    if is_blind(banker) or banker is None:
        return blind_endings(tree, banker)
    read = readings(tree, met)
    sets = GoneSets(tree, read)
    rows = np.zeros((len(sets.gone), OUTCOMES))
    for k, twists in enumerate(asker_of(tree, banker)(read.shown)):
        part = slice(sets.starts[k], sets.starts[k + 1])
        rows[part] = _finished(tree.game, tree.shoe, sets.gone[part], sets.ups[part], twists)
    return Endings(sets.row_of, rows)


class GoneSets:
    """The different sets of cards that may be gone at each reading.

    Attributes:
        gone: counts by value, int64 of shape (n,), in the order of the readings.
        ups: the banker's card lying up, int64 of shape (n,).
        starts: where each reading's sets begin, and the last one's end.
        row_of: which set belongs to a node, int32 of shape (nodes, EXTRA).
    """

    def __init__(self, tree: Tree, read: Readings) -> None:
        made, up = (tree.nodes[name][read.ended].astype(np.int64) for name in ("made", "up"))
        names = (read.reading * (VALUES + 1) + up) * len(COUNTS) + made
        found, inverse = np.unique(names, return_inverse=True)
        rest, made = np.divmod(found, len(COUNTS))
        reading, self.ups = np.divmod(rest, VALUES + 1)
        self.gone = COUNTS[made]
        self.starts = np.searchsorted(reading, np.arange(len(read.shown) + 1))
        self.row_of = np.zeros((len(tree.nodes), EXTRA), np.int32)
        self.row_of[read.ended] = inverse.reshape(-1, 1)
