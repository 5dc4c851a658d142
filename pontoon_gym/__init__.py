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
    from pontoon_gym.engine.view.words import action_names, describe
    from pontoon_gym.policies.policy import FunctionPolicy, Policy, key_of
    from pontoon_gym.policies.tabular import Strategy

__version__ = "0.1.0"
__all__ = [
    "PRESETS",
    "FunctionPolicy",
    "Policy",
    "Rules",
    "Strategy",
    "Table",
    "__version__",
    "action_names",
    "describe",
    "key_of",
]

_ROOMS = ("solver",)
_LAZY = {
    "FunctionPolicy": "pontoon_gym.policies.policy",
    "Policy": "pontoon_gym.policies.policy",
    "Strategy": "pontoon_gym.policies.tabular",
    "action_names": "pontoon_gym.engine.view.words",
    "describe": "pontoon_gym.engine.view.words",
    "key_of": "pontoon_gym.policies.policy",
}

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
