"""The exact figures of the README: best responses, what rules of thumb give away, and what the solver costs.

    python -m benchmarks.exact [--demo runs/demo] [--json FILE]

For each preset, heads-up with stakes 1-1: the best response against the usual banker, and the value and regret of
every player's rule of thumb; then the demonstration's policies, where their folder is there; then how time and memory
grow with packs, stakes and buys, each case in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pontoon_gym import PRESETS, Rules, Table, solver
from pontoon_gym.policies.baselines import PLAYERS
from pontoon_gym.policies.network import NetworkPolicy
from pontoon_gym.solver.heads_up import heads_up
from pontoon_gym.solver.tree.build import NO_ORDER, SHOWN_ORDER, tree_of

USUAL = "stand17"
GROWTH: tuple[tuple[str, str | None, dict[str, int]], ...] = (
    ("home", USUAL, {}),
    ("home,packs=2", USUAL, {}),
    ("home,packs=8", USUAL, {}),
    ("home", USUAL, {"stake_max": 10, "stake_levels": 2}),
    ("home", USUAL, {"stake_max": 10, "stake_levels": 10}),
    ("home", USUAL, {"buy_levels": 1}),
    ("home", USUAL, {"stake_min": 10, "stake_max": 10, "buy_levels": 4}),
    ("home", USUAL, {"stake_min": 10, "stake_max": 10, "buy_levels": 8}),
    ("home,split=none", "chase", {}),
    ("casino8", None, {}),
    ("blackjack", None, {}),
    ("blackjack,packs=6", None, {}),
)


def usual(rules: Rules) -> str | None:
    """The banker who is usually met: the bound one, or a rule of thumb."""
    return USUAL if rules.banker == "free" else None


def preset(name: str) -> dict[str, Any]:
    """The figures of a preset."""
    banker = usual(PRESETS[name])
    regrets = {player: solver.regrets(name, player=player, banker=banker) for player in PLAYERS}
    players = {player: {"value": one.value, "regret": one.total} for player, one in regrets.items()}
    chart = solver.chart(name, banker=banker)
    return {
        "banker": banker or "the bound banker",
        "best": regrets["thumb"].best,
        "chart_loss": chart.notes["loss"],
        "players": players,
    }


def demo(folder: Path) -> dict[str, Any]:
    """The demonstration's policies: each against the opponent that it was trained for."""
    player = NetworkPolicy.load(folder / "player")
    regret = solver.regrets("home", player=player, banker=USUAL)
    top = [{"text": one.text, "loss": one.loss} for one in regret.infostates[:5]]
    return {"player": {"value": regret.value, "best": regret.best, "regret": regret.total, "infostates": top}}


def cost(text: str, banker: str | None, table: dict[str, int]) -> dict[str, Any]:
    """Seconds and memory of one best response, the kernels being compiled already; the median of three."""
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        found = solver.best_response(text, banker=banker, table=table)
        seconds.append(time.perf_counter() - start)
    game = heads_up(text, table)
    nodes = len(tree_of(game.game, SHOWN_ORDER if banker == "chase" else NO_ORDER).nodes)
    memory = most_memory()
    about = {"rules": text, "banker": banker or "the bound banker", "table": table, "value": found.value}
    return {**about, "seconds": sorted(seconds)[1], "megabytes": memory, "nodes": nodes}


def most_memory() -> float:
    """The most memory that this process has held, megabytes."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def growth() -> list[dict[str, Any]]:
    """`cost` of each case, in a process of its own."""
    found = []
    for case in GROWTH:
        command = [sys.executable, "-m", "benchmarks.exact", "--case", json.dumps(case)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        found.append(json.loads(done.stdout))
        print(found[-1], file=sys.stderr)
    return found


def main(argv: list[str]) -> None:
    """Measure and report."""
    flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    flags.add_argument("--demo", type=Path, default=Path("runs/demo"), help="folder of the demonstration's policies")
    flags.add_argument("--json", type=Path, help="write the report there")
    flags.add_argument("--case", help=argparse.SUPPRESS)
    args = flags.parse_args(argv)
    if args.case:
        print(json.dumps(cost(*json.loads(args.case))))
        return
    report = {
        "command": f"python -m benchmarks.exact --demo {args.demo}",
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "table": Table().as_dict(),
        "presets": {name: preset(name) for name in PRESETS},
        "demo": demo(args.demo) if args.demo.is_dir() else None,
        "growth": growth(),
    }
    text = json.dumps(report, indent=1) + "\n"
    if args.json:
        args.json.write_text(text, encoding="utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main(sys.argv[1:])
