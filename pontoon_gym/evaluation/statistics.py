"""Means of sampled rounds and their errors."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Z95 = 1.959963984540054
"""Standard errors of a 95 % interval."""


@dataclass(frozen=True)
class Estimate:
    """A mean from sampled rounds, with its standard error; in units of `stake_min`."""

    mean: float
    error: float

    @property
    def low(self) -> float:
        """The lower end of the 95 % interval."""
        return self.mean - Z95 * self.error

    @property
    def high(self) -> float:
        """The upper end of the 95 % interval."""
        return self.mean + Z95 * self.error

    def as_dict(self) -> dict[str, float]:
        """JSON-able."""
        return {"mean": self.mean, "error": self.error, "low": self.low, "high": self.high}


class Mean:
    """A mean and its error from blocks of numbers."""

    def __init__(self) -> None:
        self.n, self.sum, self.squares = 0, 0.0, 0.0

    def add(self, values: NDArray[np.float64]) -> None:
        self.n += values.size
        self.sum += float(values.sum())
        self.squares += float(np.square(values).sum())

    def estimate(self) -> Estimate:
        mean = self.sum / self.n
        spread = max(self.squares / self.n - mean * mean, 0.0)
        return Estimate(mean, math.sqrt(spread / max(self.n - 1, 1)))
