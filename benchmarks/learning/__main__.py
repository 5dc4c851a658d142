"""Run what is not done yet, then report: `python -m benchmarks.learning [--tasks home ...] [--jobs 2]`.

A cell that is stopped goes on where it was; one that was run with other settings is run again. A report laid over an
older one keeps its tasks, unless they are whole here or would be run otherwise today.
"""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path
from typing import Any

from agents.algorithms import ALGORITHMS
from agents.training.seeds import none_left
from benchmarks.learning.cells import BENCHES, RESULT, ROOT, Cell, cells, conclude, is_done, start
from benchmarks.learning.report import draw_figure, laid_over, report_of
from benchmarks.speed.machine import facts
from pontoon_gym.cli.console import Parser, run
from pontoon_gym.cli.flags import whole
from pontoon_gym.errors import BadArgument
from pontoon_gym.files import writable_folder

HOME = ROOT / "build" / "learning"


def run_cells(waiting: list[Cell], home: Path, jobs: int) -> int:
    """Run cells, some at once. Returns how many failed."""
    running, failed = dict[Cell, subprocess.Popen[str]](), 0
    total, done = len(waiting), 0
    with none_left(running):
        while waiting or running:
            while waiting and len(running) < jobs:
                cell = waiting.pop(0)
                running[cell] = start(cell, home)
            for cell, process in list(running.items()):
                if process.poll() is None:
                    continue
                del running[cell]
                done += 1
                said = process.communicate()[0].strip().splitlines()
                if process.returncode:
                    failed += 1
                    print(f"{done}/{total} {'/'.join(map(str, cell))} FAILED: {said[-1:]}", flush=True)
                    continue
                result = conclude(cell, home)
                outcome = f"regret {result['regret']:.6f} after {result['rounds']:,} rounds, {result['seconds']:.0f} s"
                print(f"{done}/{total} {'/'.join(map(str, cell))}: {outcome}", flush=True)
            time.sleep(0.2)
    return failed


def read_report(path: Path) -> dict[str, Any]:
    """What an earlier call wrote.

    Raises:
        BadArgument: a file that is none.
    """
    try:
        report: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        list(report["tasks"].items())
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise BadArgument(f"{path} is no report of this benchmark; name another file") from error
    return report


def main(argv: list[str]) -> int:
    """Run and report; the exit status is 1 if a cell failed."""
    flags = Parser(prog="python -m benchmarks.learning", description=__doc__)
    flags.add_argument("--tasks", nargs="+", choices=BENCHES, default=list(BENCHES))
    flags.add_argument("--learners", nargs="+", choices=ALGORITHMS, default=list(ALGORITHMS))
    flags.add_argument("--jobs", type=whole(1, 256), default=1, help="cells at once (default: 1, for honest seconds)")
    flags.add_argument("--home", type=Path, default=HOME, help="where cells are kept")
    flags.add_argument("--json", type=Path, metavar="FILE", help="write the report, laid over the one that is there")
    flags.add_argument("--figure", type=Path, metavar="FILE", help="draw the learning curves, as PNG")
    args = flags.parse_args(argv)
    for path in (args.json, args.figure):
        if path:
            writable_folder(str(path.parent), path.name)
    older = read_report(args.json) if args.json and args.json.is_file() else {"tasks": {}}
    asked = cells(args.tasks, args.learners)
    failed = run_cells([cell for cell in asked if not is_done(cell, args.home)], args.home, args.jobs)
    finished = [cell for cell in cells(list(BENCHES), list(ALGORITHMS)) if is_done(cell, args.home)]
    results = [json.loads((cell.folder(args.home) / RESULT).read_text(encoding="utf-8")) for cell in finished]
    report = report_of(results, facts(["python", "-m", "benchmarks.learning", *argv]))
    report = laid_over(report, older)
    if args.json:
        args.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    if args.figure:
        draw_figure(report, args.figure)
    return 1 if failed else 0


if __name__ == "__main__":
    run(main)
