"""The share of training that the environment takes: `python -m benchmarks.speed.sb3`, with the extra `train`.

MaskablePPO learns with the shipped settings, as `train.py player` has it. What it asks of the adapter is timed, the
environment under it included; the rest of the time is the learner's own.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

from agents.algorithms import Task, make_learner, settings_of
from agents.learner import Horizon
from agents.training.flags import parser
from benchmarks.speed.machine import facts
from pontoon_gym.cli.flags import game_of

ASKED = ("reset", "step_async", "step_wait", "action_masks", "env_method", "get_attr", "has_attr")
TARGET = 0.10


class Watch:
    """Adds up the time spent in an object's methods; a method that calls another is timed once."""

    def __init__(self, watched: Any, methods: tuple[str, ...]) -> None:
        self.seconds, self._depth = 0.0, 0
        for name in methods:
            setattr(watched, name, self._timed(getattr(watched, name)))

    def _timed(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*args: Any, **named: Any) -> Any:
            self._depth += 1
            start = perf_counter()
            try:
                return method(*args, **named)
            finally:
                self._depth -= 1
                if not self._depth:
                    self.seconds += perf_counter() - start

        return timed


def share(steps: int, repeats: int) -> list[dict[str, float]]:
    """Train anew `repeats` times; seconds of each, all and in the environment."""
    args = parser().parse_args(["player", "--banker", "stand17"])
    task = Task.of(args.role, *game_of(args), args.banker)
    settings = settings_of(args.algo, args.role, None, {})
    found = []
    for seed in range(repeats):
        learner: Any = make_learner(args.algo, task, settings, seed=seed)
        learner.learn(Horizon(steps=1))  # compiles the kernels, which is no part of a step
        first, watch = learner.steps, Watch(learner.bridge, ASKED)
        start = perf_counter()
        learner.learn(Horizon(steps=first + steps))
        total, done = perf_counter() - start, learner.steps - first
        found.append({"steps": done, "seconds": total, "environment": watch.seconds, "share": watch.seconds / total})
        learner.env.close()
    return found


def main(argv: list[str]) -> int:
    """Measure, print, write; the exit status is 0 whatever the share is."""
    flags = argparse.ArgumentParser(prog="python -m benchmarks.speed.sb3", description=__doc__)
    flags.add_argument("--steps", type=int, default=200_000, help="decisions of a run (default: 200000)")
    flags.add_argument("--repeats", type=int, default=3, help="runs (default: 3)")
    flags.add_argument("--json", type=Path, metavar="FILE", help="write everything measured")
    args = flags.parse_args(argv)
    report = facts(["python", "-m", "benchmarks.speed.sb3", *argv])
    runs = share(args.steps, max(args.repeats, 1))
    middle = sorted(run["share"] for run in runs)[len(runs) // 2]
    report |= {"runs": runs, "share": middle, "target": TARGET, "met": middle <= TARGET}
    for run in runs:
        print(
            f"{run['steps']:,} steps in {run['seconds']:.1f} s ({run['steps'] / run['seconds']:,.0f} a second), "
            f"{run['environment']:.2f} s of them in the environment: {run['share']:.1%}"
        )
    print(f"share of the environment: {middle:.1%}, target <= {TARGET:.0%}: {'pass' if report['met'] else 'FAIL'}")
    if args.json:
        args.json.parent.mkdir(parents=True, exist_ok=True)
        args.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
