"""How the banker ends: the exact distribution of the final hand, given the cards known to be gone.

The banker's hands are walked as compositions, from the first two cards on, each with its chance. Where the banker
stands comes from `twists`: for each composition the chance of one more card, asked of the engine (`legal.allowed`) and
of the banker's policy at the infostate key that the environments make.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.compiled import Record, kernel, leaf
from pontoon_gym.engine.bank import check_ends_round
from pontoon_gym.engine.hand import AFTER, VALUES, card_count, kind, makes_pontoon, one_card
from pontoon_gym.engine.settle import rate
from pontoon_gym.names import HandKind
from pontoon_gym.solver.cards.shoe import CARDS, COUNTS, TOTALS, left_of

BUST, TRICK, PONTOON, OUTCOMES = 0, 22, 23, 24
"""Places of a distribution of outcomes; a total stands at its own number, 4 to 21."""
DRAWABLE = 3
"""Rows of `twists`: no card, one, or more can still be dealt (`observe.drawable`)."""


@dataclass(frozen=True)
class Outcomes:
    """A distribution of the banker's final hand: the chance of each total, of a bust, a trick and a Pontoon."""

    totals: dict[int, float]
    bust: float
    trick: float
    pontoon: float


def outcomes_of(chances: NDArray[np.float64]) -> Outcomes:
    """A row of outcomes by name; totals without a chance are left out."""
    totals = {total: float(chances[total]) for total in range(BUST + 1, TRICK) if chances[total] > 0.0}
    return Outcomes(totals, float(chances[BUST]), float(chances[TRICK]), float(chances[PONTOON]))


@leaf
def outcome_of(kind: int, total: int) -> int:
    """The place of a finished banker's hand."""
    if kind == HandKind.BUST:
        return BUST
    if kind == HandKind.PONTOON:
        return PONTOON
    return TRICK if kind == HandKind.TRICK else total


@leaf
def kind_of(outcome: int) -> int:
    """The kind of hand that a place stands for."""
    if outcome == BUST:
        return HandKind.BUST
    if outcome == PONTOON:
        return HandKind.PONTOON
    return HandKind.TRICK if outcome == TRICK else HandKind.TOTAL


@leaf
def ends_at_once(shoe: Record, v: int, w: int) -> bool:
    """Whether the banker's two cards are a Pontoon that the check shows (5.1)."""
    return check_ends_round(shoe["peek"], makes_pontoon(v, w))


@kernel
def deal_banker(shoe: Record, gone: int, count: int, up: int, mass: NDArray[np.float64]) -> float:
    """The chances of the banker's two cards; those that end the round at once (5.1) are left out.

    Args:
        up: the value of the banker's first card, 0 if it is not known.
        mass: chance by composition, float64, added to.

    Returns:
        The chance of what was not left out, the first card given.
    """
    size, kept = shoe["size"] - shoe["used"] * count, 0.0
    for v in range(1, VALUES + 1):
        if up > 0 and v != up:
            continue
        first = 1.0 if up > 0 else left_of(shoe, gone, v) / size
        for w in range(1, VALUES + 1):
            chance = first * left_of(shoe, gone + one_card(v), w) / (size - shoe["used"])
            if chance > 0.0 and not ends_at_once(shoe, v, w):
                mass[AFTER[AFTER[0, v - 1], w - 1]] += chance
                kept += chance
    return kept


@kernel
def finish(
    r: Record,
    shoe: Record,
    gone: int,
    count: int,
    up: int,
    twists: NDArray[np.float64],
    mass: NDArray[np.float64],
    out: NDArray[np.float64],
) -> int:
    """The distribution of the banker's final hand where play goes on (5.1); fills `out`, float64 of (OUTCOMES,).

    Args:
        gone, count: cards that are not the banker's, by value and in number.
        twists: the chance of a twist, float64 of (DRAWABLE, compositions); below 0 where the policy has no answer.
        mass: room to work in, float64 of (compositions,), all 0 before and after.

    Returns:
        −1, or the first composition reached for which there is no answer.
    """
    out[:] = 0.0
    kept = deal_banker(shoe, gone, count, up, mass)
    missing = -1
    for b in range(len(mass)):
        chance = mass[b]
        if chance == 0.0:
            continue
        mass[b] = 0.0
        chance /= kept if CARDS[b] == 2 else 1.0
        total = TOTALS[b]
        ended = kind(r, total, CARDS[b], False, False)
        left = shoe["size"] - shoe["used"] * (count + CARDS[b])
        twist = twists[min(left, DRAWABLE - 1), b] if ended == HandKind.TOTAL else 0.0
        if twist < 0.0:
            missing, twist = b, 0.0
        out[outcome_of(ended, total)] += chance * (1.0 - twist)
        if twist > 0.0:
            out[BUST] += draw_one(shoe, gone, b, left, chance * twist, mass)
    return missing


@kernel
def draw_one(shoe: Record, gone: int, b: int, left: int, chance: float, mass: NDArray[np.float64]) -> float:
    """The banker takes a card: adds to the chances of the hands it makes, and returns the chance of a bust."""
    bust = 0.0
    for v in range(1, VALUES + 1):
        p = chance * left_of(shoe, gone + COUNTS[b], v) / left
        if p > 0.0:
            if AFTER[b, v - 1] < 0:
                bust += p
            else:
                mass[AFTER[b, v - 1]] += p
    return bust


@kernel
def finish_rows(
    r: Record,
    shoe: Record,
    gone: NDArray[np.int64],
    ups: NDArray[np.int64],
    twists: NDArray[np.float64],
    mass: NDArray[np.float64],
    out: NDArray[np.float64],
) -> int:
    """`finish` for many sets of gone cards; fills `out`, float64 of shape (n, OUTCOMES)."""
    missing = -1
    for i in range(len(gone)):
        count = 0
        for v in range(1, VALUES + 1):
            count += card_count(gone[i], v)
        missing = max(missing, finish(r, shoe, gone[i], count, ups[i], twists, mass, out[i]))
    return missing


@kernel
def expected_rate(r: Record, hand_kind: int, total: int, win: int, chances: NDArray[np.float64]) -> float:
    """What a finished hand of the player's is worth on average, in half stakes (`settle.rate`)."""
    mean = 0.0
    for outcome in range(OUTCOMES):
        if chances[outcome] > 0.0:
            mean += chances[outcome] * rate(r, hand_kind, total, win, kind_of(outcome), outcome)
    return mean
