"""Terminals that know few characters get letters, and nothing fails."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pontoon_gym.render.letters import HANDLER, LETTERS

ROOT = Path(__file__).parents[2]
ENCODINGS = ["ascii", "cp1252", "cp949", "utf-8"]
PICTURE = (
    "import gymnasium\n"
    "env = gymnasium.make('pontoon_gym:Pontoon/Player-v0', render_mode='human')\n"
    "env.reset(seed=0, options={'cards': '5S TH 9C 6D 8H 2C'})\n"
    "env.unwrapped.step(env.unwrapped.action_masks().argmax())\n"
)


def printed(encoding: str, *words: str) -> str:
    """What a command prints to a stream of an encoding."""
    env = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    done = subprocess.run([sys.executable, *words], cwd=ROOT, env=env, capture_output=True, timeout=500)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode(encoding)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_picture(encoding: str) -> None:
    shown = printed(encoding, "-c", PICTURE)
    assert ("5♠" in shown) == (encoding not in ("ascii", "cp1252"))
    assert ("5S" in shown) == (encoding in ("ascii", "cp1252"))
    assert "\\" not in shown


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_report(encoding: str) -> None:
    words = ("match", "--seats", "3", "--player", "thumb", "stick15", "--rounds", "128")
    shown = printed(encoding, "evaluate.py", *words)
    assert ("+-" in shown) == (encoding == "ascii") and ("±" in shown) == (encoding != "ascii")


def test_every_sign_that_is_printed_has_a_letter() -> None:
    assert "10♣ ▒▒ ± · é".encode("ascii", HANDLER) == b"10C ## +- - \\xe9"
    assert all(letters.isascii() for letters in LETTERS.values())
