"""What every saved policy says about itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.errors import BadArgument, BadPolicyFile, MissingExtra, UnknownPolicy, checked_path
from pontoon_gym.files import is_file, pack_arrays, unpack_arrays, write_bytes
from pontoon_gym.rules import Rules, Table

MOST_BYTES = 1 << 28
"""No policy's file is, or unpacks to, more."""
_MEMBER = "metadata"
"""The member of an archive that holds what is no array, as JSON."""

Made = TypeVar("Made")


class Metadata(NamedTuple):
    """Whose policy it is and what it was made for.

    Attributes:
        role: `"player"` or `"banker"`.
        rules, table: what it was made for.
        name: for people.
        notes: JSON-able facts to keep with it: how it was made, what it is worth.
    """

    role: str
    rules: Rules
    table: Table
    name: str = "policy"
    notes: Mapping[str, Any] = {}


def write_metadata(metadata: Metadata, form: str) -> dict[str, Any]:
    """The metadata as JSON-able facts of a file of some form, such as `pontoon-strategy/4`."""
    from pontoon_gym import __version__

    return {
        "format": form,
        "version": __version__,
        "name": metadata.name,
        "role": metadata.role,
        "rules": metadata.rules.as_dict(),
        "rules_digest": metadata.rules.digest(),
        "table": metadata.table.as_dict(),
        "notes": dict(metadata.notes),
    }


def check_format(said: object, form: str) -> None:
    """Raise `ValueError` unless a file says the form that is read here."""
    family, _, version = form.partition("/")
    given, _, older = str(said).partition("/")
    if given == family and older != version:
        raise ValueError(f"it was saved as {said} by another version, and {form} is read here: make it anew")
    if said != form:
        raise ValueError(f"it does not say {form}")


def read_rules(facts: Mapping[str, Any]) -> Rules:
    """The rules that facts name, with their digest. Raises `ValueError`, `KeyError` or `TypeError`."""
    rules = Rules.of(facts["rules"])
    if rules.digest() != facts["rules_digest"]:
        raise ValueError("its rules are not those that it was saved with: its digest is of others")
    return rules


def read_metadata(facts: Any, form: str) -> Metadata:
    """The metadata of such facts. Raises `ValueError`, `KeyError` or `TypeError` for others."""
    check_format(facts.get("format") if isinstance(facts, Mapping) else None, form)
    return Metadata(
        facts["role"], read_rules(facts), Table.of(facts["table"]), str(facts["name"]), dict(facts["notes"])
    )


# --- files -------------------------------------------------------------------------------------------------------


def save_file(path: str | Path, what: str, formats: Mapping[str, Callable[[], bytes]]) -> Path:
    """Write a policy to a file, and return its path.

    Args:
        what: the kind of policy, for messages.
        formats: makes the file's bytes, by what its name ends in.

    Raises `BadArgument` for another ending, notes that are not JSON-able and a folder that cannot be written.
    """
    target = checked_path(path)
    if target.suffix not in formats:
        raise BadArgument(f"a {what} is saved as one of these", got=str(path), allowed=", ".join(formats))
    try:
        data = formats[target.suffix]()
    except (TypeError, ValueError) as error:
        raise BadArgument(f"notes of a {what} must be JSON-able: {error}", where=str(path)) from error
    write_bytes(target, data)
    return target


def load_file(path: str | Path, what: str, read: Callable[[bytes], Made], most: int = MOST_BYTES) -> Made:
    """What a policy's file holds.

    Args:
        what: the kind of policy, for messages.
        read: makes it from the file's bytes.
        most: bytes of the largest file.

    Raises `UnknownPolicy` if there is no file, `BadPolicyFile` if it is bad, and `MissingExtra`.
    """
    source = checked_path(path)
    if not is_file(source):
        raise UnknownPolicy(f"no {what} file", got=str(path))
    try:
        if source.stat().st_size > most:
            raise ValueError("it is too large")
        return read(source.read_bytes())
    except MissingExtra:
        raise
    except Exception as error:  # whatever a hostile file makes a reader raise
        raise BadPolicyFile(f"cannot read the {what} file: {error}"[:400], where=str(path)) from error


def archive_bytes(facts: Any, arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """JSON-able facts and arrays by name as the bytes of an npz archive. Raises `TypeError`, `ValueError`."""
    return pack_arrays({_MEMBER: np.frombuffer(json.dumps(facts).encode(), np.uint8), **arrays})


def read_archive(data: bytes) -> tuple[Any, dict[str, NDArray[Any]]]:
    """Facts and arrays of the bytes that `archive_bytes` made. Raises whatever other bytes make a reader raise."""
    arrays = unpack_arrays(data, MOST_BYTES)
    if _MEMBER not in arrays:
        raise ValueError("it holds no metadata: no policy, or one saved by another version, which is to be made anew")
    return json.loads(arrays.pop(_MEMBER).tobytes()), arrays
