"""What the solver covers: one player and the bank."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations_with_replacement
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.engine.hand import VALUES
from pontoon_gym.engine.legal import is_pair
from pontoon_gym.engine.state import pack, set_shoe, shoe_asked
from pontoon_gym.errors import NotCovered
from pontoon_gym.names import Bonus
from pontoon_gym.rules import Rules, RulesSource, Table
from pontoon_gym.solver.cards.shoe import shoe_of
from pontoon_gym.solver.tree.build import kinds_of


class HeadsUp(NamedTuple):
    """A game that can be solved: rules, table, and both packed with the shoe."""

    rules: Rules
    table: Table
    game: NDArray[np.void]


def heads_up(
    rules: RulesSource, table: Table | Mapping[str, object] | None = None, shoe: Mapping[str, int] | None = None
) -> HeadsUp:
    """The game that a caller of the solver asks for.

    Args:
        table: None is one player, stakes 1–1, two buy levels.
        shoe: counts of ranks in place of the full shoe, `{"A": 4, "K": 2}`.

    Raises:
        BadRules, BadTable, BadCards: what cannot be played.
        NotCovered: more seats than two.
    """
    checked, place = Rules.of(rules), Table.of(table)
    if place.seats != 2:
        raise NotCovered("the solver covers one player and the bank", got=f"{place.seats} seats", allowed="seats=2")
    game = pack(checked, place)
    if shoe is not None:
        set_shoe(game, shoe_asked(checked, place.seats, shoe))
    return HeadsUp(checked, place, game)


def may_split(game: NDArray[np.void]) -> bool:
    """Whether any hand can be split."""
    return bool(game["most_hands"][0] > 1 and most_alike(game) > 1)


def check_splits(game: NDArray[np.void], blind: bool) -> None:
    """Raise `NotCovered` where split hands have no exact value: see `splits`.

    Args:
        blind: the banker looks at nothing but their own cards.
    """
    if not blind:
        raise NotCovered("splits against a banker who looks at the table", allowed="rules with split=none")
    if game["packs"][0] and int(game["size"][0]) < (needed := most_cards(game)):
        size = f"{int(game['size'][0])} cards"
        raise NotCovered(
            "splits in a shoe that could run out in mid-round", got=size, allowed=f"split=none, or {needed} cards"
        )
    if game["bonus"][0] != Bonus.NONE and has_suited_pairs(game):
        raise NotCovered("a bonus for suits where a pair can be of one suit", allowed="split=none, or bonus=none")


def most_alike(game: NDArray[np.void]) -> int:
    """Of how many cards each two are a pair, at most; in an endless shoe as many as hands can take."""
    kinds = kinds_of(game)
    groups = [sum(int(b["number"]) for b in kinds if is_pair(game[0], int(a["card"]), int(b["card"]))) for a in kinds]
    return max(groups) if game["packs"][0] else 2 * int(game["most_hands"][0])


def has_suited_pairs(game: NDArray[np.void]) -> bool:
    """Whether two cards of one suit can be a pair: what they are then split into does not follow from their values."""
    kinds, endless = kinds_of(game), game["packs"][0] == 0
    for a, b in combinations_with_replacement(kinds, 2):
        one, other = int(a["card"]), int(b["card"])
        if one % 4 == other % 4 and is_pair(game[0], one, other) and (one != other or endless or a["number"] > 1):
            return True
    return False


def most_cards(game: NDArray[np.void]) -> int:
    """The most cards of the shoe that a round takes, of a player who splits as often as allowed, and the banker."""
    # Each of the player's hands has a card of the pair's kind.
    hands = min(int(game["most_hands"][0]), most_alike(game)) + 1
    values = np.repeat(np.arange(1, VALUES + 1), shoe_of(game)["values"][0])
    # Each hand holds at most 21 and the card that passes it.
    by_total = int((np.cumsum(values) <= 21 * hands).sum()) + hands
    trick = int(game["trick_cards"][0])
    return min(by_total, trick * hands) if trick else by_total
