"""Policies of the home game at its table, for tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from pontoon_gym.envs.vector import PlayerVectorEnv
from pontoon_gym.policies.metadata import Metadata
from pontoon_gym.policies.network import NetworkPolicy
from pontoon_gym.rules import Rules, Table

HOME, TABLE = Rules.of("home"), Table()


def small_network(**changes: Any) -> NetworkPolicy:
    rng = np.random.default_rng(1)
    width = PlayerVectorEnv(1, **TABLE.as_dict()).layout.size
    layers = [
        (rng.normal(size=(8, width)).astype(np.float32), np.zeros(8, np.float32)),
        (rng.normal(size=(TABLE.actions, 8)).astype(np.float32), np.zeros(TABLE.actions, np.float32)),
    ]
    said: dict[str, Any] = {"role": "player", "rules": HOME, "table": TABLE, "notes": {"seed": 1}}
    said |= {name: changes.pop(name) for name in Metadata._fields if name in changes}
    return NetworkPolicy(Metadata(**said), changes.pop("layers", layers), **changes)
