"""The compiler: `kernel` and `leaf`, and the cache that they keep.

The only importer of numba. A compiled kernel is cached on disk under a key of everything it depends on: the text of its
module and of every module of this package that it imports, directly or not, the versions of Python, numba and numpy,
and whether array bounds are checked. numba's own cache notices a change in a kernel's own file only, and would play old
rules when a callee in another file changed.

`NUMBA_DISABLE_JIT=1` runs kernels as plain Python, `NUMBA_BOUNDSCHECK=1` compiles them with bounds checking.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
import numba.extending
import numpy as np
from llvmlite import ir as llvm

Record = Any
"""One row of a structured array, as kernels receive it: fields are read and written as `record["name"]`."""

uint64: Any = np.uint64
"""Makes a number an index that is known not to count from the end, which saves kernels the question."""

int64: Any = np.int64
"""Makes a number 64 bits wide where a kernel must not go on with a record field's narrower type."""

_config: Any = numba.config
_njit: Any = numba.njit
_ir: Any = llvm

COMPILED = not _config.DISABLE_JIT
"""Whether kernels are compiled; else they are plain Python, a thousand times slower."""

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def _cache_home() -> Path:
    """Where compiled kernels may be kept, whoever runs this and wherever it is installed."""
    chosen = os.environ.get("PONTOON_GYM_CACHE") or os.environ.get("XDG_CACHE_HOME")
    return (Path(chosen) if chosen else Path.home() / ".cache") / "pontoon_gym"


def _shared_cache_home() -> Path:
    """A folder for temporary files, if this user owns it: who writes a cache decides what is run."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    home = Path(tempfile.gettempdir()) / f"pontoon_gym-{user}"
    home.mkdir(mode=0o700, exist_ok=True)
    if hasattr(os, "getuid") and home.stat().st_uid != user:
        raise OSError(f"{home} belongs to somebody else")
    return home


_PACKAGE = Path(__file__).parent
_IMPORT = re.compile(rb"^\s*from (pontoon_gym[.\w]*) import ([^#\n(]+|\([^)]*\))|^\s*import (pontoon_gym[.\w]*)", re.M)


@cache
def _imported(source: Path) -> tuple[bytes, frozenset[Path]]:
    """The text of a module, and the modules of this package that it imports."""
    text, found = source.read_bytes(), set()
    for package, names, whole in _IMPORT.findall(text):
        module = _PACKAGE.parent.joinpath(*(package or whole).decode().split("."))
        inside = [module / name.decode() for name in re.findall(rb"\w+", names)]
        found |= {path.with_suffix(".py") for path in (module, *inside)} | {module / "__init__.py"}
    return text, frozenset(path for path in found if path.is_file())


@cache
def cache_key(source: Path) -> str:
    """Sixteen hexadecimal digits that change when any compiled code of a module could.

    Args:
        source: the module's file.
    """
    reached, waiting = {source}, [source]
    while waiting:
        new = _imported(waiting.pop())[1] - reached
        reached |= new
        waiting += new
    digest = hashlib.sha256()
    for path in sorted(reached):
        digest.update(_imported(path)[0])
    versions = (platform.python_version(), numba.__version__, np.__version__, str(_config.BOUNDSCHECK))
    digest.update("|".join(versions).encode())
    return digest.hexdigest()[:16]


def _cache_folder() -> Path | None:
    """A folder that can be written, or None: then every process compiles anew."""
    for home in (_cache_home, _shared_cache_home):
        try:
            folder = home()
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with tempfile.TemporaryFile(dir=folder):
                return folder
        except (OSError, RuntimeError):
            continue
    return None


_FOLDER = _cache_folder() if COMPILED else None


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
    # numba reads the folder while it decorates; other packages' kernels keep theirs.
    before = _config.CACHE_DIR
    source = Path(function.__code__.co_filename)
    kept = _FOLDER is not None and source.is_file()
    if _FOLDER is not None and kept:
        _config.CACHE_DIR = str(_FOLDER / cache_key(source))
    try:
        options = {"nogil": True, "error_model": "numpy", "forceinline": forceinline, "_nrt": False}
        compiled: Kernel = _njit(function, cache=kept, **options)
    finally:
        _config.CACHE_DIR = before
    return compiled


def _prefetch(context: Any, record: Any, offset: Any) -> Any:
    """numba's typing of `fetch`, and the processor's instruction for it."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number, line = _ir.IntType(32), _ir.IntType(8).as_pointer()
        instruction = _ir.FunctionType(_ir.VoidType(), [line, number, number, number])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", [line], instruction)
        at = builder.gep(builder.bitcast(arguments[0], line), [arguments[1]])
        to_write, keep, data = (_ir.Constant(number, n) for n in (1, 3, 1))
        builder.call(prefetch, [at, to_write, keep, data])
        return context.get_dummy_value()

    return numba.types.void(record, numba.types.int64), generate


def _no_fetch(record: Record, offset: int) -> None:
    """Plain Python has no say in it."""


fetch: Any = numba.extending.intrinsic(_prefetch) if COMPILED else _no_fetch
"""`fetch(record, offset)` asks for the memory that lies `offset` bytes into a record, which will be wanted soon."""
