"""Nobody sees what lies face down (8): cards that a seat cannot know may be exchanged, and it sees the same.

The cards of a round are exchanged in a copy so that the round could have gone the same way: what is public about a
hand (its number of cards, its end) stays true. Then the seat's observation, with memory, its mask and its infostate
key must be the same to the bit.
"""

from __future__ import annotations

import numpy as np
import pytest

from pontoon_gym import PRESETS, Rules, Table
from pontoon_gym.engine.hand import FACE
from pontoon_gym.engine.state import RING, SHOWN
from pontoon_gym.names import HandKind, Phase, Role
from tests.envs.helpers import THOROUGH
from tests.envs.rounds import Play, hands_of, recount
from tests.scale import scaled

SWAPS = 8
"""Exchanges tried for each look."""


class Copy:
    """A copy of a round in which cards that `viewer` cannot know are exchanged."""

    def __init__(self, play: Play, viewer: int, rng: np.random.Generator) -> None:
        self.play, self.viewer, self.rng = play, viewer, rng
        self.rows = play.rows.copy()
        self.s = self.rows[0]
        self.kinds = {(seat, h): int(hand["kind"]) for seat, h, hand in hands_of(self.s, play.table.seats)}
        self.exchanged = self.turned = 0
        """Cards exchanged, and hands whose kind became another."""
        hidden, unseen = self.hidden(), self.undealt()
        for _ in range(SWAPS if hidden else 0):
            others = hidden + unseen if rng.random() < 0.5 and unseen else hidden
            self.exchange(hidden[rng.integers(len(hidden))], others[rng.integers(len(others))])
        self.turned = sum(self.kinds[seat, h] != hand["kind"] for seat, h, hand in hands_of(self.s, play.table.seats))

    def hidden(self) -> list[tuple[int, ...]]:
        """Places of cards in hands that the viewer has not seen; of a declared Pontoon both are known by value."""
        own = self.viewer if self.play.knows_own(self.viewer) else -1
        return [
            (seat, h, i)
            for seat, h, hand in hands_of(self.s, self.play.table.seats)
            if seat != own and not (hand["done"] and hand["kind"] == HandKind.PONTOON)
            for i in range(hand["count"])
            if not hand["cards"][i] & SHOWN
        ]

    def undealt(self) -> list[tuple[int, ...]]:
        """Places in the shoe whose cards nobody knows; an endless shoe is its own pack, which everybody knows."""
        s = self.s
        if s["endless"]:
            return []
        return [(int(at),) for at in (s["head"] + np.arange(s["stacked"], s["pool"])) % RING]

    def face(self, place: tuple[int, ...]) -> int:
        """The card at a place."""
        cards = self.s["shoe"] if len(place) == 1 else self.s["hands"][place[1], place[0]]["cards"]
        return int(cards[place[-1]] & FACE)

    def put(self, place: tuple[int, ...], face: int) -> None:
        """Change the card at a place, which keeps its flags."""
        if len(place) == 1:
            self.s["shoe"][place[0]] = face
            return
        hand = self.s["hands"][place[1], place[0]]
        hand["cards"][place[2]] = (hand["cards"][place[2]] & ~np.uint8(FACE)) | np.uint8(face)
        recount(self.play.r, hand, hand["done"] and self.kinds[place[0], place[1]] == HandKind.PONTOON)

    def exchange(self, a: tuple[int, ...], b: tuple[int, ...]) -> None:
        """Exchange the cards of two places, if the round can have gone the same way with them."""
        one, other = self.face(a), self.face(b)
        if self.s["endless"] and a == b:
            other = int(self.play.r["pack"][self.rng.integers(self.play.r["size"])])
            self.put(a, other)
        else:
            self.put(a, other)
            self.put(b, one)
        if self.is_possible():
            self.exchanged += one != other
        else:
            self.put(b, other)
            self.put(a, one)

    def is_possible(self) -> bool:
        """Whether every hand can be what the table takes it for."""
        return all(
            hand["kind"] == self.kinds[seat, h] or self.may_turn(seat, hand, self.kinds[seat, h])
            for seat, h, hand in hands_of(self.s, self.play.table.seats)
        )

    def may_turn(self, seat: int, hand: np.void, before: int) -> bool:
        """Whether a hand may become a Pontoon, or cease to be one, without the table knowing."""
        if hand["done"] or {before, int(hand["kind"])} != {int(HandKind.TOTAL), int(HandKind.PONTOON)}:
            return False
        s, r = self.s, self.play.r
        if s["phase"] == Phase.BANKER:
            return s["sudden"] < 0
        if seat == s["banker"]:
            return not r["peek"]
        comes_later = (seat - s["banker"] - 1) % r["seats"] > (s["turn"] - s["banker"] - 1) % r["seats"]
        return bool(comes_later and not r["sudden_death"])


