"""Which way imports go: down only, and each outside library in its own rooms.

`faults` is applied to source text, so that planted violations prove that it can fail. Imports inside functions, under
`TYPE_CHECKING` and by `importlib.import_module("...")` count like any other.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stderr import said

ROOT = Path(__file__).resolve().parents[1]

FLOORS: list[set[str]] = [
    {"train", "evaluate", "compile"},
    {"training"},
    {"agents", "cli"},
    {"play", "explorer"},
    {"evaluation"},
    {"envs", "solver"},
    {"policies"},
    {"records", "render"},
    {"engine"},
    {"rules", "names", "cards", "errors", "compiled", "files", "hashing"},
]
"""Rooms from the front doors down. A room may import from lower floors; on the lowest its neighbours too."""

FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
GROUND = len(FLOORS) - 1

FORBIDDEN = {
    "agents": {"engine", "solver", "evaluation"},
    "training": {"engine", "solver"},
    "train": {"engine", "solver"},
    "evaluate": {"training", "agents"},
    "compile": {"training", "agents"},
}
"""A learner that can read the answer or the hidden card is cheating; the training loop may ask for a judgement. What is
installed knows no learners."""

OUTSIDE: dict[str, set[str]] = {
    "gymnasium": {"pontoon_gym/__init__.py", "pontoon_gym/envs/", "pontoon_gym/evaluation/", "agents/"},
    "numba": {"pontoon_gym/compiled/"},
    "llvmlite": {"pontoon_gym/compiled/"},
    "torch": {"agents/deep.py", "agents/sb3_bridge.py"},
    "stable_baselines3": {"agents/deep.py", "agents/sb3_bridge.py"},
    "sb3_contrib": {"agents/deep.py", "agents/sb3_bridge.py"},
    "pettingzoo": {"pontoon_gym/envs/table.py"},
    "ray": {"pontoon_gym/evaluation/parallel.py", "agents/training/"},
    "tqdm": {"pontoon_gym/cli/progress.py"},
    "matplotlib": {"agents/training/curves.py"},
    "PIL": {"pontoon_gym/render/picture.py", "pontoon_gym/render/sheet.py"},
}
"""Libraries and the only files, or folders, that import them."""

PACKAGE = "pontoon_gym"
EXPORTS = {
    **dict.fromkeys(("FunctionPolicy", "Policy", "Strategy", "key_of"), "policies"),
    **dict.fromkeys(("action_names", "describe"), "engine"),
}
"""What the package's root re-exports from elsewhere than `rules`; its version belongs to no room."""


