"""From a policy to a chart, and what the chart loses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from pontoon_gym.engine.hand import COMPOSITIONS
from pontoon_gym.names import SPLIT, Phase, action_name
from pontoon_gym.policies.chart import PAIRS, Cell, Chart, hand_cell, pair_cell, stake_cell, wishes
from pontoon_gym.policies.policy import name_of
from pontoon_gym.policies.resolve import PolicySource, resolve
from pontoon_gym.policies.seating import banker_of
from pontoon_gym.rules import RulesSource, Table
from pontoon_gym.solver.heads_up import HeadsUp, heads_up
from pontoon_gym.solver.response.played import Judged, anybody, reach_of
from pontoon_gym.solver.response.player import AgainstBanker


def chart(
    rules: RulesSource,
    *,
    player: PolicySource | None = None,
    banker: PolicySource | None = None,
    table: Table | Mapping[str, object] | None = None,
    shoe: Mapping[str, int] | None = None,
) -> Chart:
    """A player's policy as a chart.

    Hands of one total, number of cards and buy state share a cell. Where the policy treats them differently the cell
    takes, of the actions that it plays there, the one that is worth most over all of them; of a policy that draws
    its actions at random, the one that it plays most often. `notes` tell what the chart is worth and what it loses
    against the whole policy; a chart of a policy that draws may be worth more than it.

    Args:
        player: None is the best response.
        The others are those of `expectation.value`.

    Raises:
        As `expectation.value`, and `best.best_response` if there is no player.
    """
    game = heads_up(rules, table, shoe)
    judge = AgainstBanker(game, banker_of(banker, game.rules, game.table))
    policy = judge.best_response().strategy if player is None else resolve(player, "player", game.rules, game.table)
    judged = judge.judge(policy)
    whole = judged.result.total / game.table.stake_min
    made = Chart(name_of(policy), game.rules, game.table, _cells(game, judged))
    value = judge.value(made.policy())
    return made.with_worth(against=name_of(judge.banker), value=value, whole=whole, loss=whole - value)


def _cells(game: HeadsUp, judged: Judged) -> dict[Cell, str]:
    """The action of each cell."""
    tree, result, reach = judged
    rules, table = game.rules, game.table
    possible = reach_of(tree, result.chances, anybody(tree))
    found: dict[Cell, list[_Hand]] = {}
    for node in np.flatnonzero(tree.nodes["done"] == 0).tolist():
        s = tree.nodes[node]
        own = range(int(s["first"]), int(s["first"]) + int(s["bits"]).bit_count())
        stake = s["phase"] == Phase.STAKE
        if stake and table.stake_levels == 1:
            continue
        made, up = int(s["made"]), int(s["up"])
        weight = (1.0, 1.0) if stake else (float(reach[node]), float(possible[node]))
        chosen = {int(tree.actions[m]): (float(result.moves[m]), float(result.played[m])) for m in own}
        if SPLIT in chosen and s["hands"] == 1:
            value = int(COMPOSITIONS[made].argmax()) + 1
            found.setdefault(pair_cell(value, up), []).append(_Hand(*weight, chosen))
        # How a pair is played that is not split is the business of its total.
        rest = {action: what for action, what in chosen.items() if action != SPLIT}
        if stake:
            found.setdefault(stake_cell(made, up), []).append(_Hand(*weight, rest))
        else:
            cell = hand_cell(rules, made, int(s["hand"]["bought"]), int(s["hand"]["twists"] > 0), up)
            found.setdefault(cell, []).append(_Hand(*weight, rest))
    return {cell: _best(hands, cell, table) for cell, hands in found.items()}


class _Hand(NamedTuple):
    """An infostate of a cell: how often the policy and anybody comes to it, and of each allowed action what it is worth
    and its chance."""

    reach: float
    possible: float
    actions: dict[int, tuple[float, float]]


def _best(hands: list[_Hand], cell: Cell, table: Table) -> str:
    """A cell's action: of those that are played there the one worth most, if nothing is left to chance, else the one
    that is played most often; or for a pair whether it is split."""
    met = any(hand.reach > 0.0 for hand in hands)
    weights = [hand.reach if met else hand.possible for hand in hands]
    if cell[0].startswith(PAIRS):
        splits = sum(w * (2.0 * hand.actions[SPLIT][1] - 1.0) for w, hand in zip(weights, hands, strict=True))
        return "P" if splits > 0.0 else "-"
    often: dict[int, float] = {}
    for w, hand in zip(weights, hands, strict=True):
        for action, (_, p) in hand.actions.items():
            often[action] = often.get(action, 0.0) + w * p
    played = [action for action in sorted(often) if often[action] > 0.0] or sorted(often)

    def worth(action: int) -> float:
        total = 0.0
        for w, hand in zip(weights, hands, strict=True):
            allowed = next(a for a in [*wishes(action, table), *hand.actions] if a in hand.actions)
            total += w * hand.actions[allowed][0]
        return total

    drawn = any(0.0 < p < 1.0 for hand in hands for _, p in hand.actions.values())
    return action_name(max(played, key=often.__getitem__ if drawn else worth), table.buy_levels)
