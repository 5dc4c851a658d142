"""What the learning benchmark makes of its cells, and which of them it runs again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="the extra `train` is not installed")

from benchmarks.learning import __main__ as bench
from benchmarks.learning import cells
from benchmarks.learning.cells import BENCHES, Bench, Cell, is_current, is_done
from benchmarks.learning.report import curve, interquartile_mean, interval, is_whole, laid_over, median, report_of
from benchmarks.learning.trap import on_eleven
from pontoon_gym.engine.view.columns import Game, layout
from pontoon_gym.errors import BadArgument
from pontoon_gym.names import STICK, TWIST, Role
from pontoon_gym.rules import Rules, Table
from tests.solver.tables import needs_compiler


def test_the_interquartile_mean() -> None:
    """Of eight runs the middle four, of five the middle three."""
    assert interquartile_mean(np.array([100.0, 1, 2, 3, 4, 5, 6, -100])) == pytest.approx(3.5)
    assert interquartile_mean(np.array([0.0, 1.0, 2.0, 10.0, 99.0])) == pytest.approx(13 / 3)
    assert interquartile_mean(np.array([[1.0, 2.0, 3.0]])).tolist() == pytest.approx([2.0])


def test_a_bootstrap_interval_holds_the_median_and_no_more_than_the_runs() -> None:
    runs = np.array([0.1, 0.2, 0.3, 0.4, 5.0])
    low, high = interval(runs, median)
    assert 0.1 <= low < 0.3 < high <= 5.0
    assert interval(np.full(3, 0.25), interquartile_mean) == pytest.approx((0.25, 0.25))


def test_a_curve_is_what_each_run_was_at_its_last_evaluation() -> None:
    runs = [{"curve": [[10, 1.0, 0.5], [1000, 9.0, 0.1]]}, {"curve": [[10, 1.0, 0.3], [900, 8.0, 0.2]]}]
    found = curve(runs, 0)
    assert found["x"][0] == 10 and found["x"][-1] == 900
    assert found["median"][0] == pytest.approx(0.4) and found["median"][-1] == pytest.approx(0.35)
    assert curve(runs, 1)["x"][-1] == 8.0


def test_tuning_seeds_are_not_reported_and_main_tasks_have_five() -> None:
    assert all(2 < seed < 100 for task in BENCHES.values() for seed in task.seeds)
    assert len(BENCHES["home"].seeds) == 5 and all(len(task.seeds) >= 3 for task in BENCHES.values())


@needs_compiler
def test_cells_run_once_go_on_and_are_run_again_with_other_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    small = Bench("small", "player", 150_000, (1, 2), ("q_learning", "monte_carlo"), rules=Rules.of("casino8"))
    monkeypatch.setitem(BENCHES, "small", small)
    words = ["--tasks", "small", "--home", str(tmp_path), "--jobs", "2", "--json", str(tmp_path / "it.json")]
    assert bench.main(words) == 0
    report: dict[str, Any] = json.loads((tmp_path / "it.json").read_text())
    found = report["tasks"]["small"]["learners"]
    assert list(found) == ["monte_carlo", "q_learning"] and found["q_learning"]["seeds"] == [1, 2]
    assert found["q_learning"]["infostates"][0]["loss"] > 0
    assert capsys.readouterr().out.count("regret") == 4
    cell = Cell("small", "q_learning", 1)
    assert is_done(cell, tmp_path)
    assert bench.main(words) == 0
    assert capsys.readouterr().out == ""
    (cell.folder(tmp_path) / "result.json").unlink()
    assert not is_done(cell, tmp_path) and is_current(cell, cell.folder(tmp_path))
    changed = cells.settings_of("q_learning", "player", None, {"step_power": "0.5"})
    monkeypatch.setattr(cells, "settings_of", lambda *asked: changed)
    assert not is_current(cell, cell.folder(tmp_path))


def test_the_trap_is_looked_at_where_it_is() -> None:
    """Five and six in hand, and both buys open."""
    seen, mask, buy = on_eleven()
    views = {view.name: view for view in layout(Game(Rules.of("home"), Table(), Role.PLAYER)).views}
    cards = views["cards"]
    held = np.round(seen[0, cards.start : cards.start + cards.width] * cards.divisor)
    assert held.tolist() == [0, 0, 0, 0, 1, 1, 0, 0, 0, 0]
    assert mask[0, buy] and mask[0, buy - 1] and mask[0, TWIST] and not mask[0, STICK]


def test_a_report_of_nothing() -> None:
    assert report_of([], {}) == {"tasks": {}}


def reported(seeds: tuple[int, ...], rounds: int, **changes: str) -> dict[str, Any]:
    """A report of one task, `small`, with what `laid_over` looks at."""
    words = Bench("", "player", rounds, seeds).words("q_learning", seeds[0])
    settings = cells.settings_of("q_learning", "player", None, changes)
    one = {"seeds": list(seeds), "command": " ".join(["python", "train.py", *words]), "settings": settings}
    return {"tasks": {"small": {"learners": {"q_learning": one}}}}


def test_a_report_keeps_the_older_one_s_tasks_while_they_are_asked_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing: dict[str, Any] = {"tasks": {}}
    monkeypatch.setitem(BENCHES, "small", Bench("small", "player", 1000, (6, 7), ("q_learning",)))
    older, whole, half = reported((6, 7), 1000), reported((6, 7), 1000), reported((6,), 1000)
    assert laid_over(nothing, older)["tasks"]["small"] is older["tasks"]["small"]
    assert laid_over(half, older)["tasks"]["small"] is older["tasks"]["small"]
    assert laid_over(whole, older)["tasks"]["small"] is whole["tasks"]["small"]
    for stale in (reported((6, 7), 999), reported((6, 7), 1000, step_power="0.5")):
        assert laid_over(nothing, stale) == nothing
        assert laid_over(half, stale)["tasks"]["small"] is half["tasks"]["small"]
    assert laid_over(nothing, {"tasks": {"of old": {}}}) == nothing


def test_the_committed_report_is_whole_and_asked_as_today() -> None:
    report = bench.read_report(cells.ROOT / "benchmarks" / "results" / "learning.json")
    assert laid_over({"tasks": {}}, report) == report
    assert list(report["tasks"]) == list(BENCHES)
    assert all(is_whole(BENCHES[name], task) for name, task in report["tasks"].items())


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"tasks": 3}'])
def test_what_is_no_report_is_refused_before_anything_runs(text: str, tmp_path: Path) -> None:
    (tmp_path / "it.json").write_text(text)
    with pytest.raises(BadArgument, match="is no report of"):
        bench.main(["--home", str(tmp_path), "--json", str(tmp_path / "it.json")])
