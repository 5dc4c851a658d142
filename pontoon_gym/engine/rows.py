"""Many rounds side by side: each kernel takes rows of records and fills rows of output arrays.

`status` says of each row why it stands: `conduct.LEARNER`, `OUTSIDE`, `OVER` or `UNANSWERED`. Rows do not depend on
each other, so that slices of them may run in threads.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.compiled import Record, kernel
from pontoon_gym.engine.bank import place, seat_at
from pontoon_gym.engine.conduct import (
    LEARNER,
    OVER,
    choose,
    open_episode,
    open_round,
    play_on,
    player_actions,
)
from pontoon_gym.engine.deal import stack
from pontoon_gym.engine.legal import mask
from pontoon_gym.engine.observe import look
from pontoon_gym.engine.settle import total_stake
from pontoon_gym.engine.situation import key_of_turn
from pontoon_gym.engine.tables import draw_action
from pontoon_gym.names import HandKind, Role

ILLEGAL_LIMIT = 100
"""The illegal action of an episode that truncates it."""

SEEN = np.dtype(
    [
        ("reward", "f8"),  # chips won since the learner's last step, in units of stake_min
        ("terminated", "?"),
        ("truncated", "?"),
        ("illegal", "?"),  # the action was not allowed
    ],
    align=True,
)
"""What one step told of a row, beside its observation."""


@kernel
def observe_row(
    r: Record,
    s: Record,
    columns: NDArray[np.void],
    situation: bool,
    vector: NDArray[np.float32],
    key: NDArray[np.int64],
    allowed: NDArray[np.bool_],
) -> None:
    """What the learner sees of a row: its vector or its key, and its mask."""
    if situation:
        key[0] = key_of_turn(r, s, r["role"] == Role.BANKER)
    else:
        look(r, s, s["agent"], columns, vector)
    if s["over"]:
        allowed[:] = True
    else:
        mask(r, s, allowed)


@kernel
def observe_rows(
    game: NDArray[np.void],
    rows: NDArray[np.void],
    which: NDArray[np.bool_],
    columns: NDArray[np.void],
    situation: bool,
    vectors: NDArray[np.float32],
    keys: NDArray[np.int64],
    allowed: NDArray[np.bool_],
) -> None:
    """What the learners see now in the rows of `which`; fills the last three."""
    for i in range(len(rows)):
        if which[i]:
            observe_row(game[0], rows[i], columns, situation, vectors[i], keys[i : i + 1], allowed[i])


@kernel
def pay_out(r: Record, s: Record, seen: Record) -> None:
    """Move what the learner has won since his last step into the row's reward."""
    seen["reward"] += s["gain"] / (2.0 * r["stake_min"])
    s["gain"] = 0


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
def take_actions(
    game: NDArray[np.void],
    rows: NDArray[np.void],
    actions: NDArray[np.int64],
    allowed: NDArray[np.bool_],
    status: NDArray[np.int64],
    seen: NDArray[np.void],
) -> None:
    """Each learner's action in his row; one that is not allowed changes nothing but its count.

    A row whose episode is over begins the next, whatever its action.
    """
    r = game[0]
    for i in range(len(rows)):
        s = rows[i]
        seen[i]["reward"] = 0.0
        seen[i]["terminated"] = seen[i]["truncated"] = seen[i]["illegal"] = False
        if status[i] == OVER:
            open_episode(r, s)
            open_round(r, s)
        elif allowed[i, actions[i]]:
            choose(r, s, actions[i])
        else:
            seen[i]["illegal"] = True
            seen[i]["reward"] = -1.0
            s["illegal"] += 1
            s["over"] = s["illegal"] >= ILLEGAL_LIMIT


@kernel
def run_rows(
    game: NDArray[np.void],
    rows: NDArray[np.void],
    which: NDArray[np.bool_],
    autoreset: bool,
    cast: NDArray[np.int64],
    tables: NDArray[np.void],
    keys: NDArray[np.int64],
    weights: NDArray[np.float64],
    columns: NDArray[np.void],
    situation: bool,
    status: NDArray[np.int64],
    seen: NDArray[np.void],
    vectors: NDArray[np.float32],
    situations: NDArray[np.int64],
    allowed: NDArray[np.bool_],
    final_vectors: NDArray[np.float32],
    final_situations: NDArray[np.int64],
) -> int:
    """Play each row of `which` to its learner's next choice and show it; the number of rows that wait for outside.

    With `autoreset`, a row whose episode ends shows its end in the `final` arrays and begins the next.
    """
    r = game[0]
    scratch = np.zeros(player_actions(r), np.bool_)
    unused = np.zeros(allowed.shape[1], np.bool_)
    waiting = 0
    for i in range(len(rows)):
        if not which[i]:
            continue
        s = rows[i]
        status[i] = OVER if s["over"] else play_on(r, s, cast, tables, keys, weights, scratch)
        if status[i] == OVER:
            pay_out(r, s, seen[i])
            seen[i]["truncated"] = s["illegal"] >= ILLEGAL_LIMIT
            seen[i]["terminated"] = not seen[i]["truncated"]
            if autoreset:
                observe_row(r, s, columns, situation, final_vectors[i], final_situations[i : i + 1], unused)
                open_episode(r, s)
                open_round(r, s)
                status[i] = play_on(r, s, cast, tables, keys, weights, scratch)
        if status[i] == LEARNER or status[i] == OVER:
            pay_out(r, s, seen[i])
            observe_row(r, s, columns, situation, vectors[i], situations[i : i + 1], allowed[i])
        else:
            waiting += 1
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
    columns: NDArray[np.void],
    vectors: NDArray[np.float32],
    allowed: NDArray[np.bool_],
) -> None:
    """What the seats see whose turn it is, in the rows of numbers `which`."""
    for k in range(len(which)):
        s = rows[which[k]]
        look(game[0], s, s["turn"], columns, vectors[k])
        mask(game[0], s, allowed[k])


@kernel
def choose_rows(
    game: NDArray[np.void],
    rows: NDArray[np.void],
    which: NDArray[np.int64],
    probabilities: NDArray[np.float64],
    allowed: NDArray[np.bool_],
) -> None:
    """Draw an action for the seat whose turn it is, in the rows of numbers `which`, from each row's own stream."""
    for k in range(len(which)):
        s = rows[which[k]]
        choose(game[0], s, draw_action(probabilities[k], allowed[k], s["choices"]))


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
        hand = s["hands"][seat, h]
        out["stake"] += total_stake(hand)
        out["busts"] += hand["kind"] == HandKind.BUST
        out["pontoons"] += hand["kind"] == HandKind.PONTOON
        out["tricks"] += hand["kind"] == HandKind.TRICK


@kernel
def finish_rounds(
    game: NDArray[np.void],
    rows: NDArray[np.void],
    judged: int,
    cast: NDArray[np.int64],
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
    scratch = np.zeros(player_actions(r), np.bool_)
    waiting = 0
    for i in range(len(rows)):
        s = rows[i]
        while done[i] < outcomes.shape[1]:
            if status[i] == OVER:
                open_episode(r, s)
                open_round(r, s)
            status[i] = play_on(r, s, cast, tables, keys, weights, scratch)
            if status[i] != OVER:
                waiting += 1
                break
            write_outcome(s, seat_at(r, s, judged), outcomes[i, done[i]])
            done[i] += 1
    return waiting
