"""Flags that commands share: those of the game are made from the rules and the table."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from pontoon_gym.errors import BadArgument, BadTable
from pontoon_gym.policies.seating import DEFAULT_BANKER
from pontoon_gym.rules import PRESETS, Rules, Table, specs

POLICY = "a rule of thumb, pretrained, a policy's file, a chart or a run's folder"
"""What a policy's flag takes, for its help."""
USUAL_BANKER = f"{DEFAULT_BANKER}, or the banker whom the rules bind"
"""Who banks if no flag says so, for its help."""


def add_game_flags(parser: argparse.ArgumentParser) -> None:
    """Flags for rules and table, their defaults those of `Rules` and `Table`."""
    names = f"{', '.join(PRESETS)}, or one of them with changes, such as home,split=none"
    parser.add_argument("--rules", default="home", metavar="PRESET", help=f"the rules: {names} (default: home)")
    change = "change one field of the rules; can be given several times"
    parser.add_argument("--rule", action="append", default=[], metavar="FIELD=VALUE", help=change)
    for name, default in Table().as_dict().items():
        _, spec = specs(Table)[name]
        parser.add_argument(
            f"--{name.replace('_', '-')}", type=int, default=default, help=f"{spec.meaning} (default: {default})"
        )


def game_of(args: argparse.Namespace) -> tuple[Rules, Table]:
    """The rules and the table that flags ask for. Raises `BadRules`, `BadTable`, also for levels without effect."""
    table = Table.of({name: getattr(args, name) for name in Table._fields})
    amounts = table.stake_max - table.stake_min + 1
    if table.stake_levels > amounts:
        allowed = f"1 to {amounts}, or a greater --stake-max"
        raise BadTable("more stake levels than stakes", got=table.stake_levels, allowed=allowed, where="clause 9.3")
    return Rules.of(args.rules, **pairs(args.rule, "--rule")), table


def pairs(given: list[str], flag: str) -> dict[str, str]:
    """The fields and values of a repeated `field=value` flag. Raises `BadArgument`."""
    found = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise BadArgument(f"{flag} takes field=value", got=text)
        found[name.strip()] = value.strip()
    return found


def whole(least: int, most: int) -> Callable[[str], int]:
    """The kind of a flag that takes whole numbers from `least` to `most`."""

    def number(text: str) -> int:
        if not text.isascii() or not text.isdigit() or len(text) > 20 or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"got {text[:50]!r}; allowed: whole numbers from {least} to {most}")
        return int(text)

    return number


def add_sides(commands: Any, name: str, about: str, player: str, banker: str) -> argparse.ArgumentParser:
    """Add a command that takes a game, a player and a banker.

    Args:
        about: what the command does, for its help.
        player, banker: who plays a side that no flag names, for the help.
    """
    flags: argparse.ArgumentParser = commands.add_parser(name, help=about, description=about)
    add_game_flags(flags)
    flags.add_argument("--player", metavar="POLICY", help=f"the player: {POLICY} (default: {player})")
    flags.add_argument("--banker", metavar="POLICY", help=f"the banker, named alike (default: {banker})")
    add_json_flag(flags)
    return flags


def add_json_flag(flags: argparse.ArgumentParser) -> None:
    """The flag of commands that report to programs too."""
    flags.add_argument("--json", action="store_true", help="print one JSON document and nothing else")
