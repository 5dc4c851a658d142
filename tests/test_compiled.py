"""The compiler, its cache, and that tests bite with the compiler on, off, and with bounds checking.

A planted fault is tried in the mode in which the tests run: `make check` runs all three.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pontoon_gym import compiled
from pontoon_gym.compiled import COMPILED, kernel, key
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
        "from pontoon_gym.compiled import key\n"
        "engine = Path(key.__file__).parents[1] / 'engine'\n"
        "print(*(key.cache_key(engine / name) for name in ('round.py', 'deal.py')))"
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
    engine = Path(compiled.__file__).parents[1] / "engine"
    source = tmp_path / "kernels.py"
    for text in (
        "from pontoon_gym.engine import deal, settle\n",
        "from pontoon_gym.engine.settle import (\n    STAKE,\n    rate,\n)\n",
        "import pontoon_gym.engine.settle\n",
        "def f():\n    from pontoon_gym.engine.settle import rate\n",
    ):
        source.write_text(text, encoding="utf-8")
        key._imported.cache_clear()
        assert engine / "settle.py" in key._imported(source)[1]


def best_total(copy: Path, *, before: str = "", cache: str | None = None, limit: int | None = None) -> str:
    """Ask a kernel twice in a process of its own. Returns what it says on standard error; the answers must be right."""
    code = f"{before}\nfrom pontoon_gym.engine.hand import best_total\nprint(best_total(12, 1), best_total(11, 1))"
    env = {**os.environ, "PYTHONPATH": str(copy), "PONTOON_GYM_CACHE": cache or str(copy / "cache")}
    limited = None if limit is None else lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    command = [sys.executable, "-B", "-c", code]
    done = subprocess.run(command, cwd=copy, env=env, capture_output=True, text=True, timeout=500, preexec_fn=limited)
    assert done.stdout.split() == ["12", "21"], done.stderr
    return done.stderr


def test_where_nothing_can_be_cached_it_still_plays(copy: Path) -> None:
    nowhere = "import tempfile; tempfile.gettempdir = lambda: '/proc/none'"
    said = best_total(copy, before=nowhere, cache="/proc/none")
    assert said.count("every process compiles anew") == COMPILED and said.count("are not kept in") == COMPILED


needs_cache = pytest.mark.skipif(not COMPILED, reason="nothing is compiled")


@needs_cache
@pytest.mark.parametrize("damage", ["empty", "cut", "changed", "folder"])
def test_a_damaged_cache_is_compiled_again_and_mended(copy: Path, damage: str) -> None:
    assert "compiling kernels" in best_total(copy)
    assert best_total(copy) == ""
    kept = sorted(copy.glob("cache/**/*.kernel"))
    assert kept
    for path in kept:
        data = path.read_bytes()
        path.unlink()
        if damage == "folder":
            path.mkdir()
        else:
            middle = len(data) // 2
            changed = data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]
            path.write_bytes({"empty": b"", "cut": data[:middle], "changed": changed}[damage])
    said = best_total(copy).splitlines()
    assert ["neither found nor kept" in line for line in said] == [True, False] and "compiling" in said[1]
    assert (best_total(copy) == "") == (damage != "folder")


@needs_cache
def test_a_full_disk_ends_nothing(copy: Path) -> None:
    """Files may be made but not filled, as on a full disk or beyond a quota."""
    said = best_total(copy, limit=0)
    assert said.count("neither found nor kept") == 1 and "Traceback" not in said
    assert not list(copy.glob("cache/**/*.kernel"))


@needs_cache
def test_processes_that_begin_at_once_compile_once(copy: Path) -> None:
    counted = (
        f"{ASKED}\nimport gc\nfrom numba.core.dispatcher import Dispatcher\n"
        "kernels = [one for one in gc.get_objects() if isinstance(one, Dispatcher)]\n"
        "print(sum(sum(one.stats.cache_misses.values()) for one in kernels if 'pontoon' in one.py_func.__module__))"
    )
    env = {**os.environ, "PYTHONPATH": str(copy), "PONTOON_GYM_CACHE": str(copy / "cache")}
    command = [sys.executable, "-c", counted]
    begun = [subprocess.Popen(command, cwd=copy, env=env, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    said = [process.communicate(timeout=500)[0].split() for process in begun]
    assert [answer for answer, _ in said] == [TWIST_ONLY] * 4
    assert sum(int(misses) for _, misses in said) == len(list(copy.glob("cache/**/*.kernel"))) > 3


@needs_cache
def test_a_folder_for_the_cache_is_where_the_process_began(copy: Path) -> None:
    best_total(copy, before="import os, pontoon_gym.compiled; os.chdir('/')", cache="here")
    assert list((copy / "here").glob("**/*.kernel"))


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
