"""Files: written whole or not at all, told apart by digests, and archives that cannot do harm."""

from __future__ import annotations

import os
import stat
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from pontoon_gym import files
from pontoon_gym.errors import BadArgument
from pontoon_gym.files import (
    digest,
    digest_of_arrays,
    facts_of,
    is_file,
    is_folder,
    pack_arrays,
    text_of,
    unpack_arrays,
    writable_folder,
    write_bytes,
)
from tests.policies.hostile import bomb, unzipped, zipped

ARRAYS = {
    "whole": np.arange(7),
    "real": np.linspace(0, 1, 6).reshape(2, 3),
    "none": np.zeros((0, 4), np.float32),
    "flags": np.array(True),
    "rows": np.zeros(2, np.dtype([("a", np.int64), ("b", np.uint8)], align=True)),
}


# --- written whole or not at all ---------------------------------------------------------------------------------


def test_a_file_and_its_folders_are_made(tmp_path: Path) -> None:
    target = tmp_path / "a" / "b" / "it"
    write_bytes(target, b"one")
    write_bytes(target, b"two")
    assert target.read_bytes() == b"two"
    assert [path.name for path in target.parent.iterdir()] == ["it"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_what_was_there_stays_when_writing_fails(step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*given: object) -> None:
        raise OSError(28, "No space left on device")

    target = tmp_path / "it"
    write_bytes(target, b"one")
    monkeypatch.setattr(*((os, "fsync") if step == "fsync" else (Path, "replace")), fails)
    with pytest.raises(BadArgument, match="cannot write: No space left on device"):
        write_bytes(target, b"two")
    assert target.read_bytes() == b"one"
    assert [path.name for path in tmp_path.iterdir()] == ["it"]


def test_nobody_sees_half_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is on the disk as a whole before it has its name."""
    target, real, seen = tmp_path / "it", os.fsync, []

    def fsync(number: int) -> None:
        seen.append((target.exists(), [path.read_bytes() for path in tmp_path.iterdir()]))
        real(number)

    monkeypatch.setattr(files.os, "fsync", fsync)
    write_bytes(target, b"all of it")
    assert seen == [(False, [b"all of it"])] and target.read_bytes() == b"all of it"


@pytest.mark.parametrize("name", ["file/it", "a\0b", "x" * 300, "folder"])
def test_where_nothing_can_be_written(name: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    with pytest.raises(BadArgument, match="cannot write") as caught:
        write_bytes(tmp_path / name, b"")
    assert "\n" not in str(caught.value)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


def test_a_folder_to_write_in(tmp_path: Path) -> None:
    assert writable_folder(str(tmp_path / "a" / "b"), "it") == tmp_path / "a" / "b"
    assert not list((tmp_path / "a" / "b").iterdir())
    (tmp_path / "file").write_text("")
    with pytest.raises(BadArgument, match="cannot write to the folder"):
        writable_folder(str(tmp_path / "file"))
    (tmp_path / "a" / "it").mkdir()
    with pytest.raises(BadArgument, match="its it is a folder"):
        writable_folder(str(tmp_path / "a"), "it")


def test_a_folder_that_may_not_be_written(tmp_path: Path) -> None:
    if hasattr(os, "getuid") and os.getuid() == 0:
        pytest.skip("the superuser may write everywhere")
    tmp_path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    with pytest.raises(BadArgument, match="cannot write to the folder"):
        writable_folder(str(tmp_path))


def test_what_lies_at_a_path(tmp_path: Path) -> None:
    (tmp_path / "it").write_text("")
    assert is_file(tmp_path / "it") and not is_folder(tmp_path / "it")
    assert is_folder(str(tmp_path)) and not is_file(tmp_path)
    for path in ("", "a\0b", "x" * 5000, tmp_path / "none"):
        assert not is_file(path) and not is_folder(path)


# --- digests and archives ----------------------------------------------------------------------------------------


def test_a_digest_is_that_of_sha_256() -> None:
    assert digest(b"abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


@pytest.mark.parametrize("compressed", [True, False])
def test_arrays_come_back(compressed: bool, tmp_path: Path) -> None:
    data = pack_arrays(ARRAYS, compressed=compressed)
    assert data == pack_arrays(ARRAYS, compressed=compressed), "the same arrays, other bytes"
    (tmp_path / "it.npz").write_bytes(data)
    for source in (data, tmp_path / "it.npz"):
        back = unpack_arrays(source, 10_000)
        assert list(back) == list(ARRAYS)
        for name, array in ARRAYS.items():
            assert back[name].dtype == array.dtype and (back[name] == array).all() and back[name].shape == array.shape


def test_the_digest_of_arrays_tells_them_apart() -> None:
    """Every byte, name, type and shape counts, and the order in which they come does not."""
    known = {"a": np.zeros((2, 3)), "b": np.zeros((0, 3), np.int64), "c": np.ones((), np.bool_)}
    others: list[dict[str, NDArray[Any]]] = [
        known | {"a": np.full((2, 3), -0.0)},
        known | {"a": np.zeros((3, 2))},
        known | {"b": np.zeros((0, 4), np.int64)},
        known | {"c": np.ones((), np.int8)},
        {"a": known["b"], "b": known["a"], "c": known["c"]},
        {"a": known["a"], "b": known["b"]},
    ]
    assert digest_of_arrays(dict(reversed(known.items()))) == digest_of_arrays(known)
    assert len({digest_of_arrays(one) for one in [known, *others]}) == 7


def test_an_archive_may_unpack_to_so_much_and_no_more() -> None:
    data = pack_arrays({"it": np.zeros(1000)})
    size = 8 * 1000 + 128  # an npy file's header is a multiple of 64 bytes
    assert len(data) < 1000 and unpack_arrays(data, size)["it"].shape == (1000,)
    with pytest.raises(ValueError, match="unpacks to too much"):
        unpack_arrays(data, size - 1)


@pytest.mark.parametrize("said", [None, 0, 1000])
def test_a_bomb_takes_no_memory(said: int | None) -> None:
    """Whatever it says of its size."""
    data = bomb(said)
    tracemalloc.start()
    try:
        with pytest.raises(Exception, match=r"too much|Bad CRC|magic string"):
            unpack_arrays(data, 1 << 26)
        assert tracemalloc.get_traced_memory()[1] < 4 * len(data) + 100_000
    finally:
        tracemalloc.stop()


def test_an_archive_says_each_thing_once() -> None:
    data = unzipped(pack_arrays({"it": np.arange(7)}))["it.npy"]
    for members in ({"it": data, "it.npy": data}, {"it.npy": data, "it": data}):
        with pytest.raises(ValueError, match="its array it is there twice"):
            unpack_arrays(zipped(members), 1000)
    for other in (data + b"\0" * 8, data[:-8]):
        with pytest.raises(ValueError, match=r"its array it.npy is not there"):
            unpack_arrays(zipped({"it.npy": other}), 1000)


# --- texts and facts ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
def test_a_text_in_any_encoding(encoding: str) -> None:
    assert text_of('{"a": "♠"}'.encode(encoding)) == '{"a": "♠"}'
    with pytest.raises(ValueError, match="can't decode"):
        text_of(b"ab\xff")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{"a": 1, "b": {"c": 1, "c": 1}}', "it says twice: 'c'"),
        ("[NaN]", "a number that is not finite: NaN"),
        ("[-Infinity]", "a number that is not finite: -Infinity"),
        ("[1e999]", "a number that is not finite: 1e999"),
        ("", "Expecting value"),
    ],
)
def test_what_facts_may_not_say(text: str, line: str) -> None:
    with pytest.raises(ValueError, match=line):
        facts_of(text)
    assert facts_of('{"a": [1, 2.5, null, "x"]}') == {"a": [1, 2.5, None, "x"]}


def test_a_member_that_is_no_array() -> None:
    with pytest.raises(ValueError, match="magic string"):
        unpack_arrays(zipped({"it.npy": b"hello there"}), 1000)
