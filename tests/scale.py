"""How much random testing is done: `PONTOON_LONG=1` asks for 50 times as much, an absent compiler for a hundredth."""

from __future__ import annotations

import os


def _is_on(name: str) -> bool:
    return os.environ.get(name) not in (None, "", "0")


SCALE = (50.0 if _is_on("PONTOON_LONG") else 1.0) * (0.01 if _is_on("NUMBA_DISABLE_JIT") else 1.0)


def scaled(n: int) -> int:
    """A count of random cases as this run can afford it, at least 1."""
    return max(1, round(n * SCALE))
