"""The documentation: generated parts are current, links lead somewhere, examples run, every clause is there."""

from __future__ import annotations

import importlib.util
import inspect
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from PIL import Image

from agents.algorithms import ALGORITHMS
from pontoon_gym import records, solver
from pontoon_gym.cli.main import COMMANDS, parser
from pontoon_gym.compiled import COMPILED
from pontoon_gym.envs.player import PlayerEnv
from pontoon_gym.policies.baselines import BANKERS, PLAYERS
from pontoon_gym.policies.metadata import Metadata
from pontoon_gym.policies.network import NetworkPolicy
from pontoon_gym.policies.pretrained import WORD
from pontoon_gym.policies.resolve import POLICY_FILE
from pontoon_gym.rules import PRESETS, Rules, Table, specs

ROOT = Path(__file__).resolve().parents[1]
BOOK = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")

PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", *(f"docs/{page.name}" for page in ROOT.glob("docs/*.md"))]
TEXTS = {name: (ROOT / name).read_text(encoding="utf-8") for name in sorted(PAGES)}
MOST_README = 130

LAST = {1: 5, 2: 6, 3: 5, 4: 2, 5: 3, 6: 10, 7: 3, 8: 3, 9: 4, 10: 3, 11: 5, 12: 5, 13: 0, 14: 0, 15: 0}
"""For each section the number of its last clause: 1.1 to 1.5, 2.1 to 2.6, ..."""
CLAUSES = [f"{section}.{n}" for section, last in LAST.items() for n in range(1, last + 1)]


def _load_generate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_generate", ROOT / "docs" / "generate.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


generate = _load_generate()


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A folder with copies of every file that has generated parts."""
    for name in generate.FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def _alter(root: Path, old: str, new: str) -> Path:
    file = root / "docs" / "rules.md"
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1
    file.write_text(text.replace(old, new), encoding="utf-8")
    return file


def _preset_value(preset: str, field: str) -> str:
    """A field of a preset as the Markdown of clause 13 has it; of a variant, what is not said is as at home."""
    section = BOOK[BOOK.index("\n## 13 ") : BOOK.index("<!-- generated: fields -->")]
    tables = re.findall(r"(?:^\|.*\n)+", section, re.MULTILINE)
    for table in tables:
        head, _, *rows = ([cell.strip(" `") for cell in line[1:-1].split("|")] for line in table.splitlines())
        if preset in head:
            found = [str(row[head.index(preset)]) for row in rows if row[head.index("field")] == field]
            if found and found[0]:
                return found[0]
    return _preset_value("home", field)


# --- generated parts ---------------------------------------------------------------------------------------------


def test_generated_parts_are_current(capsys: pytest.CaptureFixture[str]) -> None:
    assert generate.main(["--check"]) == 0, capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("| 1.1 | `packs` | packs of 52; 0 draws with replacement | 1 | 1 | 6 |",
                     "| 1.1 | `packs` | packs of 52; 0 draws with replacement | 1 | 1 | 7 |", id="a value"),
        pytest.param("| `packs` | 0 to 8 |", "| `packs` | 0 to 9 |", id="what is allowed"),
        pytest.param("\n\nThe variants, where they differ from `home`:\n", "\n", id="a line lost"),
    ],
)  # fmt: skip
def test_a_stale_file_is_named_and_can_be_mended(
    copy: Path, capsys: pytest.CaptureFixture[str], old: str, new: str
) -> None:
    file = _alter(copy, old, new)
    altered = file.read_text(encoding="utf-8")
    assert generate.main(["--check"], copy) == 1
    assert "docs/rules.md is stale" in capsys.readouterr().err
    assert file.read_text(encoding="utf-8") == altered
    assert generate.main([], copy) == 0
    assert file.read_text(encoding="utf-8") == BOOK
    assert generate.main(["--check"], copy) == 0


def test_a_changed_field_makes_the_files_stale(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(generate.PRESETS, "casino6", PRESETS["casino6"]._replace(packs=7))
    assert generate.main(["--check"], copy) == 1


@pytest.mark.parametrize("arguments", [["--check"], []])
@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("<!-- generated: fields -->", "", "block fields is in no file"),
        ("<!-- generated: fields -->", "<!-- generated: feilds -->", "no such block: feilds"),
        ("<!-- end -->\n\nWhat each field may be", "What each field may be", "2 blocks begin, 1 end"),
    ],
)
def test_broken_markers_are_faults(
    copy: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], old: str, new: str, fault: str
) -> None:
    file = _alter(copy, old, new)
    altered = file.read_text(encoding="utf-8")
    assert generate.main(arguments, copy) == 1
    assert fault in capsys.readouterr().err
    assert file.read_text(encoding="utf-8") == altered


# --- the rule book -----------------------------------------------------------------------------------------------


def test_every_section_is_there_once_in_order() -> None:
    assert [int(n) for n in re.findall(r"^## (\d+) ", BOOK, re.MULTILINE)] == list(LAST)


def test_every_clause_is_there_once_in_its_section() -> None:
    assert len(CLAUSES) == 54
    assert re.findall(r"\*\*(\d+\.\d+)\*\*", BOOK) == CLAUSES
    for section, text in zip(LAST, re.split(r"^## \d+ ", BOOK, flags=re.MULTILINE)[1:], strict=True):
        starts = re.findall(r"^\*\*(\d+)\.\d+\*\* \S", text, re.MULTILINE)
        assert starts == [str(section)] * LAST[section]


def test_clauses_that_no_environment_plays_are_marked() -> None:
    clauses = re.split(r"^\*\*(\d+\.\d+)\*\* ", BOOK, flags=re.MULTILINE)[1:]
    marked = [name for name, text in zip(clauses[::2], clauses[1::2], strict=True) if "*Not played yet" in text]
    assert marked == ["3.5", "5.2", "11.1", "11.3", "11.4", "11.5", "12.5"]


def test_the_round_that_is_told_is_one_that_the_rules_allow() -> None:
    (told,) = re.findall(r"^pontoon/1 .*$", BOOK, re.MULTILINE)
    assert records.parse(told).text() == told
    assert records.replay(told)["result"][:4].tolist() == [6, 6, -2, -10]


@pytest.mark.parametrize("field", Rules._fields)
def test_the_clause_of_a_field_speaks_of_it(field: str) -> None:
    for clause in specs(Rules)[field][1].clause.split(", "):
        start = f"\n**{clause}** " if "." in clause else f"\n## {clause} "
        text = BOOK[BOOK.index(start) + len(start) :]
        end = r"^(\*\*\d+\.\d+\*\* |## )" if "." in clause else r"^## "
        assert re.search(rf"`{field}\b", re.split(end, text, maxsplit=1, flags=re.MULTILINE)[0])


def test_fields_are_quoted_with_values_that_they_allow() -> None:
    quoted = re.findall(r'`(\w+)=("?)(\w[\w.]*)"?`', BOOK)
    assert len(quoted) > 30
    for field, quote, value in quoted:
        kind, spec = specs(Rules)[field]
        allowed = [str(one) for one in spec.values(kind)]
        assert (kind is str) == bool(quote), field
        assert (f"{float(value):.1f}" if kind is float else value) in allowed, field


@pytest.mark.parametrize(
    ("preset", "field", "value"),
    [
        ("british", "banker_trick_loss", "1"),
        ("british", "max_hands", "2"),
        ("british", "second_pack_from", "0"),
        ("home", "second_pack_from", "6"),
        ("home", "banker_trick_loss", "2"),
        ("home", "stick_minimum", "15"),
        ("home", "buying", "buy"),
        ("casino6", "packs", "6"),
        ("casino6", "banker", "h17"),
        ("casino8", "packs", "8"),
        ("casino8", "players_face_up", "yes"),
        ("casino8", "bank_sale", "no"),
        ("blackjack", "pontoon_pays", "1.5"),
        ("blackjack", "ties", "push"),
        ("blackjack", "trick_cards", "0"),
        ("spanish", "tens", "no"),
        ("spanish", "bonus", "spanish21"),
        ("malaysian", "pontoon_pays", "1.5"),
        ("malaysian", "ties", "player"),
        ("malaysian", "banker_trick_loss", "2"),
        ("ace_high", "ace_king_pays", "2"),
        ("sudden_death", "sudden_death", "yes"),
        ("rotating", "bank", "rotate"),
    ],
)
def test_presets_of_clause_13(preset: str, field: str, value: str) -> None:
    assert _preset_value(preset, field) == value


# --- names in pages ----------------------------------------------------------------------------------------------


def test_the_options_of_environments_are_told() -> None:
    page = TEXTS["docs/environments.md"]
    section = page[page.index("## Options") : page.index("<!-- generated: table_fields -->")]
    told = re.findall(r"^\| (`.+?`) \| (.+?) \|", section, re.MULTILINE)
    defaults = {name: given for names, given in told for name in re.findall(r"`(\w+)`", names)}
    signature = inspect.signature(PlayerEnv).parameters
    assert list(defaults) == list(signature)
    for name, given in defaults.items():
        if name not in Table._fields:
            assert str(signature[name].default) == given.strip('`"'), name


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("docs/environments.md", [*PLAYERS, *BANKERS, WORD]),
        ("docs/training.md", list(ALGORITHMS)),
        ("docs/training.md", ["config.json", "log.csv", "curve.csv", "curve.png", "checkpoint.npz", POLICY_FILE]),
        ("docs/solver.md", [f"solver.{name}" for name in solver.__all__ if name.islower()]),
        ("docs/solver.md", [f"pontoon-gym {command.__name__.rpartition('.')[2]}" for command in COMMANDS]),
        ("README.md", ["home", "british", "casino6", "casino8", "blackjack"]),
    ],
)
def test_a_page_names_them_all(page: str, names: list[str]) -> None:
    assert [name for name in names if name not in TEXTS[page]] == []


# --- links -------------------------------------------------------------------------------------------------------


def _without_code(text: str) -> str:
    return re.sub(r"^```.*?^```$|`[^`\n]*`", "", text, flags=re.MULTILINE | re.DOTALL)


def _anchors(text: str) -> set[str]:
    """What GitHub calls the headings of a page."""
    titles = re.findall(r"^#+ (.+)$", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def _dead_links(page: str, text: str) -> list[str]:
    """The relative links of a page that lead nowhere."""
    dead = []
    for link in re.findall(r"\]\(([^()\s]+)\)", _without_code(text)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (ROOT / page).parent / path if path else ROOT / page
        if not target.exists() or (anchor and anchor not in _anchors(target.read_text(encoding="utf-8"))):
            dead.append(link)
    return dead


@pytest.mark.parametrize("page", TEXTS)
def test_links_lead_somewhere(page: str) -> None:
    assert _dead_links(page, TEXTS[page]) == []


@pytest.mark.parametrize(
    ("link", "is_dead"),
    [
        ("rules.md", False),
        ("rules.md#14-rules-of-thumb-the-baselines", False),
        ("../README.md#a-judgement", False),
        ("../agents/settings", False),
        ("https://example.org/nowhere", False),
        ("rule.md", True),
        ("rules.md#14-rules-of-thumb", True),
        ("#no-such-heading", True),
    ],
)
def test_a_dead_link_is_found(link: str, is_dead: bool) -> None:
    assert _dead_links("docs/rules.md", f"See [a\nlink]({link}), not `[one](nowhere)`.") == [link] * is_dead


def test_every_page_is_reached_from_the_readme() -> None:
    linked = set(re.findall(r"\]\(([^()\s#]+)", TEXTS["README.md"]))
    assert set(TEXTS) - {"README.md"} <= linked


def test_the_readme_is_short() -> None:
    assert len(TEXTS["README.md"].splitlines()) <= MOST_README


def test_the_picture_is_the_table_of_today() -> None:
    path = ROOT / "docs" / "table.png"
    with Image.open(path) as image:
        drawn, kept = generate.frame().astype(int), np.array(image.convert("RGB")).astype(int)
    assert path.stat().st_size < 60_000
    assert kept.shape == drawn.shape
    # Another version of Pillow may draw a letter otherwise, and the file has 64 colours.
    assert np.abs(kept - drawn).mean() < 3


# --- examples ----------------------------------------------------------------------------------------------------


def _blocks(language: str) -> list[tuple[str, str]]:
    """Pages and the code in them, block by block."""
    found = rf"^```{language}\n(.*?)^```"
    return [(page, block) for page, text in TEXTS.items() for block in re.findall(found, text, re.M | re.S)]


def _commands(program: str) -> list[list[str]]:
    """The words of every command of a program that a page shows."""
    lines = [line for _, block in _blocks("sh") for line in block.splitlines()]
    words = [shlex.split(line, comments=True) for line in lines]
    return [one[i + 1 :] for one in words for i, word in enumerate(one[:2]) if Path(word).name == program]


@pytest.mark.parametrize("block", [pytest.param(block, id=page) for page, block in _blocks("python")])
def test_python_in_the_documentation_runs(tmp_path: Path, block: str) -> None:
    """Every block on its own; where it loads a run, there is one."""
    if not COMPILED and "solver" in block:
        pytest.skip("hours without the compiler")
    layers = [(np.zeros((6, 86), np.float32), np.zeros(6, np.float32))]
    NetworkPolicy(Metadata("player", Rules.of("home"), Table()), layers).save(tmp_path / "runs/player/policy.npz")
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", block], cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_there_is_python_to_run() -> None:
    assert {page for page, _ in _blocks("python")} >= {
        "README.md",
        *map("docs/{}.md".format, ("environments", "solver")),
    }


def test_commands_in_the_documentation_parse() -> None:
    commands = _commands("pontoon-gym")
    assert len(commands) > 8
    for words in commands:
        parser().parse_args(words)


def test_flags_of_trainings_in_the_documentation_exist() -> None:
    done = subprocess.run([sys.executable, ROOT / "train.py", "--help"], cwd=ROOT, capture_output=True, text=True)
    asked = {word for words in _commands("train.py") for word in words if word.startswith("--")}
    assert len(asked) > 8
    assert asked <= set(re.findall(r"--[a-z-]+", done.stdout))
