"""Bankers against one player: what any of them costs, and the best of them.

The banker sees what clause 8 allows, and infers the rest: of the player's finished hands that look alike
(`banker.asking.readings`), each counts as often as the player's policy makes it. All chances here are those of card
sequences, the player's and the banker's, so that nothing has to be divided by what the banker knows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.engine.state import ROUND
from pontoon_gym.engine.view.infostate import KEYS
from pontoon_gym.errors import NotCovered
from pontoon_gym.names import BANKER_ACTIONS, STICK, TWIST, Role
from pontoon_gym.policies.baselines import baseline
from pontoon_gym.policies.metadata import Metadata
from pontoon_gym.policies.policy import Policy, name_of
from pontoon_gym.policies.tabular import Strategy
from pontoon_gym.solver.banker.asking import Readings, asker_of, readings
from pontoon_gym.solver.banker.outcomes import BUST, DRAWABLE
from pontoon_gym.solver.cards.chance import chances
from pontoon_gym.solver.cards.shoe import CARDS
from pontoon_gym.solver.heads_up import HeadsUp
from pontoon_gym.solver.response.action_values import ActionValues, mean_by_key
from pontoon_gym.solver.response.answers import BestResponse, Regret
from pontoon_gym.solver.response.asking import ask_player, check_answered, order_seen
from pontoon_gym.solver.response.losses import BankerChoices, banker_regret
from pontoon_gym.solver.response.played import again_of, check_reached_splits, reach_of
from pontoon_gym.solver.response.walk import FINISHED, STEP, fill_finished, fill_keys, fill_orders, walk_back
from pontoon_gym.solver.tree.build import SHOWN_ORDER, Tree, tree_of


class Facing(NamedTuple):
    """One player's policy as bankers meet it.

    Attributes:
        tree: the infostates, told apart by the order of shown cards.
        readings: what a banker can tell apart of the finished hands that the policy comes to.
        hands: `FINISHED`: each finished hand (`readings.ended`).
        fixed: what is lost or won whatever the banker does: busts, and Pontoons shown at once; chips.
    """

    tree: Tree
    readings: Readings
    hands: NDArray[np.void]
    fixed: float


def facing(game: HeadsUp, player: Policy) -> Facing:
    """A player's policy as bankers meet it.

    Raises `UnknownInfostate`, and `NotCovered` for splits, up cards, and hands of which a banker's key does not hold
    all shown cards.
    """
    check_readable(game)
    tree = tree_of(game.game, max(SHOWN_ORDER, order_seen(game, player, None)))
    played = ask_player(player, tree)
    chance = chances(tree, again_of(tree, played))
    reach = reach_of(tree, chance, played)
    check_answered(tree, reach, played, name_of(player))
    check_reached_splits(tree, reach, blind=False)
    read = readings(tree, reach > 0.0)
    hands = finished(tree, read.ended)
    hands["often"] = reach[read.ended] / chance.measure[read.ended]
    lost = np.flatnonzero((tree.nodes["made"] < 0) & (reach > 0.0))
    busts = float(finished(tree, lost)["pays"][:, BUST] @ reach[lost])
    shown = float((played[tree.deal_moves] * tree.deals["shown"]).sum())
    return Facing(tree, read, hands, shown + busts)


def finished(tree: Tree, ended: NDArray[np.int64]) -> NDArray[np.void]:
    """Finished hands of a tree, `FINISHED` of shape (n,)."""
    hands = np.zeros(len(ended), FINISHED)
    fill_finished(tree.game, tree.nodes, ended, hands)
    return hands


def check_readable(game: HeadsUp) -> None:
    """Raise `NotCovered` where a banker's infostate key does not hold all that the banker knows."""
    rules = game.rules
    if rules.banker_upcard:
        raise NotCovered("a banker's best response with a card lying up", allowed="banker_upcard=no")
    if not rules.players_face_up and not 0 < rules.trick_cards <= 5:
        raise NotCovered(
            "a banker's best response to hidden hands of more than five cards", allowed="trick_cards=3 to 5"
        )


class Walk(NamedTuple):
    """The banker's compositions against hands that look alike, walked back once (`walk_back`).

    Attributes:
        node: one of the finished hands.
        total: what they are worth to the player, chips times their chance.
        steps: `STEP` of shape (compositions,).
    """

    node: int
    total: float
    steps: NDArray[np.void]


class Choices(NamedTuple):
    """Where a banker comes and has a choice: compositions, infostate keys, and in how many orders of cards."""

    made: NDArray[np.int64]
    keys: NDArray[np.int64]
    orders: NDArray[np.float64]


