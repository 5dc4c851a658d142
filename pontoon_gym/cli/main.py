"""Judge policies.

pontoon-gym match --player thumb pretrained --banker stand17     every player against every banker
pontoon-gym solve --player thumb --banker stand17                best responses, regret by infostate
pontoon-gym chart --banker stand17 --out best.html               a player's policy on a sheet of paper
"""

from __future__ import annotations

import argparse

from pontoon_gym import __version__
from pontoon_gym.cli import chart, match, solve
from pontoon_gym.cli.console import Parser

COMMANDS = (match, solve, chart)
"""Each adds its flags (`add`) and does what they ask for (`run`)."""


def parser() -> argparse.ArgumentParser:
    """The flags of all commands."""
    flags = Parser(prog="pontoon-gym", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    flags.add_argument("--version", action="version", version=__version__)
    commands = flags.add_subparsers(dest="command", required=True, parser_class=Parser)
    for command in COMMANDS:
        command.add(commands)
    return flags


def main(argv: list[str]) -> int:
    """Do what the flags ask for."""
    args = parser().parse_args(argv)
    status: int = args.run(args)
    return status
