"""Regret by infostate: what a policy gives away, and where.

The loss of an infostate is how often it is met in a round times what the chosen action gives away there against the
best that could follow. The losses add up to the policy's whole distance from the best response (S. Kakade and
J. Langford, Approximately optimal approximate reinforcement learning, 2002, lemma 6.1).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.engine.hand import COMPOSITIONS, best_total, is_soft
from pontoon_gym.engine.view.infostate import unpack_key
from pontoon_gym.errors import BadArgument
from pontoon_gym.names import BANKER_ACTIONS, STICK, TWIST, Phase, Role, action_name
from pontoon_gym.policies.policy import Policy, role_number
from pontoon_gym.policies.resolve import PolicySource, resolve
from pontoon_gym.policies.seating import banker_of
from pontoon_gym.rules import RulesSource, Table
from pontoon_gym.solver.best import PlayerSearch, check_covered
from pontoon_gym.solver.cards.shoe import measure
from pontoon_gym.solver.expectation import (
    AgainstBanker,
    Played,
    again_moves,
    again_of,
    order_seen,
    split_moves,
    stake_moves,
)
from pontoon_gym.solver.heads_up import HeadsUp, heads_up
from pontoon_gym.solver.response.banker import BankerSearch
from pontoon_gym.solver.tree.build import NO_ORDER, Tree, player_bits

NOISE = 1e-17
"""A loss below it, in least stakes, is rounding."""


@dataclass(frozen=True)
class InfostateRegret:
    """What a policy does in one infostate.

    Attributes:
        key: the infostate key (`engine.infostate`).
        text: the infostate in words.
        reach: how often it is met in a round; split hands are counted each for itself.
        loss: what it costs a round, in least stakes.
        chosen: the chance of each action taken, by name.
        best: the action of the best response.
    """

    key: int
    text: str
    reach: float
    loss: float
    chosen: dict[str, float]
    best: str

    def as_dict(self) -> dict[str, Any]:
        """JSON-able."""
        return dict(self.__dict__)


@dataclass(frozen=True)
class Regret:
    """A policy's distance from the best response to the same opponent, in least stakes.

    Attributes:
        role: whose policy.
        value: the round's value to the player.
        best: that with the best response in the policy's place.
        infostates: every infostate that costs something, costliest first.
    """

    role: str
    value: float
    best: float
    infostates: tuple[InfostateRegret, ...]

    @property
    def total(self) -> float:
        """The whole distance: what all infostates together cost."""
        return self.best - self.value if self.role == "player" else self.value - self.best

    def as_dict(self) -> dict[str, Any]:
        """JSON-able."""
        told = [infostate.as_dict() for infostate in self.infostates]
        return {"role": self.role, "value": self.value, "best": self.best, "regret": self.total, "infostates": told}


class _Losses:
    """Losses and choices added up by key."""

    def __init__(self, keys: NDArray[np.int64], actions: int) -> None:
        self.keys, self.number = np.unique(keys, return_inverse=True)
        self.number = self.number.ravel()
        self.loss, self.reach = np.zeros(len(self.keys)), np.zeros(len(self.keys))
        self.chosen, self.best = np.zeros((len(self.keys), actions)), np.zeros((len(self.keys), actions))

    def infostates(self, role: Role, game: HeadsUp) -> tuple[InfostateRegret, ...]:
        """Those that cost something, costliest first."""
        levels = game.table.buy_levels
        found = []
        for i in np.argsort(-self.loss, kind="stable").tolist():
            if abs(self.loss[i]) < NOISE:
                continue
            chosen = self.chosen[i] / max(self.chosen[i].sum(), 1e-300)
            names = {action_name(a, levels): float(p) for a, p in enumerate(chosen) if p > 0.0}
            key = int(self.keys[i])
            best = action_name(int(self.best[i].argmax()), levels)
            text = describe(role, key, game.table)
            found.append(InfostateRegret(key, text, float(self.reach[i]), float(self.loss[i]), names, best))
        return tuple(found)


def player_regret(judge: AgainstBanker, player: Policy) -> Regret:
    """A player's regret against the judge's banker. Raises as `AgainstBanker.judge` and `best_response`."""
    check_covered(judge)
    tree, result, reach = judge.judge(player)
    order = order_seen(judge.game, player, judge.banker)
    search = PlayerSearch(tree, judge.endings(order), order > NO_ORDER)
    best = search.best()
    # Split hands are held against the best play after the policy's own way of splitting again.
    after = search.solve(again_of(tree, result.played))
    losses = _Losses(tree.nodes["key"][tree.move_nodes] & player_bits(not judge.blind), judge.game.table.actions)
    _add_choices(losses, tree, result, best, after, reach + stake_chances(tree))
    _add_again(losses, tree, result, best, after, reach)
    unit = judge.game.table.stake_min
    losses.loss /= unit
    return Regret("player", result.total / unit, best.total / unit, losses.infostates(Role.PLAYER, judge.game))


def stake_chances(tree: Tree) -> NDArray[np.float64]:
    """The chance of the card at which each stake is put down, float64 of shape (nodes,); 0 for other infostates."""
    shoe, found = tree.shoe[0].copy(), np.zeros(len(tree.nodes))
    shoe["peek"] = 0
    _, first = np.unique(tree.deals["stake"], return_index=True)
    actions = dict(zip(tree.deals["stake"][first].tolist(), tree.deals["action"][first].tolist(), strict=True))
    for deal in tree.deals:
        if deal["action"] == actions[int(deal["stake"])]:
            hand, up = tree.nodes[deal["node"]]["hand"], int(tree.nodes[deal["node"]]["up"])
            found[deal["stake"]] += deal["orders"] * measure(shoe, int(hand["counts"]), 2, up)
    return found


def _add_choices(
    losses: _Losses, tree: Tree, result: Played, best: Played, after: Played, met: NDArray[np.float64]
) -> None:
    """What each infostate's own choice gives away, but for that to split again."""
    nodes, split_hand = tree.move_nodes, tree.nodes["hands"][tree.move_nodes] > 1
    moves, wished = np.where(split_hand, after.moves, best.moves), np.where(split_hand, after.played, best.played)
    chosen = result.played.copy()
    chosen[again_moves(tree)] = wished[again_moves(tree)] = 0.0
    share, most = (p / np.maximum(_by_node(tree, p), 1e-300)[nodes] for p in (chosen, wished))
    loss = met[nodes] * (most - share) * moves
    # A stake's worth has its chance in it already.
    stakes = stake_moves(tree)
    loss[stakes] = ((most - share) * moves)[stakes]
    np.add.at(losses.loss, losses.number, loss)
    np.add.at(losses.chosen, (losses.number, tree.actions), met[nodes] * result.played)
    np.add.at(losses.best, (losses.number, tree.actions), best.played)
    first = np.unique(nodes, return_index=True)[1]
    np.add.at(losses.reach, losses.number[first], met[nodes[first]])


