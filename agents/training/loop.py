"""One run from beginning to end: learn, log, judge, keep, and go on after an interruption as if there had been none."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

from agents.learner import Figures, Horizon, Learner
from agents.training.board import board
from agents.training.config import CHECKPOINT
from agents.training.folder import Run
from pontoon_gym.errors import BadArgument
from pontoon_gym.evaluation.judge import Judge

OnUpdate = Callable[[Figures], None]


class Habits(NamedTuple):
    """How a run looks at itself; nothing of it changes what is learned.

    Attributes:
        evaluations: how often along the run its exact regret is found, if there is a judge; more often at first, when
            more changes.
        checkpoint_seconds: between two checkpoints.
    """

    evaluations: int = 20
    checkpoint_seconds: float = 60.0

    def due(self, share: float, last: float) -> bool:
        """Whether an evaluation is due after a share of the run, if the last one was after the share `last`."""
        return math.floor(self.evaluations * math.sqrt(share)) > math.floor(self.evaluations * math.sqrt(last))


def train(
    learner: Learner,
    horizon: Horizon,
    run: Run,
    judge: Judge | None,
    habits: Habits,
    on_update: OnUpdate = lambda figures: None,
    stop: Callable[[], bool] = lambda: False,
) -> None:
    """Learn until the horizon, or until `stop` says so, and keep it all in the run's folder.

    Args:
        on_update: is called after each update with what the log says, and `value` and `regret` where they were just
            found.
    """
    learner.learn(horizon, _Diary(learner, horizon, run, judge, habits, on_update), stop)
    keep(learner, run)


class _Diary:
    """Called after each update: writes the log, judges and saves when it is time, and calls the listeners."""

    def __init__(
        self,
        learner: Learner,
        horizon: Horizon,
        run: Run,
        judge: Judge | None,
        habits: Habits,
        on_update: OnUpdate,
    ) -> None:
        self.learner, self.horizon, self.run, self.judge = learner, horizon, run, judge
        self.habits, self.listeners = habits, [on_update]
        if write := board(run.path):
            self.listeners.insert(0, write)
        self.seconds = run.log[-1]["seconds"] if run.log else 0.0
        self.mark, self.last_kept = time.perf_counter(), time.monotonic()

    def __call__(self, figures: Figures) -> None:
        # Seconds of learning alone: what is done below does not count.
        self.seconds = round(self.seconds + time.perf_counter() - self.mark, 3)
        line = {"steps": figures["steps"], "rounds": figures["rounds"], "seconds": self.seconds, **figures}
        self.run.add_log(line)
        line = {**line, **self._judged(line)}
        for listen in self.listeners:
            listen(line)
        if time.monotonic() - self.last_kept >= self.habits.checkpoint_seconds:
            keep(self.learner, self.run)
            self.last_kept = time.monotonic()
        self.mark = time.perf_counter()

    def _judged(self, line: Figures) -> Figures:
        """The policy's exact value and regret if they are due, as a new point of the learning curve."""
        share = self.horizon.share(self.learner.steps, self.learner.rounds)
        last = self.run.curve[-1] if self.run.curve else {"steps": 0, "rounds": 0}
        due = share >= 1.0 or self.habits.due(share, self.horizon.share(last["steps"], last["rounds"]))
        if not self.judge or not due:
            return {}
        value = self.judge.value(self.learner.policy())
        found = {"value": value, "regret": self.judge.best - value}
        self.run.add_point({**{name: line[name] for name in ("steps", "rounds", "seconds")}, **found})
        return found


def keep(learner: Learner, run: Run) -> None:
    """Write the checkpoint from which `resume` goes on, and before it the lines that it counts.

    If there is no room for it, the one before stays and learning goes on: the policy at the end is much smaller.
    """
    try:
        run.flush()
        learner.save(run.path / CHECKPOINT, {"lines": len(run.log), "points": len(run.curve)})
    except (BadArgument, OSError) as error:
        print(f"warning: no checkpoint after {learner.steps:,} steps: {error}", file=sys.stderr)


def resume(learner: Learner, run: Run) -> None:
    """Go on from the last checkpoint, or from the beginning if there is none yet. Raises `BadArgument`."""
    kept = {"lines": 0, "points": 0}
    if (run.path / CHECKPOINT).is_file():
        kept = learner.load(run.path / CHECKPOINT)
    elif (config := run.config()).start_from:
        config.start(learner)
    run.resume(int(kept["lines"]), int(kept["points"]))