def looks(play: Play, viewers: list[int], rng: np.random.Generator) -> tuple[int, int]:
    """Compare what each viewer sees in the round and in a copy; how many cards and kinds the copies exchanged."""
    exchanged = turned = 0
    for viewer in viewers:
        copy = Copy(play, viewer, rng)
        assert np.array_equal(play.seen_by(play.s, viewer), play.seen_by(copy.s, viewer))
        if viewer == play.s["turn"]:
            assert np.array_equal(play.mask(play.s), play.mask(copy.s))
            assert play.key(play.s) == play.key(copy.s)
        exchanged += copy.exchanged
        turned += copy.turned
    return exchanged, turned


@pytest.mark.parametrize("seats", [2, 5, 9])
@pytest.mark.parametrize("preset", PRESETS)
def test_a_seat_sees_the_same_whatever_lies_face_down(preset: str, seats: int) -> None:
    play = Play(Rules.of(preset), Table.of(seats=seats, stake_max=10, stake_levels=3), seats, rounds=4)
    rng = np.random.default_rng(seats)
    exchanged = decisions = 0
    for _ in range(scaled(20)):
        for _ in play.decisions():
            if rng.random() < 4 / (2 * seats):
                viewers = [int(play.s["turn"]), int(rng.integers(seats))]
                exchanged += looks(play, viewers, rng)[0]
                decisions += 1
    assert exchanged > decisions / 4 or not THOROUGH


@pytest.mark.parametrize("changes", ["home,peek=no", "casino8,players_face_up=no", "spanish,split_pontoon=no"])
def test_a_hidden_pontoon_is_not_seen(changes: str) -> None:
    """Copies in which a hand becomes a Pontoon, or ceases to be one, before its turn."""
    play = Play(Rules.of(changes), Table.of(seats=5), 1, rounds=4)
    rng = np.random.default_rng(1)
    turned = 0
    for _ in range(scaled(40)):
        for _ in play.decisions():
            turned += looks(play, [int(play.s["turn"]), int(play.s["banker"])], rng)[1]
    assert turned > 20 or not THOROUGH


def test_the_exchange_would_find_a_card_that_is_seen() -> None:
    """Exchanging what lies up, or the viewer's own cards, does change what they see."""
    play = Play(Rules.of("home"), Table.of(seats=5), 0)
    rng = np.random.default_rng(0)
    noticed = tried = 0
    for _ in range(scaled(40)):
        for _ in play.decisions():
            viewer = int(play.s["turn"])
            copy = Copy(play, viewer, rng)
            known = [
                (seat, h, i)
                for seat, h, hand in hands_of(copy.s, 5)
                for i in range(hand["count"])
                if seat == viewer or hand["cards"][i] & SHOWN
            ]
            if known:
                place = known[rng.integers(len(known))]
                copy.put(place, (copy.face(place) + 4) % 36)
                tried += 1
                noticed += not np.array_equal(play.seen_by(play.s, viewer), play.seen_by(copy.s, viewer))
    assert noticed == tried > 0


def test_a_planted_leak_is_found() -> None:
    """A view in which one hidden card is told fails the comparison."""

    class Leaky(Play):
        def seen_by(self, s: np.void, viewer: int) -> np.ndarray:
            last = s["hands"][0, (viewer + 1) % 3]
            return np.append(super().seen_by(s, viewer), np.float32(last["hard"]))

    play = Leaky(Rules.of("home"), Table.of(seats=3), 0, rounds=3)
    rng = np.random.default_rng(0)
    with pytest.raises(AssertionError):
        for _ in range(20):
            for _ in play.decisions():
                looks(play, [int(play.s["turn"])], rng)


def test_face_down_cards_of_others_are_in_no_column() -> None:
    """By hand: a player sees of a twist its value, of the first two cards and of the banker's nothing."""
    play = Play(Rules.of("home"), Table.of(seats=3), 3)
    views = {view.name: view for view in play.layouts[Role.PLAYER].views}
    for _ in play.decisions():
        s, viewer = play.s, int(play.s["turn"])
        if viewer == s["banker"]:
            continue
        vector = play.seen_by(s, viewer)
        other = s["hands"][0, 1 - viewer]
        view = views["other_cards"]
        shown = np.rint(vector[view.start : view.start + 10] * view.divisor).sum()
        if s["hands_of"][1 - viewer] == 1 and not other["done"]:
            assert shown == other["twists"]
        bank = views["banker_cards"]
        assert not vector[bank.start : bank.start + 10].any()
