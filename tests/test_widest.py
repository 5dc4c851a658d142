"""The records have room for the widest table that the rules allow."""

from __future__ import annotations

from pontoon_gym.engine.state import MOST_ACTIONS
from pontoon_gym.engine.view.columns import MOST_COLUMNS, Game, layout
from pontoon_gym.names import Role
from pontoon_gym.rules import Rules, Table


def test_the_widest_table_fits() -> None:
    rules = Rules.of("home", max_buys=4, max_hands=4, bonus="spanish21")
    table = Table.of(seats=9, stake_max=100, stake_levels=16, buy_levels=8)
    assert table.actions == MOST_ACTIONS
    assert all(layout(Game(rules, table, role, True)).size <= MOST_COLUMNS for role in Role)
