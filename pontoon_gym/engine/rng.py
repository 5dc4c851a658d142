"""Where chance comes from: the SFC64 generator on four words of a round's own record.

The same stream as `numpy.random.SFC64` (Chris Doty-Humphrey's generator, PractRand), on every platform.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.compiled import int64, kernel, leaf

_ONE, _3, _11, _24, _32, _40 = (np.uint64(n) for n in (1, 3, 11, 24, 32, 40))
_LOW = np.uint64(0xFFFFFFFF)
_TWO_32 = np.uint64(1 << 32)


def seed_words(seed: int | tuple[int, ...]) -> NDArray[np.uint64]:
    """The four words of a stream seeded through `numpy.random.SeedSequence`; uint64 of shape (4,)."""
    state: NDArray[np.uint64] = np.random.SFC64(np.random.SeedSequence(seed)).state["state"]["state"]
    return state


@leaf
def next64(stream: NDArray[np.uint64]) -> np.uint64:
    """The next 64 random bits; moves the stream."""
    out = stream[0] + stream[1] + stream[3]
    stream[3] = stream[3] + _ONE
    stream[0] = stream[1] ^ (stream[1] >> _11)
    stream[1] = stream[2] + (stream[2] << _3)
    stream[2] = ((stream[2] << _24) | (stream[2] >> _40)) + out
    return out


@leaf
def below(stream: NDArray[np.uint64], n: int) -> int:
    """A number from 0 to n − 1, each equally likely (D. Lemire, Fast random integer generation, 2019); n < 2**32."""
    bound = np.uint64(n)
    product = (next64(stream) >> _32) * bound
    if (product & _LOW) < bound:
        least = (_TWO_32 - bound) % bound
        while (product & _LOW) < least:
            product = (next64(stream) >> _32) * bound
    return int64(product >> _32)


@leaf
def unit(stream: NDArray[np.uint64]) -> float:
    """A number in [0, 1), a multiple of 2**-53."""
    return np.float64(next64(stream) >> _11) * (1.0 / 9007199254740992.0)


@kernel
def branch(source: NDArray[np.uint64], stream: NDArray[np.uint64]) -> None:
    """Start `stream` anew from the next three words of `source` (filled in place)."""
    for word in range(3):
        stream[word] = next64(source)
    stream[3] = _ONE
