"""What a player's policy plays in the infostates of a tree."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.compiled import kernel
from pontoon_gym.engine.run.lookup import fill_all_probabilities
from pontoon_gym.engine.state import ROUND
from pontoon_gym.engine.view.observe import look
from pontoon_gym.errors import UnknownInfostate
from pontoon_gym.names import Phase
from pontoon_gym.policies.policy import Policy, view_of
from pontoon_gym.policies.seating import checked_probabilities
from pontoon_gym.policies.tabular import Strategy, asked_bits, flatten
from pontoon_gym.solver.banker.asking import is_blind
from pontoon_gym.solver.heads_up import HeadsUp
from pontoon_gym.solver.tree.build import FULL_ORDER, NO_ORDER, SHOWN_ORDER, Tree, player_bits
from pontoon_gym.solver.tree.pose import SEAT, pose

AT_ONCE = 1 << 16
"""Infostates about which an outside policy is asked at once."""


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
    view, rows, answers = view_of(policy), np.zeros(1, ROUND), []
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
    """What of the order of cards bears on what the two choose (`build.NO_ORDER` ...); no player is a best response."""
    outside = player is not None and not isinstance(player, Strategy)
    if outside and game.rules.players_face_up:
        return FULL_ORDER
    shown = player_bits(True) & ~player_bits(False)
    if outside or (isinstance(player, Strategy) and asked_bits(player) & shown) or not is_blind(banker):
        return SHOWN_ORDER
    return NO_ORDER


def check_answered(tree: Tree, reach: NDArray[np.float64], played: NDArray[np.float64], name: str) -> None:
    """Raise `UnknownInfostate` if a policy has no answer for an infostate that it reaches, or for a stake."""
    answered = np.bincount(tree.move_nodes, weights=played, minlength=len(tree.nodes)) > 0.0
    stake = tree.nodes["phase"] == Phase.STAKE
    wanting = np.flatnonzero((tree.nodes["done"] == 0) & ~answered & ((reach > 0.0) | stake))
    if len(wanting):
        raise UnknownInfostate(f"{name} has no answer for an infostate", got=int(tree.nodes["key"][wanting[0]]))
