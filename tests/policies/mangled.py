"""Files that were damaged or edited at random, and what a reader sees in them."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.policies.hostile import Hostile, pickled, unzipped, zipped

Rng = np.random.Generator
Change = Callable[[bytes, Rng], bytes]

ODD: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    7,
    1 << 70,
    0.5,
    1e308,
    -1e-9,
    "",
    "x",
    "S",
    "B9",
    [],
    [1],
    {},
    {"a": 1},
)
"""Values that may come in place of others."""
WORDS = (
    b"NaN",
    b"Infinity",
    b"1e999",
    b"-1",
    b"9" * 30,
    b"null",
    b"true",
    b'"x"',
    b"",
    b"T",
    b"P",
    b"B7",
    b"hard 99",
    b"\xff",
)


# --- any bytes ---------------------------------------------------------------------------------------------------


def flipped(data: bytes, rng: Rng) -> bytes:
    """One bit turned round."""
    at = int(rng.integers(len(data)))
    return data[:at] + bytes([data[at] ^ 1 << int(rng.integers(8))]) + data[at + 1 :]


def cut(data: bytes, rng: Rng) -> bytes:
    """The end left off, far or near."""
    return data[: int(len(data) * rng.random() ** rng.choice([0.01, 1.0]))]


def holed(data: bytes, rng: Rng) -> bytes:
    """Some bytes left out."""
    at = int(rng.integers(len(data)))
    return data[:at] + data[at + int(rng.integers(1, 40)) :]


def doubled(data: bytes, rng: Rng) -> bytes:
    """Some bytes said twice."""
    at = int(rng.integers(len(data)))
    end = at + int(rng.integers(1, 200))
    return data[:end] + data[at:end] + data[end:]


def filled(data: bytes, rng: Rng) -> bytes:
    """Noise put in."""
    at = int(rng.integers(len(data) + 1))
    return data[:at] + rng.bytes(int(rng.integers(1, 9))) + data[at:]


BYTES: tuple[Change, ...] = (flipped, cut, holed, doubled, filled)


# --- texts -------------------------------------------------------------------------------------------------------


def line_lost(data: bytes, rng: Rng) -> bytes:
    """A line left out."""
    lines = data.split(b"\n")
    lines.pop(int(rng.integers(len(lines))))
    return b"\n".join(lines)


def lines_swapped(data: bytes, rng: Rng) -> bytes:
    """Two lines in each other's place."""
    lines = data.split(b"\n")
    i, k = rng.integers(len(lines), size=2)
    lines[i], lines[k] = lines[k], lines[i]
    return b"\n".join(lines)


def _tokens(data: bytes) -> list[re.Match[bytes]]:
    return list(re.finditer(rb"[A-Za-z0-9.+-]+", data))


def word_changed(data: bytes, rng: Rng) -> bytes:
    """A word or number replaced by an odd one, or by another of the file."""
    words = _tokens(data)
    one, other = words[int(rng.integers(len(words)))], words[int(rng.integers(len(words)))]
    new = other[0] if rng.random() < 0.5 else WORDS[int(rng.integers(len(WORDS)))]
    return data[: one.start()] + new + data[one.end() :]


def mark_changed(data: bytes, rng: Rng) -> bytes:
    """What parts two words replaced by another such mark."""
    marks = list(re.finditer(rb"[^A-Za-z0-9]+", data))
    one, other = marks[int(rng.integers(len(marks)))], marks[int(rng.integers(len(marks)))]
    return data[: one.start()] + other[0] + data[one.end() :]


def words_swapped(data: bytes, rng: Rng) -> bytes:
    """Two words near each other in each other's place, such as a cell and its neighbour."""
    words = _tokens(data)
    i = int(rng.integers(len(words) - 3))
    one, other = words[i], words[i + int(rng.integers(1, 4))]
    return b"".join((data[: one.start()], other[0], data[one.end() : other.start()], one[0], data[other.end() :]))


TEXTS: tuple[Change, ...] = (line_lost, lines_swapped, word_changed, mark_changed, words_swapped)


# --- facts -------------------------------------------------------------------------------------------------------


def _inside(value: Any) -> list[tuple[Any, Any]]:
    """Every place within nested lists and mappings: what holds it, and under which name or number."""
    names = list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    return [place for name in names for place in ((value, name), *_inside(value[name]))]


def other_facts(text: bytes, rng: Rng) -> bytes:
    """JSON of which a value is another one, is lost, is renamed or is there twice."""
    facts = json.loads(text)
    places = _inside(facts)
    holder, name = places[int(rng.integers(len(places)))]
    what = rng.choice(["odd", "other", "lost", "renamed", "twice"])
    if what == "odd":
        holder[name] = ODD[int(rng.integers(len(ODD)))]
    elif what == "other":
        where, which = places[int(rng.integers(len(places)))]
        holder[name] = json.loads(json.dumps(where[which]))
    elif what == "lost":
        del holder[name]
    elif isinstance(holder, dict):
        holder[f"{name}s" if what == "renamed" else "otherwise"] = (
            holder.pop(name) if what == "renamed" else holder[name]
        )
    else:
        holder.insert(int(rng.integers(len(holder) + 1)), holder[name])
    return json.dumps(facts, sort_keys=bool(rng.integers(2)), indent=int(rng.integers(3)) or None).encode()


def _facts_at(data: bytes) -> int:
    return data.rindex(b'{""format""' if b'{""format""' in data else b'{"format"')


def shown_changed(data: bytes, rng: Rng) -> bytes:
    """A page of which only what it shows is changed."""
    start = _facts_at(data)
    return TEXTS[int(rng.integers(len(TEXTS)))](data[:start], rng) + data[start:]


