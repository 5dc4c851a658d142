"""Charts: what they say, that they load back, and what they are worth."""

from __future__ import annotations

import copy
import csv
import io
import json
import pickle
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pontoon_gym import Rules, Strategy, Table, solver
from pontoon_gym.errors import BadArgument, BadPolicyFile, StaleStrategy, UnknownPolicy
from pontoon_gym.policies.chart import Cell, Chart
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
    chart = replace(chart, cells={("hands", "hard 12", "2 cards"): "S"})
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


# --- what is seen is what plays ----------------------------------------------------------------------------------


def edited(path: Path, row: str, action: str) -> Path:
    """The file with another action in the first cell of a row, as an editor of texts writes it."""
    before = rf'(\b{row}(?:", "2 cards", "|"?,| \| |</td><td>))[A-Z0-9-]*'
    text, count = re.subn(before, rf"\g<1>{action}", path.read_text(), count=1)
    assert count == 1
    path.write_text(text)
    return path


@pytest.mark.parametrize("form", FORMS)
def test_a_cell_edited_by_hand_is_what_plays(thumb: Chart, form: str, tmp_path: Path) -> None:
    """And nobody has said yet what the chart is worth then."""
    path = edited(thumb.save(tmp_path / f"it{form}"), "hard 16", "T")
    back, wanted = Chart.load(path), {**thumb.cells, ("hands", "hard 16", "2 cards"): "T"}
    assert back.cells == wanted and back == replace(thumb, cells=wanted)
    assert back.worth() == "nobody has said what this chart is worth" and back.notes == {}
    policy = resolve(path, "player", thumb.rules, thumb.table)
    value = solver.value(TEXT, player=policy, banker="stand17", shoe=SMALL)
    assert value < thumb.notes["value"] - 0.001
    assert Chart.load(back.save(tmp_path / f"again{form}")) == back


@pytest.mark.parametrize("form", FORMS)
def test_a_cell_made_empty_is_played_as_a_stick(thumb: Chart, form: str, tmp_path: Path) -> None:
    path = edited(thumb.save(tmp_path / f"it{form}"), "hard 10", "")
    if form == ".json":
        with pytest.raises(BadPolicyFile, match="no such action: got ''"):
            Chart.load(path)
        return
    back = Chart.load(path)
    assert thumb.cells.items() - back.cells.items() == {(("hands", "hard 10", "2 cards"), "B1")}
    assert "- an empty cell is played as S" in back.text()


def test_a_pair_is_split_where_its_total_has_no_cell() -> None:
    pair, total = ("pairs", "8,8", "2 cards"), ("hands", "hard 16", "2 cards")
    alone = Chart("pair", Rules.of(TEXT), Table(), {pair: "P"}).policy()
    both = Chart("both", Rules.of(TEXT), Table(), {pair: "P", total: "S"}).policy()
    assert solver.value(TEXT, player=alone, banker="stand17", shoe=SMALL) == pytest.approx(
        solver.value(TEXT, player=both, banker="stand17", shoe=SMALL), abs=1e-12
    )
    assert solver.value(TEXT, player=alone, banker="stand17", shoe=SMALL) != solver.value(
        TEXT, player="stick15", banker="stand17", shoe=SMALL
    )


BAD = [
    ("hard 16", "Q", "no such action: got 'Q'; allowed: S, T, B0, B1 [hands / hard 16 / 2 cards]"),
    ("hard 16", "P", "no such action: got 'P'"),
    ("hard 16", "W0", "no such action: got 'W0'"),
    ("hard 16", "B2", "no such action: got 'B2'"),
    ("8,8", "S", "no such action: got 'S'; allowed: P, - [pairs / 8,8 / 2 cards]"),
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("row", "action", "line"), BAD)
def test_a_bad_cell_is_named(thumb: Chart, form: str, row: str, action: str, line: str, tmp_path: Path) -> None:
    with pytest.raises(BadPolicyFile) as caught:
        Chart.load(edited(thumb.save(tmp_path / f"it{form}"), row, action))
    assert line in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("hard 16", "hard 61", "no such row on a chart of this game: got 'hard 61'; allowed: hard 21, hard 20, "),
        ("hard 16", "hard 15", "there twice: hands, hard 15, 2 cards"),
        ("2 cards", "2 card", "no such column on a chart of this game: got '2 card'; allowed: 2 cards"),
        ("3 cards, twisted", "3 cards, bought 1", "there twice: hands, "),
        ("hands", "hand", " on a chart of this game: got 'hand'; allowed: "),
    ],
)
def test_a_bad_label_is_named(thumb: Chart, form: str, old: str, new: str, line: str, tmp_path: Path) -> None:
    path = thumb.save(tmp_path / f"it{form}")
    text = path.read_text()
    end = len(text) if form == ".json" else text.rindex({".csv": '"# {', ".md": "<!--", ".html": "<script"}[form])
    path.write_text(re.sub(rf"\b{old}\b", new, text[:end]) + text[end:])
    with pytest.raises(BadPolicyFile) as caught:
        Chart.load(path)
    assert line in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "cell", [("hands", "hard 5", "4 cards"), ("hands", "hard 16", "5 cards, twisted"), ("a", "b", "c")]
)
def test_what_no_chart_has(cell: Cell) -> None:
    with pytest.raises(BadArgument, match=r"no such|no hand stands in such a cell"):
        Chart("it", Rules.of(TEXT), Table(), {cell: "S"})
    with pytest.raises(BadArgument, match="no such table on a chart of this game: got 'pairs'"):
        Chart("it", Rules.of("home,split=none"), Table(), {("pairs", "8,8", "2 cards"): "P"})


