"""What policies are worth: the exact expectation of a round for one player and the bank.

Below a stake, values are conditional on what the player knows and on the banker's check having let play go on (5.1);
a stake's own values are absolute, so that their sum is the round's.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.compiled import kernel
from pontoon_gym.engine.run.lookup import fill_all_probabilities
from pontoon_gym.engine.state import ROUND
from pontoon_gym.engine.view.columns import Game, layout
from pontoon_gym.engine.view.observe import look
from pontoon_gym.errors import UnknownInfostate
from pontoon_gym.names import SPLIT, Phase, Role
from pontoon_gym.policies.policy import Policy, name_of
from pontoon_gym.policies.resolve import PolicySource, resolve
from pontoon_gym.policies.seating import banker_of, checked_probabilities
from pontoon_gym.policies.tabular import Strategy, asked_bits, flatten
from pontoon_gym.rules import RulesSource, Table
from pontoon_gym.solver.banker.asking import is_blind
from pontoon_gym.solver.banker.endings import Endings, endings_of
from pontoon_gym.solver.cards.chance import Chances, chances, pay_off
from pontoon_gym.solver.heads_up import HeadsUp, check_splits, heads_up
from pontoon_gym.solver.response.backup import fill_moves, fill_stakes, fill_values, spread_reach
from pontoon_gym.solver.tree.build import FULL_ORDER, NO_ORDER, SHOWN_ORDER, Tree, player_bits, tree_of
from pontoon_gym.solver.tree.pose import SEAT, pose

AT_ONCE = 1 << 16
"""Infostates about which an outside policy is asked at once."""


class Played(NamedTuple):
    """A player's policy on a tree.

    Attributes:
        played: the chance of each move; float64 of shape (moves,).
        moves: what each move is worth if the policy is followed afterwards, chips.
        values: what each infostate is worth, chips.
        chances: what chance does, with this policy's splits.
        total: the round's value, chips.
    """

    played: NDArray[np.float64]
    moves: NDArray[np.float64]
    values: NDArray[np.float64]
    chances: Chances
    total: float


# --- asking a player's policy ------------------------------------------------------------------------------------


def decisions(tree: Tree) -> NDArray[np.int64]:
    """The infostates in which something is chosen, int64."""
    return np.flatnonzero(tree.nodes["done"] == 0)


def masks(tree: Tree, nodes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """What is allowed in infostates, bool of shape (n, actions)."""
    actions = int(tree.game["actions"][0])
    bits = tree.nodes["bits"][nodes].astype(np.int64)
    return (bits[:, None] >> np.arange(actions) & 1).astype(np.bool_)


@kernel
def look_at(
    game: NDArray[np.void],
    rows: NDArray[np.void],
    nodes: NDArray[np.void],
    sight: NDArray[np.void],
    out: NDArray[np.float32],
) -> None:
    """What the player sees in infostates, as in the environment; fills `out`, float32 of shape (n, columns)."""
    for i in range(len(nodes)):
        pose(game[0], rows[0], nodes[i])
        look(game[0], rows[0], SEAT, sight[0], out[i])


def ask_outside(policy: Policy, tree: Tree, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
    """What a policy that is no table plays in infostates, float64 of shape (n, actions)."""
    view, rows, answers = layout(Game(policy.rules, policy.table, Role.PLAYER)), np.zeros(1, ROUND), []
    for start in range(0, len(nodes), AT_ONCE):
        part = nodes[start : start + AT_ONCE]
        seen = np.zeros((len(part), view.size), np.float32)
        look_at(tree.game, rows, tree.nodes[part], view.sight, seen)
        answers.append(checked_probabilities(policy, seen, masks(tree, part)))
    return np.concatenate(answers)


def ask_table(strategy: Strategy, tree: Tree, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
    """What a table plays in infostates, float64 of shape (n, actions); all 0 where it has no answer."""
    flat, allowed = flatten([strategy]), masks(tree, nodes)
    out = np.zeros(allowed.shape)
    fill_all_probabilities(*flat, tree.nodes["key"][nodes], allowed, out)
    return out


def ask_player(policy: Policy, tree: Tree) -> NDArray[np.float64]:
    """The chance of each move under a player's policy, float64 of shape (moves,); 0 where a table has no answer."""
    nodes = decisions(tree)
    table = policy if isinstance(policy, Strategy) else None
    answers = ask_outside(policy, tree, nodes) if table is None else ask_table(table, tree, nodes)
    row = np.zeros(len(tree.nodes), np.int64)
    row[nodes] = np.arange(len(nodes))
    chosen: NDArray[np.float64] = answers[row[tree.move_nodes], tree.actions]
    return chosen


