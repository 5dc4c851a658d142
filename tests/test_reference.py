"""The engine and the slow, literal Pontoon of `reference.py` agree, round by round, under random choices.

Engine and reference get the same rules, the same order of cards and the same choices. They must ask the same seat
about the same hand and allow it the same, deal everybody the same cards, pay the same chips, put the cards away in
the same order and name the same next banker. Every observation must lie in [0, 1] and tell the key that the round
itself gives.
"""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from pontoon_gym.engine import bank, deal, legal, rng, state
from pontoon_gym.engine.round import actions_of_turn, choose, clear_table, open_round
from pontoon_gym.engine.run.episode import open_episode
from pontoon_gym.engine.view import columns as fields
from pontoon_gym.engine.view import from_vector, infostate, observe
from pontoon_gym.errors import BadRules
from pontoon_gym.names import STICK, HandKind, Phase, Role
from pontoon_gym.rules import PRESETS, Rules, Table, specs
from tests import reference
from tests.scale import scaled

SEATS = range(2, 10)
ROUNDS = 1000
"""Rounds of each preset, over all numbers of seats."""

TABLES = (
    {"stake_min": 2, "stake_max": 9, "stake_levels": 3, "buy_levels": 3},
    {"stake_min": 1, "stake_max": 1, "stake_levels": 1, "buy_levels": 2},
    {"stake_min": 5, "stake_max": 1000, "stake_levels": 16, "buy_levels": 8},
)
ENDLESS = 400
"""Cards laid out for a round with an endless shoe; more than any takes."""