@pytest.mark.parametrize("form", [".md", ".html"])
@pytest.mark.parametrize(
    ("old", "new"),
    [("home,max_hands=2, stakes", "british, stakes"), ("B1 buy most", "B1 buy least"), ("-0.13", "+0.13")],
)
def test_a_page_says_what_its_facts_say(thumb: Chart, form: str, old: str, new: str, tmp_path: Path) -> None:
    """Its rules, what the letters mean, and what it is worth while its cells are what they were."""
    path = thumb.save(tmp_path / f"it{form}")
    start, title, rest = path.read_text().partition("# " if form == ".md" else "<h1>")
    path.write_text(start + title + rest.replace(old, new, 1))
    with pytest.raises(BadPolicyFile, match="its page does not say what its facts say: "):
        Chart.load(path)


def test_a_cell_as_large_as_several_is_refused(thumb: Chart, tmp_path: Path) -> None:
    path = thumb.save(tmp_path / "it.html")
    path.write_text(path.read_text().replace("<td>S</td>", '<td colspan="2">S</td>', 1))
    with pytest.raises(BadPolicyFile, match="as large as several"):
        Chart.load(path)


def test_a_picture_cannot_be_edited(thumb: Chart, tmp_path: Path) -> None:
    pillow = pytest.importorskip("PIL.Image", reason="the extra `render` is not installed")
    chunks = pytest.importorskip("PIL.PngImagePlugin")
    path = thumb.save(tmp_path / "thumb.png")
    with pillow.open(path) as image:
        image.load()
        texts = chunks.PngInfo()
        for name, text in image.text.items():
            texts.add_text(name, text)
        image.convert("RGBA").save(path, pnginfo=texts, compress_level=1)
        assert Chart.load(path) == thumb  # the same picture
        image.putpixel((200, 200), (1, 2, 3))
        image.save(path, pnginfo=texts)
        with pytest.raises(BadPolicyFile, match="its picture was changed"):
            Chart.load(path)
        image.save(path)
    with pytest.raises(BadPolicyFile, match="its picture holds no text"):
        Chart.load(path)


@pytest.mark.parametrize("form", FORMS)
def test_a_file_that_was_cut_off_is_refused_wherever(form: str, tmp_path: Path) -> None:
    """Its rows would be as good as those of the whole."""
    cells = {("hands", f"hard {total}", "2 cards"): "S" for total in range(15, 21)}
    data = Chart("it", Rules.of(TEXT), Table(), cells).save(tmp_path / f"it{form}").read_bytes()
    for end in range(0, len(data) - 30, 7):
        (tmp_path / f"cut{form}").write_bytes(data[:end])
        with pytest.raises(BadPolicyFile):
            Chart.load(tmp_path / f"cut{form}")


# --- re-saved by other programs ----------------------------------------------------------------------------------


def written(rows: list[list[str]], **how: Any) -> str:
    """Rows as a CSV writer writes them."""
    out = io.StringIO(newline="")
    csv.writer(out, **how).writerows(rows)
    return out.getvalue()


def padded(rows: list[list[str]]) -> list[list[str]]:
    """Rows of one length, as spreadsheets write them."""
    return [row + [""] * (max(map(len, rows)) - len(row)) for row in rows]


def spaced(text: str) -> str:
    """Tables of Markdown in even columns, as formatters write them."""
    return re.sub(r" \| (?=\S)", "   |  ", text).replace("---", ":---------:").replace("\n- ", "\n* ")


