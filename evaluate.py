#!/usr/bin/env python3
"""Judge policies: `python evaluate.py match --player thumb runs/player --banker stand17`."""

from __future__ import annotations

if __name__ == "__main__":  # Ctrl-C while libraries load ends quietly; `run` takes it over
    import signal

    signal.signal(signal.SIGINT, signal.SIG_DFL)

import argparse
import json
from pathlib import Path

from agents.commands import Parser, add_game_flags, any_banker, any_policy, folder, game_of, progress_bar, run, whole
from pontoon_gym.evaluation import Match, match
from pontoon_gym.stamps import write_bytes


def parser() -> argparse.ArgumentParser:
    """The flags of this command."""
    flags = Parser(description=__doc__)
    commands = flags.add_subparsers(dest="command", required=True, parser_class=Parser)
    about = "every player against every banker, on the same deals"
    plays = commands.add_parser("match", help=about, description=about)
    add_game_flags(plays)
    plays.add_argument("--player", nargs="+", default=["thumb"], help="names, files or run folders")
    plays.add_argument("--banker", nargs="+", default=None, help="likewise; none where the rules bind the banker")
    plays.add_argument("--others", help="who plays the seats beside a judged player (default: he himself)")
    plays.add_argument("--judge", choices=("player", "banker"), default="player", help="whose value is told")
    plays.add_argument("--rounds", type=whole(1, 10**11), default=1_000_000, help="rounds of each pair")
    plays.add_argument("--seed", type=whole(0, 2**63 - 1), default=0)
    plays.add_argument("--json", action="store_true", help="one JSON document on standard output, nothing else")
    plays.add_argument("--out", metavar="DIR", help="write the report there too, as match.json and match.txt")
    return flags


def main(argv: list[str]) -> int:
    """Play the match and report it."""
    args = parser().parse_args(argv)
    rules, table = game_of(args)
    players = [any_policy(name, "player", rules, table) for name in args.player]
    bankers = [any_banker(name, rules, table) for name in args.banker or [None]]
    others = any_policy(args.others, "player", rules, table) if args.others else None
    target = folder(args.out, "match.json", "match.txt") if args.out else None
    with progress_bar(args.rounds * len(players) * len(bankers), "round", not args.json) as bar:
        report = match(
            rules,
            table,
            players,
            bankers,
            args.rounds,
            seed=args.seed,
            others=others,
            judged=args.judge,
            progress=bar.update,
        )
    print(json.dumps(report.as_dict()) if args.json else report.text())
    if target:
        write_report(target, report)
    return 0


def write_report(target: Path, report: Match) -> None:
    """The report as files, for people and for programs."""
    write_bytes(target / "match.json", (json.dumps(report.as_dict(), indent=1) + "\n").encode())
    write_bytes(target / "match.txt", (report.text() + "\n").encode())


if __name__ == "__main__":
    run(main)
