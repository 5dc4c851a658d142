"""Policies for testing the solver: random tables, and tables as the enumeration asks them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from pontoon_gym import Rules, Strategy, Table
from pontoon_gym.compiled import COMPILED
from pontoon_gym.engine.hand import COMPOSITIONS, VALUES, value
from pontoon_gym.engine.legal import is_pair, level_of
from pontoon_gym.engine.settle import suits
from pontoon_gym.engine.state import pack
from pontoon_gym.engine.view.infostate import KEYS, buy_level, key_bits, pack_key
from pontoon_gym.names import Phase, Role
from pontoon_gym.policies.metadata import Metadata
from pontoon_gym.policies.policy import Mask, Observation, Policy, Probabilities
from pontoon_gym.solver.response.asking import decisions
from pontoon_gym.solver.tree.build import Tree
from tests.enumeration import BankerPolicy, BankerView, Chances, PlayerPolicy, PlayerView, promise

needs_compiler = pytest.mark.skipif(not COMPILED, reason="takes hours without the compiler; see test_tiny")
NUMBER = {tuple(counts): number for number, counts in enumerate(COMPOSITIONS.tolist())}
PLAIN = tuple(part for part in KEYS[Role.PLAYER] if part != "shown")


class Outside:
    """A strategy that the solver cannot see into."""

    def __init__(self, inner: Policy) -> None:
        self.inner, self.role, self.rules, self.table = inner, inner.role, inner.rules, inner.table
        self.name = "outside"

    def probabilities(self, observation: Observation, mask: Mask, /) -> Probabilities:
        return self.inner.probabilities(observation, mask)


def random_player(
    tree: Tree, rules: Rules, table: Table, seed: int, *, parts: tuple[str, ...] = PLAIN, greedy: bool = False
) -> Strategy:
    """A table of small random weights for every infostate of a tree."""
    rng = np.random.default_rng(seed)
    keys = np.unique(tree.nodes["key"][decisions(tree)] & key_bits(Role.PLAYER, parts))
    weights = rng.integers(1, 10, (len(keys), table.actions)).astype(np.float64)
    return Strategy(
        Metadata("player", rules, table, name=f"random {seed}"), parts=parts, keys=keys, weights=weights, greedy=greedy
    )


def random_banker(rules: Rules, table: Table, seed: int) -> Strategy:
    """A banker's table of small random weights, who looks at the bank's own cards."""
    rng = np.random.default_rng(seed)
    keys = np.array([pack_key(Role.BANKER, cards=number) for number in range(len(COMPOSITIONS))], np.int64)
    weights = rng.integers(1, 10, (len(keys), 2)).astype(np.float64)
    return Strategy(
        Metadata("banker", rules, table, name="random"), parts=("cards",), keys=keys, weights=weights, greedy=False
    )


# --- as the enumeration asks them --------------------------------------------------------------------------------


def chances(strategy: Strategy, key: int, allowed: tuple[int, ...]) -> Chances:
    """What a table plays, in fractions."""
    link: Strategy | None = strategy
    while link is not None:
        asked = key & key_bits(Role[link.role.upper()], link.parts)
        at = int(np.searchsorted(link.keys, asked))
        if at < len(link.keys) and link.keys[at] == asked:
            weights = {action: Fraction(float(link.weights[at, action])) for action in allowed}
            if link.greedy:
                return {max(allowed, key=lambda action: (weights[action], -action)): Fraction(1)}
            total = sum(weights.values())
            return {action: weight / total for action, weight in weights.items()}
        link = link.otherwise
    raise KeyError(key)


def made(cards: tuple[int, ...]) -> int:
    """The composition of cards."""
    counts = [0] * VALUES
    for card in cards:
        counts[value(card) - 1] += 1
    return NUMBER[tuple(counts)]


def order(cards: tuple[int, ...]) -> int:
    """Shown cards as a key tells them."""
    return sum(value(card) << (4 * i) for i, card in enumerate(cards[:3]))


def player_key(r: Any, rules: Rules, view: PlayerView) -> int:
    """The infostate key of what the enumeration says that a player knows; `r` is the packed game."""
    shown = tuple(card for card, up in zip(view.cards, view.shown, strict=True) if up)
    levels, previous = 0, 0
    for i, amount in enumerate(view.buys):
        levels |= int(buy_level(r, amount, i, previous, view.stake)) << (3 * i)
        previous = amount
    cards = np.array(view.cards or (0,), np.uint8)
    return pack_key(
        Role.PLAYER,
        phase=Phase.STAKE if view.phase == "stake" else Phase.PLAY,
        cards=made(view.cards),
        shown=0 if rules.players_face_up else order(shown),
        drawable=min(view.left, 2),
        stake=int(level_of(view.stake, r["stake_levels"], r["stake_min"], r["stake_max"])) if view.stake else 0,
        bought=len(view.buys),
        buys=levels,
        hands=view.hands,
        split=value(view.cards[0]) if view.split else 0,
        twisted=int(view.twists > 0),
        pair=int(len(view.cards) == 2 and bool(is_pair(r, *view.cards))),
        upcard=value(view.upcard) if view.upcard >= 0 else 0,
        suits=int(suits(cards, len(view.cards))) if rules.bonus != "none" and view.cards else 0,
    )


def as_player(strategy: Strategy) -> PlayerPolicy:
    """A player's table for the enumeration."""
    game = pack(strategy.rules, strategy.table)[0]

    def choose(view: PlayerView) -> Chances:
        return chances(strategy, player_key(game, strategy.rules, view), view.allowed)

    return promise(choose, plain=all("shown" not in link.parts for link in links(strategy)))


def as_banker(strategy: Strategy) -> BankerPolicy:
    """A banker's table, who looks at the bank's own cards and at how many hands of each kind are live."""

    def choose(view: BankerView) -> Chances:
        live = [hand.state for hand in view.hands if hand.state != "bust"]
        tricks, pontoons = live.count("trick"), live.count("pontoon")
        key = pack_key(
            Role.BANKER,
            phase=Phase.BANKER,
            cards=made(view.cards),
            drawable=min(view.left, 2),
            tricks=tricks,
            pontoons=pontoons,
            plain=len(live) - tricks - pontoons,
        )
        return chances(strategy, key, view.allowed)

    blind = all(set(link.parts) <= {"cards", "drawable"} for link in links(strategy))
    return promise(choose, blind=True) if blind else promise(choose, glance=lambda hand: hand.state)


def links(strategy: Strategy) -> list[Strategy]:
    """A strategy and those that it passes on to."""
    return [strategy, *(links(strategy.otherwise) if strategy.otherwise else [])]
