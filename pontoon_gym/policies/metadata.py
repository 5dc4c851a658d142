"""What every saved policy says about itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.errors import BadArgument, BadPolicyFile, MissingExtra, UnknownPolicy, checked_path
from pontoon_gym.files import facts_of, is_file, pack_arrays, text_of, unpack_arrays, write_bytes
from pontoon_gym.rules import Rules, Table

MOST_BYTES = 1 << 28
"""No policy's file is, or unpacks to, more."""
_MEMBER = "metadata"
"""The member of an archive that holds what is no array, as JSON."""
MOST_NESTED = 50
"""How deep notes may be nested, so that whatever is read can be written."""

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
    """The metadata as JSON-able facts of a file of some form, such as `pontoon-strategy/4`. Raises `ValueError`."""
    from pontoon_gym import __version__

    _check_nested(metadata.notes)
    return {
        "format": form,
        "version": __version__,
        "name": metadata.name,
        "role": metadata.role,
        "rules": metadata.rules.as_dict(),
        "rules_digest": metadata.rules.digest(),
        "table": metadata.table.as_dict(),
        "table_digest": metadata.table.digest(),
        "notes": dict(metadata.notes),
    }


_KINDS: dict[str, type] = {
    "format": str,
    "version": str,
    "name": str,
    "role": str,
    "rules": dict,
    "rules_digest": str,
    "table": dict,
    "notes": dict,
}
"""What the facts of every file say, and of which kind it is. The table's digest came later: older files lack it."""
_LATER = ("table_digest",)


def _check_nested(notes: object, most: int = MOST_NESTED) -> None:
    """Raise `ValueError` for notes that are nested deeper than `most`."""
    if most == 0:
        raise ValueError(f"notes are nested deeper than {MOST_NESTED}")
    inside = notes.values() if isinstance(notes, Mapping) else notes if isinstance(notes, list | tuple) else ()
    for one in inside:
        _check_nested(one, most - 1)


def form_of(facts: object) -> str:
    """The form that a file's facts say that it has; empty if they say none."""
    return str(facts.get("format", "")) if isinstance(facts, Mapping) else ""


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


def _read_table(facts: Mapping[str, Any]) -> Table:
    """The table that facts name, with its digest if they have it. Raises `ValueError`."""
    table = Table.of(facts["table"])
    if facts.get("table_digest", table.digest()) != table.digest():
        raise ValueError("its table is not the one that it was saved with: its digest is of another")
    return table


def read_metadata(facts: Any, form: str, **beside: type) -> Metadata:
    """The metadata of such facts, which say what they must and nothing else.

    Args:
        beside: what a file of this form says beside its metadata, and of which kind it is.

    Raises `ValueError` for others.
    """
    check_format(form_of(facts), form)
    kinds = {**_KINDS, **beside}
    for name, kind in kinds.items():
        if type(facts.get(name)) is not kind:
            raise ValueError(f"its {name} must be of the kind {kind.__name__}: {facts.get(name)!r:.80}")
    for name in facts:
        if name not in kinds and name not in _LATER:
            raise ValueError(f"it says what no such file does: {name!r:.80}")
    facts["name"].encode()  # a text that cannot be written is none
    _check_nested(facts["notes"])
    return Metadata(facts["role"], read_rules(facts), _read_table(facts), facts["name"], facts["notes"])


# --- files -------------------------------------------------------------------------------------------------------


def suffix_of(path: str | Path) -> str:
    """What tells a file's format: the end of its name, capital letters or not. Raises `BadArgument`."""
    return checked_path(path).suffix.lower()


def save_file(path: str | Path, what: str, formats: Mapping[str, Callable[[], bytes]]) -> Path:
    """Write a policy to a file, and return its path.

    Args:
        what: the kind of policy, for messages.
        formats: makes the file's bytes, by what its name ends in.

    Raises `BadArgument` for another ending, notes that are not JSON-able and a folder that cannot be written.
    """
    target = checked_path(path)
    if suffix_of(target) not in formats:
        raise BadArgument(f"a {what} is saved as one of these", got=str(path), allowed=", ".join(formats))
    try:
        data = formats[suffix_of(target)]()
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
        fault = f"it lacks {error}" if isinstance(error, KeyError) else error
        raise BadPolicyFile(f"cannot read the {what} file: {fault}"[:400], where=str(path)) from error


def json_text(facts: Any) -> str:
    """JSON-able facts as a text that `files.facts_of` reads. Raises `TypeError`, `ValueError`."""
    return json.dumps(facts, allow_nan=False)


def archive_bytes(facts: Any, arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """JSON-able facts and arrays by name as the bytes of an npz archive. Raises `TypeError`, `ValueError`."""
    return pack_arrays({_MEMBER: np.frombuffer(json_text(facts).encode(), np.uint8), **arrays})


def read_archive(data: bytes) -> tuple[Any, dict[str, NDArray[Any]]]:
    """Facts and arrays of the bytes that `archive_bytes` made. Raises whatever other bytes make a reader raise."""
    arrays = unpack_arrays(data, MOST_BYTES)
    if _MEMBER not in arrays:
        raise ValueError("it holds no metadata: no policy, or one saved by another version, which is to be made anew")
    return facts_of(text_of(arrays.pop(_MEMBER).tobytes())), arrays
