"""Charts: what they say, that they load back, and what they are worth."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pontoon_gym import Rules, Strategy, Table, solver
from pontoon_gym.errors import BadArgument, BadPolicyFile, StaleStrategy, UnknownPolicy
from pontoon_gym.policies.chart import Chart
from pontoon_gym.policies.chart_formats import SUFFIXES
from pontoon_gym.policies.metadata import Metadata
from pontoon_gym.policies.resolve import resolve
from tests.solver.tables import needs_compiler

pytestmark = needs_compiler

TEXT = "home,max_hands=2"
SMALL = {"A": 2, "2": 2, "3": 2, "5": 1, "8": 4, "K": 4, "9": 1}
FORMS = [form for form in SUFFIXES if form != ".png"]


@pytest.fixture(scope="module")
def thumb() -> Chart:
    return solver.chart(TEXT, player="thumb", banker="stand17", shoe=SMALL)


def test_a_rule_of_thumb_on_a_chart(thumb: Chart) -> None:
    """What can be said on a chart loses nothing on it."""
    assert thumb.cells["hands", "hard 16", "2 cards"] == "S"
    assert thumb.cells["hands", "soft 16", "3 cards, twisted"] == "T"
    assert thumb.cells["hands", "hard 11", "3 cards, bought 1"] == "B1"
    assert thumb.cells["pairs", "8,8", "2 cards"] == "P" and thumb.cells["pairs", "3,3", "2 cards"] == "-"
    assert thumb.notes["loss"] == 0
    assert "the chart loses 0.000000" in thumb.text()


@pytest.mark.parametrize("form", FORMS)
def test_every_form_loads_back(thumb: Chart, form: str, tmp_path: Path) -> None:
    path = thumb.save(tmp_path / f"thumb{form}")
    assert Chart.load(path) == thumb
    policy = resolve(path, "player", thumb.rules, thumb.table)
    value = solver.value(TEXT, player=policy, banker="stand17", shoe=SMALL)
    assert value == thumb.notes["value"] == solver.value(TEXT, player="thumb", banker="stand17", shoe=SMALL)


def test_a_picture_loads_back(thumb: Chart, tmp_path: Path) -> None:
    pillow = pytest.importorskip("PIL.Image", reason="the extra `render` is not installed")
    path = thumb.save(tmp_path / "thumb.png")
    assert Chart.load(path) == thumb
    with pillow.open(path) as image:
        assert image.width > 300 and image.height > 600


def test_names_and_notes_cannot_break_a_form(tmp_path: Path) -> None:
    """Marks that end a comment, a script or a cell."""
    cells = {("hands", "hard 20", "2 cards"): "S"}
    nasty = Chart('<b>--> </script> "|\n', Rules.of("home"), Table(), cells, {"a": -1.5, "b": "-- -->"})
    for form in FORMS:
        assert Chart.load(nasty.save(tmp_path / f"nasty{form}")) == nasty
    page = (tmp_path / "nasty.html").read_text()
    assert page.count("</script>") == 1 and "<b>" not in page


def test_the_best_policy_on_a_chart() -> None:
    chart = solver.chart(TEXT, banker="stand17", shoe=SMALL)
    assert chart.notes["whole"] == solver.best_response(TEXT, banker="stand17", shoe=SMALL).value
    assert 0 <= chart.notes["loss"] == chart.notes["whole"] - chart.notes["value"]


def test_stakes_by_the_first_card() -> None:
    table = Table.of(stake_max=10, stake_levels=3)
    chart = solver.chart("home,split=none", banker="stand17", table=table, shoe=SMALL)
    assert {row for section, row, _ in chart.cells if section == "stakes"} == {"A", "2", "3", "5", "8", "9", "10"}
    assert chart.cells["stakes", "A", "stake"] == "W2"
    assert "W1 stake level 1" in chart.text()


def test_a_chart_for_each_up_card() -> None:
    chart = solver.chart("blackjack,trick_cards=5,trick_pays=1")
    sections = {section for section, _, _ in chart.cells}
    assert "hands, banker shows A" in sections and "pairs, banker shows 10" in sections
    assert chart.cells["pairs, banker shows 6", "9,9", "2 cards"] == "P"
    assert chart.cells["hands, banker shows 10", "hard 12", "2 cards"] == "T"
    assert chart.cells["hands, banker shows 6", "hard 12", "2 cards"] == "S"
    # What comes from an endless shoe does not depend on the cards held.
    assert chart.notes["loss"] == pytest.approx(0, abs=1e-14)


def test_a_silent_chart_falls_back() -> None:
    """Where a chart has no cell `stick15` plays; of what is not allowed the next best counts."""
    cells = {("hands", "hard 14", "2 cards"): "B1", ("hands", "hard 12", "2 cards"): "S"}
    chart = Chart("short", Rules.of(TEXT), Table(), cells)
    value = solver.value(TEXT, player=chart.policy(), banker="stand17", shoe=SMALL)
    plain = solver.value(TEXT, player="stick15", banker="stand17", shoe=SMALL)
    assert value != plain
    # To stick on 12 is not allowed, so that this cell alone changes nothing.
    chart.cells.pop(("hands", "hard 14", "2 cards"))
    assert solver.value(TEXT, player=chart.policy(), banker="stand17", shoe=SMALL) == plain
    with pytest.raises(BadArgument, match="without a cell"):
        Chart("empty", Rules.of(TEXT), Table(), {}).policy()


@pytest.mark.parametrize("content", [b"", b"{}", b"\x89PNG", b'# {"format": "pontoon-strategy/1"}', b"<!-- x -->"])
@pytest.mark.parametrize("form", FORMS)
def test_what_is_no_chart(content: bytes, form: str, tmp_path: Path) -> None:
    path = tmp_path / f"bad{form}"
    path.write_bytes(content)
    with pytest.raises(BadPolicyFile, match="cannot read the chart file"):
        Chart.load(path)


def test_files_that_are_not_there_or_cannot_be(thumb: Chart, tmp_path: Path) -> None:
    with pytest.raises(UnknownPolicy, match="no chart file"):
        Chart.load(tmp_path / "none.csv")
    with pytest.raises(BadArgument, match="a chart is saved as"):
        thumb.save(tmp_path / "chart.txt")
    path = thumb.save(tmp_path / "thumb.csv")
    with pytest.raises(StaleStrategy, match="other rules"):
        resolve(path, "player", Rules.of("home"), Table())


def test_a_bad_cell(thumb: Chart, tmp_path: Path) -> None:
    path = thumb.save(tmp_path / "thumb.json")
    path.write_text(path.read_text().replace('"B1"', '"B7"'))
    with pytest.raises(BadPolicyFile, match="no such action"):
        Chart.load(path)


def test_a_policy_that_draws_is_shown_by_what_it_does_most() -> None:
    """Seven parts stick, three parts twist: the sheet says stick, whatever would be better."""
    rules = Rules.of("home,split=none,buying=none")
    keys, weights = np.zeros(1, np.int64), np.array([[7.0, 3.0, 0, 0, 0, 1.0]])
    lazy = Strategy(Metadata("player", rules, Table()), parts=(), keys=keys, weights=weights, greedy=False)
    chart = solver.chart(rules, player=lazy, banker="stand17", shoe=SMALL)
    assert {action for (section, row, _), action in chart.cells.items() if row in ("hard 15", "soft 15")} == {"S"}
    assert chart.cells["hands", "hard 11", "2 cards"] == "T"  # nothing else is allowed
    assert ("gains" in chart.worth()) == (chart.notes["loss"] < 0)
