"""The banker's compositions against finished hands that look alike, from most cards to two."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.compiled import Record, kernel
from pontoon_gym.engine.hand import AFTER, VALUES, kind, total_of
from pontoon_gym.engine.legal import allowed, may
from pontoon_gym.engine.settle import STAKE, hand_win_rate, rate, total_stake
from pontoon_gym.engine.view.infostate import ALL_BITS, banker_key
from pontoon_gym.names import BANKER_ACTIONS, STICK, TWIST, HandKind
from pontoon_gym.solver.banker.asking import pose_banker
from pontoon_gym.solver.banker.outcomes import BUST, OUTCOMES, ends_at_once, kind_of, outcome_of
from pontoon_gym.solver.cards.shoe import CARDS, COUNTS, TOTALS, fits, left_of, sequence_chance
from pontoon_gym.solver.tree.pose import pose

FINISHED = np.dtype(
    [
        ("gone", "i8"),  # its cards by value (hand.one_card)
        ("count", "i8"),  # its number of cards
        ("often", "f8"),  # how often the player's policy comes to it, for one order of its cards
        ("pays", "f8", OUTCOMES),  # what it gets by how the banker ends, chips
    ],
    align=True,
)
"""A finished hand of the player's."""

STEP = np.dtype(
    [
        ("twist", "f8"),  # the chance that the banker twists
        ("worth", "f8", BANKER_ACTIONS),  # of a stick and a twist to the player, chips times their chance
        ("value", "f8"),  # of the composition, likewise
        ("met", "f8"),  # the chance of its cards in one order, and of the player's
        ("choice", "i1"),  # 1: it can be, and leaves a choice
    ],
    align=True,
)
"""A composition of the banker's."""


@kernel
def fill_finished(
    game: NDArray[np.void], nodes: NDArray[np.void], ended: NDArray[np.int64], hands: NDArray[np.void]
) -> None:
    """Finished hands and what they get; fills `hands`, `FINISHED` of shape (n,), but for `often`."""
    for i in range(len(ended)):
        hand = nodes[ended[i]]["hand"]
        hands[i]["gone"], hands[i]["count"] = hand["counts"], hand["count"]
        win, total, stake = hand_win_rate(game[0], hand), total_of(hand), total_stake(hand)
        for outcome in range(OUTCOMES):
            half = rate(game[0], hand["kind"], total, win, kind_of(outcome), outcome)
            hands[i]["pays"][outcome] = stake * half / STAKE


@kernel
def stop_values(shoe: Record, b: int, outcome: int, hands: NDArray[np.void]) -> tuple[float, float, float]:
    """What a composition is worth if the banker stops at `outcome`, what the cards are that would bust it, and its
    chance.

    Args:
        hands: `FINISHED`, the hands that look like the one faced.
    """
    stop, bust, met = 0.0, 0.0, 0.0
    for i in range(len(hands)):
        hand = hands[i]
        both = hand["gone"] + COUNTS[b]
        chance = hand["often"] * sequence_chance(shoe, both)
        if chance > 0.0:
            met += chance
            stop += chance * hand["pays"][outcome]
            left = shoe["size"] - shoe["used"] * (hand["count"] + CARDS[b])
            for v in range(1, VALUES + 1):
                if AFTER[b, v - 1] < 0 and left > 0:
                    bust += chance * max(left_of(shoe, both, v), 0) / left * hand["pays"][BUST]
    return stop, bust, met


@kernel
def walk_back(
    game: NDArray[np.void],
    rows: NDArray[np.void],
    shoe: NDArray[np.void],
    node: NDArray[np.void],
    hands: NDArray[np.void],
    follows: bool,
    steps: NDArray[np.void],
) -> float:
    """What a reading is worth to the player, chips times its chance: the banker's compositions, most cards first.

    Args:
        node: one of the finished hands that look alike, `NODE` of shape (1,).
        hands: all of them, `FINISHED` of shape (n,).
        follows: the banker plays the twists that `steps` has; else the banker plays best, and they are filled.
        steps: `STEP` of shape (compositions,), filled.
    """
    r, s = game[0], rows[0]
    pose(r, s, node[0])
    for b in range(len(CARDS) - 1, -1, -1):
        ended = kind(r, TOTALS[b], CARDS[b], False, False)
        if CARDS[b] < 2 or (r["trick_cards"] > 0 and CARDS[b] > r["trick_cards"]) or not fits(shoe[0], b):
            continue
        step = steps[b]
        stop, bust, step["met"] = stop_values(shoe[0], b, outcome_of(ended, TOTALS[b]), hands)
        step["worth"][STICK], step["worth"][TWIST] = stop, bust
        if ended != HandKind.TOTAL:
            step["value"], step["twist"] = stop, 0.0
            continue
        for v in range(VALUES):
            if AFTER[b, v] >= 0:
                step["worth"][TWIST] += steps[AFTER[b, v]]["value"]
        pose_banker(s, r, b, max(shoe[0]["size"] - hands[0]["count"] - CARDS[b], 0))
        choose_step(step, allowed(r, s), follows)
    return first_values(shoe[0], steps)


@kernel
def choose_step(step: Record, bits: int, follows: bool) -> None:
    """What the banker does with a composition, and what it is worth then."""
    stop, twist = step["worth"][STICK], step["worth"][TWIST]
    step["choice"] = step["met"] > 0.0 and may(bits, STICK) and may(bits, TWIST)
    if not step["choice"]:
        step["twist"] = 0.0 if may(bits, STICK) else 1.0
    elif not follows:
        step["twist"] = 1.0 if twist < stop else 0.0
    step["value"] = stop if step["twist"] <= 0.0 else (1.0 - step["twist"]) * stop + step["twist"] * twist


@kernel
def first_values(shoe: Record, steps: NDArray[np.void]) -> float:
    """The sum over the banker's first two cards in each order, but for those that are shown at once (5.1)."""
    total = 0.0
    for v in range(1, VALUES + 1):
        for w in range(1, VALUES + 1):
            if not ends_at_once(shoe, v, w):
                total += steps[AFTER[AFTER[0, v - 1], w - 1]]["value"]
    return total


@kernel
def fill_orders(shoe: Record, steps: NDArray[np.void], orders: NDArray[np.float64]) -> None:
    """In how many orders of cards a banker comes to each composition; fills `orders`, float64 of (compositions,)."""
    orders[:] = 0.0
    for v in range(1, VALUES + 1):
        for w in range(1, VALUES + 1):
            if not ends_at_once(shoe, v, w):
                orders[AFTER[AFTER[0, v - 1], w - 1]] += 1.0
    for b in range(len(CARDS)):
        twist = steps[b]["twist"]
        if orders[b] > 0.0 and twist > 0.0:
            for v in range(VALUES):
                if AFTER[b, v] >= 0:
                    orders[AFTER[b, v]] += orders[b] * twist


@kernel
def fill_keys(
    game: NDArray[np.void],
    rows: NDArray[np.void],
    node: NDArray[np.void],
    size: int,
    made: NDArray[np.int64],
    out: NDArray[np.int64],
) -> None:
    """The banker's infostate keys with some compositions against a finished hand; fills `out`, int64 of (n,)."""
    r, s = game[0], rows[0]
    pose(r, s, node[0])
    for i in range(len(made)):
        pose_banker(s, r, made[i], max(size - node[0]["hand"]["count"] - CARDS[made[i]], 0))
        out[i] = banker_key(r, s, ALL_BITS)