def order_seen(game: HeadsUp, player: Policy | None, banker: Policy | None) -> int:
    """What of the order of cards bears on what the two choose (`tree.NO_ORDER` ...); no player is a best response."""
    outside = player is not None and not isinstance(player, Strategy)
    if outside and game.rules.players_face_up:
        return FULL_ORDER
    shown = player_bits(True) & ~player_bits(False)
    if outside or (isinstance(player, Strategy) and asked_bits(player) & shown) or not is_blind(banker):
        return SHOWN_ORDER
    return NO_ORDER


# --- judging it --------------------------------------------------------------------------------------------------


def blocks(tree: Tree) -> list[tuple[int, int]]:
    """Ranges of infostates that do not lead to each other, parents first."""
    nodes = decisions(tree)
    nodes = nodes[tree.nodes["phase"][nodes] == Phase.PLAY]
    level = tree.nodes["hand"]["count"][nodes] + 100 * (tree.nodes["hands"][nodes] > 1)
    return list(pairwise([0, *nodes[1:][np.diff(level) != 0].tolist(), len(tree.nodes)]))


def split_moves(tree: Tree) -> NDArray[np.int64]:
    """The move that splits each pair, int64 of shape (pairs,)."""
    moves = np.flatnonzero((tree.actions == SPLIT) & (tree.nodes["hands"][tree.move_nodes] == 1))
    return moves[np.argsort(tree.children[moves, 0])]


def again_moves(tree: Tree) -> NDArray[np.int64]:
    """The moves that split a pair again, int64."""
    return np.flatnonzero((tree.actions == SPLIT) & (tree.nodes["hands"][tree.move_nodes] > 1))


def again_of(tree: Tree, played: NDArray[np.float64]) -> NDArray[np.float64]:
    """How often each pair is split again at 2, 3, ... hands, float64 of shape (pairs, hands − 2)."""
    again = np.zeros((len(tree.pairs) - 1, max(int(tree.game["max_hands"][0]) - 2, 0)))
    moves = again_moves(tree)
    nodes = tree.nodes[tree.move_nodes[moves]]
    again[tree.classes["pair"][nodes["cls"]], nodes["hands"] - 2] = played[moves]
    return again


def stake_moves(tree: Tree) -> NDArray[np.int64]:
    """The moves that put down a stake, int64."""
    return np.unique(tree.deal_moves)


def back_up(
    tree: Tree, chance: Chances, first: int, last: int, values: NDArray[np.float64], moves: NDArray[np.float64]
) -> None:
    """`backup.fill_moves` for a block of a tree."""
    links = (tree.nodes, tree.actions, tree.children, tree.roots, tree.pairs)
    fill_moves(first, last, *links, chance.measure, chance.following, values, moves)


def leaves(tree: Tree, chance: Chances, endings: Endings) -> NDArray[np.float64]:
    """What finished hands are worth, chips, float64 of shape (nodes,); 0 for others."""
    values = np.zeros(len(tree.nodes))
    pay_off(tree.game, tree.shoe, tree.nodes, chance.classes, chance.measure, *endings, values)
    return values


def evaluate(tree: Tree, chance: Chances, endings: Endings, played: NDArray[np.float64]) -> Played:
    """What a player's policy is worth against a banker who ends like that; `chance` is that of its splits."""
    values, moves = leaves(tree, chance, endings), np.zeros(len(tree.actions))
    for first, last in reversed(blocks(tree)):
        back_up(tree, chance, first, last, values, moves)
        fill_values(first, last, tree.nodes, tree.actions, chance.measure, played, moves, values)
    fill_stakes(tree.deals, tree.deal_moves, chance.measure, values, moves)
    stakes = stake_moves(tree)
    return Played(played, moves, values, chance, float(played[stakes] @ moves[stakes]))


def reach_of(tree: Tree, chance: Chances, played: NDArray[np.float64]) -> NDArray[np.float64]:
    """How often each infostate is met in a round by who plays moves with these chances, float64 of shape (nodes,).

    Play having to go on; split hands are counted each for itself.
    """
    reach = np.zeros(len(tree.nodes))
    stakes = played[tree.deal_moves]
    np.add.at(reach, tree.deals["node"], stakes * tree.deals["orders"] * chance.measure[tree.deals["node"]])
    links = (tree.nodes, tree.actions, tree.children, tree.roots, tree.pairs)
    spread_reach(*links, chance.measure, chance.following, played, reach)
    return reach


