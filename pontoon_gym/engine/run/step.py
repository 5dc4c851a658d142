"""One step of one row: a learner's action taken, and the row played on to the learner's next choice.

`batch` steps many rows, `single` one; both call `step_row`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.compiled import Record, int64, kernel, leaf
from pontoon_gym.engine.legal import ALL, allowed, may, spread
from pontoon_gym.engine.rng import below
from pontoon_gym.engine.round import choose, open_round
from pontoon_gym.engine.run.episode import CUT, ENDED, LEARNER, OVER, open_episode, play_on
from pontoon_gym.engine.run.lookup import Lookups
from pontoon_gym.engine.state import GAME, MOST_SEATS
from pontoon_gym.engine.view.columns import SIGHT
from pontoon_gym.engine.view.infostate import ALL_BITS, key_of_turn
from pontoon_gym.engine.view.observe import look
from pontoon_gym.names import Role

RESUME, SKIP, BEGIN = -1, -2, -3
"""In place of an action: the row plays on from where it waited, stays as it is, or begins the next episode."""

SETUP = np.dtype(
    [
        ("game", GAME),
        ("seats", "i8", MOST_SEATS),  # who plays which place (`policies.seating.Seating.seats`)
        ("sight", SIGHT),  # how the learner sees
        ("keyed", "i8"),  # 1: the learner observes the infostate key, else a vector
        ("random_illegal", "i8"),  # 1: in place of a forbidden action one of those allowed is taken
        ("illegal_penalty", "f8"),  # what a forbidden action costs, in units of `stake_min`
        ("illegal_limit", "i8"),  # so many forbidden actions truncate an episode
        ("most_steps", "i8"),  # so many actions truncate an episode; 0: none do
        ("autoreset", "i8"),  # 1: a row whose episode ends shows its end and begins the next in the same step
    ],
    align=True,
)
"""What all rows of an environment have in common."""

SHOWN = np.dtype(
    [
        ("status", "i8"),  # why the row stands (`episode`)
        ("reward", "f8"),  # of the last step, in units of `stake_min`
        ("key", "i8"),  # the infostate key, if that is observed
        ("final_key", "i8"),  # that of an end which this step also began anew, else 0
        ("final_allowed", "i8"),  # what was allowed there, as bits
        ("terminated", "?"),
        ("truncated", "?"),
        ("illegal", "?"),  # the last action was
        ("round_over", "?"),  # a round was settled since it
    ],
    align=True,
)
"""What the last step of a row gave its learner, beside the mask and the vector."""


@leaf
def allowed_now(r: Record, s: Record) -> int:
    """What the learner may do, as bits; everything where nothing is asked of them."""
    return allowed(r, s) if s["turn"] == s["agent"] and not s["over"] else ALL


@leaf
def observe_row(setup: Record, s: Record, vector: NDArray[np.float32]) -> int:
    """What the learner sees: fills `vector`, or returns the infostate key."""
    if setup["keyed"]:
        return key_of_turn(setup["game"], s, setup["game"]["role"] == Role.BANKER, ALL_BITS)
    look(setup["game"], s, s["agent"], setup["sight"], vector)
    return 0


@leaf
def show_row(setup: Record, s: Record, shown: Record, mask: NDArray[np.bool_], vector: NDArray[np.float32]) -> None:
    """Show the learner the row as it stands; fills `mask` and `vector`, or the key."""
    spread(allowed_now(setup["game"], s), mask)
    shown["key"] = observe_row(setup, s, vector)


@leaf
def begin_episode(r: Record, s: Record) -> None:
    """Open the next episode and deal its first round up to the first stake."""
    open_episode(r, s)
    open_round(r, s)


@leaf
def is_long(setup: Record, s: Record) -> bool:
    """Whether the learner has taken all the actions that an episode may have."""
    return 0 < setup["most_steps"] <= s["steps"]


@leaf
def won(r: Record, s: Record) -> float:
    """What the learner has won since this was last asked, in units of `stake_min`."""
    if s["gain"] == 0:
        return 0.0
    reward = s["gain"] / (2.0 * r["stake_min"])
    s["gain"] = 0
    return reward


@kernel
def any_allowed(bits: int, stream: NDArray[np.uint64]) -> int:
    """An allowed action, each equally likely."""
    left, actions = int64(bits), 0
    while left:
        left, actions = left & (left - 1), actions + 1
    skipped, action = below(stream, actions), 0
    while skipped or not may(bits, action):
        skipped -= may(bits, action)
        action += 1
    return action


@leaf
def take_action(setup: Record, s: Record, shown: Record, action: int, legal: bool) -> None:
    """The learner's action, if it is `legal`; one that is not changes nothing but its count, or another is taken.

    A row whose episode is over begins the next, whatever the action.
    """
    r = setup["game"]
    shown["reward"] = 0.0
    shown["illegal"] = False
    if action == BEGIN or shown["status"] == OVER:
        begin_episode(r, s)
    else:
        s["steps"] += 1
        if legal:
            choose(r, s, action)
        else:
            shown["illegal"] = True
            forbid(setup, s, shown)
    shown["final_key"] = 0
    shown["terminated"] = shown["truncated"] = shown["round_over"] = False


@kernel
def forbid(setup: Record, s: Record, shown: Record) -> None:
    """What a forbidden action does."""
    r = setup["game"]
    if setup["random_illegal"]:
        choose(r, s, any_allowed(allowed(r, s), s["choices"]))
        return
    shown["reward"] = -setup["illegal_penalty"]
    s["illegal"] += 1
    if s["illegal"] >= setup["illegal_limit"]:
        s["over"] = CUT


@leaf
def step_row(
    setup: Record,
    lookups: Lookups,
    s: Record,
    action: int,
    shown: Record,
    mask: NDArray[np.bool_],
    vector: NDArray[np.float32],
    final: NDArray[np.float32],
) -> bool:
    """Take the learner's action and play on to their next choice; whether the row waits for an outside policy instead.

    Args:
        action: a number of the action space, BEGIN or RESUME.
        shown, mask, vector: `SHOWN`, and arrays of shapes (actions,) and (columns,), brought up to date.
        final: float32 of shape (columns,), filled with the end of an episode where the next begins in the same step.
    """
    r = setup["game"]
    if action != RESUME:
        take_action(setup, s, shown, action, action >= 0 and mask[action] > 0)
    settled = s["round"]
    shown["status"] = OVER if s["over"] else play_on(r, s, setup["seats"], lookups)
    shown["round_over"] |= s["round"] > settled
    if shown["status"] == LEARNER and is_long(setup, s):
        shown["status"] = OVER  # the round itself goes on: its learner still sees what they might do
    if shown["status"] == OVER:
        end_episode(setup, s, shown, final)
        if setup["autoreset"]:
            shown["status"] = play_on(r, s, setup["seats"], lookups)
    if shown["status"] != LEARNER and shown["status"] != OVER:
        return True
    shown["reward"] += won(r, s)
    show_row(setup, s, shown, mask, vector)
    return False


@leaf
def end_episode(setup: Record, s: Record, shown: Record, final: NDArray[np.float32]) -> None:
    """Tell the end of an episode; begins the next where the environment resets in the same step."""
    shown["reward"] += won(setup["game"], s)
    shown["truncated"] = s["over"] == CUT or is_long(setup, s)
    shown["terminated"] = s["over"] == ENDED
    if setup["autoreset"]:
        shown["final_key"] = observe_row(setup, s, final)
        shown["final_allowed"] = allowed_now(setup["game"], s)
        begin_episode(setup["game"], s)
