"""What the tests of pictures share: known rounds, rounds played at random, and copies with other hidden cards."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np

from pontoon_gym.cards import PACK, parse_cards
from pontoon_gym.compiled import Record
from pontoon_gym.engine import deal, legal, rng, state
from pontoon_gym.engine.round import actions_of_turn, choose, clear_table, open_round
from pontoon_gym.engine.run.episode import open_episode
from pontoon_gym.engine.state import KNOWN, SHOWN
from pontoon_gym.names import BUY, SPLIT, HandKind, Phase
from pontoon_gym.rules import PRESETS, Rules, Table
from tests.envs.rounds import recount

SLOW = 100 if os.environ.get("NUMBA_DISABLE_JIT") == "1" else 1
SEATS = {2: 15, 5: 3, 9: 1}
"""Tables, and how many rounds are played at each."""
GAMES = (
    *PRESETS,
    "home,peek=no,twist_under=20",
    "ace_high,split_aces_one_card=yes",
    "blackjack,players_face_up=no",
    "british,trick_cards=0",
)
STAKE = BUY + 2
"""The least stake, at tables of two buy levels."""


class Scripted:
    """A first round with known cards, the last seat banking."""

    def __init__(self, game: str, seats: int, cards: str) -> None:
        self.rules, self.table = Rules.of(game), Table.of(seats=seats, stake_max=10, stake_levels=2)
        self.rows = np.zeros(1, state.ROUND)
        self.r, self.s = state.pack(self.rules, self.table)[0], self.rows[0]
        open_episode(self.r, self.s)
        assert deal.stack(self.s, np.array(parse_cards(cards), np.uint8)) == -1
        open_round(self.r, self.s)

    def play(self, *actions: int) -> None:
        for action in actions:
            allowed = np.zeros(actions_of_turn(self.r, self.s), np.bool_)
            legal.mask(self.r, self.s, allowed)
            assert allowed[action]
            choose(self.r, self.s, action)


def moments(rules: Rules, table: Table, rounds: int) -> Iterator[tuple[Record, Record]]:
    """The packed rules and the round, at every decision and every end of some rounds played at random."""
    rows, r = np.zeros(1, state.ROUND), state.pack(rules, table)[0]
    s, dice = rows[0], np.random.default_rng(table.seats)
    s["source"] = rng.seed_words(table.seats)
    open_episode(r, s)
    for _ in range(rounds):
        open_round(r, s)
        while s["phase"] != Phase.DONE:
            yield r, s
            allowed = np.zeros(actions_of_turn(r, s), np.bool_)
            legal.mask(r, s, allowed)
            splits = s["phase"] == Phase.PLAY and allowed[SPLIT]
            choose(r, s, SPLIT if splits else int(dice.choice(np.flatnonzero(allowed))))
        yield r, s
        clear_table(r, s)


def game_of(game: str, seats: int) -> tuple[Rules, Table, int]:
    return Rules.of(game), Table.of(seats=seats, stake_max=10, stake_levels=3), max(SEATS[seats] // SLOW, 1)


def hidden_places(s: Record, seat: int, h: int, viewer: int) -> list[int]:
    """Which cards of a hand a viewer may not know (8.1, 8.2)."""
    if seat == viewer != s["banker"]:
        return []
    hand = s["hands"][h, seat]
    return [i for i in range(hand["count"]) if not hand["cards"][i] & SHOWN]


def swap(r: Record, s: Record, seat: int, h: int, hidden: list[int], dice: np.random.Generator) -> None:
    """Put other cards in a hand's hidden places, such that all that is public of the hand stays as it is."""
    hand = s["hands"][h, seat]
    if hand["done"] and hand["kind"] == HandKind.PONTOON:
        hand["cards"][hidden] = dice.integers(9 * 4, PACK) | dice.choice([0, KNOWN])
        if not hand["split"]:
            hand["cards"][:2] = dice.permutation(hand["cards"][:2])
        recount(r, hand, True)
        return
    settled = hand["done"] or (s["phase"] == Phase.PLAY and (s["turn"], s["hand"]) == (seat, h))
    before = hand.copy()
    for _ in range(30):
        hand["cards"][hidden] = dice.integers(0, PACK, len(hidden)) | dice.choice([0, KNOWN])
        recount(r, hand, False)
        if hand["kind"] == HandKind.TOTAL or (not settled and hand["kind"] != HandKind.BUST):
            return
    s["hands"][h, seat] = before


def with_other_secrets(r: Record, s: Record, viewer: int, dice: np.random.Generator) -> tuple[Record, bool]:
    """The same round with other cards where the viewer may not look, in the shoe too; and whether a hand changed."""
    other = np.array([s], state.ROUND)[0]
    changed = False
    for seat in range(r["seats"]):
        for h in range(s["hands_of"][seat]):
            hidden = hidden_places(s, seat, h, viewer)
            if hidden:
                swap(r, other, seat, h, hidden, dice)
            changed |= other["hands"][h, seat].tobytes() != s["hands"][h, seat].tobytes()
    other["shoe"] = dice.integers(0, PACK, state.RING)
    for stream in ("source", "deals", "choices"):
        other[stream] = dice.integers(1, 2**60, 4)
    return other, changed
