"""The speed measurement: it counts right, its own contestants run, and its report says what was measured."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.speed import floor, ours, peers
from benchmarks.speed.__main__ import main, measure
from benchmarks.speed.contest import Dice, Entry, Rows, RowsRun, Single, SingleRun, Tally
from benchmarks.speed.report import RATIOS, growth, ratios, result, text
from tests.scale import scaled
from tests.test_docs import generate

PLAIN = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


class ScriptedSingle(Single):
    """Episodes of three steps; before the second there is one legal action only."""

    begun = 0

    def begin(self) -> None:
        self.begun += 1
        self.at = 0

    def move(self, action: int) -> None:
        assert action in self.legal()
        self.at += 1

    def over(self) -> bool:
        return self.at == 3

    def legal(self) -> list[int]:
        return [4] if self.at == 1 else [0, 4]


class ScriptedRows(Rows):
    """Row i's episodes have i + 1 steps; in its even steps a row has one legal action only."""

    shape = (3, 2)

    def __init__(self, skips: bool) -> None:
        self.skips = skips

    def begin(self) -> None:
        self.at = np.zeros(3, np.int64)
        self.over = np.zeros(3, np.bool_)

    def move(self, actions: NDArray[Any]) -> None:
        assert self.masks()[np.arange(3), actions].all()
        lengths = np.arange(3) + 1
        begins = self.over & self.skips
        self.at = np.where(begins, 0, self.at + 1)
        self.over = self.at == lengths
        if not self.skips:
            self.at[self.over] = 0

    def ended(self) -> NDArray[np.bool_]:
        return self.over

    def masks(self) -> NDArray[np.bool_]:
        return np.array([[True, at % 2 == 1] for at in self.at])


def total(run: SingleRun | RowsRun, steps: int) -> tuple[int, ...]:
    """What slices of one step each add up to."""
    return tuple(np.array([run.slice(0.0)[1:] for _ in range(steps)]).sum(axis=0).tolist())


def test_single_steps_are_counted() -> None:
    run = SingleRun(ScriptedSingle())
    assert total(run, 30) == (30, 20, 10)
    assert isinstance(run.game, ScriptedSingle) and run.game.begun == 11


def test_every_step_counts_where_rows_begin_anew_at_once() -> None:
    # In 12 steps the rows end 12, 6 and 4 episodes; their second steps are decisions.
    assert total(RowsRun(ScriptedRows(skips=False)), 12) == (36, 6 + 4, 12 + 6 + 4)


def test_steps_that_only_begin_an_episode_do_not_count() -> None:
    # Of 12 steps the rows use 6, 4 and 3 to begin anew.
    assert total(RowsRun(ScriptedRows(skips=True)), 12) == (6 + 8 + 9, 4 + 3, 6 + 4 + 3)


def test_a_slice_lasts_as_long_as_asked() -> None:
    assert 0.01 <= SingleRun(ScriptedSingle()).slice(0.01).seconds < 1.0


def test_choices_are_legal_and_even() -> None:
    dice, masks = Dice(0, 300), np.tile(np.array([True, False, True]), (100, 1))
    chosen = np.concatenate([dice.one_a_row(masks) for _ in range(scaled(1000) + 100)])
    assert set(chosen.tolist()) == {0, 2}
    assert abs((chosen == 0).mean() - 0.5) < 0.05
    assert {dice.one([3, 5]) for _ in range(100)} == {3, 5}


SMALL = [
    Entry("pontoon/single", lambda: SingleRun(ours.PontoonSingle())),
    ours.rows_entry("", 64),
    ours.rows_entry("", 64, threads=2),
    ours.rows_entry("seats=5/", 16, seats=5),
    ours.rows_entry("situation/", 16, observation="situation"),
    ours.rows_entry("banker/", 16, env=ours.BANKER),
    Entry("floor/memory/rows=64", lambda: RowsRun(floor.Floor(64, False)), rows=64),
    Entry("floor/seen/rows=64", lambda: RowsRun(floor.Floor(64, True)), rows=64),
]


@pytest.fixture
def small_work(monkeypatch: pytest.MonkeyPatch) -> None:
    work = floor.measured(64, 50)
    monkeypatch.setattr(floor, "measured", lambda: work)


@pytest.mark.parametrize("entry", SMALL, ids=[entry.name for entry in SMALL])
@pytest.mark.usefixtures("small_work")
def test_our_contestants_run(entry: Entry) -> None:
    run = entry.make()
    tallies = [run.slice(0.0) for _ in range(20)]
    assert all(tally.seconds > 0 and tally.transitions == entry.rows for tally in tallies)
    assert 0 < sum(tally.decisions for tally in tallies) <= sum(tally.transitions for tally in tallies)
    assert 0 < sum(tally.episodes for tally in tallies) < sum(tally.transitions for tally in tallies)


