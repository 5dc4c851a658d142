"""Measure: `python -m benchmarks.speed --json FILE`. The exit status is 0 whatever the figures are."""

from __future__ import annotations

import argparse
import gc
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.speed import floor, ours, peers
from benchmarks.speed.contest import Entry, Run, Tally
from benchmarks.speed.machine import facts
from benchmarks.speed.report import growth, ratios, result, text

WARM = 0.05
"""Seconds that a contestant plays before it is measured."""


def parser() -> argparse.ArgumentParser:
    """The flags."""
    flags = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    flags.add_argument("--repeats", type=int, default=7, help="slices of each contestant (default: 7)")
    flags.add_argument("--slice", type=float, default=0.3, help="timed seconds of a slice (default: 0.3)")
    flags.add_argument("--quick", action="store_true", help="two slices of 0.02 s, no 65,536 rows: does it run?")
    flags.add_argument("--only", default="", metavar="REGEX", help="contestants whose name matches")
    flags.add_argument("--json", type=Path, metavar="FILE", help="write everything measured")
    return flags


def made(entries: Sequence[Entry]) -> tuple[dict[str, Run], dict[str, str]]:
    """The contestants, warmed up, and why others are absent, by name."""
    runs: dict[str, Run] = {}
    absent: dict[str, str] = {}
    for entry in entries:
        try:
            runs[entry.name] = entry.make()
        except ImportError as error:
            absent[entry.name] = str(error)
        else:
            runs[entry.name].slice(WARM)
    return runs, absent


def measure(entries: Sequence[Entry], repeats: int, seconds: float) -> list[dict[str, Any]]:
    """Slices of all contestants in turn, so that what slows the machine down for a while slows all of them."""
    runs, absent = made(entries)
    slices: dict[str, list[Tally]] = {entry.name: [] for entry in entries}
    # What the thousands of games of some are made of is not searched for garbage in the time of others.
    gc.collect()
    gc.freeze()
    for number in range(repeats):
        print(f"slice {number + 1} of {repeats}", file=sys.stderr)
        for name, run in runs.items():
            slices[name].append(run.slice(seconds))
    gc.unfreeze()
    return [result(entry, slices[entry.name], absent.get(entry.name)) for entry in entries]


def main(argv: list[str]) -> int:
    """Measure, print, write."""
    args = parser().parse_args(argv)
    repeats, seconds = (2, 0.02) if args.quick else (max(args.repeats, 1), args.slice)
    entries = [*peers.entries(), *ours.entries(args.quick), *floor.entries(args.quick)]
    chosen = [entry for entry in entries if re.search(args.only, entry.name)]
    report = facts(["python", "-m", "benchmarks.speed", *argv])
    report |= {"quick": args.quick, "repeats": repeats, "slice": seconds}
    results = measure(chosen, repeats, seconds)
    report |= {
        "contestants": results,
        "ratios": ratios(results),
        "growth": growth(results),
        "memory": floor.bytes_per_row(),
        "work": floor.measured()._asdict(),
    }
    print(text(report))
    if args.json:
        args.json.parent.mkdir(parents=True, exist_ok=True)
        args.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
