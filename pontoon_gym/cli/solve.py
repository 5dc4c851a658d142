"""`solve`: best responses, and regret by infostate."""

from __future__ import annotations

import argparse
import json
from typing import Any

from pontoon_gym.cli.flags import add_sides, game_of, whole
from pontoon_gym.cli.progress import working
from pontoon_gym.errors import BadArgument
from pontoon_gym.evaluation.report import regret_report, response_report
from pontoon_gym.policies.resolve import resolve
from pontoon_gym.policies.seating import banker_of
from pontoon_gym.solver import best_response, regrets

TOP = 15
"""Infostates that a regret lists, if nothing else is asked for."""


def add(commands: Any) -> None:
    """Add the command to the others."""
    about = "one player and the bank, exactly: the best response to a banker or to a player, or with both the regret"
    bank = "the best one, or the banker whom the rules bind"
    solves = add_sides(commands, "solve", about, player="the best one", banker=bank)
    solves.set_defaults(run=run)
    side = "with both sides given, the side whose regret is reported (default: player)"
    solves.add_argument("--regret-of", choices=("player", "banker"), help=side)
    top = f"how many infostates a regret lists, costliest first (default: {TOP})"
    solves.add_argument("--top", type=whole(0, 10**6), metavar="N", help=top)
    solves.add_argument(
        "--out",
        metavar="FILE",
        help="save the best response to this .npz or .json file; folders that are missing are made",
    )


def run(args: argparse.Namespace) -> int:
    """Find a best response, or a policy's regret, and report it."""
    rules, table = game_of(args)
    player = resolve(args.player, "player", rules, table) if args.player is not None else None
    banker = banker_of(args.banker, rules, table) if args.banker or rules.banker != "free" else None
    both = player is not None and (banker is not None or rules.banker != "free")
    if both and args.out:
        raise BadArgument("--out saves a best response: give one side only", got=args.out)
    for flag, value in (("--regret-of", args.regret_of), ("--top", args.top)):
        if value is not None and not both:
            raise BadArgument(f"{flag} needs both sides: give --player and --banker", got=value)
    with working("solving", not args.json):
        if player is not None and both:
            regret = regrets(rules, player=player, banker=banker, of=args.regret_of or "player", table=table)
            report, lines = regret_report(regret, TOP if args.top is None else args.top)
        else:
            response = best_response(rules, player=player, banker=banker, table=table)
            report, lines = response_report(response)
            if args.out:
                response.strategy.save(args.out)
                lines.append(f"saved as {args.out}")
    sides = {"player": args.player, "banker": args.banker}
    about = {"rules": rules.text(), "rules_digest": rules.digest(), "table": table.as_dict(), **sides}
    print(json.dumps({**about, **report}) if args.json else "\n".join(lines))
    return 0
