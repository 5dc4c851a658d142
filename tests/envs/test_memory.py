"""`memory=True` counts the cards seen since the shuffle, each physical card once (8.3)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pontoon_gym import Rules, Table
from pontoon_gym.engine.hand import FACE
from pontoon_gym.engine.state import SHOWN
from pontoon_gym.names import HandKind, Role
from tests.envs.helpers import SINGLES, THOROUGH
from tests.envs.rounds import Play, hands_of
from tests.scale import scaled


def on_the_table(play: Play, viewer: int) -> set[int]:
    """The cards that lie where a seat sees them: its own, those lying up, both of a declared Pontoon."""
    own = viewer if play.knows_own(viewer) else -1
    return {
        int(hand["cards"][i] & FACE)
        for seat, _, hand in hands_of(play.s, play.table.seats)
        for i in range(hand["count"])
        if seat == own or hand["cards"][i] & SHOWN or (hand["done"] and hand["kind"] == HandKind.PONTOON)
    }


def counts(cards: set[int]) -> list[int]:
    """Cards by value."""
    return np.bincount([min(card // 4, 9) for card in cards], minlength=10).tolist()


def told(play: Play, viewer: int) -> list[int]:
    """The counts of a seat's observation."""
    layout = play.layouts[Role.BANKER if viewer == play.s["banker"] else Role.PLAYER]
    view = next(view for view in layout.views if view.name == "seen")
    vector = play.seen_by(play.s, viewer)
    return np.rint(vector[view.start : view.start + 10] * view.divisor).astype(int).tolist()


@pytest.mark.parametrize("preset", ["british", "home", "spanish", "home,reshuffle=round", "home,sudden_death=yes"])
@pytest.mark.parametrize("seats", [2, 3, 5])
def test_every_card_of_one_pack_counts_once(preset: str, seats: int) -> None:
    """In one pack a card's face is its name, so that a set of faces is what was seen."""
    play = Play(Rules.of(preset), Table.of(seats=seats), seats, rounds=12)
    carried = rounds = 0
    for _ in range(scaled(10)):
        used: set[int] = set()
        known = 0
        for _ in play.decisions():
            s = play.s
            if len(play.settled) > known:
                known = len(play.settled)
                shuffled = s["fresh"] + s["dealt"] == s["size"]
                used = set() if shuffled else used | play.settled[-1]
                carried += not shuffled
                rounds += 1
            for viewer in range(seats):
                assert told(play, viewer) == counts(used | on_the_table(play, viewer))
    if THOROUGH:
        assert rounds > 50
        assert (carried > 0) == (play.rules.reshuffle == "pontoon")


def played(count: int, **settings: Any) -> list[np.ndarray]:
    """What a player that always sticks or twists sees of used cards at each step of an episode."""
    env = SINGLES["player"](observation="dict", memory=True, rounds=count, **settings)
    shown, _ = env.reset(seed=2)
    seen, over = [shown["seen"]], False
    while not over:
        shown, _, over, _, _ = env.step(int(env.action_masks().argmax()))
        seen.append(shown["seen"])
    return seen


def test_an_endless_shoe_is_not_counted() -> None:
    assert not any(seen.any() for seen in played(5, rules="blackjack"))


def test_without_memory_nothing_is_counted() -> None:
    env = SINGLES["player"](observation="dict")
    assert "seen" not in env.observation_space.spaces


def test_after_the_last_round_every_card_dealt_is_counted() -> None:
    env = SINGLES["player"](observation="dict", memory=True)
    env.reset(seed=0, options={"cards": "5S 9C TD 8H"})
    env.step(5)
    shown, _, over, _, _ = env.step(0)
    assert over
    assert [int(n) for n in shown["seen"]] == [0, 0, 0, 0, 1, 0, 0, 1, 1, 1]
