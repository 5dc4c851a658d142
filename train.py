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
from pathlib import Path
from typing import Any

from agents.algorithms import ALGORITHMS, Task, make_learner
from agents.hyperparameters import settings_of
from agents.learner import Horizon, Learner
from agents.training.folder import FILES, Run
from agents.training.loop import Habits, resume, train
from agents.training.seeds import begun_in, run_seeds
from pontoon_gym.cli.console import Parser, run
from pontoon_gym.cli.flags import add_game_flags, game_of, pairs, whole
from pontoon_gym.cli.progress import interruptible, progress_bar
from pontoon_gym.errors import BadArgument
from pontoon_gym.evaluation.judge import Judge, exact_judge
from pontoon_gym.files import writable_folder
from pontoon_gym.policies.resolve import digest_of

DEFAULT_STEPS = 1_000_000
LATER = ("out", "resume", "quiet", "jobs", "checkpoint_seconds")
"""Flags that a resumed run may be given anew."""


def parser() -> argparse.ArgumentParser:
    """The flags of this command."""
    flags = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    flags.add_argument("role", choices=("player", "banker"), help="who learns")
    flags.add_argument("--algo", default="maskable_ppo", choices=ALGORITHMS)
    add_game_flags(flags)
    flags.add_argument("--banker", help="who banks against a player: a name, file or run folder")
    flags.add_argument("--players", nargs="+", help="who plays the other seats: one for all, or one a place")
    flags.add_argument("--steps", type=whole(1, 10**12), help=f"decisions to learn from (default: {DEFAULT_STEPS:,})")
    flags.add_argument("--rounds", type=whole(1, 10**12), help="rounds to learn from, in place of --steps or with it")
    flags.add_argument("--seed", type=whole(0, 2**32 - 1), nargs="+", default=[0], help="a run for each")
    flags.add_argument("--jobs", type=whole(1, 256), help="runs at once, of several seeds (default: one a core)")
    flags.add_argument("--out", default="runs/latest", metavar="DIR", help="the run folder; of seeds, that of theirs")
    flags.add_argument("--device", default="cpu", help="a torch device")
    flags.add_argument("--settings", metavar="FILE", help="a TOML file like those in agents/settings")
    flags.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="change one setting")
    flags.add_argument("--evaluations", type=whole(0, 10**6), default=20, help="exact regrets along the run")
    flags.add_argument("--checkpoint-seconds", type=whole(0, 10**9), default=60, help="between two checkpoints")
    flags.add_argument("--resume", action="store_true", help="go on with the run in the from its checkpoint")
    flags.add_argument("--quiet", action="store_true", help="no progress bar")
    return flags


def main(argv: list[str]) -> int:
    """Learn, keep what was learned, say where it is."""
    args = parser().parse_args(argv)
    if len(args.seed) > 1:
        Task.of(args.role, *game_of(args), args.banker, args.players)
        settings_of(args.algo, args.role, args.settings, pairs(args.set, "--set"))
        command, beginning = ([sys.executable, __file__, *words] for words in (argv, beginning_of(argv, args)))
        return run_seeds(command, beginning, args)
    kept = Run(writable_folder(args.out, *FILES))
    kept.claim()
    facts = kept.config() if args.resume else None
    if facts:
        args = began_as(argv, facts)
    task = Task.of(args.role, *game_of(args), args.banker, args.players)
    opponents = {name: digest_of(name) for name in (args.banker, *(args.players or [])) if name}
    settings = kept.settings() if facts else settings_of(args.algo, args.role, args.settings, pairs(args.set, "--set"))
    learner = make_learner(args.algo, task, settings, seed=args.seed[0], device=args.device)
    judge = judge_of(task) if args.evaluations else None
    if facts:
        for change in kept.changes(opponents):
            print(f"warning: the run goes on, but not as it would have: {change}", file=sys.stderr)
        resume(learner, kept)
    else:
        sides = {"banker": args.banker, "players": args.players}
        asked = {"command": ["train.py", *argv], "algorithm": args.algo, "role": args.role, "seed": args.seed[0]}
        asked["budget"] = budget(args)._asdict()
        kept.begin(task.rules, task.table, {**asked, "settings": settings, **sides, "opponents": opponents})
    return conclude(learner, kept, learn(learner, judge, args, kept))


def beginning_of(argv: list[str], args: argparse.Namespace) -> list[str]:
    """The flags with which one seed of several begins: where they are resumed, those that another began with.

    Raises `BadArgument` if none began, or began with other flags.
    """
    if not args.resume:
        return argv
    facts = begun_in(Path(args.out))
    began_as([*argv, "--seed", str(facts["seed"])], facts)
    words: list[str] = facts["command"][1:]
    return words


def began_as(argv: list[str], facts: dict[str, Any]) -> argparse.Namespace:
    """The flags that a run began with. Raises `BadArgument` if others are asked for now."""
    began = parser().parse_args(facts["command"][1:])
    # A flag that was not given stays None.
    given = parser().parse_args(argv, argparse.Namespace(**dict.fromkeys(vars(began))))
    for name, now in vars(given).items():
        if now is not None and name in LATER:
            setattr(began, name, now)
        elif now not in (None, getattr(began, name)):
            flag = "the other side" if name == "role" else f"--{name.replace('_', '-')}"
            raise BadArgument(f"a run is resumed as it began, leave out {flag}", got=now, allowed=str(facts["command"]))
    return began


def judge_of(task: Task) -> Judge | None:
    """What finds the exact regret along a run; says so where there is none."""
    judge = exact_judge(task.rules, task.table, task.opponent)
    if judge is None:
        print("note: no exact regret along this run: the solver does not cover it (README, Solve)", file=sys.stderr)
    return judge


def budget(args: argparse.Namespace) -> Horizon:
    """How long to learn."""
    return Horizon(args.steps or (None if args.rounds else DEFAULT_STEPS), args.rounds)


def learn(learner: Learner, judge: Judge | None, args: argparse.Namespace, kept: Run) -> bool:
    """Train with a progress bar; True if Ctrl-C ended it. A second Ctrl-C goes through, and leaves the checkpoint."""
    horizon = budget(args)
    unit = "rounds" if horizon.steps is None else "steps"
    with progress_bar(getattr(horizon, unit), unit[:-1], not args.quiet) as bar, interruptible() as asked:
        bar.update(getattr(learner, unit))
        regret = ""

        def show(facts: dict[str, float]) -> None:
            nonlocal regret
            regret = f", regret {facts['regret']:.5f}" if "regret" in facts else regret
            bar.update(facts[unit] - bar.n)
            bar.set_postfix_str(f"reward {facts['reward']:+.3f}{regret}")

        train(learner, horizon, kept, judge, Habits(args.evaluations, args.checkpoint_seconds), show, asked.is_set)
    return asked.is_set()


def conclude(learner: Learner, kept: Run, stopped: bool) -> int:
    """Keep the policy and say how it went."""
    if learner.steps == 0:
        print("stopped before anything was learned")
        return 130
    path = kept.save(learner.policy(kept.path.name))
    kept.draw(kept.path.name)
    judged = kept.curve and kept.curve[-1]["steps"] == learner.steps
    regret = f"; exact regret {kept.curve[-1]['regret']:.6f}" if judged else ""
    told = f"{learner.steps:,} steps, {learner.rounds:,} rounds"
    print(f"{'stopped' if stopped else 'done'} after {told}{regret}; policy in {path}")
    return 130 if stopped else 0


if __name__ == "__main__":
    run(main)
