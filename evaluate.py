#!/usr/bin/env python3
"""Judge policies.

python evaluate.py match --player thumb runs/player --banker stand17     every player against every banker
python evaluate.py solve --player thumb --banker stand17                 best responses, regret by situation
python evaluate.py chart --banker stand17 --out best.html                a player's policy on a sheet of paper
"""

from __future__ import annotations

if __name__ == "__main__":  # Ctrl-C while libraries load ends quietly; `run` takes it over
    import signal

    signal.signal(signal.SIGINT, signal.SIG_DFL)

import argparse
import json
from pathlib import Path
from typing import Any

from agents.commands import (
    Parser,
    add_game_flags,
    any_banker,
    any_policy,
    folder,
    game_of,
    progress_bar,
    run,
    whole,
    working,
)
from pontoon_gym.errors import BadArgument
from pontoon_gym.evaluation import Match, match, regret_report, response_report
from pontoon_gym.solver import best_response, chart, regrets
from pontoon_gym.stamps import write_bytes


def parser() -> argparse.ArgumentParser:
    """The flags of this command."""
    flags = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = flags.add_subparsers(dest="command", required=True, parser_class=Parser)
    _add_match(commands)
    _add_solve(commands)
    _add_chart(commands)
    return flags


def _add_match(commands: Any) -> None:
    about = "every player against every banker: exactly where that is possible, and on the same deals"
    plays = commands.add_parser("match", help=about, description=about)
    plays.set_defaults(run=play_match)
    add_game_flags(plays)
    plays.add_argument("--player", nargs="+", default=["thumb"], help="names, files or run folders")
    plays.add_argument("--banker", nargs="+", default=None, help="likewise; none where the rules bind the banker")
    plays.add_argument("--others", help="who plays the seats beside a judged player (default: he himself)")
    plays.add_argument("--judge", choices=("player", "banker"), default="player", help="whose value is told")
    plays.add_argument("--rounds", type=whole(1, 10**11), default=1_000_000, help="rounds of each pair")
    plays.add_argument("--seed", type=whole(0, 2**63 - 1), default=0)
    plays.add_argument("--json", action="store_true", help="one JSON document on standard output, nothing else")
    plays.add_argument("--out", metavar="DIR", help="write the report there too, as match.json and match.txt")


def _add_solve(commands: Any) -> None:
    about = "one player and the bank, exactly: the best response to a banker or to a player, or with both the regret"
    solves = _add_sides(commands, "solve", about)
    solves.set_defaults(run=solve)
    solves.add_argument("--regret-of", choices=("player", "banker"), default="player", help="whose, given both")
    solves.add_argument("--top", type=whole(0, 10**6), default=15, help="situations to list, dearest first")
    solves.add_argument("--out", metavar="FILE", help="save the best response there, as .npz or .json")


def _add_chart(commands: Any) -> None:
    charts = _add_sides(commands, "chart", "a player's policy as a chart; without --player the best response")
    charts.set_defaults(run=draw_chart)
    charts.add_argument("--out", metavar="FILE", nargs="+", default=[], help="as .csv, .json, .md, .html or .png")


def _add_sides(commands: Any, name: str, about: str) -> argparse.ArgumentParser:
    flags: argparse.ArgumentParser = commands.add_parser(name, help=about, description=about)
    add_game_flags(flags)
    flags.add_argument("--player", help="a name, file or run folder")
    flags.add_argument("--banker", help="likewise; none where the rules bind the banker")
    flags.add_argument("--json", action="store_true", help="one JSON document on standard output, nothing else")
    return flags


def main(argv: list[str]) -> int:
    """Do what the flags ask for."""
    args = parser().parse_args(argv)
    status: int = args.run(args)
    return status


def play_match(args: argparse.Namespace) -> int:
    """Judge the policies of a match and report them."""
    rules, table = game_of(args)
    players = [any_policy(name, "player", rules, table) for name in args.player]
    bankers = [any_banker(name, rules, table) for name in args.banker or [None]]
    others = any_policy(args.others, "player", rules, table) if args.others else None
    target = folder(args.out, "match.json", "match.txt") if args.out else None
    with progress_bar(args.rounds * len(players) * len(bankers), "round", not args.json) as bar:
        report = match(
            rules, table, players, bankers, args.rounds,
            seed=args.seed, others=others, judged=args.judge, progress=bar.update,
        )  # fmt: skip
    report = report.told_apart(args.player, args.banker or [None])
    print(json.dumps(report.as_dict()) if args.json else report.text())
    if target:
        write_report(target, report)
    return 0


def solve(args: argparse.Namespace) -> int:
    """Find a best response, or a policy's regret, and report it."""
    rules, table = game_of(args)
    player = any_policy(args.player, "player", rules, table) if args.player else None
    banker = any_banker(args.banker, rules, table) if args.banker or rules.banker != "free" else None
    both = player is not None and (banker is not None or rules.banker != "free")
    if both and args.out:
        raise BadArgument("--out saves a best response: give one side only", got=args.out)
    with working("solving", not args.json):
        if player is not None and both:
            regret = regrets(rules, player=player, banker=banker, of=args.regret_of, table=table)
            report, lines = regret_report(regret, args.top)
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


def draw_chart(args: argparse.Namespace) -> int:
    """Make a chart and write it."""
    rules, table = game_of(args)
    player = any_policy(args.player, "player", rules, table) if args.player else None
    with working("solving", not args.json):
        made = chart(rules, player=player, banker=any_banker(args.banker, rules, table), table=table)
    for path in args.out:
        made.save(path)
    told = f"{made.worth()}\nsaved as {', '.join(args.out)}" if args.out else made.text()
    print(json.dumps(made.as_dict()) if args.json else told)
    return 0


def write_report(target: Path, report: Match) -> None:
    """The report as files, for people and for programs."""
    write_bytes(target / "match.json", (json.dumps(report.as_dict(), indent=1) + "\n").encode())
    write_bytes(target / "match.txt", (report.text() + "\n").encode())


if __name__ == "__main__":
    run(main)
