"""The figure of the README, drawn from the committed results: `python -m benchmarks.speed.figure`."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from benchmarks.speed.report import best

ROOT = Path(__file__).resolve().parents[2]
RESULTS, FIGURE = ROOT / "benchmarks" / "results" / "speed.json", ROOT / "docs" / "speed.svg"

BARS = (
    ("floor: cards and memory alone", "floor/memory/.*", "floor"),
    ("floor: cards and observations", "floor/seen/.*", "floor"),
    ("Pontoon Gym, vector", r"pontoon/rows=\d+/threads=\d", "ours"),
    ("Pontoon Gym, vector, five seats", "pontoon/seats=5/.*", "ours"),
    ("EnvPool Blackjack, vector", "envpool/.*", "peer"),
    ("Pontoon Gym, single", "pontoon/single", "ours"),
    ("OpenSpiel Blackjack, single", "openspiel/.*", "peer"),
    ("Gymnasium Blackjack, vector", "gymnasium/blackjack/sync/.*", "peer"),
    ("Gymnasium Blackjack, single", "gymnasium/blackjack/single", "peer"),
    ("RLCard Blackjack, single", "rlcard/blackjack/players=1", "peer"),
    ("PettingZoo Leduc, single", "pettingzoo/.*", "peer"),
)
"""What is drawn: a label, the contestants of which the best is shown, and whose they are."""
COLOURS = {"ours": "#1b7f5c", "peer": "#8d99a6", "floor": "#d8c9a3"}


def bars(report: dict[str, Any]) -> list[tuple[str, float, str]]:
    """Label, transitions a second and owner, of all that has run, the slowest first."""
    found = []
    for label, pattern, owner in BARS:
        one = best(report["contestants"], pattern, "transitions")
        if one:
            threads = f", {one['threads']} threads" if one["threads"] > 1 else ""
            rows = f"\n{one['rows']:,} rows{threads}" if "rows=" in one["name"] else ""
            found.append((label + rows, float(one["rates"]["transitions"]["median"]), owner))
    return sorted(found, key=lambda bar: bar[1])


def draw(report: dict[str, Any], path: Path) -> None:
    """Write the figure; the same report gives the same file."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "speed", "svg.fonttype": "none", "font.size": 9})
    from matplotlib import pyplot

    shown = bars(report)
    figure, axes = pyplot.subplots(figsize=(8, 0.9 + 0.42 * len(shown)), layout="constrained")
    labels, rates, owners = zip(*shown, strict=True)
    axes.barh(labels, rates, 0.7, color=[COLOURS[owner] for owner in owners])
    for place, rate in enumerate(rates):
        axes.text(rate * 1.12, place, f"{rate:,.0f}", va="center")
    axes.set_xscale("log")
    axes.set_xlim(1e3, 6 * max(rates))
    axes.set_xlabel(f"transitions per second, random legal actions, each at its best ({report['cpu']})")
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def main(argv: list[str]) -> int:
    """Draw."""
    flags = argparse.ArgumentParser(prog="python -m benchmarks.speed.figure", description=__doc__)
    flags.add_argument("results", type=Path, nargs="?", default=RESULTS, help="what the measurement wrote")
    flags.add_argument("figure", type=Path, nargs="?", default=FIGURE, help="an .svg or .png file")
    args = flags.parse_args(argv)
    draw(json.loads(args.results.read_text(encoding="utf-8")), args.figure)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
