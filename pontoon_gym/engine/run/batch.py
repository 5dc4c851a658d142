"""Many rows side by side: each kernel takes rows of records and fills rows of output arrays.

Rows do not depend on each other, so that slices of them may run in threads.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.compiled import Record, fetch, kernel, leaf
from pontoon_gym.engine.bank import place, seat_at
from pontoon_gym.engine.deal import stack
from pontoon_gym.engine.legal import allowed, spread
from pontoon_gym.engine.round import choose, open_round
from pontoon_gym.engine.run.episode import LEARNER, OVER, open_episode, play_on
from pontoon_gym.engine.run.lookup import Lookups, draw_action
from pontoon_gym.engine.run.step import SKIP, begin_episode, show_row, step_row
from pontoon_gym.engine.settle import total_stake
from pontoon_gym.engine.state import HOT
from pontoon_gym.engine.view.observe import look
from pontoon_gym.names import HandKind

AHEAD = 3
"""How many rows ahead of the one in play memory is asked for: about as long as memory takes to answer."""


@kernel
def begin_rows(game: NDArray[np.void], rows: NDArray[np.void], which: NDArray[np.bool_]) -> None:
    """Open an episode in each row of `which`; nothing is dealt yet."""
    for i in range(len(rows)):
        if which[i]:
            open_episode(game[0], rows[i])


@kernel
def stack_rows(rows: NDArray[np.void], which: NDArray[np.bool_], cards: NDArray[np.uint8]) -> int:
    """Stack the same cards in each row of `which`; −1, or the place of the first card that a shoe does not hold."""
    for i in range(len(rows)):
        if which[i]:
            missing = stack(rows[i], cards)
            if missing >= 0:
                return missing
    return -1


@kernel
def deal_rows(game: NDArray[np.void], rows: NDArray[np.void], which: NDArray[np.bool_]) -> None:
    """Deal the first round of an episode in each row of `which`, up to the first stake."""
    for i in range(len(rows)):
        if which[i]:
            open_round(game[0], rows[i])


@kernel
def first_wrong(
    actions: NDArray[np.int64], shown: NDArray[np.void], masks: NDArray[np.bool_], strict: bool, over: bool
) -> int:
    """The first row that cannot take its action, or −1.

    Args:
        strict: an action that is not allowed is wrong too, not only one outside the space.
        over: rows whose episode is over may be given one (they begin the next).
    """
    for i in range(len(actions)):
        if not 0 <= actions[i] < masks.shape[1]:
            return i
        if shown[i]["status"] != LEARNER:
            if shown[i]["status"] != OVER or not over:
                return i
        elif strict and not masks[i, actions[i]]:
            return i
    return -1


@leaf
def fetch_row(s: Record) -> None:
    """Ask for a row that comes later: with many rows each lies in slow memory until it is wanted."""
    for offset in HOT:
        fetch(s, offset)


@kernel
def step_rows(
    setup: NDArray[np.void],
    lookups: NDArray[np.void],
    keys: NDArray[np.int64],
    weights: NDArray[np.float64],
    rows: NDArray[np.void],
    actions: NDArray[np.int64],
    shown: NDArray[np.void],
    masks: NDArray[np.bool_],
    vectors: NDArray[np.float32],
    finals: NDArray[np.float32],
) -> int:
    """Take each learner's action and play on to their next choice; the number of rows that wait for outside policies.

    Args:
        setup: `step.SETUP` of shape (1,).
        lookups, keys, weights: `lookup.Lookups`.
        rows: `ROUND` of shape (n,).
        actions: int64 of shape (n,); `step.RESUME` or SKIP may stand in place of an action.
        shown, masks: `step.SHOWN` of shape (n,) and bool of shape (n, actions), kept from step to step.
        vectors: float32 of shape (n, columns), filled; no columns where keys are observed.
        finals: the same for ends of episodes after which the next began in the same step; no rows without autoreset.
    """
    waiting = 0
    for i in range(len(rows)):
        if actions[i] == SKIP:
            continue
        if i + AHEAD < len(rows):
            fetch_row(rows[i + AHEAD])
        final = finals[i] if len(finals) > 0 else vectors[i]
        waiting += step_row(
            setup[0], Lookups(lookups, keys, weights), rows[i], actions[i], shown[i], masks[i], vectors[i], final
        )
    return waiting


@kernel
def show_rows(
    setup: NDArray[np.void],
    rows: NDArray[np.void],
    which: NDArray[np.bool_],
    shown: NDArray[np.void],
    masks: NDArray[np.bool_],
    vectors: NDArray[np.float32],
) -> None:
    """Show the learners in the rows of `which` how they stand; fills the last three (`step_rows`)."""
    for i in range(len(rows)):
        if which[i]:
            show_row(setup[0], rows[i], shown[i], masks[i], vectors[i])


@kernel
def places_of(game: NDArray[np.void], rows: NDArray[np.void], out: NDArray[np.int64]) -> None:
    """The place from the banker's left of the seat whose turn it is; fills `out`, int64 of shape (n,)."""
    for i in range(len(rows)):
        out[i] = place(game[0], rows[i], rows[i]["turn"])


