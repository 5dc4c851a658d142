"""Flags that commands share: those of the game are made from the rules and the table."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from pontoon_gym.errors import BadArgument
from pontoon_gym.rules import PRESETS, Rules, Table, specs


def add_game_flags(parser: argparse.ArgumentParser) -> None:
    """Flags for rules and table, their defaults those of `Rules` and `Table`."""
    parser.add_argument("--rules", default="home", metavar="PRESET", help=f"one of {', '.join(PRESETS)}, or a text")
    parser.add_argument(
        "--rule", action="append", default=[], metavar="FIELD=VALUE", help="change one field of the rules; repeatable"
    )
    for name, default in Table().as_dict().items():
        _, spec = specs(Table)[name]
        parser.add_argument(
            f"--{name.replace('_', '-')}", type=int, default=default, help=f"{spec.meaning} (default: {default})"
        )


def game_of(args: argparse.Namespace) -> tuple[Rules, Table]:
    """The rules and the table that flags ask for. Raises `BadRules`, `BadTable`."""
    table = Table.of({name: getattr(args, name) for name in Table._fields})
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


def add_sides(commands: Any, name: str, about: str) -> argparse.ArgumentParser:
    """Add a command that takes a game, a player and a banker."""
    flags: argparse.ArgumentParser = commands.add_parser(name, help=about, description=about)
    add_game_flags(flags)
    flags.add_argument("--player", help="a name, file or run folder")
    flags.add_argument("--banker", help="likewise; none where the rules bind the banker")
    flags.add_argument("--json", action="store_true", help="one JSON document on standard output, nothing else")
    return flags
