"""An episode: rounds one after another, played to whoever has to choose next (clause 9.4)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.compiled import Record, kernel, leaf
from pontoon_gym.engine.bank import place
from pontoon_gym.engine.deal import fill_shoe
from pontoon_gym.engine.legal import allowed, only_action
from pontoon_gym.engine.rng import below, branch
from pontoon_gym.engine.round import choose, clear_table, open_round
from pontoon_gym.engine.run.lookup import MISSING, Lookups, best, draw_action, find_row
from pontoon_gym.engine.view.infostate import key_of_turn
from pontoon_gym.names import Phase, Role

LEARNER, OUTSIDE, OVER, UNANSWERED, UNBEGUN = range(5)
"""Why a row stands: its learner chooses, an outside policy chooses, the episode is over, a table has no answer for the
infostate, or none was ever begun."""

ENDED, CUT = 1, 2
"""How an episode is over: its rounds are played, or it was truncated before."""


@kernel
def open_episode(r: Record, s: Record) -> None:
    """A full shuffled shoe, and the learner's seat (9.4). What follows depends on the row's stream alone."""
    branch(s["source"], s["deals"])
    branch(s["source"], s["choices"])
    fill_shoe(r, s)
    s["banker"] = r["seats"] - 1
    drawn = below(s["deals"], r["seats"] - 1)
    s["agent"] = -1
    if r["role"] == Role.BANKER:
        s["agent"] = s["banker"]
    elif r["role"] == Role.PLAYER:
        s["agent"] = r["seat"] if r["seat"] >= 0 else drawn
    s["episode"] += 1
    s["round"] = s["illegal"] = s["steps"] = s["gain"] = s["over"] = 0
    s["logged"] = 0
    s["hands_of"][:] = 0


@kernel
def close_round(r: Record, s: Record) -> bool:
    """Book the round that is done; deal the next, or say that the episode is over."""
    if s["agent"] >= 0:
        s["gain"] += s["result"][s["agent"]]
    s["round"] += 1
    if s["round"] >= r["rounds"]:
        s["over"] = ENDED
        return True
    clear_table(r, s)
    open_round(r, s)
    return False


@leaf
def lookup_action(r: Record, s: Record, first: int, lookups: Lookups, bits: int) -> int:
    """What a policy's lookup chooses now of the actions allowed, or MISSING."""
    key = key_of_turn(r, s, s["turn"] == s["banker"], lookups.lookups[first]["asked"])
    asked, row = find_row(lookups.lookups, first, lookups.keys, key)
    if row == MISSING:
        return MISSING
    if lookups.lookups[asked]["greedy"]:
        return best(lookups.weights[row], bits)
    return draw_action(lookups.weights[row], bits, s["choices"])


@leaf
def play_on(r: Record, s: Record, seats: NDArray[np.int64], lookups: Lookups) -> int:
    """Play until the learner or an outside policy must choose, or the episode is over; says which.

    Args:
        seats: by place from the banker's left, the number of the lookup that plays there, or below 0 an outside
            policy; int64 of shape (seats,) or more.
    """
    while True:
        if s["phase"] == Phase.DONE and close_round(r, s):
            return OVER
        if s["turn"] == s["agent"]:
            return LEARNER
        bits = allowed(r, s)
        action = only_action(bits)
        if action < 0:
            player = seats[place(r, s, s["turn"])]
            if player < 0:
                return OUTSIDE
            action = lookup_action(r, s, player, lookups, bits)
            if action == MISSING:
                return UNANSWERED
        choose(r, s, action)
