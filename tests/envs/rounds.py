"""One round in the engine as tests drive it: dealt, asked, answered at random, looked at from any seat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from pontoon_gym import Rules, Table
from pontoon_gym.engine import act, legal
from pontoon_gym.engine.deal import dealt_card
from pontoon_gym.engine.hand import FACE
from pontoon_gym.engine.rng import seed_words
from pontoon_gym.engine.round import actions_of_turn, choose, open_round
from pontoon_gym.engine.run.episode import close_round, open_episode
from pontoon_gym.engine.state import RING, ROUND, pack, set_shoe
from pontoon_gym.engine.view import columns as fields
from pontoon_gym.engine.view import infostate, observe
from pontoon_gym.names import HandKind, Phase, Role


class Play:
    """Rounds of one table, one after another, every seat choosing at random.

    Attributes:
        r: rules as kernels read them.
        s: the round, a row of `ROUND`, changed in place.
        settled: the cards dealt in each round of the episode that was settled.
    """

    def __init__(
        self, rules: Rules, table: Table, seed: int, *, rounds: int = 1, shoe: list[int] | None = None
    ) -> None:
        self.rules, self.table, self.rng = rules, table, np.random.default_rng(seed)
        self.game = pack(rules, table, rounds=rounds)
        if shoe is not None:
            set_shoe(self.game, shoe)
        self.settled: list[set[int]] = []
        self.rows = np.zeros(1, ROUND)
        self.rows["source"] = seed_words(seed)
        self.r, self.s = self.game[0], self.rows[0]
        self.layouts = {role: fields.layout(fields.Game(rules, table, role, True)) for role in Role}

    def decisions(self) -> Iterator[np.ndarray]:
        """The mask of each decision of an episode, which is answered at random when the next is asked for."""
        r, s = self.r, self.s
        open_episode(r, s)
        open_round(r, s)
        self.settled.clear()
        while True:
            mask = self.mask(s)
            yield mask
            choose(r, s, int(self.rng.choice(np.flatnonzero(mask))))
            if s["phase"] == Phase.DONE:
                self.settled.append({dealt_card(s, i) for i in range(s["dealt"])})
                if close_round(r, s):
                    return

    def mask(self, s: np.void) -> np.ndarray:
        """What the seat whose turn it is may do."""
        mask = np.zeros(actions_of_turn(self.r, s), np.bool_)
        legal.mask(self.r, s, mask)
        return mask

    def seen_by(self, s: np.void, viewer: int) -> np.ndarray:
        """A seat's vector observation, memory included."""
        layout = self.layouts[Role.BANKER if viewer == s["banker"] else Role.PLAYER]
        vector = np.zeros(layout.size, np.float32)
        observe.look(self.r, s, viewer, layout.sight[0], vector)
        return vector

    def knows_own(self, viewer: int) -> bool:
        """Whether a seat has looked at its cards: players have, the banker once it is allowed (3.4, 8.2)."""
        if viewer != self.s["banker"]:
            return True
        return bool(self.s["phase"] > Phase.PLAY or (self.s["phase"] == Phase.PLAY and self.rules.peek))

    def key(self, s: np.void) -> int:
        """The infostate key of the seat whose turn it is."""
        return int(infostate.key_of_turn(self.r, s, s["turn"] == s["banker"], infostate.ALL_BITS))

    def cards(self) -> Counter[int]:
        """Every physical card: in the shoe, under it, and in hands; a player's bust lies under the shoe already."""
        s = self.s
        found = Counter(s["shoe"][(s["head"] + np.arange(s["pool"] + s["under"])) % RING].tolist())
        for seat, _, hand in hands_of(s, self.table.seats):
            if seat == s["banker"] or hand["kind"] != HandKind.BUST:
                found.update((hand["cards"][: hand["count"]] & FACE).tolist())
        return found

    def full(self) -> Counter[int]:
        """Every card of a full shoe."""
        return Counter(self.r["pack"][: self.r["size"]].tolist())


def recount(r: np.void, hand: np.void, declared: bool) -> None:
    """Make all that follows from a hand's cards follow from them again; `declared` says that it is a shown Pontoon."""
    cards = hand["cards"][: hand["count"]].tolist()
    for field in ("counts", "public", "made", "shown", "count", "hard", "aces"):
        hand[field] = 0
    for card in cards:
        act.take(r, hand, card)
    if declared:
        act.declare(hand)


def hands_of(s: np.void, seats: int) -> Iterator[tuple[int, int, np.void]]:
    """Every hand on the table, with its seat and its number."""
    for seat in range(seats):
        for h in range(s["hands_of"][seat]):
            yield seat, h, s["hands"][h, seat]
