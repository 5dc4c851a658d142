"""Many rounds side by side: each kernel takes rows of records and fills rows of output arrays.

`status` says of each row why it stands: `conduct.LEARNER`, `OUTSIDE`, `OVER` or `UNANSWERED`. Rows do not depend on
each other, so that slices of them may run in threads.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.compiled import Record, fetch, kernel, leaf
from pontoon_gym.engine.bank import place, seat_at
from pontoon_gym.engine.deal import stack
from pontoon_gym.engine.legal import ALL, allowed, spread
from pontoon_gym.engine.round import choose, open_round
from pontoon_gym.engine.run.episode import LEARNER, OVER, open_episode, play_on
from pontoon_gym.engine.run.lookup import draw_action
from pontoon_gym.engine.settle import total_stake
from pontoon_gym.engine.state import HOT
from pontoon_gym.engine.view.infostate import ALL_BITS, key_of_turn
from pontoon_gym.engine.view.observe import look
from pontoon_gym.names import HandKind, Role

ILLEGAL_LIMIT = 100
"""The illegal action of an episode that truncates it."""

RESUME, SKIP = -1, -2
"""In place of an action: the row plays on from where it waited, or stays as it is."""
AHEAD = 3
"""How many rows ahead of the one in play memory is asked for: about as long as memory takes to answer."""

TERMINATED, TRUNCATED, ILLEGAL = range(3)
"""Columns of what a step tells of each row beside its reward."""


@leaf
def observe_row(
    r: Record,
    s: Record,
    i: int,
    sight: NDArray[np.void],
    infostate: bool,
    vectors: NDArray[np.float32],
    infostates: NDArray[np.int64],
) -> None:
    """What the learner sees: the i-th vector, or the i-th infostate key."""
    if infostate:
        infostates[i] = key_of_turn(r, s, r["role"] == Role.BANKER, ALL_BITS)
    else:
        look(r, s, s["agent"], sight[0], vectors[i])


@leaf
def allowed_now(r: Record, s: Record) -> int:
    """What the learner may do, as bits; everything where nothing is asked of him."""
    return allowed(r, s) if s["turn"] == s["agent"] and not s["over"] else ALL


@kernel
def observe_rows(
    game: NDArray[np.void],
    rows: NDArray[np.void],
    which: NDArray[np.bool_],
    sight: NDArray[np.void],
    infostate: bool,
    masks: NDArray[np.bool_],
    vectors: NDArray[np.float32],
    infostates: NDArray[np.int64],
) -> None:
    """What the learners see now in the rows of `which`; fills the last three."""
    for i in range(len(rows)):
        if which[i]:
            spread(allowed_now(game[0], rows[i]), masks[i])
            observe_row(game[0], rows[i], i, sight, infostate, vectors, infostates)


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
    actions: NDArray[np.int64], status: NDArray[np.int64], masks: NDArray[np.bool_], strict: bool, over: bool
) -> int:
    """The first row that cannot take its action, or −1.

    Args:
        strict: an action that is not allowed is wrong too, not only one outside the space.
        over: rows whose episode is over may be given one (they begin the next).
    """
    for i in range(len(actions)):
        if not 0 <= actions[i] < masks.shape[1]:
            return i
        if status[i] != LEARNER:
            if status[i] != OVER or not over:
                return i
        elif strict and not masks[i, actions[i]]:
            return i
    return -1


@leaf
def fetch_row(s: Record) -> None:
    """Ask for a row that comes later: with many rows each lies in slow memory until it is wanted."""
    for offset in HOT:
        fetch(s, offset)


@leaf
def is_truncated(s: Record) -> bool:
    """Whether illegal actions have ended the episode."""
    return s["illegal"] >= ILLEGAL_LIMIT


@leaf
def take_action(r: Record, s: Record, over: bool, action: int, may: bool) -> bool:
    """The learner's action in his row, if he may; one that is not allowed changes nothing but its count.

    A row whose episode is over begins the next, whatever its action. Says whether the action was illegal.
    """
    if over:
        open_episode(r, s)
        open_round(r, s)
    elif may:
        choose(r, s, action)
    else:
        s["illegal"] += 1
        s["over"] = is_truncated(s)
        return True
    return False


@leaf
def run_row(
    r: Record,
    s: Record,
    i: int,
    autoreset: bool,
    seating: NDArray[np.int64],
    tables: NDArray[np.void],
    keys: NDArray[np.int64],
    weights: NDArray[np.float64],
    sight: NDArray[np.void],
    infostate: bool,
    status: NDArray[np.int64],
    masks: NDArray[np.bool_],
    vectors: NDArray[np.float32],
    infostates: NDArray[np.int64],
    rewards: NDArray[np.float64],
    ends: NDArray[np.bool_],
    final_vectors: NDArray[np.float32],
    final_infostates: NDArray[np.int64],
) -> bool:
    """Play row i to its learner's next choice, and show it; whether it waits for an outside policy instead."""
    status[i] = OVER if s["over"] else play_on(r, s, seating, tables, keys, weights)
    if status[i] == OVER:
        rewards[i] += won(r, s)
        ends[i, TRUNCATED] = is_truncated(s)
        ends[i, TERMINATED] = not ends[i, TRUNCATED]
        if autoreset:
            observe_row(r, s, i, sight, infostate, final_vectors, final_infostates)
            open_episode(r, s)
            open_round(r, s)
            status[i] = play_on(r, s, seating, tables, keys, weights)
    if status[i] != LEARNER and status[i] != OVER:
        return True
    rewards[i] += won(r, s)
    spread(allowed_now(r, s), masks[i])
    observe_row(r, s, i, sight, infostate, vectors, infostates)
    return False


