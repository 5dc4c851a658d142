"""The compiler: `kernel` and `leaf`, whose machine code is kept on disk (`cache`) under a key of its own (`key`).

The only room that imports numba. `NUMBA_DISABLE_JIT=1` runs kernels as plain Python, `NUMBA_BOUNDSCHECK=1` compiles
them with bounds checking.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np

from pontoon_gym.compiled.cache import FOLDER, keep
from pontoon_gym.compiled.prefetch import fetch

__all__ = ["COMPILED", "Record", "fetch", "int64", "kernel", "leaf", "uint64"]

Record = Any
"""One row of a structured array, as kernels receive it: fields are read and written as `record["name"]`."""

uint64: Any = np.uint64
"""Makes a number an index that is known not to count from the end, which saves kernels the question."""

int64: Any = np.int64
"""Makes a number 64 bits wide where a kernel must not go on with a record field's narrower type."""

_config: Any = numba.config
_njit: Any = numba.njit

COMPILED = not _config.DISABLE_JIT
"""Whether kernels are compiled; else they are plain Python, a thousand times slower."""

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def kernel(function: Kernel) -> Kernel:
    """Compile a function of scalars, records and arrays; it holds no interpreter lock while it runs."""
    return _compiled(function, forceinline=False)


def leaf(function: Kernel) -> Kernel:
    """A small kernel of which each caller gets a copy: handing over its arguments would cost more than its work."""
    return _compiled(function, forceinline=True)


def _compiled(function: Kernel, *, forceinline: bool) -> Kernel:
    """Compile without numba's memory management: kernels make no arrays, and counting references to those that they
    are given, once for each slice of a row, took most of a step."""
    if not COMPILED:
        # Unsigned arithmetic wraps in compiled code without a word; numpy scalars warn.
        return np.errstate(over="ignore")(function)
    options = {"nogil": True, "error_model": "numpy", "forceinline": forceinline, "_nrt": False}
    compiled: Kernel = _njit(function, **options)
    if FOLDER is not None and Path(function.__code__.co_filename).is_file():
        keep(compiled, FOLDER)
    return compiled
