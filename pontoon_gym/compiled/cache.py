"""Compiled kernels on disk: found again by later processes, compiled by one process while the others wait.

The folder is `PONTOON_GYM_CACHE`, else the user's cache folder, else one for temporary files. Whatever is wrong with it
(damaged or truncated files, a full disk, no right to write) is a kernel not found: it is compiled, and the log says so
once. Standard error shows the log, unless the program sets up logging of its own.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import pickle
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numba
from numba.core import caching, serialize
from numba.core.compiler import CompileResult
from numba.core.compiler_lock import global_compiler_lock

from pontoon_gym.compiled.key import cache_key
from pontoon_gym.files import digest, write_bytes

try:
    import fcntl
except ImportError:  # Windows: processes that start at once compile each for itself.
    fcntl = None  # type: ignore[assignment]

_config: Any = numba.config
_rebuild: Any = CompileResult._rebuild
_dumps: Any = serialize.dumps
_log = logging.getLogger("pontoon_gym")
_DIGEST_SIZE = hashlib.sha256().digest_size
_COMPILING = "pontoon_gym: compiling kernels; later runs find them in %s"
_FAULT = "pontoon_gym: a compiled kernel can be neither found nor kept at %s, and is compiled anew: %s"
_OTHER_FOLDER = "pontoon_gym: compiled kernels are not kept in %s: %s"
_NO_FOLDER = "pontoon_gym: no folder for compiled kernels can be written; every process compiles anew"


_said: set[str] = set()


def _say_once(text: str, *details: object) -> None:
    if text not in _said:
        _said.add(text)
        _log.warning(text, *details)


def _chosen_home() -> Path:
    """Where compiled kernels may be kept, whoever runs this and wherever it is installed."""
    chosen = os.environ.get("PONTOON_GYM_CACHE") or os.environ.get("XDG_CACHE_HOME")
    return (Path(chosen) if chosen else Path.home() / ".cache").absolute() / "pontoon_gym"


def _shared_home() -> Path:
    """A folder for temporary files, if this user owns it: who writes a cache decides what is run."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    home = Path(tempfile.gettempdir()) / f"pontoon_gym-{user}"
    home.mkdir(mode=0o700, exist_ok=True)
    if hasattr(os, "getuid") and home.stat().st_uid != user:
        raise OSError(f"{home} belongs to somebody else")
    return home


def _folder() -> Path | None:
    """A folder that can be written, or None: then every process compiles anew."""
    for home in (_chosen_home, _shared_home):
        folder: Path | str = "the home folder"
        try:
            folder = home()
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with tempfile.TemporaryFile(dir=folder):
                return folder
        except (OSError, RuntimeError) as error:
            _say_once(_OTHER_FOLDER, folder, error)
    _say_once(_NO_FOLDER)
    return None


FOLDER = None if _config.DISABLE_JIT else _folder()
"""Where compiled kernels are kept in this process; None where nothing can be."""


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Waits until no other process holds this lock; goes on without one where there are none."""
    with contextlib.ExitStack() as held:
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            file = held.enter_context(path.open("ab"))
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX)
        yield


class _KernelCache(caching.NullCache):
    """Where numba looks for a kernel's machine code, one file for each signature, and leaves it.

    A file ends in a digest of the rest. No fault ends a program.
    """

    def __init__(self, stem: Path):
        self._stem = stem

    @property
    def cache_path(self) -> str:
        return str(self._stem.parent)

    def _path(self, signature: Any, target: Any) -> Path:
        kind = repr((signature, target.magic_tuple()))
        return self._stem.with_name(f"{self._stem.name}-{digest(kind.encode())[:16]}.kernel")

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The result of an earlier compilation, or None."""
        context.refresh()
        found, path = None, self._path(signature, context.codegen())
        try:
            found = _rebuild(context, *_opened(path.read_bytes()))
        except FileNotFoundError:
            pass
        except Exception as fault:
            _say_once(_FAULT, path, _line(fault))
        if found is None:
            _say_once(_COMPILING, self._stem.parents[1])
        return found

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep the result of a compilation for later processes."""
        path = self._path(signature, result.codegen)
        try:
            write_bytes(path, _sealed(result._reduce()))
        except Exception as fault:
            _say_once(_FAULT, path, _line(fault))


def _sealed(found: Any) -> bytes:
    data: bytes = _dumps(found)
    return data + hashlib.sha256(data).digest()


def _opened(data: bytes) -> Any:
    """What was sealed. Raises `ValueError` if a bit of it differs, before any of it is believed."""
    found, sealed = data[:-_DIGEST_SIZE], data[-_DIGEST_SIZE:]
    if hashlib.sha256(found).digest() != sealed:
        raise ValueError("damaged")
    return pickle.loads(found)


def _line(fault: Exception) -> str:
    return f"{type(fault).__name__} {fault}".partition("\n")[0]


def keep(compiled: Any, folder: Path) -> None:
    """Let a kernel be found in a folder, and compiled by one process at a time.

    Locks cannot wait for each other in a ring: while one is held, only those of the kernels that it calls are taken.
    """
    function = compiled.py_func
    stem = folder / cache_key(Path(function.__code__.co_filename)) / _name(function)
    compiled._cache = _KernelCache(stem)
    compile_here = compiled.compile

    def compile_alone(signature: Any) -> Any:
        # numba's own lock comes first: a thread that has it may need this one.
        with global_compiler_lock, _alone(stem.with_suffix(".lock")):
            return compile_here(signature)

    compiled.compile = compile_alone


def _name(function: Any) -> str:
    """A kernel's name as that of a file, no other kernel of its module having it."""
    return f"{function.__qualname__.replace('<locals>', 'in')}-{function.__code__.co_firstlineno}"
