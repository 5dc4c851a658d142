"""How a banker plays against the player's finished hands, and how he then ends.

A banker who looks at nothing but his own cards is blind: one distribution for each set of cards that are gone. One who
reads the table is asked again for each of the player's hands as he sees it (8.1): a reading is the part of his
situation key that tells of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.cards import parse_shoe
from pontoon_gym.casting import PolicySource, banker_of, checked_probabilities
from pontoon_gym.compiled import Record, int64, kernel, leaf
from pontoon_gym.engine.act import clear_hand, take
from pontoon_gym.engine.conduct import only_action
from pontoon_gym.engine.fields import Game, layout
from pontoon_gym.engine.hand import AFTER, VALUES, card_count, kind, one_card, value
from pontoon_gym.engine.legal import allowed
from pontoon_gym.engine.observe import look
from pontoon_gym.engine.situation import KEYS, banker_key, key_bits, lead_key
from pontoon_gym.engine.state import ROUND, SHOWN
from pontoon_gym.engine.tables import MISSING, fill_probabilities, find_row
from pontoon_gym.errors import BadArgument, BadCards, NotCovered, UnknownSituation
from pontoon_gym.names import BANKER_ACTIONS, TWIST, HandKind, Phase, Role
from pontoon_gym.rules import RulesSource, Table
from pontoon_gym.solver.heads_up import heads_up
from pontoon_gym.solver.outcomes import DRAWABLE, OUTCOMES, Outcomes, finish_rows, outcomes_of
from pontoon_gym.solver.pose import BANKER, SEAT, card_of, lay_shoe, pose
from pontoon_gym.solver.shoe import CARDS, COUNTS, TOTALS, fits, shoe_of
from pontoon_gym.solver.splits import EXTRA
from pontoon_gym.solver.tree import Tree
from pontoon_gym.strategy import Flat, Policy, Strategy, flatten

AT_ONCE = 512
"""Readings at which an outside policy is asked at once."""
OWN = ("phase", "cards", "drawable")
"""The parts of a banker's key that tell of his own hand."""
READ = key_bits(Role.BANKER, tuple(part for part in KEYS[Role.BANKER] if part not in OWN))
"""The bits of a banker's key that tell of the player's hand."""


class Endings(NamedTuple):
    """How the banker ends, by what is gone: `rows` of outcomes, float64 of shape (rows, OUTCOMES), and which of them
    belongs to a node of a tree by cards of the pair's kind gone, int32 of shape (nodes, EXTRA)."""

    row_of: NDArray[np.int32]
    rows: NDArray[np.float64]


def is_blind(banker: Policy | None) -> bool:
    """Whether a banker looks at nothing but his own cards; one bound by the rules does (7.2)."""
    return banker is None or (isinstance(banker, Strategy) and not asked_bits(banker) & READ)


def asked_bits(strategy: Strategy) -> int:
    """The bits of a key that a strategy, or those that it passes on to, look at."""
    return int(flatten([strategy]).tables[0]["asked"])


@kernel
def pose_banker(s: Record, r: Record, b: int, left: int) -> None:
    """Lay a banker's hand of a composition on the scratch round, in his turn; the player's hands lie already."""
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
    tables: NDArray[np.void],
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
    if len(tables) == 0:
        return -1.0
    table, row = find_row(tables, 0, keys, banker_key(r, s, tables[0]["asked"]))
    if row == MISSING:
        return -1.0
    fill_probabilities(weights[row], bits, tables[table]["greedy"] > 0, chance)
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
    tables: NDArray[np.void],
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
                out[left, b] = ask_table(game[0], rows[0], b, left, tables, keys, weights, chance)


def tables_of(banker: Policy | None) -> Flat:
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


def blind_endings(tree: Tree, banker: Policy | None) -> Endings:
    """How a blind banker ends. Raises `UnknownSituation`."""
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
    _ask_facing(tree.game, banker, "total", twists)
    return Endings(row_of, _finished(tree, gone, ups, twists))


def _finished(
    tree: Tree, gone: NDArray[np.int64], ups: NDArray[np.int64], twists: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The banker's outcomes for each set of gone cards. Raises `UnknownSituation`."""
    rows = np.zeros((len(gone), OUTCOMES))
    missing = int(finish_rows(tree.game[0], tree.shoe[0], gone, ups, twists, np.zeros(len(COUNTS)), rows))
    if missing >= 0:
        raise UnknownSituation("the banker has no answer for a hand of his", got=COUNTS[missing])
    return rows


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
    ordered: bool,
    out: NDArray[np.int64],
) -> None:
    """The part of a banker's key that tells of each finished hand, and of cards that lie up their order if it is
    looked at; fills `out`, int64 of shape (n, 2)."""
    r, s = game[0], rows[0]
    for i in range(len(ended)):
        node = nodes[ended[i]]
        pose(r, s, node)
        out[i, 0] = lead_key(r, s)
        out[i, 1] = node["hand"]["shown"] if ordered else 0


def readings(tree: Tree, met: NDArray[np.bool_], ordered: bool = False) -> Readings:
    """The readings of those finished hands of a tree that are `met`, bool of shape (nodes,)."""
    nodes = tree.nodes
    # Hands of splits are left out: what a banker reads of several hands is no part of this.
    ended = np.flatnonzero((nodes["done"] == 1) & (nodes["made"] >= 0) & (nodes["hands"] == 1) & met)
    keys = np.zeros((len(ended), 2), np.int64)
    fill_readings(tree.game, np.zeros(1, ROUND), nodes, ended, ordered, keys)
    _, first, reading = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    return Readings(ended, reading.ravel(), ended[first])