RESAVED: dict[str, tuple[str, Callable[[str], str]]] = {
    "by Python": (".csv", lambda text: written(list(csv.reader(text.splitlines())))),
    "all quoted": (".csv", lambda text: written(list(csv.reader(text.splitlines())), quoting=csv.QUOTE_ALL)),
    "by a spreadsheet": (".csv", lambda text: written(padded(list(csv.reader(text.splitlines()))))),
    "with semicolons": (".csv", lambda text: written(padded(list(csv.reader(text.splitlines()))), delimiter=";")),
    "with tabs": (".csv", lambda text: written(list(csv.reader(text.splitlines())), delimiter="\t")),
    "the facts first": (
        ".csv",
        lambda text: "".join(reversed(text.splitlines(keepends=True)[-1:])) + text[: text.rindex('"# {')],
    ),
    "sorted": (".json", lambda text: json.dumps(json.loads(text), sort_keys=True, indent=2)),
    "in one piece": (".json", lambda text: json.dumps(json.loads(text), separators=(",", ":"))),
    "by JavaScript": (".json", lambda text: re.sub(r"\b([0-9]+)\.0\b", r"\1", text)),
    "in even columns": (".md", spaced),
    "by a browser": (
        ".html",
        lambda text: text.replace("<table>", '<TABLE class="x"><tbody>').replace("</table>", "</tbody></TABLE>"),
    ),
    **{f"as it was, {form}": (form, lambda text: text) for form in FORMS},
}
BYTES: dict[str, Callable[[str], bytes]] = {
    "plainly": lambda text: text.encode(),
    "with carriage returns": lambda text: text.replace("\r\n", "\n").replace("\n", "\r\n").encode(),
    "with a mark": lambda text: text.encode("utf-8-sig"),
    "in UTF-16": lambda text: text.encode("utf-16"),
}


@pytest.mark.parametrize("kind", RESAVED)
def test_a_file_saved_by_another_program_is_the_same_chart(thumb: Chart, kind: str, tmp_path: Path) -> None:
    form, change = RESAVED[kind]
    text = change(thumb.save(tmp_path / f"it{form}").read_text())
    for how, encode in BYTES.items():
        for name in (f"other{form}", f"OTHER{form.upper()}"):
            (tmp_path / name).write_bytes(encode(text))
            back = Chart.load(tmp_path / name)
            assert back == thumb and back.worth() == thumb.worth(), (kind, how)
    assert resolve(str(tmp_path / name), "player", thumb.rules, thumb.table) == thumb.policy()


def test_capitals_save_alike(thumb: Chart, tmp_path: Path) -> None:
    for form in FORMS:
        small, large = thumb.save(tmp_path / f"it{form}"), thumb.save(tmp_path / f"IT{form.upper()}")
        assert small.read_bytes() == large.read_bytes()


# --- compared ----------------------------------------------------------------------------------------------------


def test_charts_compare_and_hash_by_what_they_say(thumb: Chart, tmp_path: Path) -> None:
    back = Chart.load(thumb.save(tmp_path / "it.csv"))
    assert back == thumb and hash(back) == hash(thumb) and len({back, thumb}) == 1
    other = replace(thumb, cells={**thumb.cells, ("hands", "hard 16", "2 cards"): "T"})
    assert other != thumb and len({other, thumb}) == 2
    assert replace(thumb, name="it") != thumb and thumb != "thumb"
    for copied in (copy.deepcopy(thumb), pickle.loads(pickle.dumps(thumb))):
        assert copied == thumb and hash(copied) == hash(thumb)


def test_a_chart_does_not_change(thumb: Chart) -> None:
    for given in (thumb.cells, thumb.notes):
        with pytest.raises(TypeError, match="does not support item assignment"):
            given["hands", "hard 16", "2 cards"] = "T"  # type: ignore[index]
    cells = dict(thumb.cells)
    mine = Chart("mine", thumb.rules, thumb.table, cells)
    cells.clear()
    assert mine.cells == thumb.cells


def test_what_a_chart_is_worth_is_of_its_own_cells_and_table(thumb: Chart) -> None:
    assert replace(thumb, name="it").worth() == thumb.worth()
    lost = (
        replace(thumb, cells={**thumb.cells, ("hands", "hard 16", "2 cards"): "T"}),
        replace(thumb, rules=Rules.of("british")),
        replace(thumb, table=Table.of(stake_max=2)),
        replace(thumb, notes={**thumb.notes, "value": 5.0}),
        replace(thumb, notes={name: note for name, note in thumb.notes.items() if name != "loss"}),
    )
    for chart in lost:
        assert chart.worth() == "nobody has said what this chart is worth" and not chart.notes
    assert replace(thumb, notes={**thumb.notes, "mine": 1}).notes["mine"] == 1


def test_a_policy_that_draws_is_shown_by_what_it_does_most() -> None:
    """Seven parts stick, three parts twist: the sheet says stick, whatever would be better."""
    rules = Rules.of("home,split=none,buying=none")
    keys, weights = np.zeros(1, np.int64), np.array([[7.0, 3.0, 0, 0, 0, 1.0]])
    lazy = Strategy(Metadata("player", rules, Table()), parts=(), keys=keys, weights=weights, greedy=False)
    chart = solver.chart(rules, player=lazy, banker="stand17", shoe=SMALL)
    assert {action for (section, row, _), action in chart.cells.items() if row in ("hard 15", "soft 15")} == {"S"}
    assert chart.cells["hands", "hard 11", "2 cards"] == "T"  # nothing else is allowed
    assert ("gains" in chart.worth()) == (chart.notes["loss"] < 0)
