"""`match`: every player against every banker."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from pontoon_gym.cli.flags import POLICY, USUAL_BANKER, add_game_flags, add_json_flag, game_of, whole
from pontoon_gym.cli.progress import progress_bar
from pontoon_gym.evaluation.judge import Contest, match
from pontoon_gym.evaluation.report import Match
from pontoon_gym.files import writable_folder, write_bytes


def add(commands: Any) -> None:
    """Add the command to the others."""
    about = "every player against every banker: exactly where that is possible, and on the same deals"
    plays = commands.add_parser("match", help=about, description=about)
    plays.set_defaults(run=run)
    add_game_flags(plays)
    players, bankers = f"the players, each {POLICY} (default: thumb)", f"the bankers (default: {USUAL_BANKER})"
    plays.add_argument("--player", nargs="+", default=["thumb"], metavar="POLICY", help=players)
    plays.add_argument("--banker", nargs="+", default=None, metavar="POLICY", help=bankers)
    others = "who plays the seats beside a judged player (default: the judged player)"
    plays.add_argument("--others", metavar="POLICY", help=others)
    judged = "the side whose values are reported (default: player)"
    plays.add_argument("--judge", choices=("player", "banker"), default="player", help=judged)
    rounds = "how many rounds each pair plays (default: 1,000,000)"
    plays.add_argument("--rounds", type=whole(1, 10**11), default=1_000_000, metavar="N", help=rounds)
    seed = "the seed of the deals, the same for all pairs (default: 0)"
    plays.add_argument("--seed", type=whole(0, 2**63 - 1), default=0, metavar="N", help=seed)
    add_json_flag(plays)
    plays.add_argument("--out", metavar="DIR", help="also write the report to this folder, as match.json and match.txt")


def run(args: argparse.Namespace) -> int:
    """Judge the policies of a match and report them."""
    rules, table = game_of(args)
    asked = Contest(args.player, args.banker or [None], args.others, args.judge)
    contest = Contest(*asked.seated(rules, table), args.judge)
    target = writable_folder(args.out, "match.json", "match.txt") if args.out else None
    with progress_bar(args.rounds * len(asked.players) * len(asked.bankers), "round", not args.json) as bar:
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