def check_answered(tree: Tree, reach: NDArray[np.float64], played: NDArray[np.float64], name: str) -> None:
    """Raise `UnknownInfostate` if a policy has no answer for an infostate that it reaches, or for a stake."""
    answered = np.bincount(tree.move_nodes, weights=played, minlength=len(tree.nodes)) > 0.0
    stake = tree.nodes["phase"] == Phase.STAKE
    wanting = np.flatnonzero((tree.nodes["done"] == 0) & ~answered & ((reach > 0.0) | stake))
    if len(wanting):
        raise UnknownInfostate(f"{name} has no answer for an infostate", got=int(tree.nodes["key"][wanting[0]]))


def check_reached_splits(tree: Tree, reach: NDArray[np.float64], blind: bool) -> None:
    """Raise `NotCovered` if a policy splits where split hands have no exact value (`heads_up.check_splits`)."""
    if (reach[tree.nodes["hands"] > 1] > 0.0).any():
        check_splits(tree.game, blind)


class AgainstBanker:
    """Judges players' policies against one banker.

    Args:
        game: what is played.
        banker: None where the rules bind him.
    """

    def __init__(self, game: HeadsUp, banker: Policy | None) -> None:
        self.game, self.banker, self.blind = game, banker, is_blind(banker)
        self._trees: dict[int, Tree] = {}
        self._endings: dict[int, Endings] = {}

    def tree(self, order: int) -> Tree:
        """All infostates, told apart by the order of cards or not (`tree.NO_ORDER` ...)."""
        if order not in self._trees:
            self._trees[order] = tree_of(self.game.game, order)
        return self._trees[order]

    def endings(self, order: int) -> Endings:
        """How the banker ends wherever that tree ends."""
        if order not in self._endings:
            tree = self.tree(order)
            self._endings[order] = endings_of(tree, self.banker, np.ones(len(tree.nodes), np.bool_))
        return self._endings[order]

    def judge(self, player: Policy) -> tuple[Tree, Played, NDArray[np.float64]]:
        """A player's policy on the tree, and how often it reaches each infostate.

        Raises `UnknownInfostate`, `NotCovered`.
        """
        order = order_seen(self.game, player, self.banker)
        tree = self.tree(order)
        played = ask_player(player, tree)
        chance = chances(tree, again_of(tree, played))
        reach = reach_of(tree, chance, played)
        check_answered(tree, reach, played, name_of(player))
        check_reached_splits(tree, reach, self.blind)
        endings = self.endings(order) if self.blind else endings_of(tree, self.banker, reach > 0.0)
        return tree, evaluate(tree, chance, endings, played), reach

    def value(self, player: Policy) -> float:
        """A round's value to a player, in least stakes."""
        return self.judge(player)[1].total / self.game.table.stake_min


def value(
    rules: RulesSource,
    *,
    player: PolicySource,
    banker: PolicySource | None = None,
    table: Table | Mapping[str, object] | None = None,
    shoe: Mapping[str, int] | None = None,
) -> float:
    """The exact expectation of a dealt round to the player, in units of the least stake.

    Every deal is counted, without replacement and to the last card; nothing is sampled. A policy that is no table is
    asked at every infostate, through the observation that the environment would show. On a split hand it is shown the
    other hands as they usually are (`pose`), since an expectation hand by hand (`splits`) needs choices that do not
    look at the other hands' cards; and a banker is shown cards that all lie open in one order, since his infostate key
    knows no other.

    Args:
        rules: a preset, a text or a mapping (`Rules.of`).
        player, banker: a baseline's name, a strategy file or a policy; no banker is the one whom the rules bind,
            else `"stand17"`.
        table: default one player, stakes 1–1, two buy levels.
        shoe: counts of ranks in place of the full shoe, `{"A": 4, "K": 2}`.

    Raises:
        BadRules, BadTable, BadCards, BadArgument, UnknownPolicy, BadPolicyFile, StaleStrategy: a bad argument.
        UnknownInfostate: a table has no answer for an infostate that is reached.
        NotCovered: more seats than two; a policy that splits against a banker who looks at the table, in a shoe that
            could run out, or where a bonus asks for the suits of what can be split.
    """
    game = heads_up(rules, table, shoe)
    judge = AgainstBanker(game, banker_of(banker, game.rules, game.table))
    return judge.value(resolve(player, "player", game.rules, game.table))
