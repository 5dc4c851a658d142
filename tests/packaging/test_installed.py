"""What is built, installed in fresh environments away from the checkout, for each Python that the metadata names.

A Python that this machine does not have is skipped; the running one never is.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.packaging.archives import ROOT, Archives, build, copy_checkout

pytestmark = pytest.mark.package

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = sorted(PROJECT["optional-dependencies"])
RUNNING = f"{sys.version_info.major}.{sys.version_info.minor}"
NAMED = {line.split(" :: ")[-1] for line in PROJECT["classifiers"] if line.startswith("Programming Language :: Python")}
VERSIONS = [
    pytest.param(version, id="running" if version == RUNNING else version)
    for version in sorted({version for version in NAMED if "." in version} | {RUNNING})
]
PROGRAMS = [ROOT / "tests" / "packaging" / name for name in ("user.py", "judge.py")]
"""What users write, see there."""
CONSTRAINTS = str(ROOT / "constraints.txt")


class House(NamedTuple):
    """A fresh virtual environment and a folder to work in."""

    folder: Path
    python: str


def run(cwd: Path, *command: str, **settings: str) -> str:
    """What a command prints; it finds nothing of the checkout. Kernels of the same text may have been compiled."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "MYPY", "NUMBA"))}
    env = {**inherited, **settings}
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def version_of(python: str) -> str:
    """The version that an interpreter prints, if it can make environments; "" if it cannot or does not run."""
    code = "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"
    try:
        return subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=60).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return ""


def interpreter(version: str) -> str:
    """An interpreter of a version. What is on PATH may be a shim that leads nowhere, so each is tried."""
    if version == RUNNING:
        return sys.executable
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    candidates = [f"python{version}", *map(str, sorted(pyenv.glob(f"versions/{version}*/bin/python")))]
    found = [python for python in candidates if version_of(python) == version]
    if not found:
        pytest.skip(f"Python {version} is not on this machine")
    return found[0]


def install(version: str, folder: Path, archive: Path) -> House:
    """An environment with the package, its dependencies as the constraints have them."""
    house = House(folder, str(folder / "venv" / "bin" / "python"))
    copy_programs(folder)
    run(folder, interpreter(version), "-m", "venv", "venv")
    # An old pip downloads whole packages to resolve what a new one resolves from metadata.
    run(folder, house.python, "-m", "pip", "install", "--quiet", "--upgrade", "pip")
    run(folder, house.python, "-m", "pip", "install", "--quiet", "-c", CONSTRAINTS, str(archive))
    return house


def copy_programs(folder: Path) -> None:
    """What users write lies away from the checkout."""
    for program in PROGRAMS:
        shutil.copy(program, folder)


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Archives:
    return build(copy_checkout(tmp_path_factory.mktemp("built") / "checkout"))