def _by_node(tree: Tree, of_moves: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sums over the moves of each infostate."""
    return np.bincount(tree.move_nodes, weights=of_moves, minlength=len(tree.nodes)).astype(np.float64)


def _add_again(
    losses: _Losses, tree: Tree, result: Played, best: Played, after: Played, reach: NDArray[np.float64]
) -> None:
    """What each pair loses by splitting again too often or too seldom: it goes to the first infostate that may."""
    splits, again = split_moves(tree), again_moves(tree)
    pairs = tree.classes["pair"][tree.nodes["cls"][tree.move_nodes[again]]]
    for pair, move in enumerate(splits.tolist()):
        own = again[pairs == pair]
        if len(own):
            met = reach[tree.move_nodes[move]] * result.played[move]
            losses.loss[losses.number[own[0]]] += met * (best.moves[move] - after.moves[move])


def banker_regret(search: BankerSearch, banker: Policy) -> Regret:
    """A banker's regret against the player of a search. Raises `UnknownInfostate`."""
    value = best = search.facing.fixed
    keys, losses, reaches, chosen, wished = [], [], [], [], []
    for reading, own in enumerate(search.follow(banker)):
        walk = search.walk(reading)
        made, found, orders = search.choices(own)
        twist = own.twists[made]
        mean = (1.0 - twist) * walk.worth[made, STICK] + twist * walk.worth[made, TWIST]
        keys.append(found)
        losses.append(orders * (mean - walk.values[made]))
        reaches.append(orders * walk.met[made])
        chosen.append(twist)
        wished.append(walk.twists[made])
        value, best = value + own.total, best + walk.total
    return _banker_report(
        search.game, value, best, *(np.concatenate(part) for part in (keys, losses, reaches, chosen, wished))
    )


def _banker_report(
    game: HeadsUp,
    value: float,
    best: float,
    keys: NDArray[np.int64],
    loss: NDArray[np.float64],
    reach: NDArray[np.float64],
    twist: NDArray[np.float64],
    wished: NDArray[np.float64],
) -> Regret:
    unit, sums = game.table.stake_min, _Losses(keys, BANKER_ACTIONS)
    np.add.at(sums.loss, sums.number, loss / unit)
    np.add.at(sums.reach, sums.number, reach)
    for action, p, q in ((STICK, 1.0 - twist, 1.0 - wished), (TWIST, twist, wished)):
        np.add.at(sums.chosen[:, action], sums.number, p)
        np.add.at(sums.best[:, action], sums.number, q)
    return Regret("banker", value / unit, best / unit, sums.infostates(Role.BANKER, game))


def regrets(
    rules: RulesSource,
    *,
    player: PolicySource,
    banker: PolicySource | None = None,
    of: str = "player",
    table: Table | Mapping[str, object] | None = None,
    shoe: Mapping[str, int] | None = None,
) -> Regret:
    """What one side's policy gives away against the other's, infostate by infostate.

    Args:
        of: whose, `"player"` or `"banker"`.
        The others are those of `expectation.value`.

    Raises:
        BadArgument: the regret of a bound banker.
        And what `best.best_response` raises.
    """
    game = heads_up(rules, table, shoe)
    bank = banker_of(banker, game.rules, game.table)
    seat = resolve(player, "player", game.rules, game.table)
    if role_number(of) == Role.PLAYER:
        return player_regret(AgainstBanker(game, bank), seat)
    if bank is None:
        raise BadArgument("a bound banker has nothing to choose", got=game.rules.banker, where="clause 7.2")
    return banker_regret(BankerSearch(game, seat), bank)


# --- in words ----------------------------------------------------------------------------------------------------


def describe(role: Role, key: int, table: Table) -> str:
    """An infostate in words: `5 9 (14), 1 bought`."""
    parts = unpack_key(role, key)
    words = [_cards(parts["cards"])]
    if role == Role.PLAYER:
        words += _player_words(parts, table)
    else:
        words += _banker_words(parts)
    return ", ".join(word for word in words if word)


def _cards(made: int) -> str:
    """A composition's cards and total: `A 7 (soft 18)`."""
    counts = COMPOSITIONS[made].astype(int)
    cards = " ".join("A" if v == 0 else str(v + 1) for v in range(len(counts)) for _ in range(counts[v]))
    hard = int(counts @ np.arange(1, len(counts) + 1))
    soft = "soft " if is_soft(hard, int(counts[0])) else ""
    return f"{cards} ({soft}{best_total(hard, int(counts[0]))})" if cards else "no card yet"


def _shown(code: int) -> str:
    """The shown cards of a key, in order."""
    values = [(code >> shift) & 15 for shift in (0, 4, 8)]
    return " ".join("A" if v == 1 else str(v) for v in values if v)


def _player_words(parts: Mapping[str, int], table: Table) -> list[str]:
    if parts["phase"] == Phase.STAKE:
        return ["the stake", f"banker shows {_shown(parts['upcard'])}" if parts["upcard"] else ""]
    levels = [str((parts["buys"] >> 3 * k) & 7) for k in range(parts["bought"])]
    return [
        f"stake level {parts['stake']}" if table.stake_levels > 1 else "",
        f"bought at level {' '.join(levels)}" if levels else "",
        "twisted" if parts["twisted"] else "",
        f"shown {_shown(parts['shown'])}" if parts["shown"] else "",
        f"of split {_shown(parts['split'])}s, {parts['hands']} hands" if parts["split"] else "",
        "a pair" if parts["pair"] else "",
        f"banker shows {_shown(parts['upcard'])}" if parts["upcard"] else "",
        ("", "one suit", "all spades")[parts["suits"]],
        ("no card left", "one card left", "")[parts["drawable"]],
    ]


def _banker_words(parts: Mapping[str, int]) -> list[str]:
    if not parts["plain"] + parts["tricks"] + parts["pontoons"]:
        return []
    kind = "a trick" if parts["tricks"] else "a Pontoon" if parts["pontoons"] else "a live hand"
    cards = _cards(parts["shown"]) if parts["open"] else f"showing {_shown(parts['shown']) or 'nothing'}"
    levels = [str((parts["buys"] >> 3 * k) & 7) for k in range(parts["bought"])]
    return [
        f"against {kind} {cards}",
        f"stake level {parts['stake']}" if parts["stake"] else "",
        f"bought at level {' '.join(levels)}" if levels else "",
        ("no card left", "one card left", "")[parts["drawable"]],
    ]
