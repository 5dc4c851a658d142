"""The baselines: rules of thumb of clause 14, as tables that kernels play and anybody can save and load."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from pontoon_gym.engine.hand import COMPOSITIONS, best_total, is_soft
from pontoon_gym.engine.view.infostate import pack_key
from pontoon_gym.errors import UnknownPolicy
from pontoon_gym.names import BUY, SPLIT, STICK, TWIST, Phase, Role
from pontoon_gym.policies.metadata import Metadata
from pontoon_gym.policies.policy import actions_of, role_number
from pontoon_gym.policies.tabular import Strategy
from pontoon_gym.rules import Rules, Table

Wish = Callable[[tuple[int, ...], Table], Sequence[int]]
"""From a hand's counts by value to the actions wished for, the most wanted first."""


def _total(counts: tuple[int, ...]) -> tuple[int, bool]:
    hard = sum((v + 1) * n for v, n in enumerate(counts))
    return int(best_total(hard, counts[0])), bool(is_soft(hard, counts[0]))


def _buys(table: Table) -> list[int]:
    """The buys, from most to least."""
    return list(reversed(range(BUY, table.first_stake)))


def _thumb(counts: tuple[int, ...], table: Table) -> Sequence[int]:
    total, soft = _total(counts)
    cards = sum(counts)
    if cards == 2 and (counts[0] == 2 or counts[7] == 2):
        return [SPLIT, *_thumb_total(total, soft, cards, table)]
    return _thumb_total(total, soft, cards, table)


def _thumb_total(total: int, soft: bool, cards: int, table: Table) -> Sequence[int]:
    if total <= 11:
        return [*_buys(table), TWIST, STICK]
    if total <= 14 or (total <= 16 and soft and cards in (3, 4)):
        return [TWIST, STICK]
    return [STICK, TWIST]


def _stick15(counts: tuple[int, ...], table: Table) -> Sequence[int]:
    return [STICK, TWIST]


def _stand(least: int) -> Wish:
    def wish(counts: tuple[int, ...], table: Table) -> Sequence[int]:
        return [STICK, TWIST] if _total(counts)[0] >= least else [TWIST, STICK]

    return wish


def ranked(wishes: Sequence[int], actions: int) -> list[float]:
    """Weights that a greedy strategy plays in the order of the wishes."""
    weights = [0.0] * actions
    for rank, action in enumerate(wishes):
        weights[action] = float(len(wishes) - rank)
    return weights


def _player(name: str, wish: Wish, rules: Rules, table: Table) -> Strategy:
    """A player who stakes the least and looks at nothing but the cards of the hand in play."""
    stakes = list(range(table.first_stake, table.actions))
    rows = {}
    for number, counts in enumerate(COMPOSITIONS.tolist()):
        rows[pack_key(Role.PLAYER, phase=Phase.STAKE, cards=number)] = stakes
        rows[pack_key(Role.PLAYER, phase=Phase.PLAY, cards=number)] = list(wish(tuple(counts), table))
    return _greedy("player", rules, table, ("phase", "cards"), rows, name)


def _banker(name: str, wish: Wish, rules: Rules, table: Table) -> Strategy:
    """A banker who looks at nothing but the bank's own cards."""
    rows = {
        pack_key(Role.BANKER, cards=number): list(wish(tuple(counts), table))
        for number, counts in enumerate(COMPOSITIONS.tolist())
    }
    return _greedy("banker", rules, table, ("cards",), rows, name)


def _chase(rules: Rules, table: Table) -> Strategy:
    """Draws on while only a trick of the bank's own can still win; else stands on 17."""
    rows = {pack_key(Role.BANKER, tricks=tricks, plain=0): [TWIST, STICK] for tricks in range(1, 8)}
    stand = _banker("stand17", _stand(17), rules, table)
    return _greedy("banker", rules, table, ("plain", "tricks"), rows, "chase", stand)


def _greedy(
    role: str,
    rules: Rules,
    table: Table,
    parts: tuple[str, ...],
    rows: dict[int, list[int]],
    name: str,
    otherwise: Strategy | None = None,
) -> Strategy:
    weights = np.array([ranked(wishes, actions_of(role, table)) for wishes in rows.values()])
    keys = np.array(list(rows), np.int64)
    return Strategy(
        Metadata(role, rules, table, name=name),
        parts=parts,
        keys=keys,
        weights=weights,
        greedy=True,
        otherwise=otherwise,
    )


def _random(role: str, rules: Rules, table: Table) -> Strategy:
    weights = np.ones((1, actions_of(role, table)))
    keys = np.zeros(1, np.int64)
    return Strategy(Metadata(role, rules, table, name="random"), parts=(), keys=keys, weights=weights, greedy=False)


Maker = Callable[[str, Rules, Table], Strategy]


def _playing(wish: Wish) -> Maker:
    return lambda name, rules, table: _player(name, wish, rules, table)


def _banking(wish: Wish) -> Maker:
    return lambda name, rules, table: _banker(name, wish, rules, table)


_PLAYERS: dict[str, Maker] = {
    "random": lambda name, rules, table: _random("player", rules, table),
    "thumb": _playing(_thumb),
    "stick15": _playing(_stick15),
}
_BANKERS: dict[str, Maker] = {
    "random": lambda name, rules, table: _random("banker", rules, table),
    **{f"stand{least}": _banking(_stand(least)) for least in range(15, 20)},
    "chase": lambda name, rules, table: _chase(rules, table),
}
_MAKERS = {Role.PLAYER: _PLAYERS, Role.BANKER: _BANKERS}

PLAYERS = tuple(_PLAYERS)
"""The names of the players' rules of thumb."""

BANKERS = tuple(_BANKERS)
"""The names of the bankers' rules of thumb."""

NAMES = {Role.PLAYER: PLAYERS, Role.BANKER: BANKERS}


def baseline(name: str, role: str, rules: Rules, table: Table) -> Strategy:
    """A rule of thumb at a table.

    Args:
        name: of `PLAYERS` or `BANKERS`.
        role: `"player"` or `"banker"`.

    Raises:
        UnknownPolicy: no such rule of thumb on that side.
    """
    makers = _MAKERS[role_number(role)]
    if name not in makers:
        raise UnknownPolicy(f"no such rule of thumb for a {role}", got=name, allowed=", ".join(makers))
    return makers[name](name, rules, table)
