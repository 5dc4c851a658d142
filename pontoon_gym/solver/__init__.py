"""All rounds at once: exact values, best responses and regrets for one player and the bank.

A deal is followed from the cards to the answer by `shoe` (what may come), `outcomes`, `banker` and `endings` (how the
banker plays and ends), `pose`, `grow`, `tree` and `splits` (every infostate of the player's), `chance` and `backup`
(from the last choice to the first); `expectation`, `best`, `best_banker`, `regret`, `tabulating` and `charting` answer
questions.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pontoon_gym.solver.banker.endings import banker_outcomes
    from pontoon_gym.solver.banker.outcomes import Outcomes
    from pontoon_gym.solver.best import BestResponse, best_response
    from pontoon_gym.solver.charting import chart
    from pontoon_gym.solver.expectation import value
    from pontoon_gym.solver.regret import InfostateRegret, Regret, regrets
    from pontoon_gym.solver.tabulating import tabulate

__all__ = [
    "BestResponse",
    "InfostateRegret",
    "Outcomes",
    "Regret",
    "banker_outcomes",
    "best_response",
    "chart",
    "regrets",
    "tabulate",
    "value",
]

_ROOMS = {
    "BestResponse": "best",
    "Outcomes": "outcomes",
    "Regret": "regret",
    "InfostateRegret": "regret",
    "banker_outcomes": "endings",
    "best_response": "best",
    "chart": "charting",
    "regrets": "regret",
    "tabulate": "tabulating",
    "value": "expectation",
}


def __getattr__(name: str) -> object:
    if name in _ROOMS:
        return getattr(importlib.import_module(f"{__name__}.{_ROOMS[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
