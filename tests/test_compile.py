"""Kernels compiled ahead of time are the ones that people need."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pontoon_gym.compiled import COMPILED

ROOT = Path(__file__).parents[1]
USES = [
    ["-m", "pontoon_gym", "match", "--rules", "british", "--player", "stick15", "--rounds", "2000", "--json"],
    ["-m", "pontoon_gym", "match", "--seats", "5", "--player", "random", "--rounds", "2000", "--json"],
    ["-m", "pontoon_gym", "solve", "--rules", "casino8", "--player", "pretrained", "--json"],
    ["-m", "pontoon_gym", "solve", "--banker", "stand16", "--stake-max", "3", "--stake-levels", "2", "--json"],
    ["-m", "pontoon_gym", "chart", "--rules", "casino6", "--json"],
    ["tests/packaging/judge.py"],
]


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_what_people_do_finds_its_kernels() -> None:
    """The folder is the tests' own cache, in which nothing is compiled twice."""
    run([sys.executable, "-m", "pontoon_gym.compile"])
    for words in USES:
        assert "compiling" not in run([sys.executable, *words]), words


def run(command: list[str]) -> str:
    """What a command says on standard error; it must succeed."""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr
    return done.stderr
