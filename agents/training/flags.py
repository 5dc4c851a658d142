"""The flags of `train.py`: they make a configuration, are compared with one, and are written back from one."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from typing import Any

from agents.algorithms import ALGORITHMS, learner_class, settings_of
from agents.hyperparameters import changed_settings
from agents.learner import Horizon
from agents.training.config import EVALUATIONS, Config
from pontoon_gym.cli.console import Parser
from pontoon_gym.cli.flags import POLICY, USUAL_BANKER, add_game_flags, game_of, pairs, whole
from pontoon_gym.errors import BadArgument
from pontoon_gym.policies.seating import DEFAULT_PLAYER
from pontoon_gym.rules import Rules, Table

DEFAULT_STEPS = 1_000_000


def parser(about: str = "") -> argparse.ArgumentParser:
    """The flags of a run."""
    flags = Parser(prog="train.py", description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    flags.add_argument("role", choices=("player", "banker"), help="the side that learns")
    add_game_flags(flags)
    _add_opponents(flags)
    _add_learning(flags)
    _add_course(flags)
    return flags


def _add_opponents(flags: argparse.ArgumentParser) -> None:
    """The flags for everybody who does not learn."""
    bank = f"who banks while a player learns: {POLICY} (default: {USUAL_BANKER})"
    flags.add_argument("--banker", metavar="POLICY", help=bank)
    seats = f"who plays the other players' seats, one policy for all or one a place (default: {DEFAULT_PLAYER})"
    flags.add_argument("--players", nargs="+", metavar="POLICY", help=seats)


def _add_learning(flags: argparse.ArgumentParser) -> None:
    """The flags for how something is learned, and how long."""
    algorithm = "the algorithm that learns (default: maskable_ppo)"
    flags.add_argument("--algo", default="maskable_ppo", choices=ALGORITHMS, help=algorithm)
    settings = "the algorithm's settings, a TOML file (default: its file in agents/settings)"
    flags.add_argument("--settings", metavar="FILE", help=settings)
    change = "change one setting; can be given several times"
    flags.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help=change)
    steps = (
        f"learn from so many decisions (default: {DEFAULT_STEPS:,}, or no limit with --rounds); with --resume: in all"
    )
    flags.add_argument("--steps", type=whole(1, 10**12), metavar="N", help=steps)
    rounds = "learn from so many rounds; with --steps, until the first of the two is reached (default: no limit)"
    flags.add_argument("--rounds", type=whole(1, 10**12), metavar="N", help=rounds)
    seeds = "the seed of all random numbers; several seeds make a run each (default: 0)"
    flags.add_argument("--seed", type=whole(0, 2**32 - 1), nargs="+", default=[0], metavar="N", help=seeds)
    start = "begin with the weights, or the table, of the learner in another run's folder; with nothing else of it"
    flags.add_argument("--start-from", metavar="DIR", help=start)
    device = "the torch device of networks, such as cuda; tables learn on the cpu only (default: cpu)"
    flags.add_argument("--device", default="cpu", help=device)


def _add_course(flags: argparse.ArgumentParser) -> None:
    """The flags for what is kept and shown of a run."""
    folder = "the run's folder; several seeds have a folder each in it (default: runs/latest)"
    flags.add_argument("--out", default="runs/latest", metavar="DIR", help=folder)
    jobs = "how many runs of several seeds go on at once (default: one a core)"
    flags.add_argument("--jobs", type=whole(1, 256), metavar="N", help=jobs)
    often = f"how many times along the run its exact regret is found; 0 for never (default: {EVALUATIONS})"
    flags.add_argument("--evaluations", type=whole(0, 10**6), default=EVALUATIONS, metavar="N", help=often)
    seconds = "the seconds from one checkpoint to the next (default: 60)"
    flags.add_argument("--checkpoint-seconds", type=whole(0, 10**9), default=60, metavar="N", help=seconds)
    resume = "go on with the run in the folder from its last checkpoint; more --steps or --rounds make it longer"
    flags.add_argument("--resume", action="store_true", help=resume)
    flags.add_argument("--quiet", action="store_true", help="show no progress bar")


def given_in(argv: list[str]) -> dict[str, Any]:
    """The flags that were given, by name, without those that stand at their defaults."""
    names = vars(parser().parse_args(argv))
    # A flag that is not given leaves what is there.
    parsed = parser().parse_args(argv, argparse.Namespace(**dict.fromkeys(names)))
    return {name: value for name, value in vars(parsed).items() if value is not None}


def config_of(args: argparse.Namespace) -> Config:
    """What flags ask for; of several seeds the first. Raises `BadArgument`, `BadRules`, `BadTable`, `MissingExtra`."""
    rules, table = game_of(args)
    return Config(
        args.algo,
        args.role,
        rules,
        table,
        settings_of(args.algo, args.role, args.settings, pairs(args.set, "--set")),
        args.banker,
        tuple(args.players or ()),
        args.seed[0],
        args.steps or (None if args.rounds else DEFAULT_STEPS),
        args.rounds,
        args.evaluations,
        args.device,
        start_from=args.start_from,
    ).stamped()


_FIELDS = {"algo": "algorithm", "rule": "rules", "set": "settings"}
"""Flags that are called otherwise than what they change in a configuration."""


def resumed(given: Mapping[str, Any], config: Config) -> Config:
    """What a run in its folder is to be from now on: as it began, but longer if the budgets that were given are.

    Raises `BadArgument` if a flag that was given asks for something else than the run began with.
    """
    budgets = {unit: given[unit] for unit in Horizon._fields if unit in given}
    check_resumed({name: value for name, value in given.items() if name not in budgets}, config)
    same = all(value == getattr(config, unit) for unit, value in budgets.items())
    return config if same else config.longer(Horizon(**budgets))


def check_resumed(given: Mapping[str, Any], config: Config) -> None:
    """Raise `BadArgument` if a flag that was given asks for something else than the run began with."""
    began = {**config._asdict(), **config.table.as_dict()}
    for name, value in given.items():
        field = _FIELDS.get(name, name)
        if field in began and (asked := _asked(field, given, config)) != began[field]:
            flag = "the other side" if name == "role" else f"--{name.replace('_', '-')}"
            allowed = str(_other(began[field], asked))
            raise BadArgument(f"a run is resumed as it began, leave out {flag}", got=value, allowed=allowed)


def _other(began: Any, asked: Any) -> Any:
    """What a run began with, where something else is asked for: of rules and settings what differs."""
    if isinstance(began, Rules):
        return {name: value for name, (value, _) in began.differences(asked).items()}
    return {name: value for name, value in began.items() if value != asked[name]} if isinstance(began, dict) else began


def _asked(field: str, given: Mapping[str, Any], config: Config) -> Any:
    """The value of a configuration's field that flags ask for; what they leave open is as the run began."""
    if field == "rules":
        return Rules.of(given.get("rules", config.rules), **pairs(given.get("rule", []), "--rule"))
    if field == "settings":
        changes = pairs(given.get("set", []), "--set")
        if "settings" in given:
            return settings_of(config.algorithm, config.role, given["settings"], changes)
        return {**config.settings, **changed_settings(learner_class(config.algorithm).limits, changes)}
    if field == "players":
        return tuple(given["players"])
    return given["algo"] if field == "algorithm" else given["seed"][0] if field == "seed" else given[field]