@kernel
def look_rows(
    game: NDArray[np.void],
    rows: NDArray[np.void],
    which: NDArray[np.int64],
    sight: NDArray[np.void],
    vectors: NDArray[np.float32],
    masks: NDArray[np.bool_],
) -> None:
    """What the seats see whose turn it is, in the rows of numbers `which`."""
    for k in range(len(which)):
        s = rows[which[k]]
        look(game[0], s, s["turn"], sight[0], vectors[k])
        spread(allowed(game[0], s), masks[k])


@kernel
def choose_rows(
    game: NDArray[np.void], rows: NDArray[np.void], which: NDArray[np.int64], probabilities: NDArray[np.float64]
) -> None:
    """Draw an action for the seat whose turn it is, in the rows of numbers `which`, from each row's own stream."""
    for k in range(len(which)):
        s = rows[which[k]]
        choose(game[0], s, draw_action(probabilities[k], allowed(game[0], s), s["choices"]))


OUTCOME = np.dtype(
    [
        ("result", "i8"),  # half chips of the seat that is judged
        ("stake", "i8"),  # chips it staked, buys included
        ("hands", "i2"),
        ("busts", "i2"),
        ("pontoons", "i2"),
        ("tricks", "i2"),
    ],
    align=True,
)
"""What one round brought one seat."""


@kernel
def write_outcome(s: Record, seat: int, out: Record) -> None:
    """Note what the round brought a seat."""
    out["result"] = s["result"][seat]
    out["hands"] = s["hands_of"][seat]
    out["stake"] = out["busts"] = out["pontoons"] = out["tricks"] = 0
    for h in range(s["hands_of"][seat]):
        hand = s["hands"][h, seat]
        out["stake"] += total_stake(hand)
        out["busts"] += hand["kind"] == HandKind.BUST
        out["pontoons"] += hand["kind"] == HandKind.PONTOON
        out["tricks"] += hand["kind"] == HandKind.TRICK


@kernel
def finish_rounds(
    game: NDArray[np.void],
    seats: NDArray[np.int64],
    lookups: NDArray[np.void],
    keys: NDArray[np.int64],
    weights: NDArray[np.float64],
    rows: NDArray[np.void],
    judged: int,
    status: NDArray[np.int64],
    done: NDArray[np.int64],
    outcomes: NDArray[np.void],
) -> int:
    """Play one-round episodes in each row until its `outcomes` are full; the number of rows that wait for outside.

    Args:
        seats: who plays which place (`policies.seating.Seating.seats`).
        judged: the place from the banker's left of the seat whose outcome is noted.
        done: rounds noted in each row; int64 of shape (n,), advanced.
        outcomes: `OUTCOME` of shape (n, rounds), filled.
    """
    r = game[0]
    waiting = 0
    for i in range(len(rows)):
        s = rows[i]
        while done[i] < outcomes.shape[1]:
            if status[i] == OVER:
                begin_episode(r, s)
            status[i] = play_on(r, s, seats, Lookups(lookups, keys, weights))
            if status[i] != OVER:
                waiting += 1
                break
            write_outcome(s, seat_at(r, s, judged), outcomes[i, done[i]])
            done[i] += 1
    return waiting