@leaf
def won(r: Record, s: Record) -> float:
    """What the learner has won since this was last asked, in units of `stake_min`."""
    if s["gain"] == 0:
        return 0.0
    reward = s["gain"] / (2.0 * r["stake_min"])
    s["gain"] = 0
    return reward


@kernel
def step_rows(
    game: NDArray[np.void],
    rows: NDArray[np.void],
    actions: NDArray[np.int64],
    autoreset: bool,
    seating: NDArray[np.int64],
    tables: NDArray[np.void],
    keys: NDArray[np.int64],
    weights: NDArray[np.float64],
    sight: NDArray[np.void],
    infostate: bool,
    status: NDArray[np.int64],
    masks: NDArray[np.bool_],
    vectors: NDArray[np.float32],
    infostates: NDArray[np.int64],
    rewards: NDArray[np.float64],
    ends: NDArray[np.bool_],
    final_vectors: NDArray[np.float32],
    final_infostates: NDArray[np.int64],
) -> int:
    """Take each learner's action and play on to his next choice; the number of rows that wait for outside.

    Args:
        actions: int64 of shape (n,), or RESUME or SKIP in place of an action.
        autoreset: a row whose episode ends shows its end in the `final` arrays and begins the next.
        seating, tables, keys, weights: who plays the other seats (`seating.Seating`).
        sight, infostate: how the learner sees (`fields.Layout`).
        status, masks: of shapes (n,) and (n, actions), kept from step to step, brought up to date.
        vectors, infostates, final_vectors, final_infostates: filled; of the two kinds only the one asked for.
        rewards: float64 of shape (n,), in units of `stake_min`, filled; where a row resumes, added to.
        ends: bool of shape (n, 3), by TERMINATED, TRUNCATED, ILLEGAL, filled.
    """
    waiting = 0
    for i in range(len(rows)):
        if actions[i] == SKIP:
            continue
        if i + AHEAD < len(rows):
            fetch_row(rows[i + AHEAD])
        s = rows[i]
        if actions[i] != RESUME:
            illegal = take_action(game[0], s, status[i] == OVER, actions[i], masks[i, actions[i]])
            ends[i, TERMINATED] = ends[i, TRUNCATED] = False
            ends[i, ILLEGAL] = illegal
            rewards[i] = -1.0 if illegal else 0.0
        waiting += run_row(
            game[0], s, i, autoreset, seating, tables, keys, weights, sight, infostate, status, masks, vectors,
            infostates, rewards, ends, final_vectors, final_infostates,
        )  # fmt: skip
    return waiting


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
    rows: NDArray[np.void],
    judged: int,
    seating: NDArray[np.int64],
    tables: NDArray[np.void],
    keys: NDArray[np.int64],
    weights: NDArray[np.float64],
    status: NDArray[np.int64],
    done: NDArray[np.int64],
    outcomes: NDArray[np.void],
) -> int:
    """Play one-round episodes in each row until its `outcomes` are full; the number of rows that wait for outside.

    Args:
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
                open_episode(r, s)
                open_round(r, s)
            status[i] = play_on(r, s, seating, tables, keys, weights)
            if status[i] != OVER:
                waiting += 1
                break
            write_outcome(s, seat_at(r, s, judged), outcomes[i, done[i]])
            done[i] += 1
    return waiting
