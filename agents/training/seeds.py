"""Several runs of one command, a seed each, as many at once as there are cores."""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from agents.training.folder import CONFIG, Run
from pontoon_gym.cli.progress import interruptible, progress_bar
from pontoon_gym.errors import BadArgument
from pontoon_gym.files import writable_folder

LOOK_SECONDS = 0.1
"""Between two looks at whether a run has ended."""


def run_seeds(command: list[str], beginning: list[str], args: argparse.Namespace) -> int:
    """Run a training command once for each seed, in `seed-N` of its and say what came of each.

    Args:
        command: of the whole, with its interpreter; later flags override its own.
        beginning: the same for a seed that has not begun, where others go on.
        args: its flags.

    Returns:
        The exit status: 0, 130 if Ctrl-C ended it, or that of the first run which failed.
    """
    if len(set(args.seed)) < len(args.seed):
        raise BadArgument("each seed once", got=args.seed)
    home, jobs = writable_folder(args.out), args.jobs or os.cpu_count() or 1
    waiting, running, status = list(args.seed), dict[int, subprocess.Popen[str]](), 0
    with (
        progress_bar(len(args.seed), "run", not args.quiet) as bar,
        interruptible() as asked,
        none_left(running),
    ):
        told = False
        while running or (waiting and not asked.is_set() and status == 0):
            while waiting and len(running) < jobs and not asked.is_set() and status == 0:
                seed = waiting.pop(0)
                path = home / f"seed-{seed}"
                running[seed] = _start(command if (path / CONFIG).is_file() else beginning, seed, path)
            if asked.is_set() and not told:
                told = True
                for process in running.values():
                    process.send_signal(signal.SIGTERM)
            for seed, process in list(running.items()):
                if process.poll() is not None:
                    del running[seed]
                    bar.update(1)
                    print(f"seed {seed}: {process.communicate()[0].strip()}", flush=True)
                    status = status or process.returncode
            time.sleep(LOOK_SECONDS)
    if status == 0:
        _summarise([home / f"seed-{seed}" for seed in args.seed])
    return 130 if asked.is_set() else status


def _start(command: list[str], seed: int, path: Path) -> subprocess.Popen[str]:
    own = ["--seed", str(seed), "--out", str(path), "--quiet"]
    # In a group of its own: Ctrl-C is passed on, once.
    return subprocess.Popen([*command, *own], stdout=subprocess.PIPE, text=True, start_new_session=True)


def begun_in(home: Path) -> dict[str, Any]:
    """The configuration of a seed that has begun in a folder. Raises `BadArgument` if none has."""
    begun = sorted(home.glob(f"seed-*/{CONFIG}"))
    if not begun:
        raise BadArgument("no run to resume", where=str(home))
    return Run(begun[0].parent).config()


@contextmanager
def none_left(running: Mapping[Any, subprocess.Popen[str]]) -> Iterator[None]:
    """Whatever ends the block ends the processes that still run, and waits for them."""
    try:
        yield
    finally:
        for process in running.values():
            process.send_signal(signal.SIGTERM)
        for process in running.values():
            process.wait()


def _summarise(paths: list[Path]) -> None:
    """Say the median regret."""
    regrets = [run.curve[-1]["regret"] for run in map(Run.of, paths) if run.curve]
    if len(regrets) == len(paths):
        print(f"median exact regret of {len(regrets)} seeds: {statistics.median(regrets):.6f}", file=sys.stdout)