def imported(source: str) -> Iterator[tuple[str, str]]:
    """Every module imported in a text, with one name taken from it, or "" for the module itself."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (("." * node.level + (node.module or ""), alias.name) for alias in node.names)
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in ("import_module", "__import__") and isinstance(node.args[0].value, str):
                yield node.args[0].value, ""


def room_of(path: str) -> str:
    """The room that a file belongs to: a folder or module of the package, or a top-level name; "" is the root."""
    first, *rest = path.removesuffix(".py").split("/")
    if first != PACKAGE:
        return "training" if (first, rest[:1]) == ("agents", ["training"]) else first
    # The root registers and re-exports; `python -m` begins the command.
    return {"__init__": "", "__main__": "evaluate"}.get(rest[0], rest[0])


def room_imported(module: str, name: str) -> str | None:
    """The room of the project that an import reaches into; None for anything else."""
    first, *rest = module.split(".")
    if first != PACKAGE:
        if first == "agents" and "training" in (*rest[:1], name):
            return "training"
        return first if first in ("agents", "train", "evaluate") else None
    if rest:
        return rest[0]
    if name in ("", "__version__"):
        return None
    return name if name in FLOOR else EXPORTS.get(name, "rules")


def may_import(room: str, other: str) -> bool:
    """Whether a room may import from another."""
    if room in ("", other):
        return True
    if room not in FLOOR or other not in FLOOR or other in FORBIDDEN.get(room, ()):
        return False
    return FLOOR[other] > FLOOR[room] or FLOOR[room] == FLOOR[other] == GROUND


def faults(path: str, source: str) -> list[str]:
    """What a file of the project, by its path from the root, imports that it may not."""
    room, found = room_of(path), []
    if room and room not in FLOOR:
        found.append(f"{path}: no such room {room!r}")
    for module, name in imported(source):
        other = room_imported(module, name)
        if module.startswith("."):
            found.append(f"{path}: {module} must be written in full")
        if other is not None and not may_import(room, other):
            found.append(f"{path}: {room} may not import {other} ({module} {name})")
        allowed = OUTSIDE.get(module.split(".")[0])
        if allowed is not None and not any(path == one or (one[-1] == "/" and path.startswith(one)) for one in allowed):
            found.append(f"{path}: {module} may not be imported here")
    return found


def files() -> list[str]:
    """Every Python file that the directions hold for."""
    found = [*ROOT.glob("pontoon_gym/**/*.py"), *ROOT.glob("agents/**/*.py"), ROOT / "train.py", ROOT / "evaluate.py"]
    return sorted(str(file.relative_to(ROOT)) for file in found)


@pytest.mark.parametrize("path", files())
def test_imports_go_down(path: str) -> None:
    assert faults(path, (ROOT / path).read_text(encoding="utf-8")) == []


def test_every_file_is_looked_at() -> None:
    assert {"pontoon_gym/__init__.py", "pontoon_gym/engine/act.py", "pontoon_gym/envs/single.py"} <= set(files())


PLANTED = [
    ("pontoon_gym/engine/act.py", "from pontoon_gym.policies.policy import Policy"),
    ("pontoon_gym/engine/act.py", "from pontoon_gym import policies"),
    ("pontoon_gym/engine/act.py", "from pontoon_gym import Strategy"),
    ("pontoon_gym/engine/act.py", "from pontoon_gym import key_of"),
    ("agents/tabular.py", "from pontoon_gym import describe"),
    ("pontoon_gym/engine/run/batch.py", "import pontoon_gym.records"),
    ("pontoon_gym/engine/act.py", "import numba"),
    ("pontoon_gym/engine/act.py", "from numba import njit"),
    ("pontoon_gym/engine/view/observe.py", "import gymnasium"),
    ("pontoon_gym/rules.py", "from pontoon_gym.engine.state import ROUND"),
    ("pontoon_gym/files.py", "from pontoon_gym.policies.metadata import Metadata"),
    ("pontoon_gym/envs/single.py", "from pontoon_gym.solver import tree"),
    ("pontoon_gym/envs/single.py", "from pontoon_gym.evaluation.judge import match"),
    ("pontoon_gym/solver/tree/grow.py", "from pontoon_gym.envs.rows import Rows"),
    ("pontoon_gym/solver/judge.py", "import gymnasium.spaces"),
    ("pontoon_gym/solver/judge.py", "from pontoon_gym.evaluation.judge import match"),
    ("pontoon_gym/policies/tabular.py", "def f():\n    from pontoon_gym.solver import value"),
    ("pontoon_gym/policies/network.py", "class C:\n    def f(self):\n        import torch"),
    ("pontoon_gym/policies/resolve.py", "if TYPE_CHECKING:\n    from agents.learner import Learner"),
    ("pontoon_gym/policies/resolve.py", 'import importlib\nimportlib.import_module("pontoon_gym.envs")'),
    ("pontoon_gym/records/row.py", "from pontoon_gym.policies.seating import Seating"),
    ("pontoon_gym/records/row.py", "from pontoon_gym.render.description import describe"),
    ("pontoon_gym/policies/seating.py", "from .baselines import baseline"),
    ("pontoon_gym/policies/baselines.py", "import agents.tabular"),
    ("pontoon_gym/evaluation/judge.py", "import evaluate"),
    ("pontoon_gym/evaluation/judge.py", "from pontoon_gym.cli.flags import game_of"),
    ("pontoon_gym/cli/match.py", "from agents.training.folder import Run"),
    ("pontoon_gym/cli/match.py", "from agents import learner"),
    ("pontoon_gym/cli/match.py", "import gymnasium"),
    ("pontoon_gym/__main__.py", "from agents.learner import Learner"),
    ("pontoon_gym/envs/vector.py", "import pettingzoo"),
    ("pontoon_gym/evaluation/play.py", "import ray"),
    ("pontoon_gym/render/text.py", "from PIL import Image"),
    ("pontoon_gym/render/description.py", "import PIL.ImageDraw"),
    ("pontoon_gym/envs/rows.py", "def f():\n    import PIL"),
    ("pontoon_gym/render/picture.py", "from pontoon_gym.envs.rows import Rows"),
    ("pontoon_gym/engine/act.py", "from pontoon_gym.render.description import describe"),
    ("pontoon_gym/utils.py", "import math"),
    ("agents/tabular.py", "from pontoon_gym.engine.state import ROUND"),
    ("agents/tabular.py", "from pontoon_gym.solver.best import best_response"),
    ("agents/tabular.py", "from pontoon_gym import solver"),
    ("agents/learner.py", "from pontoon_gym.evaluation.judge import exact_judge"),
    ("agents/learner.py", "from agents.training import folder"),
    ("agents/learner.py", "import agents.training.folder"),
    ("agents/tabular.py", "import torch"),
    ("agents/base.py", "from stable_baselines3.common import policies"),
    ("agents/tabular.py", "import sb3_contrib"),
    ("agents/training/loop.py", "from pontoon_gym.solver.judge import Judge"),
    ("agents/training/loop.py", "from pontoon_gym.engine import state"),
    ("agents/training/loop.py", "import train"),
    ("train.py", "from pontoon_gym import solver"),
    ("evaluate.py", "import gymnasium"),
    ("evaluate.py", "import train"),
    ("evaluate.py", "from agents.training.folder import Run"),
]


@pytest.mark.parametrize(("path", "source"), PLANTED)
def test_a_planted_violation_is_caught(path: str, source: str) -> None:
    assert len(faults(path, source)) == 1


ALLOWED = [
    (
        "train.py",
        "from agents import tabular\nfrom pontoon_gym.evaluation import judge\nimport agents.training.loop",
    ),
    ("train.py", "from pontoon_gym.cli.console import run"),
    ("evaluate.py", "from pontoon_gym.cli import entry"),
    ("pontoon_gym/cli/solve.py", "from pontoon_gym import solver, Rules"),
    ("agents/deep.py", "import torch\nimport sb3_contrib\nimport stable_baselines3\nimport gymnasium"),
    ("agents/tabular.py", "from pontoon_gym.compiled import kernel\nfrom pontoon_gym import Policy, Rules, hashing"),
    (
        "agents/training/loop.py",
        "from pontoon_gym.evaluation import judge\nfrom agents.learner import Learner",
    ),
    ("pontoon_gym/compiled/__init__.py", "import numba"),
    ("pontoon_gym/rules.py", "from pontoon_gym.names import Role"),
    ("pontoon_gym/render/picture.py", "from PIL import Image\nfrom pontoon_gym.render.description import describe"),
    (
        "pontoon_gym/envs/table.py",
        "import pettingzoo, gymnasium\nfrom pontoon_gym.policies.seating import Seating",
    ),
    ("pontoon_gym/engine/act.py", "from pontoon_gym.engine.deal import draw\nimport numpy as np"),
    ("pontoon_gym/policies/metadata.py", "def f():\n    from pontoon_gym import __version__"),
    ("pontoon_gym/solver/best.py", "from pontoon_gym.solver import tree\nfrom pontoon_gym import policies"),
]


@pytest.mark.parametrize(("path", "source"), ALLOWED)
def test_what_goes_down_is_allowed(path: str, source: str) -> None:
    assert faults(path, source) == []


def test_importing_the_package_loads_no_compiler_and_no_learner() -> None:
    code = (
        "import sys, pontoon_gym\n"
        "import gymnasium\n"
        "gymnasium.spec('Pontoon/Player-v0'), pontoon_gym.Rules.of('home'), pontoon_gym.__version__\n"
        "heavy = {'numba', 'llvmlite', 'torch', 'stable_baselines3', 'sb3_contrib', 'pettingzoo', 'PIL'}\n"
        "loaded = heavy & set(sys.modules)\n"
        "assert not loaded, loaded\n"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, said(done.stderr)) == (0, "")


def test_making_an_environment_loads_no_learner() -> None:
    code = (
        "import sys, gymnasium\n"
        "gymnasium.make('pontoon_gym:Pontoon/Player-v0').reset(seed=0)\n"
        "assert not {'torch', 'stable_baselines3', 'sb3_contrib', 'pettingzoo'} & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, said(done.stderr)) == (0, "")


@pytest.mark.parametrize(("mode", "loaded"), [("ansi", False), ("human", False), ("rgb_array", True)])
def test_only_drawn_pictures_load_pillow(mode: str, loaded: bool) -> None:
    code = (
        "import sys, gymnasium\n"
        f"env = gymnasium.make('pontoon_gym:Pontoon/Player-v0', render_mode={mode!r})\n"
        "env.reset(seed=0), env.render()\n"
        f"assert all((name in sys.modules) is {loaded} for name in ('PIL', 'pontoon_gym.render.picture'))\n"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, said(done.stderr)) == (0, "")


def test_how_a_picture_is_drawn_knows_no_round() -> None:
    """What the viewer may know is decided in `told`: the two that draw do not reach into the engine."""
    for path in ("pontoon_gym/render/text.py", "pontoon_gym/render/picture.py"):
        modules = {module for module, _ in imported((ROOT / path).read_text(encoding="utf-8"))}
        assert not [module for module in modules if module.startswith("pontoon_gym.engine")]
