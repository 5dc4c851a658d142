"""`chart`: a player's policy on a sheet of paper."""

from __future__ import annotations

import argparse
import json
from typing import Any

from pontoon_gym.cli.flags import USUAL_BANKER, add_sides, game_of
from pontoon_gym.cli.progress import working
from pontoon_gym.policies.resolve import resolve
from pontoon_gym.policies.seating import banker_of
from pontoon_gym.solver import chart


def add(commands: Any) -> None:
    """Add the command to the others."""
    best = "the best one against the banker"
    charts = add_sides(commands, "chart", "a player's policy on a sheet of paper", player=best, banker=USUAL_BANKER)
    charts.set_defaults(run=run)
    files = "save the chart to these .csv, .json, .md, .html or .png files (default: print it)"
    charts.add_argument("--out", metavar="FILE", nargs="+", default=[], help=files)


def run(args: argparse.Namespace) -> int:
    """Make a chart and write it."""
    rules, table = game_of(args)
    player = resolve(args.player, "player", rules, table) if args.player is not None else None
    with working("solving", not args.json):
        made = chart(rules, player=player, banker=banker_of(args.banker, rules, table), table=table)
    for path in args.out:
        made.save(path)
    text = f"{made.worth()}\nsaved as {', '.join(args.out)}" if args.out else made.text()
    print(json.dumps(made.as_dict()) if args.json else text)
    return 0
