"""The flags of `train.py`: they make a configuration, are compared with one, and are written back from one."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from typing import Any

from agents.algorithms import ALGORITHMS, learner_class, settings_of
from agents.hyperparameters import changed_settings
from agents.training.config import EVALUATIONS, Config
from pontoon_gym.cli.console import Parser
from pontoon_gym.cli.flags import add_game_flags, game_of, pairs, whole
from pontoon_gym.errors import BadArgument
from pontoon_gym.rules import Rules, Table

DEFAULT_STEPS = 1_000_000


def parser(about: str = "") -> argparse.ArgumentParser:
    """The flags of a run."""
    flags = Parser(prog="train.py", description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
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
    flags.add_argument("--evaluations", type=whole(0, 10**6), default=EVALUATIONS, help="exact regrets along the run")
    flags.add_argument("--checkpoint-seconds", type=whole(0, 10**9), default=60, help="between two checkpoints")
    flags.add_argument("--resume", action="store_true", help="go on with the run in the folder, from its checkpoint")
    flags.add_argument("--quiet", action="store_true", help="no progress bar")
    return flags


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
    ).stamped()


_FIELDS = {"algo": "algorithm", "rule": "rules", "set": "settings"}
"""Flags that are called otherwise than what they change in a configuration."""


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
    """The words of `train.py` that make such a run, but for its folder. Raises as `settings_of`."""
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
    }
    words = [config.role]
    for name, value in flags.items():
        if value is not None:
            words += [f"--{name.replace('_', '-')}", *(value if isinstance(value, tuple) else [str(value)])]
    for name, value in changed.items():
        words += ["--set", f"{name}={value if isinstance(value, str) else json.dumps(value)}"]
    return words