def words_of(config: Config) -> list[str]:
    """The words of `train.py` that make such a run, but for its folder. Raises as `settings_of`, and `BadArgument` for
    a run that more than one command made."""
    if config.earlier:
        raise BadArgument("one command does not make a run that was made longer", got=config.earlier)
    shipped = settings_of(config.algorithm, config.role, None, {})
    changed = {name: value for name, value in config.settings.items() if value != shipped[name]}
    levels = {name: value for name, value in config.table.as_dict().items() if value != getattr(Table(), name)}
    flags: dict[str, Any] = {
        "rules": None if config.rules == Rules.of() else config.rules.text(),
        "banker": config.banker,
        "players": config.players or None,
        **levels,
        "algo": config.algorithm,
        "steps": config.steps,
        "rounds": config.rounds,
        "seed": config.seed,
        "evaluations": None if config.evaluations == EVALUATIONS else config.evaluations,
        "device": None if config.device == "cpu" else config.device,
        "start_from": config.start_from,
    }
    words = [config.role]
    for name, value in flags.items():
        if value is not None:
            words += [f"--{name.replace('_', '-')}", *(value if isinstance(value, tuple) else [str(value)])]
    for name, value in changed.items():
        words += ["--set", f"{name}={value if isinstance(value, str) else json.dumps(value)}"]
    return words
