"""The hash table against a dict: with colliding keys, half full, and one table behind another."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from pontoon_gym.compiled import kernel
from pontoon_gym.hashing import EMPTY, digits_for, lay_out, place_of
from tests.scale import scaled

INVERSE = pow(0x9E3779B97F4A7C15, -1, 1 << 64)
"""Undoes the multiplication by which keys are scattered."""


@kernel
def fill(table: NDArray[np.int64], start: int, digits: int, keys: NDArray[np.int64], places: NDArray[np.int64]) -> None:
    """Put keys one after the other where they belong; says where."""
    for i in range(len(keys)):
        places[i] = place_of(table, start, digits, keys[i])
        table[places[i]] = keys[i]


@kernel
def find(table: NDArray[np.int64], start: int, digits: int, keys: NDArray[np.int64], places: NDArray[np.int64]) -> None:
    """Where keys are, or would be."""
    for i in range(len(keys)):
        places[i] = place_of(table, start, digits, keys[i])


def colliding(count: int, digits: int, home: int) -> NDArray[np.int64]:
    """Keys that are all sought from the same place."""
    found = []
    step = 0
    while len(found) < count:
        product = (home << (64 - digits)) + step * 0x1234567
        key = product * INVERSE % (1 << 64)
        if key < 1 << 63:
            found.append(key)
        step += 1
    return np.array(found, np.int64)


def keys_of(kind: str, digits: int) -> NDArray[np.int64]:
    """Half as many different keys as a table has places."""
    count, rng = (1 << digits) // 2, np.random.default_rng(digits)
    if kind == "one place":
        return colliding(count, digits, 3 % (1 << digits))
    if kind == "the last place":
        return colliding(count, digits, (1 << digits) - 1)
    if kind == "in a row":
        return np.arange(count, dtype=np.int64)
    if kind == "high bits":
        return np.arange(count, dtype=np.int64) << 40
    return np.unique(rng.integers(0, 1 << 63, 2 * count, dtype=np.int64))[:count]


KINDS = ("one place", "the last place", "in a row", "high bits", "at random")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("digits", [1, 4, 7])
def test_against_a_dict(kind: str, digits: int) -> None:
    """A table between others, filled one key after the other to its half."""
    keys, start = keys_of(kind, digits), 5
    table = np.full(start + (1 << digits) + 5, EMPTY, np.int64)
    table[:start] = table[-5:] = 77
    places = np.zeros(len(keys), np.int64)
    fill(table, start, digits, keys, places)
    known = dict(zip(keys.tolist(), places.tolist(), strict=True))
    assert len(set(known.values())) == len(known) == len(keys)
    assert all(start <= place < start + (1 << digits) for place in known.values())
    others = np.setdiff1d(np.r_[np.arange(scaled(200)), keys + 1, keys ^ (1 << 50)], keys)
    asked = np.r_[keys, others[others >= 0]]
    found = np.zeros(len(asked), np.int64)
    find(table, start, digits, asked, found)
    for key, place in zip(asked.tolist(), found.tolist(), strict=True):
        assert place == known.get(key, place) and table[place] == (key if key in known else EMPTY)
    assert (table[:start] == 77).all() and (table[-5:] == 77).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("digits", [1, 4, 7])
def test_laid_out_at_once_keys_are_found(kind: str, digits: int) -> None:
    """Also in any order."""
    keys = keys_of(kind, digits)
    for some in (keys, keys[::-1], keys[: len(keys) // 2], keys[:0]):
        table, places, found = (
            np.full(1 << digits, EMPTY, np.int64),
            lay_out(some, digits),
            np.zeros(len(some), np.int64),
        )
        table[places] = some
        find(table, 0, digits, some, found)
        assert (found == places).all() and len(set(places.tolist())) == len(some)


@pytest.mark.parametrize("keys", [0, 1, 2, 3, 4, 7, 8, 9, 1000])
def test_a_table_is_at_most_half_full_and_no_larger_than_need_be(keys: int) -> None:
    places = 1 << digits_for(keys)
    assert 2 * keys <= places and (places <= 4 * keys or places == 2)
