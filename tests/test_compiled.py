"""The compiler, its cache, and that tests bite with the compiler on, off, and with bounds checking.

A planted fault is tried in the mode in which the tests run: `make check` runs all three.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pontoon_gym import compiled
from pontoon_gym.compiled import kernel
from pontoon_gym.engine.rng import below, next64, seed_words, unit
from tests.scale import scaled

ROOT = Path(__file__).parents[1]
BOUNDS = os.environ.get("NUMBA_BOUNDSCHECK", "0") not in ("", "0")
PLAIN = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
ASKED = """
import numpy as np
from pontoon_gym.engine import act, legal
from pontoon_gym.engine.state import ROUND, pack
from pontoon_gym.rules import Rules, Table

game, rows = pack(Rules.of("casino8"), Table()), np.zeros(1, ROUND)
r, s = game[0], rows[0]
s["banker"], s["sudden"], s["pool"], s["hands_of"][:] = 1, -1, 100, 1
for seat in (0, 1):
    act.clear_hand(s["hands"][0, seat])
for card in (0, 20):
    act.take(r, s["hands"][0, 1], card)
print(int(legal.banker_may(r, s)))
"""
"""A banker with an ace and a six, soft 17, who must draw (7.2): the action allowed, as bits. The kernels asked are in
other files than that which values a hand."""
TWIST_ONLY, STICK_ONLY = "2", "1"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A checkout of its own, to plant faults in."""
    shutil.copytree(ROOT / "pontoon_gym", tmp_path / "pontoon_gym", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def plant(copy: Path, file: str, right: str, wrong: str) -> None:
    path = copy / "pontoon_gym" / file
    assert path.read_text().count(right) == 1
    path.write_text(path.read_text().replace(right, wrong))


def run(copy: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(copy), "PONTOON_GYM_CACHE": str(copy / "cache")}
    command = [sys.executable, *words]
    return subprocess.run(command, cwd=copy, env=env, capture_output=True, text=True, timeout=500)


def test_a_planted_fault_is_seen_although_the_right_rule_was_cached(copy: Path) -> None:
    """The fault is in another file than the kernels that call it, which numba's own cache would not notice."""
    right = run(copy, "-c", ASKED)
    assert right.stdout.strip() == TWIST_ONLY, right.stderr
    # Every ace counts 11 and no hand is soft: the same cards are a hard 17.
    plant(copy, "engine/hand.py", "return aces > 0 and hard <= 11", "return False")
    assert run(copy, "-c", ASKED).stdout.strip() == STICK_ONLY


@pytest.mark.skipif(not (BOUNDS or PLAIN), reason="compiled code without bounds checking reads on in silence")
def test_a_read_past_an_end_is_seen(copy: Path) -> None:
    right = 'hand["cards"][hand["count"]] = card'
    plant(copy, "engine/act.py", right, 'hand["cards"][hand["count"] + 22] = card')
    found = run(copy, "-c", ASKED)
    assert found.returncode == 1 and "IndexError" in found.stderr


def test_a_key_changes_with_what_a_kernel_can_call_and_with_nothing_else(copy: Path) -> None:
    """`round` calls `settle` through other modules; `deal` does not, and neither calls a solver."""
    ask = (
        "from pathlib import Path\n"
        "from pontoon_gym import compiled\n"
        "engine = Path(compiled.__file__).parent / 'engine'\n"
        "print(*(compiled.cache_key(engine / name) for name in ('round.py', 'deal.py')))"
    )
    rounds, deal = run(copy, "-c", ask).stdout.split()
    assert [rounds, deal] == run(copy, "-c", ask).stdout.split()
    plant(copy, "engine/settle.py", "STAKE = 2\n", "STAKE = 4\n")
    changed, same = run(copy, "-c", ask).stdout.split()
    assert changed != rounds and same == deal
    plant(copy, "solver/perft.py", "_ENDLESSLY = 1 << 40\n", "_ENDLESSLY = 1 << 41\n")
    assert run(copy, "-c", ask).stdout.split() == [changed, same]


def test_every_spelling_of_an_import_is_followed(tmp_path: Path) -> None:
    """Modules taken from a package by name, several lines, and imports inside functions count."""
    engine = Path(compiled.__file__).parent / "engine"
    source = tmp_path / "kernels.py"
    for text in (
        "from pontoon_gym.engine import deal, settle\n",
        "from pontoon_gym.engine.settle import (\n    STAKE,\n    rate,\n)\n",
        "import pontoon_gym.engine.settle\n",
        "def f():\n    from pontoon_gym.engine.settle import rate\n",
    ):
        source.write_text(text, encoding="utf-8")
        compiled._imported.cache_clear()
        assert engine / "settle.py" in compiled._imported(source)[1]


def test_where_nothing_can_be_cached_it_still_plays(copy: Path) -> None:
    play = (
        "import tempfile; tempfile.gettempdir = lambda: '/proc/none'\n"
        "from pontoon_gym import compiled\n"
        "from pontoon_gym.engine.hand import best_total\n"
        "print(compiled._FOLDER, best_total(12, 1), best_total(11, 1))"
    )
    env = {**os.environ, "PYTHONPATH": str(copy), "PONTOON_GYM_CACHE": "/proc/none"}
    done = subprocess.run([sys.executable, "-c", play], cwd=copy, env=env, capture_output=True, text=True, timeout=500)
    assert done.stdout.split() == ["None", "12", "21"], done.stderr


def test_the_stream_is_numpys_sfc64() -> None:
    stream = seed_words(123)
    reference = np.random.SFC64(np.random.SeedSequence(123))
    assert [int(next64(stream)) for _ in range(100)] == reference.random_raw(100).tolist()


def test_numbers_below_a_bound_are_even() -> None:
    """A chi-squared test of 52 numbers; a false alarm once in 10,000 seeds (99.99 % point for 51 degrees: 96.0)."""
    stream, n = seed_words(5), scaled(1_000_000)

    @kernel
    def count(stream: np.ndarray, n: int, out: np.ndarray) -> None:
        for _ in range(n):
            out[below(stream, 52)] += 1

    found = np.zeros(52, np.int64)
    count(stream, n, found)
    assert ((found - n / 52) ** 2 / (n / 52)).sum() < 96.0
    assert all(0 <= unit(stream) < 1 for _ in range(100)) and below(stream, 1) == 0


def test_the_bias_of_a_bound_near_two_to_the_32_is_rejected() -> None:
    """Of bound 3 * 2**30 plain multiplication would give every third number twice; a false alarm in 15,000 seeds."""
    stream, n, bound = seed_words(6), max(2000, scaled(40_000)), 3 << 30
    thirds = sum(below(stream, bound) % 3 == 0 for _ in range(n))
    assert abs(thirds - n / 3) < 4 * np.sqrt(n * 2 / 9)
