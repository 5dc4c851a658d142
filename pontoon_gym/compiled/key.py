"""Which code a compiled kernel is: the key under which it is kept.

A key changes with everything a kernel depends on: the text of its module and of every module of this package that it
imports, directly or not, the versions of Python, numba and numpy, and whether array bounds are checked. numba's own
cache notices a change in a kernel's own file only, and would play old rules when a callee in another file changed.
"""

from __future__ import annotations

import hashlib
import platform
import re
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np

_config: Any = numba.config
_PACKAGE = Path(__file__).parents[1]
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
