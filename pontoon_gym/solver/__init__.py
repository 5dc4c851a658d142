"""All rounds at once: exact values, best responses and regrets for one player and the bank.

Each public question has a module; `judge.Judge` answers those that policies are asked in, for one game and one
opponent. Below it: `cards` (what may come), `banker` (how a banker plays and ends), `tree` (every infostate of the
player's) and `response` (policies and best responses on the tree, from the last choice to the first).
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pontoon_gym.solver.banker.outcomes import Outcomes
    from pontoon_gym.solver.best import best_response
    from pontoon_gym.solver.charting import chart
    from pontoon_gym.solver.expectation import value
    from pontoon_gym.solver.final_hands import banker_outcomes
    from pontoon_gym.solver.judge import Judge
    from pontoon_gym.solver.regret import regrets
    from pontoon_gym.solver.response.action_values import ActionValues
    from pontoon_gym.solver.response.answers import BestResponse, InfostateRegret, InfostateRegrets, Regret
    from pontoon_gym.solver.tabulating import tabulate

__all__ = [
    "ActionValues",
    "BestResponse",
    "InfostateRegret",
    "InfostateRegrets",
    "Judge",
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
    "ActionValues": "response.action_values",
    "BestResponse": "response.answers",
    "InfostateRegret": "response.answers",
    "InfostateRegrets": "response.answers",
    "Judge": "judge",
    "Outcomes": "banker.outcomes",
    "Regret": "response.answers",
    "banker_outcomes": "final_hands",
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
