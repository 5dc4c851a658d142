#!/usr/bin/env python3
"""Train a player or a banker.

python train.py player --steps 1000000 --out runs/player                 against the banker of the rules of thumb
python train.py banker --algo dqn --players thumb --seed 1 2 3           three runs, as many at once as there are cores
python train.py player --out runs/player --resume                        go on with a run that was stopped
"""

from __future__ import annotations

if __name__ == "__main__":  # Ctrl-C while libraries load ends quietly; `run` takes it over
    import signal

    signal.signal(signal.SIGINT, signal.SIG_DFL)

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from agents.learner import Horizon, Learner
from agents.training.config import Config
from agents.training.flags import config_of, given_in, parser, resumed
from agents.training.folder import FILES, Run
from agents.training.loop import Habits, resume, train
from agents.training.seeds import run_seeds
from pontoon_gym.cli.console import run
from pontoon_gym.cli.progress import interruptible, progress_bar
from pontoon_gym.errors import PontoonError, checked_path
from pontoon_gym.evaluation.judge import Judge, exact_judge
from pontoon_gym.files import writable_folder


def main(argv: list[str]) -> int:
    """Learn, keep what was learned, say where it is."""
    args, given = parser(__doc__).parse_args(argv), given_in(argv)
    if len(args.seed) > 1:
        return run_seeds(args, given)
    return go_on(args, given) if args.resume else begin(args)


def begin(args: argparse.Namespace) -> int:
    """A new run. Its folder is made last: what is refused leaves none behind."""
    config = config_of(args)
    learner, judge = prepared(config)
    learned = config.start(learner) if config.start_from else 0
    kept = Run(writable_folder(args.out, *FILES))
    with kept.claimed():
        kept.begin(config)
        if config.start_from:
            what = f"what {config.start_from} has learned from {learned:,} steps, and nothing else of it"
            print(f"note: the run begins with {what}", file=sys.stderr)
        return follow(config, learner, judge, kept, args)


def go_on(args: argparse.Namespace, given: dict[str, Any]) -> int:
    """The run in a folder, from its last checkpoint."""
    Run(checked_path(args.out)).config()  # nothing is made where there is no run
    kept = Run(writable_folder(args.out, *FILES))
    with kept.claimed():
        config = begun(kept, given)
        learner, judge = prepared(config)
        resume(learner, kept)
        kept.go_on(config)
        return follow(config, learner, judge, kept, args)


def prepared(config: Config) -> tuple[Learner, Judge | None]:
    """A run's learner as it begins, and its judge, if it is to be judged and can be."""
    task = config.task()
    return config.learner(task), exact_judge(task.rules, task.table, task.opponent) if config.evaluations else None


def follow(config: Config, learner: Learner, judge: Judge | None, kept: Run, args: argparse.Namespace) -> int:
    """Learn to the end of the run, and conclude it."""
    if config.evaluations and judge is None:
        print("note: no exact regret along this run: the solver does not cover it (docs/solver.md)", file=sys.stderr)
    habits = Habits(config.evaluations, args.checkpoint_seconds)
    stopped = learn(learner, config.horizons, kept, judge, habits, shown=not args.quiet)
    return conclude(learner, kept, config.horizon, stopped)


def begun(kept: Run, given: dict[str, Any]) -> Config:
    """What the run in a folder is asked for; says what is not as it was. Raises `BadArgument` for other flags."""
    config = resumed(given, kept.config())
    for change in config.changes():
        print(f"warning: the run goes on, but not as it would have: {change}", file=sys.stderr)
    return config


def learn(
    learner: Learner, horizons: Sequence[Horizon], kept: Run, judge: Judge | None, habits: Habits, *, shown: bool
) -> bool:
    """Train with a progress bar; True if Ctrl-C ended it. A second Ctrl-C goes through, and leaves the checkpoint."""
    unit = "rounds" if horizons[-1].steps is None else "steps"
    with progress_bar(getattr(horizons[-1], unit), unit[:-1], shown) as bar, interruptible() as asked:
        bar.update(getattr(learner, unit))
        regret = ""

        def on_update(figures: dict[str, float]) -> None:
            nonlocal regret
            regret = f", regret {figures['regret']:.5f}" if "regret" in figures else regret
            bar.update(figures[unit] - bar.n)
            bar.set_postfix_str(f"reward {figures['reward']:+.3f}{regret}")

        for horizon in horizons:
            train(learner, horizon, kept, judge, habits, on_update, asked.is_set)
    return asked.is_set()


def conclude(learner: Learner, kept: Run, horizon: Horizon, stopped: bool) -> int:
    """Keep the policy and say how it went."""
    if learner.steps == 0:
        print("stopped before anything was learned")
        return 130
    path = kept.save(learner.policy(kept.path.name))
    try:
        kept.draw(kept.path.name)
    except (PontoonError, OSError) as error:
        print(f"warning: no picture of the learning curve: {error}", file=sys.stderr)
    judged = kept.curve and kept.curve[-1]["steps"] == learner.steps
    regret = f"; exact regret {kept.curve[-1]['regret']:.6f}" if judged else ""
    length = f"{learner.steps:,} steps, {learner.rounds:,} rounds{overshot(learner, horizon)}"
    print(f"{'stopped' if stopped else 'done'} after {length}{regret}; policy in {path}")
    return 130 if stopped else 0


def overshot(learner: Learner, horizon: Horizon) -> str:
    """How much more was learned from than was asked for, in words."""
    done = {unit: getattr(learner, unit) - asked for unit, asked in horizon._asdict().items() if asked is not None}
    more = ", ".join(f"{over:,} {unit}" for unit, over in done.items() if over > 0)
    update = learner.update_steps(learner.settings)
    return f" ({more} more than asked for: an update has {update:,} steps)" if more else ""


if __name__ == "__main__":
    run(main)
