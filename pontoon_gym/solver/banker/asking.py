"""How a banker plays: what they do with each hand of their own, and what they look at.

A banker who looks at nothing but their own cards is blind. One who reads the table is asked again for each of the
player's hands as it looks from the bank (8.1): a reading is the part of the banker's infostate key that describes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.compiled import Record, int64, kernel, leaf
from pontoon_gym.engine.act import clear_hand, take
from pontoon_gym.engine.hand import AFTER, VALUES, card_count, kind
from pontoon_gym.engine.legal import allowed, mask, only_action
from pontoon_gym.engine.run.lookup import MISSING, Lookups, fill_probabilities, find_row
from pontoon_gym.engine.state import ROUND, SHOWN
from pontoon_gym.engine.view.infostate import KEYS, banker_key, key_bits, lead_key
from pontoon_gym.engine.view.observe import look
from pontoon_gym.errors import BadArgument
from pontoon_gym.names import BANKER_ACTIONS, TWIST, HandKind, Phase, Role
from pontoon_gym.policies.policy import Policy, view_of
from pontoon_gym.policies.seating import checked_probabilities
from pontoon_gym.policies.tabular import Strategy, asked_bits, flatten
from pontoon_gym.solver.banker.outcomes import DRAWABLE
from pontoon_gym.solver.cards.shoe import CARDS, COUNTS, TOTALS, fits, shoe_of
from pontoon_gym.solver.tree.build import Tree
from pontoon_gym.solver.tree.pose import BANKER, SEAT, card_of, lay_shoe, pose

AT_ONCE = 512
"""Readings at which an outside policy is asked at once."""
OWN = ("phase", "cards", "drawable")
"""The parts of a banker's key that describe the banker's own hand."""
READ = key_bits(Role.BANKER, tuple(part for part in KEYS[Role.BANKER] if part not in OWN))
"""The bits of a banker's key that describe the player's hand."""


def is_blind(banker: Policy | None) -> bool:
    """Whether a banker looks at nothing but their own cards; true of one whom the rules bind (7.2)."""
    return banker is None or (isinstance(banker, Strategy) and not asked_bits(banker) & READ)


@kernel
def pose_banker(s: Record, r: Record, b: int, left: int) -> None:
    """Lay a banker's hand of a composition on the scratch round, in the banker's turn; the player's lie already."""
    bank = s["hands"][0, BANKER]
    s["phase"], s["turn"], s["banker"] = Phase.BANKER, BANKER, BANKER
    clear_hand(bank)
    for v in range(1, VALUES + 1):
        for _ in range(card_count(COUNTS[b], v)):
            take(r, bank, card_of(v, 0) | SHOWN)
    s["pool"] = left


@kernel
def ask_table(
    r: Record,
    s: Record,
    b: int,
    left: int,
    lookups: NDArray[np.void],
    keys: NDArray[np.int64],
    weights: NDArray[np.float64],
    chance: NDArray[np.float64],
) -> float:
    """The chance that a banker's table twists on a composition with so many cards left, −1 if it has no answer."""
    pose_banker(s, r, b, left)
    bits = allowed(r, s)
    action = only_action(bits)
    if action >= 0:
        return 1.0 if action == TWIST else 0.0
    if len(lookups) == 0:
        return -1.0
    asked, row = find_row(lookups, 0, keys, banker_key(r, s, lookups[0]["asked"]))
    if row == MISSING:
        return -1.0
    fill_probabilities(weights[row], bits, lookups[asked]["greedy"] > 0, chance)
    return chance[TWIST]


@leaf
def can_choose(r: Record, b: int) -> bool:
    """Whether a composition is a hand on which a banker may be asked."""
    return CARDS[b] >= 2 and kind(r, TOTALS[b], CARDS[b], False, False) == HandKind.TOTAL