@pytest.fixture(scope="module")
def rounds(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The records of the rounds as the checkout plays them."""
    folder = tmp_path_factory.mktemp("checkout")
    copy_programs(folder)
    file, *records = run(folder, sys.executable, "user.py", PYTHONPATH=str(ROOT), NUMBA_DISABLE_JIT="1").splitlines()
    assert file == str(ROOT / "pontoon_gym" / "__init__.py")
    assert len(records) == 5 + 3 * 3 and len(set(records)) > 8
    return records


@pytest.fixture(scope="module", params=VERSIONS)
def house(request: pytest.FixtureRequest, archives: Archives, tmp_path_factory: pytest.TempPathFactory) -> House:
    """An environment of each Python with the wheel."""
    return install(request.param, tmp_path_factory.mktemp("wheel"), archives.wheel)


def check_play(house: House, rounds: list[str], printed: str) -> None:
    """What was imported is what was installed, and played as the checkout does."""
    file, *records = printed.splitlines()
    package = Path(file).parent
    assert package.is_relative_to(house.folder / "venv") and package.parent.name == "site-packages"
    assert (package / "py.typed").is_file()
    assert records == rounds


MATCH = ("match", "--player", "pretrained", "thumb", "--banker", "pretrained", "--rounds", "1024", "--json")
SOLVE = ("solve", "--player", "pretrained", "--rules", "casino8", "--json")
CHART = ("chart", "--player", "pretrained", "--out", "best.html")


class Printed(NamedTuple):
    """What each thing that a user does printed; with the compiler, in an environment of the wheel alone."""

    played: str
    match: str
    types: str
    judged: str
    solve: str
    chart: str


@pytest.fixture(scope="module")
def printed(house: House) -> Printed:
    """Two things at a time; each finds compiled what the ones before it needed too."""
    python, pontoon_gym = house.python, str(Path(house.python).with_name("pontoon-gym"))
    # The checker is the running one's: it reads the packages of the environment, not its own.
    types = (sys.executable, "-m", "mypy", "--strict", "--python-executable", python, "user.py", "judge.py")
    play = ((python, "-W", "error", "user.py"), (pontoon_gym, *MATCH), types)
    judge = ((python, "-W", "error", "judge.py"), (pontoon_gym, *SOLVE), (pontoon_gym, *CHART))
    with ThreadPoolExecutor() as pool:
        done = pool.map(lambda words: [run(house.folder, *command) for command in words], (play, judge))
        return Printed(*(text for texts in done for text in texts))


def test_the_wheel_plays_as_the_checkout_without_the_compiler(house: House, rounds: list[str]) -> None:
    check_play(house, rounds, run(house.folder, house.python, "-W", "error", "user.py", NUMBA_DISABLE_JIT="1"))


def test_the_wheel_plays_as_the_checkout(house: House, rounds: list[str], printed: Printed) -> None:
    check_play(house, rounds, printed.played)


def test_what_is_shipped_has_its_card_s_exact_value(printed: Printed) -> None:
    told, found = map(float, printed.judged.split())
    assert abs(told - found) < 1e-5


def test_a_match_of_what_is_shipped(printed: Printed) -> None:
    pairs = [(one["player"], one["banker"]) for one in json.loads(printed.match)["contestants"]]
    assert pairs == [("home-player", "home-banker"), ("thumb", "home-banker")]


def test_the_exact_regret_of_what_is_shipped(printed: Printed) -> None:
    told = json.loads(printed.solve)
    assert told["player"] == "pretrained" and told["role"] == "player" and 0 < told["regret"] < 0.01


def test_a_chart_of_what_is_shipped(house: House, printed: Printed) -> None:
    assert "saved as best.html" in printed.chart
    assert "<table>" in (house.folder / "best.html").read_text(encoding="utf-8")


def test_the_command_has_two_names(house: House) -> None:
    words = run(house.folder, str(Path(house.python).with_name("pontoon-gym")), "--help")
    assert words.startswith("usage: pontoon-gym ")
    assert words == run(house.folder, house.python, "-m", "pontoon_gym", "--help")


def test_nothing_of_the_extras_is_installed(house: House) -> None:
    """What is played and judged here needs none of it."""
    found = {one["name"] for one in json.loads(run(house.folder, house.python, "-m", "pip", "list", "--format=json"))}
    assert {"numpy", "numba", "gymnasium", "pontoon-gym"} <= found
    assert not found & {"torch", "safetensors", "tqdm", "stable-baselines3", "pillow", "matplotlib"}


def test_the_wheel_is_typed(printed: Printed) -> None:
    assert "no issues found in 2 source files" in printed.types


@pytest.mark.parametrize("extra", EXTRAS)
def test_an_extra_resolves(house: House, archives: Archives, extra: str) -> None:
    wanted = f"{archives.wheel}[{extra}]"
    done = run(house.folder, house.python, "-m", "pip", "install", "--dry-run", "-c", CONSTRAINTS, wanted)
    assert "Would install" in done


@pytest.mark.parametrize("version", VERSIONS)
def test_the_source_archive_plays_as_the_checkout(
    version: str, archives: Archives, rounds: list[str], tmp_path: Path
) -> None:
    """Not compiled: the compiler would get the wheel's files once more."""
    house = install(version, tmp_path, archives.source)
    check_play(house, rounds, run(house.folder, house.python, "-W", "error", "user.py", NUMBA_DISABLE_JIT="1"))
