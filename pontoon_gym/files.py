"""Files: written whole or not at all, known by a digest, and read without running what they hold."""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.errors import BadArgument


def write_bytes(target: Path, data: bytes) -> None:
    """Write a file whole or not at all, even if the machine stops.

    Raises `BadArgument` if its folder cannot be written.
    """
    partial = target.with_name(f"{target.name}.{os.getpid()}.partial")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(target)
    except (OSError, ValueError) as error:
        with suppress(OSError, ValueError):
            partial.unlink()
        raise BadArgument(f"cannot write: {getattr(error, 'strerror', error)}", where=repr(str(target))) from error


def writable_folder(path: str, *files: str) -> Path:
    """A folder in which `files` can be written, made if need be. Raises `BadArgument`."""
    target = Path(path)
    try:
        for name in files:
            if (target / name).is_dir():
                raise IsADirectoryError(0, f"its {name} is a folder")
        target.mkdir(parents=True, exist_ok=True)
        probe = target / ".writable"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise BadArgument(f"cannot write to the folder: {error.strerror}", where=path) from error
    return target


def is_file(path: str | Path) -> bool:
    """Whether a file lies there; a path that no system takes has none."""
    try:
        return Path(path).is_file()
    except (OSError, ValueError):
        return False


def is_folder(path: str | Path) -> bool:
    """Whether a folder lies there; the empty path names none."""
    try:
        return bool(str(path)) and Path(path).is_dir()
    except (OSError, ValueError):
        return False


def folders_with(path: Path, name: str) -> str:
    """The folders in a folder that hold a file of this name, for a message; empty if none does."""
    try:
        inside = sorted((one.parent.name for one in path.glob(f"*/{name}")), key=lambda found: (len(found), found))
    except (OSError, ValueError):
        return ""
    return ", ".join(inside)


def digest(data: bytes) -> str:
    """The SHA-256 of some bytes, 64 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def digest_of_arrays(arrays: Mapping[str, NDArray[Any]]) -> str:
    """The SHA-256 of arrays by name, their types and shapes, 64 hexadecimal digits; in whatever order they come."""
    whole = hashlib.sha256()
    for name, array in sorted(arrays.items()):
        whole.update(f"{name} {array.dtype.str} {array.shape} ".encode())
        whole.update(np.ascontiguousarray(array).data)
    return whole.hexdigest()


# --- texts and facts ---------------------------------------------------------------------------------------------


def text_of(data: bytes) -> str:
    """The text of a file in any of Unicode's encodings, with or without a byte-order mark. Raises `ValueError`."""
    return data.decode(json.detect_encoding(data))


def facts_of(text: str) -> Any:
    """What a JSON text says, if it is said once: no name is twice in an object, and every number is finite.

    Raises `ValueError`, and `RecursionError` for one that is nested too deep.
    """
    return json.loads(text, object_pairs_hook=_each_once, parse_float=_finite, parse_constant=_finite)


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"it says twice: {next(name for name in names if names.count(name) > 1)!r}")
    return found


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"a number that is not finite: {text[:40]}")
    return number


# --- archives of arrays ------------------------------------------------------------------------------------------


def pack_arrays(arrays: Mapping[str, NDArray[Any]], *, compressed: bool = True) -> bytes:
    """Arrays by name as the bytes of an npz archive; the same arrays give the same bytes."""
    buffer = io.BytesIO()
    members: dict[str, Any] = dict(arrays)
    (np.savez_compressed if compressed else np.savez)(buffer, **members)
    return buffer.getvalue()


def unpack_arrays(source: bytes | Path, most: int) -> dict[str, NDArray[Any]]:
    """The arrays of an npz archive, by name; no array takes more memory than its bytes are there for.

    Args:
        most: bytes that it may unpack to.

    Raises `ValueError`, or whatever else a damaged archive makes its readers raise.
    """
    with ZipFile(io.BytesIO(source) if isinstance(source, bytes) else source) as archive:
        members = archive.infolist()
        if sum(member.file_size for member in members) > most:
            raise ValueError("it unpacks to too much")
        if any(member.compress_type not in (ZIP_STORED, ZIP_DEFLATED) for member in members):
            raise ValueError("it is packed in a way that numpy does not use")
        found: dict[str, NDArray[Any]] = {}
        for member in members:
            name = member.filename.removesuffix(".npy")
            if name in found:
                raise ValueError(f"its array {name} is there twice")
            with archive.open(member) as file:
                # No more than it says it is: read whole it could unpack to much more.
                found[name] = _array(member.filename, file.read(member.file_size))
        return found


def _array(name: str, data: bytes) -> NDArray[Any]:
    """One array of an archive, from the bytes of its member."""
    raw = io.BytesIO(data)
    read_header = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    shape, _, dtype = read_header[np.lib.format.read_magic(raw)](raw)
    if dtype.hasobject or math.prod(shape) * dtype.itemsize != len(data) - raw.tell():
        raise ValueError(f"its array {name} is not there")
    raw.seek(0)
    array: NDArray[Any] = np.load(raw, allow_pickle=False)
    return array
