"""The wheel and the source archive, built from a clean copy of the checkout."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
MADE = {"__pycache__", "build", "dist", "runs"}
"""Folders that other commands leave in a checkout."""


class Archives(NamedTuple):
    """What goes to users."""

    wheel: Path
    source: Path


def copy_checkout(target: Path) -> Path:
    """A copy without what was made there: old metadata name files which setuptools would take up again."""

    def made(folder: str, names: list[str]) -> set[str]:
        environments = {name for name in names if (Path(folder) / name / "pyvenv.cfg").exists()}
        return environments | {name for name in names if name in MADE or name[0] == "." or name.endswith(".egg-info")}

    shutil.copytree(ROOT, target, ignore=made)
    return target


def build(checkout: Path) -> Archives:
    """Build both, the wheel from the source archive; with the installed setuptools, so that no network is needed."""
    out = checkout / "dist"
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(checkout)]
    done = subprocess.run(command, cwd=checkout.parent, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,), (source,) = out.glob("*.whl"), out.glob("*.tar.gz")
    return Archives(wheel, source)
