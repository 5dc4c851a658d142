"""What every saved policy says of itself, and how a file is written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from pontoon_gym.errors import BadArgument
from pontoon_gym.rules import Rules, Table


class Stamp(NamedTuple):
    """Whose policy it is and what it was made for."""

    name: str
    role: str
    rules: Rules
    table: Table
    notes: dict[str, Any]


def write_stamp(stamp: Stamp, form: str) -> dict[str, Any]:
    """The stamp as JSON-able facts of a file of some form, such as `pontoon-strategy/2`."""
    from pontoon_gym import __version__

    return {
        "format": form,
        "version": __version__,
        "name": stamp.name,
        "role": stamp.role,
        "rules": stamp.rules.as_dict(),
        "rules_digest": stamp.rules.digest(),
        "table": stamp.table.as_dict(),
        "notes": stamp.notes,
    }


def read_stamp(facts: Any, form: str) -> Stamp:
    """The stamp of such facts. Raises `ValueError`, `KeyError` or `TypeError` for others."""
    if not isinstance(facts, Mapping) or facts.get("format") != form:
        raise ValueError(f"it does not say {form}")
    rules = Rules.of(facts["rules"])
    if rules.digest() != facts["rules_digest"]:
        raise ValueError("its rules do not have its digest")
    return Stamp(str(facts["name"]), facts["role"], rules, Table.of(facts["table"]), dict(facts["notes"]))


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
