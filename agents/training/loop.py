"""One run from beginning to end: learn, log, judge, keep, and go on after an interruption as if there had been none."""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from agents.learner import Horizon, Learner, Told
from agents.training.folder import CHECKPOINT, EVENTS, Run
from pontoon_gym.errors import BadArgument
from pontoon_gym.evaluation.judge import Judge

Show = Callable[[Told], None]


class Habits(NamedTuple):
    """How a run looks at itself; nothing of it bears on what is learned.

    Attributes:
        evaluations: how often along the run its exact regret is found, if there is a judge; sooner at first, when
            more changes.
        checkpoint_seconds: between two checkpoints.
    """

    evaluations: int = 20
    checkpoint_seconds: float = 60.0

    def due(self, share: float, done: int) -> bool:
        """Whether the next evaluation is due, `done` having been made."""
        return done < self.evaluations and share >= ((done + 1) / self.evaluations) ** 2


def train(
    learner: Learner,
    horizon: Horizon,
    run: Run,
    judge: Judge | None,
    habits: Habits,
    show: Show = lambda facts: None,
    stop: Callable[[], bool] = lambda: False,
) -> None:
    """Learn until the horizon, or until `stop` says so, and keep it all in the run's folder.

    Args:
        show: is told of each update what the log says, and `regret` where it was just found.
    """
    board = _board(run.path)
    mark, last_kept = time.perf_counter(), time.monotonic()
    seconds = run.log[-1]["seconds"] if run.log else 0.0

    def told(facts: Told) -> None:
        nonlocal mark, last_kept, seconds
        seconds = round(seconds + time.perf_counter() - mark, 3)
        line = {"steps": facts["steps"], "rounds": facts["rounds"], "seconds": seconds, **facts}
        run.add_log(line)
        shown = dict(line)
        share = horizon.share(learner.steps, learner.rounds)
        if judge and (share >= 1.0 or habits.due(share, len(run.curve))):
            value = judge.value(learner.policy())
            shown |= {"value": value, "regret": judge.best - value}
            run.add_point({name: shown[name] for name in ("steps", "rounds", "seconds", "value", "regret")})
        if board:
            board(shown)
        show(shown)
        if time.monotonic() - last_kept >= habits.checkpoint_seconds:
            keep(learner, run)
            last_kept = time.monotonic()
        mark = time.perf_counter()

    learner.learn(horizon, told, stop)
    keep(learner, run)


def keep(learner: Learner, run: Run) -> None:
    """Write the checkpoint from which `resume` goes on, and before it what it counts upon. If there is no room for it
    the one before stays, and learning goes on: a policy is much smaller."""
    try:
        run.flush()
        learner.save(run.path / CHECKPOINT, {"lines": len(run.log), "points": len(run.curve)})
    except (BadArgument, OSError) as error:
        print(f"warning: no checkpoint after {learner.steps:,} steps: {error}", file=sys.stderr)


def resume(learner: Learner, run: Run) -> None:
    """Go on from the last checkpoint, or from the beginning if there is none yet. Raises `BadArgument`."""
    kept = learner.load(run.path / CHECKPOINT) if (run.path / CHECKPOINT).is_file() else {"lines": 0, "points": 0}
    run.resume(int(kept["lines"]), int(kept["points"]))


def _board(folder: Path) -> Callable[[dict[str, Any]], None] | None:
    """Writes figures for TensorBoard; None where it, or torch, is not installed."""
    if not all(importlib.util.find_spec(name) for name in ("tensorboard", "torch", "stable_baselines3")):
        return None
    return importlib.import_module("agents.deep").tensorboard(folder / EVENTS)  # type: ignore[no-any-return]