class Match:
    """Engine and reference at one table, one round after another; the bank moves and the shoe is carried.

    Args:
        shoe: the cards to play with, if they are not those of the rules.
    """

    def __init__(self, rules: Rules, table: Table, seed: int, shoe: list[int] | None = None) -> None:
        self.rules, self.table, self.random = rules, table, random.Random(seed)
        self.game, self.rows = state.pack(rules, table), np.zeros(1, state.ROUND)
        self.r, self.s = self.game[0], self.rows[0]
        self.s["source"] = rng.seed_words(seed)
        self.full = reference.full_shoe(rules.as_dict(), table.seats)
        assert self.full == state.full_shoe(rules, table.seats)
        if shoe is not None:
            self.full = sorted(shoe)
            state.set_shoe(self.game, self.full)
        open_episode(self.r, self.s)
        self.carried: list[int] | None = None
        self.layouts = {role: fields.layout(fields.Game(rules, table, role)) for role in Role}
        self.mask = np.zeros(table.actions, np.bool_)
        self.played: Counter[str] = Counter()

    def play(self, rounds: int) -> Match:
        for _ in range(rounds):
            self.play_round()
        return self

    def play_round(self) -> None:
        shoe = self.lay_cards()
        log = self.play_engine()
        dealt = [int(deal.dealt_card(self.s, i)) for i in range(int(self.s["dealt"]))]
        result = self.play_reference(shoe, log, dealt)
        self.compare(result)
        self.clear_away(result)

    def lay_cards(self) -> list[int]:
        """The order of the shoe: carried over, or a new one, which the engine is given."""
        if self.carried is not None:
            return self.carried
        if self.rules.packs == 0:
            shoe = [self.random.choice(self.full) for _ in range(ENDLESS)]
        else:
            shoe = self.random.sample(self.full, len(self.full))
        places = (int(self.s["head"]) + np.arange(len(shoe))) % state.RING
        self.s["shoe"][places] = shoe
        self.s["stacked"] = len(shoe)
        return shoe

    def play_engine(self) -> list[tuple[int, int, list[int], int]]:
        """Play the round with random choices: seat, hand, what was allowed, what was chosen."""
        thirst = self.random.choice((0.0, 0.5, 0.9))
        log = []
        open_round(self.r, self.s)
        while self.s["phase"] != Phase.DONE:
            mask = self.mask[: actions_of_turn(self.r, self.s)]
            legal.mask(self.r, self.s, mask)
            allowed = np.flatnonzero(mask).tolist()
            self.check_observation()
            thirsty = len(allowed) > 1 and self.random.random() < thirst
            action = self.random.choice(allowed[1:] if thirsty and allowed[0] == STICK else allowed)
            log.append((int(self.s["turn"]), int(self.s["hand"]), allowed, action))
            choose(self.r, self.s, action)
        return log

    def check_observation(self) -> None:
        """What the seat sees lies in the space, and tells the infostate that it is in."""
        seat, is_banker = int(self.s["turn"]), bool(self.s["turn"] == self.s["banker"])
        role = Role.BANKER if is_banker else Role.PLAYER
        layout = self.layouts[role]
        seen, key = np.zeros((1, layout.size), np.float32), np.zeros(1, np.int64)
        observe.look(self.r, self.s, seat, layout.sight[0], seen[0])
        assert seen.min() >= 0
        assert seen.max() <= 1
        from_vector.keys_of(self.game, layout.columns, is_banker, seen, key)
        told = infostate.unpack_key(role, int(key[0]))
        asked = infostate.key_of_turn(self.r, self.s, is_banker, infostate.ALL_BITS)
        assert told == infostate.unpack_key(role, int(asked))

    def play_reference(
        self, shoe: list[int], log: list[tuple[int, int, list[int], int]], dealt: list[int]
    ) -> reference.Result:
        """The same round in the reference, which must ask the same questions."""
        answers, at = iter(log), len(shoe)

        def choose(seat: int, hand: int, allowed: list[int]) -> int:
            answer = next(answers, None)
            assert answer is not None, ("the engine did not ask", seat, hand, allowed)
            assert answer[:3] == (seat, hand, allowed)
            return answer[3]

        def shuffle(busts: list[int]) -> list[int]:
            """The order in which the engine dealt the busts; what it did not deal, after that (1.5)."""
            nonlocal at
            self.played["ran out"] += 1
            order = dealt[at : at + len(busts)]
            at += len(busts)
            rest = Counter(busts)
            rest.subtract(order)
            assert min(rest.values()) >= 0, "the engine dealt a card that was not among the busts"
            return order + list(rest.elements())

        result = reference.play_round(
            self.rules.as_dict(), self.table.seats, int(self.s["banker"]), *self.table[1:], shoe[:], choose, shuffle
        )
        assert next(answers, None) is None, "the reference did not ask"
        return result

    def compare(self, result: reference.Result) -> None:
        seats = self.table.seats
        assert [Fraction(int(half), 2) for half in self.s["result"][:seats]] == result.payoffs
        for seat in range(seats):
            assert self.s["hands_of"][seat] == len(result.hands[seat])
            for mine, theirs in zip(self.s["hands"][:, seat], result.hands[seat], strict=False):
                assert (mine["cards"][: mine["count"]] & 63).tolist() == theirs.cards
                assert mine["buys"][: mine["bought"]].tolist() == theirs.buys
                assert (int(mine["stake"]), int(mine["twists"])) == (theirs.stake, theirs.twists)
                assert (bool(mine["split"]), HandKind(int(mine["kind"])).name.lower()) == (theirs.split, theirs.kind)
                self.played[theirs.kind] += 1
                self.played["split"] += theirs.split

    def clear_away(self, result: reference.Result) -> None:
        """The shoe after the round, and who banks next."""
        following = int(bank.next_banker(self.r, self.s))
        assert following == reference.next_banker(self.rules.as_dict(), self.table.seats, int(self.s["banker"]), result)
        clear_table(self.r, self.s)
        assert bool(self.s["fresh"] == self.s["size"]) == result.shuffled
        self.carried = None
        if not result.shuffled:
            places = (int(self.s["head"]) + np.arange(int(self.s["pool"] + self.s["under"]))) % state.RING
            self.carried = self.s["shoe"][places].tolist()
            assert self.carried == result.shoe
        self.s["banker"] = following


