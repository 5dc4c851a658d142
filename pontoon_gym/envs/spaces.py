"""Spaces of observations and actions, made from the engine's layout."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from pontoon_gym.engine.view.columns import Layout
from pontoon_gym.engine.view.infostate import KEYS

OBSERVATIONS = ("vector", "dict", "situation")
MASK = "action_mask"
ILLEGAL_ACTION = "illegal_action"
ROUND_OVER = "round_over"


def action_space(actions: int) -> spaces.Discrete:
    """The actions by number; what the rules forbid is masked."""
    return spaces.Discrete(actions)


def observation_space(layout: Layout, observation: str, actions: int) -> spaces.Space[Any]:
    """The space of one observation kind: see `OBSERVATIONS`.

    `"vector"` is a float32 Box in [0, 1] of shape (columns,), `"dict"` holds each field unscaled as a float32 Box of
    shape (width,) and the mask as an int8 Box, `"situation"` is the int64 infostate key.
    """
    if observation == "vector":
        return spaces.Box(0.0, 1.0, (layout.size,), np.float32)
    if observation == "situation":
        return spaces.Discrete(1 << sum(KEYS[layout.game.role].values()))
    fields: dict[str, spaces.Space[Any]] = {
        view.name: spaces.Box(0.0, float(view.divisor), (view.width,), np.float32) for view in layout.views
    }
    fields[MASK] = spaces.Box(0, 1, (actions,), np.int8)
    return spaces.Dict(fields)


def as_dict(layout: Layout, vectors: NDArray[np.float32], allowed: NDArray[np.bool_]) -> dict[str, NDArray[Any]]:
    """Unscaled observations by field, arrays of their own, from arrays whose last axis is columns and actions."""
    named: dict[str, NDArray[Any]] = {
        view.name: vectors[..., view.start : view.start + view.width].copy() for view in layout.views
    }
    # The order of a Dict space is by name, and observations come in its order.
    named[MASK] = allowed.astype(np.int8)
    return dict(sorted(named.items()))
