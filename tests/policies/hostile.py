"""Archives that are not to be trusted, made from a good one."""

from __future__ import annotations

import io
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from pontoon_gym.policies.metadata import MOST_BYTES, archive_bytes, read_archive

MARK = Path("/tmp/pontoon-gym-hostile")
"""Is there once something has run what a file holds."""


class Hostile:
    """Whoever unpickles it creates a file."""

    def __reduce__(self) -> tuple[object, tuple[str, str]]:
        return open, (str(MARK), "w")


def zipped(members: dict[str, bytes], packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    """An archive of these members."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", packing) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def unzipped(data: bytes) -> dict[str, bytes]:
    """The members of an archive."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def pickled(value: object) -> bytes:
    """The npy bytes of an array that holds a Python object."""
    out = io.BytesIO()
    np.lib.format.write_array(out, np.array([value], dtype=object), allow_pickle=True)
    return out.getvalue()


def header(count: int) -> bytes:
    """The npy header of so many numbers of eight bytes, and none of them."""
    out = io.BytesIO()
    np.lib.format.write_array_header_1_0(out, {"descr": "<f8", "fortran_order": False, "shape": (count,)})
    return out.getvalue()


@cache
def bomb(said: int | None = None) -> bytes:
    """An archive of a member that unpacks to too much; it may say that it is `said` bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("bomb.npy", "w") as member:
        member.write(header(MOST_BYTES // 8))
        for _ in range(MOST_BYTES // (1 << 24) + 1):
            member.write(bytes(1 << 24))
    data = out.getvalue()
    if said is None:
        return data
    at = data.rindex(b"PK\x01\x02") + 24  # the size in the archive's directory
    return data[:at] + said.to_bytes(4, "little") + data[at + 4 :]


def hostile_archives(good: bytes) -> dict[str, tuple[bytes, str]]:
    """What may come instead of a good archive, and what the refusal says."""
    members = unzipped(good)
    largest = max(members, key=lambda name: len(members[name]))
    middle = len(good) // 2
    flipped = good[:middle] + bytes([good[middle] ^ 255]) + good[middle + 1 :]
    without = {name: data for name, data in members.items() if name != "metadata.npy"}
    return {
        "empty": (b"", "not a zip file"),
        "truncated": (good[:-200], "not a zip file"),
        "noise": (bytes(range(256)) * 4, "not a zip file"),
        "pickle": (b"\x80\x04cos\nsystem\n(S'true'\ntR.", "not a zip file"),
        "flipped": (flipped, ""),
        "objects": (zipped(members | {largest: pickled(Hostile())}), f"its array {largest} is not there"),
        "objects as metadata": (
            zipped(members | {"metadata.npy": pickled(Hostile())}),
            "its array metadata.npy is not",
        ),
        "a pickle as a member": (zipped(members | {largest: b"\x80\x04N."}), "magic string"),
        "larger than it is": (zipped(members | {largest: header(1 << 40)}), f"its array {largest} is not there"),
        "far too large": (bomb(), "unpacks to too much"),
        "larger than it says": (bomb(said=1000), ""),
        "strangely packed": (zipped(members, zipfile.ZIP_BZIP2), "packed in a way"),
        "no metadata": (zipped(without), "it holds no metadata: no policy, or one saved by another version"),
        "a member short": (zipped({name: data for name, data in members.items() if name != largest}), ""),
        "metadata that is no text": (archive_bytes(7, {}), ""),
    }


def with_facts(good: bytes, **changes: Any) -> bytes:
    """An archive whose facts, or the first of them, are changed."""
    facts, arrays = read_archive(good)
    changed = [{**facts[0], **changes}, *facts[1:]] if isinstance(facts, list) else {**facts, **changes}
    return archive_bytes(changed, arrays)


def hostile_facts(good: bytes, form: str) -> dict[str, tuple[bytes, str]]:
    """Archives that say of themselves what is not so, and what the refusal says."""
    family = form.partition("/")[0]
    return {
        "another version": (with_facts(good, format=f"{family}/2"), f"saved as {family}/2 by another version"),
        "another format": (with_facts(good, format="pontoon-music/1"), f"it does not say {form}"),
        "no format": (with_facts(good, format=None), f"it does not say {form}"),
        "another digest": (with_facts(good, rules_digest="0" * 12), "its rules are not those that it was saved with"),
        "another role": (with_facts(good, role="dealer"), "no such role"),
        "no rules": (with_facts(good, rules={"packs": 99}), "packs"),
        "no table": (with_facts(good, table={"seats": 1}), "bad seats"),
        "notes that are none": (with_facts(good, notes=3), ""),
    }
