"""`match`: every player against every banker."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from pontoon_gym.cli.flags import add_game_flags, game_of, whole
from pontoon_gym.cli.progress import progress_bar
from pontoon_gym.evaluation.judge import Contest, match
from pontoon_gym.evaluation.report import Match
from pontoon_gym.files import writable_folder, write_bytes
from pontoon_gym.policies.resolve import resolve
from pontoon_gym.policies.seating import banker_of


def add(commands: Any) -> None:
    """Add the command to the others."""
    about = "every player against every banker: exactly where that is possible, and on the same deals"
    plays = commands.add_parser("match", help=about, description=about)
    plays.set_defaults(run=run)
    add_game_flags(plays)
    plays.add_argument("--player", nargs="+", default=["thumb"], help="names, files or run folders")
    plays.add_argument("--banker", nargs="+", default=None, help="likewise; none where the rules bind the banker")
    plays.add_argument("--others", help="who plays the seats beside a judged player (default: the judged player)")
    plays.add_argument("--judge", choices=("player", "banker"), default="player", help="whose value is reported")
    plays.add_argument("--rounds", type=whole(1, 10**11), default=1_000_000, help="rounds of each pair")
    plays.add_argument("--seed", type=whole(0, 2**63 - 1), default=0)
    plays.add_argument("--json", action="store_true", help="one JSON document on standard output, nothing else")
    plays.add_argument("--out", metavar="DIR", help="write the report there too, as match.json and match.txt")


def run(args: argparse.Namespace) -> int:
    """Judge the policies of a match and report them."""
    rules, table = game_of(args)
    players = [resolve(name, "player", rules, table) for name in args.player]
    bankers = [banker_of(name, rules, table) for name in args.banker or [None]]
    others = resolve(args.others, "player", rules, table) if args.others else None
    target = writable_folder(args.out, "match.json", "match.txt") if args.out else None
    with progress_bar(args.rounds * len(players) * len(bankers), "round", not args.json) as bar:
        contest = Contest(players, bankers, others, args.judge)
        report = match(rules, table, contest, args.rounds, seed=args.seed, on_rounds=bar.update)
    report = report.told_apart(args.player, args.banker or [None])
    print(json.dumps(report.as_dict()) if args.json else report.text())
    if target:
        write_report(target, report)
    return 0


def write_report(target: Path, report: Match) -> None:
    """The report as files, for people and for programs."""
    write_bytes(target / "match.json", (json.dumps(report.as_dict(), indent=1) + "\n").encode())
    write_bytes(target / "match.txt", (report.text() + "\n").encode())
