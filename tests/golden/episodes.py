"""Episodes as a learner who chooses by lot plays them."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from pontoon_gym.engine.state import ROUND
from pontoon_gym.envs.single import SingleEnv
from pontoon_gym.names import action_name
from tests.envs.helpers import SINGLES, shared
from tests.golden.games import Play

Observation = dict[str, Any]


class Moment(NamedTuple):
    """The learner is asked, and chooses; letters as in records."""

    s: np.void  # the round, a copy
    observation: Observation
    picture: str
    allowed: str
    choice: str
    reward: float


class Episode(NamedTuple):
    """Some rounds, and how the last of them ended."""

    moments: list[Moment]
    s: np.void
    observation: Observation
    picture: str
    record: str


@cache
def environment(play: Play) -> SingleEnv:
    """The learner's environment, for all that is played at its table: making one takes longer than that."""
    seating: dict[str, Any] = {"players": shared("thumb", "player", play.rules, play.table)}
    if play.role == "player":
        free = play.rules.banker == "free"
        seating |= {"seat": play.seat, "banker": shared("stand17", "banker", play.rules, play.table) if free else None}
    return SINGLES[play.role](
        rules=play.rules.as_dict(),
        **play.table.as_dict(),
        **seating,
        memory=True,
        observation="dict",
        illegal="raise",
        render_mode="ansi",
    )


def play_episode(play: Play, seed: int, rounds: int) -> Episode:
    """An episode; each choice is drawn from the allowed ones."""
    env = environment(play)
    env._rows.game["rounds"] = rounds
    # Of a generator's methods `random` is the one that every NumPy has the same numbers from.
    dice = np.random.default_rng(seed)
    observation, info = env.reset(seed=seed)
    moments: list[Moment] = []
    over = False
    while not over:
        s, picture, allowed = _row(env), env.render(), np.flatnonzero(info["action_mask"])
        action = int(allowed[int(dice.random() * len(allowed))])
        names = [action_name(int(one), env.settings.table.buy_levels) for one in (*allowed, action)]
        after, reward, over, _, info = env.step(action)
        moments.append(Moment(s, observation, picture, " ".join(names[:-1]), names[-1], reward))
        observation = after
    return Episode(moments, _row(env), observation, env.render(), env.record())


def play_round(play: Play) -> Episode:
    """The round of a game."""
    return play_episode(play, play.round_seed, 1)


def play_session(play: Play, rounds: int) -> list[Episode]:
    """The first round of a session, the first two, the first three and so on, so that every round's end is seen."""
    return [play_episode(play, play.session_seed, n) for n in range(1, rounds + 1)]


def _row(env: SingleEnv) -> np.void:
    row: np.void = np.frombuffer(env.get_state()["rows"], ROUND)[0].copy()
    return row
