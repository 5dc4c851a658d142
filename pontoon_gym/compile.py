"""Compile the kernels ahead of time: `python -m pontoon_gym.compile`, for images and clusters.

Kernels are compiled for the types that they are called with, so this makes one small call of each kind: environments
in every form, and the commands. Learners' own kernels are compiled when they first learn.
"""

from __future__ import annotations

import contextlib
import io
import multiprocessing
from argparse import RawDescriptionHelpFormatter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any

from pontoon_gym.cli.console import Parser, run
from pontoon_gym.cli.main import main as command
from pontoon_gym.compiled.cache import FOLDER
from pontoon_gym.envs.banker import BankerEnv
from pontoon_gym.envs.player import PlayerEnv
from pontoon_gym.envs.spaces import OBSERVATIONS
from pontoon_gym.envs.vector import BankerVectorEnv, PlayerVectorEnv

COMMANDS = (
    "match --seats 3 --player random thumb --banker stand17 --rounds 64",
    "match --player pretrained thumb --banker stand17 --rounds 64 --judge banker",
    "match --rules spanish --player thumb --rounds 64",
    "solve --banker stand17",
    "solve --player thumb --rule split=none",
    "solve --player pretrained --banker stand17",
    "solve --player thumb --banker chase --rule split=none",
    "solve --player thumb --banker stand17 --regret-of banker --rule split=none",
    "chart --banker stand17",
)
"""Every road through play and the solver that has kernels of its own: tables and networks, both sides."""


def play_one(door: Callable[..., Any], observation: str) -> None:
    """Play some steps of a single environment, and save it."""
    env = door(observation=observation)
    env.reset(seed=0)
    for _ in range(8):
        *_, terminated, truncated, _ = env.step(env.action_masks().argmax())
        if terminated or truncated:
            env.reset()
    env.set_state(env.get_state())


def play_many(door: Callable[..., Any], observation: str) -> None:
    """Play some steps of a vector environment, and save it."""
    env = door(num_envs=4, observation=observation)
    env.reset(seed=0)
    for _ in range(8):
        env.step(env.action_masks().argmax(axis=1))
    env.set_state(env.get_state())


def run_command(words: str) -> None:
    """Run a command without its report."""
    with contextlib.redirect_stdout(io.StringIO()):
        command([*words.split(), "--json"])


def calls() -> Iterator[tuple[str, Callable[[], None]]]:
    """What is called, each with words for it; what takes longest comes first."""
    yield from ((words, partial(run_command, words)) for words in COMMANDS)
    for observation in OBSERVATIONS:
        for one in (PlayerEnv, BankerEnv):
            yield f"{one.__name__}, {observation}", partial(play_one, one, observation)
        for many in (PlayerVectorEnv, BankerVectorEnv):
            yield f"{many.__name__}, {observation}", partial(play_many, many, observation)


def main(argv: list[str]) -> int:
    """Compile what is not compiled yet, on all processors: of a kernel that two calls need, one process compiles it."""
    flags = Parser(
        prog="python -m pontoon_gym.compile", description=__doc__, formatter_class=RawDescriptionHelpFormatter
    )
    flags.parse_args(argv)
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
        for words, called in [(words, pool.submit(call)) for words, call in calls()]:
            called.result()
            print(words, flush=True)
    print(f"compiled kernels are kept in {FOLDER}")
    return 0 if FOLDER is not None else 1


if __name__ == "__main__":
    run(main)