class AgainstPlayer:
    """Judges bankers' policies against one player. Values are the player's, but for action values.

    Raises `UnknownInfostate` and `NotCovered`, as `facing`.
    """

    def __init__(self, game: HeadsUp, player: Policy) -> None:
        self.game, self.player, self.facing = game, player, facing(game, player)
        read = self.facing.readings
        order = np.argsort(read.reading, kind="stable")
        self._hands = self.facing.hands[order]
        self._starts = np.searchsorted(read.reading[order], np.arange(len(read.shown) + 1)).tolist()
        self._rows = np.zeros(1, ROUND)

    def walk(self, reading: int, twists: NDArray[np.float64] | None = None) -> Walk:
        """One reading, with the best banker or one who plays `twists`, float64 of shape (compositions,)."""
        tree, node = self.facing.tree, int(self.facing.readings.shown[reading])
        hands, steps = self._hands[self._starts[reading] : self._starts[reading + 1]], np.zeros(len(CARDS), STEP)
        if twists is not None:
            steps["twist"] = twists
        nodes = tree.nodes[node : node + 1]
        total = walk_back(tree.game, self._rows, tree.shoe, nodes, hands, twists is not None, steps)
        return Walk(node, float(total), steps)

    def choices(self, walk: Walk) -> Choices:
        """Where a banker who plays like that comes and has a choice."""
        tree = self.facing.tree
        orders = np.zeros(len(CARDS))
        fill_orders(tree.shoe[0], walk.steps, orders)
        made = np.flatnonzero((walk.steps["choice"] > 0) & (orders > 0.0))
        keys = np.zeros(len(made), np.int64)
        size = int(tree.shoe["size"][0])
        fill_keys(tree.game, self._rows, tree.nodes[walk.node : walk.node + 1], size, made, keys)
        return Choices(made, keys, orders[made])

    def follow(self, banker: Policy) -> Iterator[Walk]:
        """Every reading, with this banker. Raises `UnknownInfostate`."""
        tree, shown = self.facing.tree, self.facing.readings.shown
        for reading, answers in enumerate(asker_of(tree, banker)(shown)):
            left = int(tree.shoe["size"][0]) - int(tree.nodes[shown[reading]]["hand"]["count"]) - CARDS
            row = np.clip(left, 0, DRAWABLE - 1) if tree.shoe["used"][0] else DRAWABLE - 1
            yield self.walk(reading, answers[row, np.arange(len(CARDS))])

    def value(self, banker: Policy) -> float:
        """A round's value to the player, in least stakes. Raises as `follow`."""
        total = self.facing.fixed
        for walk in self.follow(banker):
            total += walk.total
        return total / self.game.table.stake_min

    def action_values(self, banker: Policy) -> ActionValues:
        """The action values of a banker's policy, to the banker. Raises as `follow`."""
        keys, values, reach = [np.zeros(0, np.int64)], [np.zeros((0, BANKER_ACTIONS))], [np.zeros(0)]
        for walk in self.follow(banker):
            made, found, orders = self.choices(walk)
            met = walk.steps["met"][made]
            keys.append(found)
            values.append(-walk.steps["worth"][made] / met[:, None] / self.game.table.stake_min)
            reach.append(orders * met)
        often = np.repeat(np.concatenate(reach), BANKER_ACTIONS)
        actions = np.tile(np.array([STICK, TWIST], np.int64), len(often) // BANKER_ACTIONS)
        rows = np.repeat(np.concatenate(keys), BANKER_ACTIONS), actions, np.concatenate(values).ravel(), often
        return mean_by_key(ActionValues(*rows), often)

    def best_response(self) -> BestResponse:
        """The best response."""
        walks = (self.walk(reading) for reading in range(len(self.facing.readings.shown)))
        return BestResponse(*self._table(walks, f"best against {name_of(self.player)}"))

    def regret(self, banker: Policy) -> Regret:
        """A banker's regret. Raises as `follow`."""
        value = best = self.facing.fixed
        parts = []
        for reading, own in enumerate(self.follow(banker)):
            walk = self.walk(reading)
            made, keys, orders = self.choices(own)
            twist, step = own.steps["twist"][made], walk.steps[made]
            mean = (1.0 - twist) * step["worth"][:, STICK] + twist * step["worth"][:, TWIST]
            parts.append((keys, orders * (mean - step["value"]), orders * step["met"], twist, step["twist"]))
            value, best = value + own.total, best + walk.total
        choices = BankerChoices(*(np.concatenate(part) for part in zip(*parts, strict=True)))
        return banker_regret(self.game, value, best, choices)

    def tabulate(self, banker: Policy) -> Strategy:
        """A banker's policy as a table (`tabulating.tabulate`). Raises as `follow`."""
        return self._table(self.follow(banker), f"{name_of(banker)} as a table")[1]

    def _table(self, walks: Iterable[Walk], name: str) -> tuple[float, Strategy]:
        """The round's value to the player in least stakes, and the table, of a banker who plays like that.

        The table draws if the banker does; it passes on to `stand17` where the banker cannot come against this player.
        """
        total, keys, twists = self.facing.fixed, [np.zeros(0, np.int64)], [np.zeros(0)]
        for walk in walks:
            total += walk.total
            made, found, _ = self.choices(walk)
            keys.append(found)
            twists.append(walk.steps["twist"][made])
        rules, table, twist = self.game.rules, self.game.table, np.concatenate(twists)
        strategy = Strategy(
            Metadata("banker", rules, table, name=name),
            parts=tuple(KEYS[Role.BANKER]),
            keys=np.concatenate(keys),
            weights=np.stack([1.0 - twist, twist], axis=1),
            greedy=bool(((twist == 0.0) | (twist == 1.0)).all()),
            otherwise=baseline("stand17", "banker", rules, table),
        )
        return total / table.stake_min, strategy