@kernel
def ask_own(
    game: NDArray[np.void],
    rows: NDArray[np.void],
    shoe: NDArray[np.void],
    lookups: NDArray[np.void],
    keys: NDArray[np.int64],
    weights: NDArray[np.float64],
    chance: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """What a banker's table does with each composition and number of cards left, against the finished hand that lies
    on the scratch round; fills `out` (`outcomes.finish`)."""
    for left in range(len(out)):
        for b in range(len(CARDS)):
            if can_choose(game[0], b) and fits(shoe[0], b):
                out[left, b] = ask_table(game[0], rows[0], b, left, lookups, keys, weights, chance)


def tables_of(banker: Policy | None) -> Lookups:
    """A banker's tables as kernels read them; none for one who is bound."""
    return flatten([banker] if isinstance(banker, Strategy) else [])


@kernel
def lay_finished_hand(game: NDArray[np.void], rows: NDArray[np.void], values: NDArray[np.int64]) -> None:
    """Lay a finished hand of the player's on a scratch round, of cards of these values."""
    r, s = game[0], rows[0]
    lay_shoe(r, s, 0)
    s["hands_of"][SEAT] = s["hands_of"][BANKER] = 1
    hand = s["hands"][0, SEAT]
    clear_hand(hand)
    hand["stake"], hand["done"] = r["stake_min"], 1
    for i in range(len(values)):
        take(r, hand, card_of(values[i], i % 4))


def ask_facing(game: NDArray[np.void], banker: Policy | None, facing: str) -> NDArray[np.float64]:
    """What a banker does against a live hand of a kind: `twists` of `outcomes.finish`. Raises `BadArgument`."""
    cards = {"total": (10, 9), "trick": (2,) * max(int(game["trick_cards"][0]), 1), "pontoon": (1, 10)}
    if facing not in cards or (facing == "trick" and not game["trick_cards"][0]):
        raise BadArgument("no such kind of hand", got=facing, allowed="total, trick, pontoon")
    rows, flat, twists = np.zeros(1, ROUND), tables_of(banker), np.zeros((DRAWABLE, len(CARDS)))
    lay_finished_hand(game, rows, np.array(cards[facing], np.int64))
    weights = flat.weights if len(flat.lookups) else np.zeros((1, 2))
    ask_own(game, rows, shoe_of(game), flat.lookups, flat.keys, weights, np.zeros(weights.shape[1]), twists)
    return twists


# --- bankers who read the table ----------------------------------------------------------------------------------


class Readings(NamedTuple):
    """What a banker can tell apart of the player's finished hands.

    Attributes:
        ended: the finished, live hands: nodes of a tree, int64 of shape (n,).
        reading: the number of each one's reading, int64 of shape (n,).
        shown: one node of each reading, int64 of shape (readings,).
    """

    ended: NDArray[np.int64]
    reading: NDArray[np.int64]
    shown: NDArray[np.int64]


@kernel
def fill_readings(
    game: NDArray[np.void],
    rows: NDArray[np.void],
    nodes: NDArray[np.void],
    ended: NDArray[np.int64],
    out: NDArray[np.int64],
) -> None:
    """The part of a banker's key that describes each finished hand, and its number of cards, on which it depends how
    many are left; fills `out`, int64 of shape (n, 2)."""
    r, s = game[0], rows[0]
    for i in range(len(ended)):
        node = nodes[ended[i]]
        pose(r, s, node)
        out[i, 0] = lead_key(r, s)
        out[i, 1] = node["hand"]["count"]


def readings(tree: Tree, met: NDArray[np.bool_]) -> Readings:
    """The readings of those finished hands of a tree that are `met`, bool of shape (nodes,)."""
    nodes = tree.nodes
    # Hands of splits are left out: what a banker reads of several hands is no part of this.
    ended = np.flatnonzero((nodes["done"] == 1) & (nodes["made"] >= 0) & (nodes["hands"] == 1) & met)
    keys = np.zeros((len(ended), 2), np.int64)
    fill_readings(tree.game, np.zeros(1, ROUND), nodes, ended, keys)
    _, first, reading = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    return Readings(ended, reading.ravel(), ended[first])


@kernel
def ask_reading(
    game: NDArray[np.void],
    rows: NDArray[np.void],
    shoe: NDArray[np.void],
    node: NDArray[np.void],
    lookups: NDArray[np.void],
    keys: NDArray[np.int64],
    weights: NDArray[np.float64],
    chance: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """What a banker's table does with each composition against one of the player's finished hands; fills `out`."""
    r, s = game[0], rows[0]
    pose(r, s, node[0])
    cards = int64(r["size"] - node[0]["hand"]["count"])
    for b in range(len(CARDS)):
        left = max(cards - CARDS[b], 0)
        if can_choose(r, b) and fits(shoe[0], b):
            out[min(left, len(out) - 1), b] = ask_table(r, s, b, left, lookups, keys, weights, chance)


Asker = Callable[[NDArray[np.int64]], Iterator[NDArray[np.float64]]]
"""From nodes, one a reading, to what the banker does then: `twists` of `outcomes.finish` for each."""


def asker_of(tree: Tree, banker: Policy) -> Asker:
    """Asks a banker's policy at readings."""
    return table_asker(tree, banker) if isinstance(banker, Strategy) else outside_asker(tree, banker)


def table_asker(tree: Tree, banker: Strategy) -> Asker:
    """Asks a banker's table."""
    flat, rows = flatten([banker]), np.zeros(1, ROUND)
    chance = np.zeros(flat.weights.shape[1])

    def ask(nodes: NDArray[np.int64]) -> Iterator[NDArray[np.float64]]:
        twists = np.zeros((DRAWABLE, len(CARDS)))
        for node in nodes.tolist():
            ask_reading(tree.game, rows, tree.shoe, tree.nodes[node : node + 1], *flat, chance, twists)
            yield twists

    return ask


@kernel
def look_at_readings(
    game: NDArray[np.void],
    rows: NDArray[np.void],
    nodes: NDArray[np.void],
    at: NDArray[np.int64],
    made: NDArray[np.int64],
    sight: NDArray[np.void],
    vectors: NDArray[np.float32],
    may: NDArray[np.bool_],
) -> None:
    """What the banker sees with each composition against each finished hand, and may do; fills the last two."""
    r, s = game[0], rows[0]
    for i in range(len(at)):
        node = nodes[at[i]]
        pose(r, s, node)
        pose_banker(s, r, made[i], max(r["size"] - node["hand"]["count"] - CARDS[made[i]], 0))
        mask(r, s, may[i])
        look(r, s, BANKER, sight[0], vectors[i])


def outside_asker(tree: Tree, banker: Policy) -> Asker:
    """Asks a banker's policy that is no table, card by card, only at hands that the banker can come to."""
    view, rows = view_of(banker), np.zeros(1, ROUND)
    two_cards = np.flatnonzero(CARDS == 2)
    choosable = np.array([can_choose(tree.game[0], b) for b in range(len(CARDS))], np.bool_)

    def ask_one(nodes: NDArray[np.int64], made: NDArray[np.int64]) -> NDArray[np.float64]:
        vectors = np.zeros((len(nodes), view.size), np.float32)
        may = np.zeros((len(nodes), BANKER_ACTIONS), np.bool_)
        look_at_readings(tree.game, rows, tree.nodes, nodes, made, view.sight, vectors, may)
        return checked_probabilities(banker, vectors, may)[:, TWIST]

    def ask(nodes: NDArray[np.int64]) -> Iterator[NDArray[np.float64]]:
        for start in range(0, len(nodes), AT_ONCE):
            yield from ask_some(nodes[start : start + AT_ONCE])

    def ask_some(nodes: NDArray[np.int64]) -> Iterator[NDArray[np.float64]]:
        twists = np.zeros((len(nodes), len(CARDS)))
        at, made = (grid.ravel() for grid in np.meshgrid(np.arange(len(nodes)), two_cards, indexing="ij"))
        while len(at):
            at, made = at[choosable[made]], made[choosable[made]]
            if len(at):
                twists[at, made] = ask_one(nodes[at], made)
            more = twists[at, made] > 0.0
            drawn, after = np.repeat(at[more], VALUES), AFTER[made[more]].ravel()
            met = np.zeros(twists.shape, np.bool_)
            met[drawn[after >= 0], after[after >= 0]] = True
            at, made = np.nonzero(met)
        for row in twists:
            yield np.broadcast_to(row, (DRAWABLE, len(CARDS)))

    return ask
