#!/usr/bin/env python3
"""Train a player or a banker: `python train.py player --steps 1000000 --out runs/player`."""

from __future__ import annotations

if __name__ == "__main__":  # Ctrl-C while libraries load ends quietly; `run` takes it over
    import signal

    signal.signal(signal.SIGINT, signal.SIG_DFL)

import argparse
from typing import Any

from agents.commands import (
    Parser,
    add_game_flags,
    any_banker,
    any_policy,
    folder,
    game_of,
    interruptible,
    pairs,
    progress_bar,
    run,
    whole,
)
from agents.hyperparameters import LIMITS, settings_of
from agents.network import POLICY_FILE
from agents.runs import CONFIG, LOG, Run
from pontoon_gym.errors import BadArgument, MissingExtra
from pontoon_gym.rules import Rules, Table


def parser() -> argparse.ArgumentParser:
    """The flags of this command."""
    flags = Parser(description=__doc__)
    flags.add_argument("role", choices=("player", "banker"), help="who learns")
    flags.add_argument("--algo", default="maskable_ppo", choices=LIMITS)
    add_game_flags(flags)
    flags.add_argument("--banker", help="who banks against a player: a name, file or run folder")
    flags.add_argument("--players", nargs="+", help="who plays the other seats: one for all, or one a place")
    flags.add_argument("--steps", type=whole(1, 10**12), default=1_000_000, help="decisions to learn from")
    flags.add_argument("--seed", type=whole(0, 2**32 - 1), default=0)
    flags.add_argument("--out", default="runs/latest", metavar="DIR", help="the run folder")
    flags.add_argument("--device", default="cpu", help="a torch device")
    flags.add_argument("--settings", metavar="FILE", help="a TOML file like those in agents/settings")
    flags.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="change one setting")
    flags.add_argument("--quiet", action="store_true", help="no progress bar")
    return flags


def environment(args: argparse.Namespace, rules: Rules, table: Table, rows: int) -> Any:
    """The learner's rows of rounds."""
    from pontoon_gym.envs.vector import BankerVectorEnv, PlayerVectorEnv

    given = [any_policy(name, "player", rules, table) for name in args.players or []]
    asked: dict[str, Any] = {"players": given[0] if len(given) == 1 else given or None, **table.as_dict()}
    if args.role == "player":
        return PlayerVectorEnv(
            rows, rules=rules, illegal="raise", banker=any_banker(args.banker, rules, table), **asked
        )
    return BankerVectorEnv(rows, rules=rules, illegal="raise", banker=args.banker, **asked)


def main(argv: list[str]) -> int:
    """Learn, keep what was learned, say where it is."""
    args = parser().parse_args(argv)
    rules, table = game_of(args)
    settings = settings_of(args.algo, args.role, args.settings, pairs(args.set, "--set"))
    env = environment(args, rules, table, settings["rows"])
    kept = Run(folder(args.out, POLICY_FILE, CONFIG, LOG))
    try:
        from agents.deep import MaskablePPOLearner, versions
    except ImportError as error:
        raise MissingExtra(f"training needs the extra: pip install -e '.[train]' ({error})") from error
    try:
        learner = MaskablePPOLearner(env, settings, seed=args.seed, device=args.device)
    except (RuntimeError, AssertionError) as error:
        raise BadArgument(f"the learner cannot be made: {error}", got=args.device) from error
    kept.write_config(rules, table, {"command": ["train.py", *argv], "settings": settings, "versions": versions()})
    stopped = learn(learner, args, kept)
    if learner.updates == 0:
        print("stopped before anything was learned")
        return 130
    path = kept.save(learner.policy(kept.path.name))
    print(f"{'stopped' if stopped else 'done'} after {learner.model.num_timesteps:,} steps; policy in {path}")
    return 130 if stopped else 0


def learn(learner: Any, args: argparse.Namespace, kept: Run) -> bool:
    """Train with a progress bar; True if Ctrl-C ended it."""
    with progress_bar(args.steps, "step", not args.quiet) as bar:

        def told(facts: dict[str, float]) -> None:
            bar.update(facts["steps"] - bar.n)
            bar.set_postfix_str(f"reward {facts['reward']:+.3f}")
            kept.log(facts)

        with interruptible() as asked:
            try:
                learner.learn(args.steps, told, asked.is_set)
            except KeyboardInterrupt:
                return True
    return asked.is_set()


if __name__ == "__main__":
    run(main)
