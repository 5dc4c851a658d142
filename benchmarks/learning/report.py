"""What is made of the cells: median and interquartile mean of exact regret, with bootstrap intervals, and a figure.

The interquartile mean and its bootstrap over runs are those of R. Agarwal and others, Deep reinforcement learning at
the edge of the statistical precipice, 2021.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.algorithms import ALGORITHMS, settings_of
from agents.training.curves import Curve, Panel, draw
from benchmarks.learning.cells import BENCHES, Bench

RESAMPLES = 10_000
POINTS = 30
"""Points of a reported curve, evenly spaced on a logarithmic axis."""

Runs = NDArray[np.float64]


def interquartile_mean(runs: Runs) -> Runs:
    """The mean along the last axis without the least and the greatest quarter of the runs, rounded down: of five runs
    the middle three, of three all."""
    cut = runs.shape[-1] // 4
    mean: Runs = np.sort(runs, axis=-1)[..., cut : runs.shape[-1] - cut].mean(axis=-1)
    return mean


def interval(runs: Runs, statistic: Callable[..., Runs]) -> tuple[float, float]:
    """The 95 % percentile bootstrap interval of a statistic of independent runs, float64 of shape (n,)."""
    rng = np.random.default_rng(0)
    drawn = statistic(runs[rng.integers(len(runs), size=(RESAMPLES, len(runs)))])
    low, high = np.quantile(drawn, (0.025, 0.975))
    return float(low), float(high)


def median(runs: Runs) -> Runs:
    """Along the last axis."""
    found: Runs = np.median(runs, axis=-1)
    return found


def spread(runs: Runs) -> dict[str, Any]:
    """Median and interquartile mean, each with its interval."""
    return {
        "median": float(median(runs)),
        "median_interval": interval(runs, median),
        "iqm": float(interquartile_mean(runs)),
        "iqm_interval": interval(runs, interquartile_mean),
    }


def curve(results: list[dict[str, Any]], column: int) -> dict[str, list[float]]:
    """The median regret along rounds (column 0) or seconds (1), where every run has been judged."""
    runs = [np.array(result["curve"])[:, (column, 2)] for result in results]
    first, last = max(run[0, 0] for run in runs), min(run[-1, 0] for run in runs)
    x = np.geomspace(max(first, 1e-3), max(last, first, 1e-3), POINTS)
    # A run is worth what it was at its last evaluation.
    y = np.array([run[np.searchsorted(run[:, 0], x * (1 + 1e-9), side="right") - 1, 1] for run in runs]).T
    bands = [interval(row, median) for row in y]
    return {
        "x": [float(f"{value:.5g}") for value in x],
        "median": [float(f"{value:.5g}") for value in median(y)],
        "low": [float(f"{low:.5g}") for low, _ in bands],
        "high": [float(f"{high:.5g}") for _, high in bands],
    }


def costliest(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What cost a learner most, as the mean of its runs; a run that does not name an infostate lost almost nothing."""
    sums: dict[str, float] = {}
    for result in results:
        for one in result["infostates"]:
            # What costs by way of another choice (a pair not split again) is not chosen here.
            done = max(one["chosen"], key=one["chosen"].get, default="another choice")
            text = f"{one['text']}: {done} instead of {one['best']}"
            sums[text] = sums.get(text, 0.0) + one["loss"] / len(results)
    return [{"text": text, "loss": loss} for text, loss in sorted(sums.items(), key=lambda item: -item[1])[:5]]


def learner_report(results: list[dict[str, Any]]) -> dict[str, Any]:
    """One learner on one task."""
    return {
        "seeds": [result["seed"] for result in results],
        "regrets": [result["regret"] for result in results],
        "regret": spread(np.array([result["regret"] for result in results])),
        "steps": float(np.median([result["steps"] for result in results])),
        "rounds": float(np.median([result["rounds"] for result in results])),
        "seconds": float(np.median([result["seconds"] for result in results])),
        "by_rounds": curve(results, 0),
        "by_seconds": curve(results, 1),
        "infostates": costliest(results),
        "command": " ".join(["python", *results[0]["command"]]),
        "settings": results[0]["settings"],
        "started": min(result["started"] for result in results),
    }


def report_of(results: list[dict[str, Any]], measured: dict[str, Any]) -> dict[str, Any]:
    """All tasks and learners that have results.

    Args:
        measured: where and when, of every task.
    """
    tasks: dict[str, Any] = {}
    for name, bench in BENCHES.items():
        of_task = [result for result in results if result["bench"] == name]
        if of_task:
            learners = {
                learner: learner_report(own)
                for learner in ALGORITHMS
                if (own := [result for result in of_task if result["learner"] == learner])
            }
            versions = {json_text(result["versions"]): result["versions"] for result in of_task}
            about = {"about": bench.about, "rounds": bench.rounds, "best": of_task[0]["best"], "measured": measured}
            tasks[name] = {**about, "cell_versions": list(versions.values()), "learners": learners}
    return {"tasks": tasks}


def laid_over(report: dict[str, Any], older: dict[str, Any]) -> dict[str, Any]:
    """A report that takes from an older one the tasks that it does not have whole, if they are asked today as then."""
    tasks = {}
    for name, bench in BENCHES.items():
        ours, theirs = report["tasks"].get(name), older["tasks"].get(name)
        if theirs and is_asked_today(bench, theirs) and not (ours and is_whole(bench, ours)):
            tasks[name] = theirs
        elif ours:
            tasks[name] = ours
    return {"tasks": tasks}


def is_whole(bench: Bench, task: dict[str, Any]) -> bool:
    """Whether every learner of a task has all its seeds."""
    return {name: tuple(one["seeds"]) for name, one in task["learners"].items()} == dict.fromkeys(
        bench.learners, bench.seeds
    )


def is_asked_today(bench: Bench, task: dict[str, Any]) -> bool:
    """Whether a reported task is run by the same commands and settings today."""
    return all(
        name in bench.learners
        and one["command"].split() == ["python", "train.py", *bench.words(name, one["seeds"][0])]
        and one["settings"] == settings_of(name, bench.role, None, {})
        for name, one in task["learners"].items()
    )


def json_text(facts: dict[str, str]) -> str:
    """Equal for equal facts."""
    return ", ".join(f"{name} {value}" for name, value in sorted(facts.items()))


def draw_figure(report: dict[str, Any], path: Path) -> bool:
    """The main task's curves against rounds and against seconds; nothing without its results, or matplotlib."""
    if "home" not in report["tasks"]:
        return False
    learners = report["tasks"]["home"]["learners"]
    panels = []
    for by, across in (("by_rounds", "rounds"), ("by_seconds", "seconds of training")):
        curves = [
            Curve(name, one[by]["x"], one[by]["median"], one[by]["low"], one[by]["high"])
            for name, one in learners.items()
        ]
        panels.append(Panel("home, against stand17", across, "exact regret, least stakes", curves, True, True))
    return draw(path, panels)