def facts_within(data: bytes, rng: Rng) -> bytes:
    """A page whose facts are others."""
    start, end = _facts_at(data), data.rindex(b"}") + 1
    text, in_csv = data[start:end], b'{""format""' in data
    other = other_facts(text.replace(b'""', b'"') if in_csv else text, rng)
    return data[:start] + (other.replace(b'"', b'""') if in_csv else other) + data[end:]


# --- archives ----------------------------------------------------------------------------------------------------

DTYPES = ("f4", "f8", ">f8", "f2", "i4", ">i8", "u8", "i1", "?", "c16", "U8", "S4", "M8[s]", "O", "f4,f4")


def npy(array: Any) -> bytes:
    """The npy bytes of an array, also of one that holds Python objects."""
    out = io.BytesIO()
    np.lib.format.write_array(out, np.asanyarray(array), allow_pickle=True)
    return out.getvalue()


def other_shape(array: Any, rng: Rng) -> Any:
    """An array of another shape, type or order."""
    what = int(rng.integers(6))
    if what == 0:
        return array.T
    if what == 1:
        return array.reshape(-1)
    if what == 2:
        return array[: int(rng.integers(len(array) + 1))]
    if what == 3:
        return np.concatenate([array, array[:1]])
    return array.astype(DTYPES[int(rng.integers(len(DTYPES)))]) if what == 4 else np.asfortranarray(array[None])


def other_number(array: Any, rng: Rng) -> Any:
    """An array with one odd number."""
    changed = array.copy()
    odd = (np.nan, np.inf, -np.inf, -1.0, 1e300, 0.0) if array.dtype.kind == "f" else (-1, 0, 1 << 62, 3)
    with np.errstate(over="ignore"):
        changed.flat[int(rng.integers(array.size))] = odd[int(rng.integers(len(odd)))]
    return changed


def array_changed(data: bytes, rng: Rng) -> bytes:
    """An archive of which an array is another one, is lost, is named otherwise or is there under a new name."""
    members = unzipped(data)
    names = sorted(name for name in members if name != "metadata.npy")
    one, other = names[int(rng.integers(len(names)))], names[int(rng.integers(len(names)))]
    array, what = np.load(io.BytesIO(members[one])), int(rng.integers(8))
    if what < 3:
        members[one] = npy(other_shape(array, rng))
    elif what < 5:
        members[one] = npy(other_number(array, rng))
    elif what == 5:
        members[one], members[other] = members[other], members[one]
    elif what == 6:
        members["more.npy" if rng.integers(2) else one.removesuffix(".npy")] = members.pop(one)
    else:
        members[one] = pickled(Hostile()) if rng.integers(2) else members[one][: int(rng.integers(200))]
    return zipped(members)


def metadata_changed(data: bytes, rng: Rng) -> bytes:
    """An archive of which the facts are others."""
    members = unzipped(data)
    facts = other_facts(np.load(io.BytesIO(members["metadata.npy"])).tobytes(), rng)
    return zipped(members | {"metadata.npy": npy(np.frombuffer(facts, np.uint8))})


CHANGES: dict[str, tuple[Change, ...]] = {
    ".npz": (*BYTES, array_changed, metadata_changed, array_changed, metadata_changed),
    ".json": (*BYTES, *TEXTS, other_facts, other_facts, other_facts),
    **{form: (*BYTES, *TEXTS, *[shown_changed] * 8, facts_within) for form in (".csv", ".md", ".html")},
    ".png": BYTES,
}
"""What may happen to a file, by its format."""


# --- as a reader sees it -----------------------------------------------------------------------------------------


def seen(form: str, data: bytes) -> set[tuple[str, str, str, str]]:
    """The cells that the tables of a chart's file show: table, row, column, action; blanks left out."""
    text = data.decode("utf-8-sig")
    if form == ".csv":
        lines = text.replace("\r\n", "\n").split("\n")
        mark = next((mark for mark in ";\t" if mark in lines[0]), ",")
        return _cells([row for row in csv.reader(lines, delimiter=mark) if row and not row[0].startswith("#")])
    text = re.sub("(?s)<!--.*?-->", "", text if form == ".md" else as_markdown(text))
    heads = re.split(r"(?m)^#+ *(.*?)[ #]*$", text)
    rows: list[list[str]] = []
    for name, part in zip(heads[1::2], heads[2::2], strict=True):
        lines = [re.sub(r"^\s*\|", "", line) for line in part.split("\n") if "|" in line and "---" not in line]
        rows += [[name, *line.split("|")[1:]] if k == 0 else line.split("|") for k, line in enumerate(lines)]
    return _cells(rows)


def facts_beside(form: str, data: bytes) -> Any:
    """The facts of a chart's file that shows its cells in tables."""
    text = data.decode("utf-8-sig").rpartition({".csv": "#", ".md": "<!--", ".html": "json"}[form])[2]
    text = text[text.index("{") :]
    return json.JSONDecoder().raw_decode(text.replace('""', '"') if form == ".csv" else text)[0]


def as_markdown(page: str) -> str:
    """The headings and tables of a web page."""
    marks = {"h2": "\n## ", "table": "\n", "/table": "\n", "tr": "\n", "/tr": "\n", "td": "|", "th": "|"}
    shown = re.sub(r"(?is)<(script|style|title)\b.*?</\1>", "", page)
    return re.sub(r"(?s)<(/?[^\s>/]*)[^>]*>", lambda tag: marks.get(tag[1].lower(), ""), shown)


def _cells(rows: list[list[str]]) -> set[tuple[str, str, str, str]]:
    found, table, columns = set(), "", list[str]()
    for label, *texts in ([text.strip() for text in row] for row in rows):
        if re.match("hands|pairs|stakes", label):
            table, columns = label, texts
        else:
            found |= {(table, label, column, text) for column, text in zip(columns, texts, strict=False) if text}
    return found
