"""Pontoon Gym: environments, learners' measure and exact truth for Pontoon, the British banking game.

Importing this registers `Pontoon/Player-v0` and `Pontoon/Banker-v0` with gymnasium. The rest is imported when first
used, so that importing costs no compiler.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from gymnasium.envs.registration import register, registry

from pontoon_gym.rules import PRESETS, Rules, Table

if TYPE_CHECKING:
    from pontoon_gym.policies.policy import Policy
    from pontoon_gym.policies.tabular import Strategy

__version__ = "0.1.0"
__all__ = ["PRESETS", "Policy", "Rules", "Strategy", "Table", "__version__"]

_ROOMS = ("solver",)
_LAZY = {"Policy": "pontoon_gym.policies.policy", "Strategy": "pontoon_gym.policies.tabular"}

for _role in ("Player", "Banker"):
    if f"Pontoon/{_role}-v0" not in registry:
        register(
            id=f"Pontoon/{_role}-v0",
            entry_point=f"pontoon_gym.envs.{_role.lower()}:{_role}Env",
            vector_entry_point=f"pontoon_gym.envs.vector:{_role}VectorEnv",
        )


def __getattr__(name: str) -> object:
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    if name in _ROOMS:
        return importlib.import_module(f"pontoon_gym.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