def play(rules: Rules, seats: int, rounds: int, seed: int) -> Counter[str]:
    """Rounds spread over the tables; counts of what came up in them."""
    played: Counter[str] = Counter()
    for i, table in enumerate(TABLES):
        share = len(range(i, rounds, len(TABLES)))
        played += Match(rules, Table.of(table, seats=seats), seed + i).play(share).played
    return played


@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("preset", PRESETS)
def test_presets(preset: str, seats: int) -> None:
    play(PRESETS[preset], seats, scaled(ROUNDS // len(SEATS)), seed=100 * seats)


MIXES = (
    "home,peek=no",
    "home,peek=no,ties=push",
    "home,ties=player,banker=h17",
    "casino8,peek=no,ties=player,packs=1",
    "british,twist_under=17,stick_minimum=16",
    "home,max_hands=1,buy_fifth_minimum=12",
    "home,max_buys=4,trick_cards=7,buy_max=5,buy_under=22",
    "casino6,max_buys=3,twist_after_double=no,split_aces_one_card=yes,max_hands=4",
    "blackjack,trick_cards=5,packs=1,reshuffle=pontoon,peek=no",
    "ace_high,peek=no,split_aces_one_card=yes,packs=4",
    "spanish,packs=6,ties=player,split=value",
    "sudden_death,bank=rotate,reshuffle=round",
    "home,buying=none,split=value,banker_upcard=yes,packs=0",
    "home,trick_cards=3,pontoon_pays=1.5,trick_pays=0.5,banker_trick_loss=2.5",
)


@pytest.mark.parametrize("seats", [2, 5, 9])
@pytest.mark.parametrize("rules", MIXES)
def test_other_rules(rules: str, seats: int) -> None:
    play(Rules.of(rules), seats, scaled(60), seed=seats)


@pytest.mark.parametrize("seats", [2, 3, 9])
@pytest.mark.parametrize("rules", ["home", "british,trick_cards=0,split=value", "casino8,packs=1", "casino6,peek=no"])
@pytest.mark.parametrize("reshuffle", ["round", "pontoon"])
def test_a_shoe_that_runs_out_in_mid_round(rules: str, seats: int, reshuffle: str) -> None:
    """1.5: the busts are dealt as they lie, or shuffled in; once they too are gone, nobody may take a card."""
    played: Counter[str] = Counter()
    for seed in range(scaled(100)):
        rng = random.Random(seed)
        table = Table.of(rng.choice(TABLES), seats=seats)
        shoe = rng.sample(range(52), 2 * seats + rng.randrange(2 * seats))
        played += Match(Rules.of(rules, reshuffle=reshuffle), table, seed, shoe).play(3).played
    if reshuffle == "round" and seats > 2 and scaled(100) >= 100:
        assert played["ran out"] > 5


def test_one_pack_for_nine_seats() -> None:
    """The shoe that runs out may also be a whole pack."""
    rules = Rules.of("british,max_hands=4,split=value,reshuffle=round,banker_pontoon_loss=1")
    play(rules, 9, scaled(300), seed=9)


def any_rules(rng: random.Random) -> Rules:
    """Rules drawn at random from all that are allowed."""
    while True:
        values = {name: rng.choice(spec.values(kind)) for name, (kind, spec) in specs(Rules).items()}
        try:
            return Rules.of(values)
        except BadRules:
            continue


@pytest.mark.parametrize("seed", range(20))
def test_any_rules(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(scaled(15)):
        play(any_rules(rng), rng.choice(SEATS), 9, seed)


@pytest.mark.parametrize("preset", ["home", "ace_high", "casino8"])
def test_aces_and_tens(preset: str) -> None:
    """A shoe in which Pontoons, split aces and tricks are common: every kind of hand comes up."""
    shoe = [card for card in range(52) if card // 4 in (0, 1, 11, 12)] * 2
    played = Match(Rules.of(preset, peek=False), Table.of(TABLES[0], seats=4), 1, shoe).play(scaled(500)).played
    if scaled(500) >= 500:
        kinds = {kind.name.lower() for kind in HandKind} - {"ace_king" if preset != "ace_high" else ""}
        assert min(played[kind] for kind in kinds) > 10
        assert played["split"] > 100