@kernel
def ask_reading(
    game: NDArray[np.void],
    rows: NDArray[np.void],
    shoe: NDArray[np.void],
    node: NDArray[np.void],
    tables: NDArray[np.void],
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
            out[min(left, len(out) - 1), b] = ask_table(r, s, b, left, tables, keys, weights, chance)


def endings_of(tree: Tree, banker: Policy | None, met: NDArray[np.bool_]) -> Endings:
    """How a banker ends on a tree; None is bound by the rules. Raises `UnknownSituation`.

    Args:
        met: the situations that matter, bool of shape (nodes,): one who reads the table is asked about no others.
    """
    if is_blind(banker) or banker is None:
        return blind_endings(tree, banker)
    told = readings(tree, met, ordered=not isinstance(banker, Strategy))
    sets = GoneSets(tree, told)
    rows = np.zeros((len(sets.gone), OUTCOMES))
    ask = asker_of(tree, banker)
    for start in range(0, len(told.shown), AT_ONCE):
        asked = told.shown[start : start + AT_ONCE]
        for k, twists in enumerate(ask(asked), start):
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
    made: NDArray[np.int64],
    sight: NDArray[np.void],
    vectors: NDArray[np.float32],
    bits: NDArray[np.int64],
) -> None:
    """What the banker sees with each composition against each finished hand, and may do; fills the last two."""
    r, s = game[0], rows[0]
    for i in range(len(nodes)):
        pose(r, s, nodes[i])
        pose_banker(s, r, made[i], max(r["size"] - nodes[i]["hand"]["count"] - CARDS[made[i]], 0))
        bits[i] = allowed(r, s)
        look(r, s, BANKER, sight[0], vectors[i])


def outside_asker(tree: Tree, banker: Policy) -> Asker:
    """Asks a banker's policy that is no table, card by card: only where he can come."""
    view, rows = layout(Game(banker.rules, banker.table, Role.BANKER)), np.zeros(1, ROUND)
    two_cards = np.flatnonzero(CARDS == 2)
    choosable = np.array([can_choose(tree.game[0], b) for b in range(len(CARDS))], np.bool_)

    def ask_one(nodes: NDArray[np.int64], made: NDArray[np.int64]) -> NDArray[np.float64]:
        vectors, bits = np.zeros((len(nodes), view.size), np.float32), np.zeros(len(nodes), np.int64)
        look_at_readings(tree.game, rows, tree.nodes[nodes], made, view.sight, vectors, bits)
        allowed = (bits[:, None] >> np.arange(BANKER_ACTIONS) & 1).astype(np.bool_)
        return checked_probabilities(banker, vectors, allowed)[:, TWIST]

    def ask(nodes: NDArray[np.int64]) -> Iterator[NDArray[np.float64]]:
        twists = np.zeros((len(nodes), len(CARDS)))
        at, made = (grid.ravel() for grid in np.meshgrid(np.arange(len(nodes)), two_cards, indexing="ij"))
        while len(at):
            at, made = at[choosable[made]], made[choosable[made]]
            if len(at):
                twists[at, made] = ask_one(nodes[at], made)
            more = twists[at, made] > 0.0
            steps = np.repeat(at[more], VALUES), AFTER[made[more]].astype(np.int64).ravel()
            at, made = np.divmod(np.unique((steps[0] * len(CARDS) + steps[1])[steps[1] >= 0]), len(CARDS))
        for row in twists:
            yield np.broadcast_to(row, (DRAWABLE, len(CARDS)))

    return ask


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
        UnknownSituation: his table has no answer.
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
    up = value(parse_shoe({upcard: 1})[0]) if upcard is not None else 0
    left = whole["values"][0] - values * whole["used"][0]
    if (left < 0).any() or left.sum() < 2 or (up and left[up - 1] < 1):
        raise BadCards("cards that are gone, and the banker's two, must lie in the shoe", got=(gone, upcard))
    twists, rows = np.zeros((DRAWABLE, len(CARDS))), np.zeros((1, OUTCOMES))
    _ask_facing(game.game, policy, facing, twists)
    missing = finish_rows(
        game.game[0], whole[0], np.array([counts]), np.array([up]), twists, np.zeros(len(CARDS)), rows
    )
    if missing >= 0:
        raise UnknownSituation("the banker has no answer for a hand of his", got=int(COUNTS[missing]))
    return outcomes_of(rows[0])


def _looks_at_kind(banker: Strategy) -> bool:
    """Whether a table looks at no more of the player's hands than how many of each kind are live."""
    return not asked_bits(banker) & READ & ~key_bits(Role.BANKER, ("plain", "tricks", "pontoons"))


def _ask_facing(game: NDArray[np.void], banker: Policy | None, facing: str, twists: NDArray[np.float64]) -> None:
    """What a banker does against a live hand of a kind; fills `twists`. Raises `BadArgument`."""
    cards = {"total": (10, 9), "trick": (2,) * max(int(game["trick_cards"][0]), 1), "pontoon": (1, 10)}
    if facing not in cards or (facing == "trick" and not game["trick_cards"][0]):
        raise BadArgument("no such kind of hand", got=facing, allowed="total, trick, pontoon")
    rows, flat = np.zeros(1, ROUND), tables_of(banker)
    lay_finished_hand(game, rows, np.array(cards[facing], np.int64))
    weights = flat.weights if len(flat.tables) else np.zeros((1, 2))
    ask_own(game, rows, shoe_of(game), flat.tables, flat.keys, weights, np.zeros(weights.shape[1]), twists)
