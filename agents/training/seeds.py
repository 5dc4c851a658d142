"""Several runs that differ in their seeds alone, as many at once as there are cores."""

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

from agents.training.config import CONFIG, Config
from agents.training.flags import config_of, resumed
from agents.training.folder import Run
from pontoon_gym.cli.progress import interruptible, progress_bar
from pontoon_gym.errors import BadArgument, checked_path
from pontoon_gym.files import writable_folder

LOOK_SECONDS = 0.1
"""Between two looks at whether a run has ended."""
PROGRAM = Path(__file__).resolve().parents[2] / "train.py"


def run_seeds(args: argparse.Namespace, given: Mapping[str, Any]) -> int:
    """Train once for each seed, in `seed-N` of the folder, and say what came of each.

    Args:
        args: all flags.
        given: those that were given.

    Returns:
        The exit status: 0, 130 if Ctrl-C ended it, or that of the first run which failed.
    """
    if len(set(args.seed)) < len(args.seed):
        raise BadArgument("each seed once", got=args.seed)
    paths = begin_seeds(args, given)
    with progress_bar(len(paths), "run", not args.quiet) as bar, interruptible() as asked:
        status = _run_all(paths, args, bar, asked.is_set)
    if status == 0:
        _summarise(list(paths.values()))
    return 130 if asked.is_set() else status


def begin_seeds(args: argparse.Namespace, given: Mapping[str, Any]) -> dict[int, Path]:
    """Write each seed's configuration into its folder; returns the folders by seed.

    Where seeds are resumed, those that have not begun begin as the others did.

    Raises `BadArgument`: flags that ask for something else than what began, nothing to resume, or a folder in use.
    """
    home = checked_path(args.out)
    paths = {seed: home / f"seed-{seed}" for seed in args.seed}
    asked = {name: value for name, value in given.items() if name != "seed"}
    config = resumed(asked, _begun_in(home)) if args.resume else config_of(args)
    begun = [seed for seed, path in paths.items() if args.resume and (path / CONFIG).is_file()]
    going_on = {seed: resumed(asked, Run(paths[seed]).config()) for seed in begun}
    if args.resume:
        config.changes()
    learner = config.learner(config.task())  # what it refuses leaves no folder behind
    if config.start_from and not args.resume:
        config.start(learner)
    for seed, path in paths.items():
        run = Run(writable_folder(str(path)))
        with run.claimed():
            if seed in going_on:
                run.go_on(going_on[seed])
            else:
                run.begin(config._replace(seed=seed).stamped())
    return paths


def _begun_in(home: Path) -> Config:
    """The configuration of a seed that has begun in a folder. Raises `BadArgument` if none has."""
    begun = sorted(home.glob(f"seed-*/{CONFIG}"))
    if not begun:
        raise BadArgument("no run in this folder", where=str(home))
    return Run(begun[0].parent).config()


def _run_all(paths: Mapping[int, Path], args: argparse.Namespace, bar: Any, asked: Any) -> int:
    """Run them all; where one fails or Ctrl-C is asked for, no more begin. Returns the first status that is not 0."""
    waiting, running, status = list(paths), dict[int, subprocess.Popen[str]](), 0
    jobs, passed_on = args.jobs or os.cpu_count() or 1, False
    with none_left(running):
        while running or (waiting and not asked() and status == 0):
            while waiting and len(running) < jobs and not asked() and status == 0:
                seed = waiting.pop(0)
                running[seed] = _start(args, paths[seed])
            if asked() and not passed_on:
                passed_on = True
                for process in running.values():
                    process.send_signal(signal.SIGTERM)
            for seed, process in list(running.items()):
                if process.poll() is not None:
                    del running[seed]
                    bar.update(1)
                    print(f"seed {seed}: {process.communicate()[0].strip()}", flush=True)
                    status = status or process.returncode
            time.sleep(LOOK_SECONDS)
    return status


def _start(args: argparse.Namespace, path: Path) -> subprocess.Popen[str]:
    """Go on with a run, as its configuration says."""
    own = ["--resume", "--out", str(path), "--quiet", "--checkpoint-seconds", str(args.checkpoint_seconds)]
    # In a group of its own: Ctrl-C is passed on, once.
    command = [sys.executable, str(PROGRAM), args.role, *own]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)


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