@pytest.mark.skipif(PLAIN, reason="a hundred thousand lines take long without the compiler")
def test_lines_of_play_are_counted() -> None:
    tally = ours.PerftRun().slice(0.0)
    assert tally.seconds > 0 and tally.episodes == 21_624 + 76_576


@pytest.mark.skipif(PLAIN, reason="the judge's thousand rows take long without the compiler")
def test_whole_rounds_are_counted() -> None:
    tally = ours.PlayRun(5, "thumb", rounds=2).slice(0.0)
    assert tally.seconds > 0
    assert tally[1:] == (0, 0, 2 * 1024 * 4)


def test_the_floor_does_as_much_as_was_measured(small_work: None) -> None:
    work = floor.measured()
    assert 0.3 < work.ends < 0.5
    assert 1.8 < work.cards < 2.8
    game = floor.Floor(64, False)
    drawn = ended = 0
    for _ in range(200):
        before = game.rows.rounds["dealt"].copy()
        game.move(np.zeros(64, np.int64))
        over = game.ended()
        ended += int(over.sum())
        drawn += int((game.rows.rounds["dealt"] - np.where(over, 0, before)).sum())
        assert (game.rows.rounds["pool"] + game.rows.rounds["dealt"] == 52).all()
    assert ended / (200 * 64) == pytest.approx(work.ends, rel=0.03)
    assert drawn / (200 * 64) == pytest.approx(work.cards, rel=0.03)


def test_a_pattern_has_its_mean() -> None:
    for rate in (0.385, 2.2, 3.0):
        pattern = floor.even(rate)
        assert pattern.mean() == pytest.approx(rate, abs=1e-3)
        assert set(pattern.tolist()) <= {int(rate), int(rate) + 1}


def test_bytes_of_a_row() -> None:
    memory = floor.bytes_per_row(16)
    assert memory["round"] > 1024
    # Two vectors of 86 columns, a reward, three ends and a mask at the least.
    assert memory["output"] >= 2 * 86 * 4 + 8 + 3 + 1


# --- the report --------------------------------------------------------------------------------------------------


def of(name: str, *rates: int) -> dict[str, Any]:
    """A contestant's result with these transitions in slices of a second."""
    rows = int((re.findall(r"rows=(\d+)", name) or [1])[0])
    entry = Entry(name, lambda: SingleRun(ScriptedSingle()), rows)
    return result(entry, [Tally(1.0, rate, rate // 2, rate // 4) for rate in rates], None)


def test_ratios_take_the_best_of_either_side() -> None:
    results = [
        of("pontoon/rows=64/threads=1", 500, 600, 700),
        of("pontoon/rows=1024/threads=2", 1000, 1300, 1100),
        of("pontoon/rows=65536/threads=1", 9000, 9000, 9000),
        of("envpool/blackjack/rows=64/threads=1", 90, 100, 110),
        of("envpool/blackjack/rows=64/threads=2", 10, 20, 200),
    ]
    found = {ratio["name"]: ratio for ratio in ratios(results)}
    first = found["best / EnvPool's best"]
    assert (first["above"], first["below"]) == (results[1]["name"], results[3]["name"])
    assert (first["value"], first["low"], first["high"], first["met"]) == (11.0, 10.0, 13.0, False)
    cost = found["cost of a decision, 65,536 rows / 64"]
    assert cost["value"] == 300 / 4500 and cost["met"]
    assert growth(results)["64"] == pytest.approx(1e9 / 300)


def test_absent_contestants_are_named() -> None:
    def missing() -> SingleRun:
        raise ModuleNotFoundError("No module named 'envpool'")

    results = measure([Entry("envpool/blackjack", missing), SMALL[0]], 2, 0.0)
    assert results[0]["absent"] == "No module named 'envpool'" and results[0]["slices"] == []
    assert results[1]["absent"] is None and len(results[1]["slices"]) == 2
    assert ratios(results) == []


def test_the_names_in_ratios_are_contestants() -> None:
    names = [entry.name for entry in [*peers.entries(), *ours.entries(), *floor.entries()]]
    assert len(set(names)) == len(names)
    for ratio in RATIOS:
        for side in (ratio.above, ratio.below):
            assert any(re.fullmatch(side, name) for name in names), side


@pytest.mark.skipif(PLAIN, reason="warming up takes long without the compiler")
def test_the_command_and_the_readme_s_part(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "results" / "speed.json"
    assert (
        main(
            ["--quick", "--only", "pontoon/rows=1024|floor/(memory|seen)/rows=1024|pontoon/single", "--json", str(file)]
        )
        == 0
    )
    report = json.loads(file.read_text(encoding="utf-8"))
    assert capsys.readouterr().out == text(report) + "\n"
    assert {"cpu", "date", "command", "versions", "contestants", "ratios", "memory", "work"} <= set(report)
    monkeypatch.setattr(generate, "SPEED", file)
    part = generate.speed()
    assert "| environment / floor that looks, 1,024 rows |" in part
    assert part.count("at least") == 3
