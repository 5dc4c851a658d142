"""Every clause of the rule book has a test here that is named by it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
BOOK = (HERE.parents[1] / "docs" / "rules.md").read_text(encoding="utf-8")
SECTIONS = re.findall(r"^## (\d+) ", BOOK, re.MULTILINE)
CLAUSES = re.findall(r"^\*\*(\d+\.\d+)\*\*", BOOK, re.MULTILINE)
TESTS = {path.name: re.findall(r"^def test_(\d+)_(\d+)_", path.read_text(encoding="utf-8"), re.MULTILINE)
         for path in HERE.glob("test_[0-9]*.py")}  # fmt: skip
NAMED = [f"{section}.{clause}" for tests in TESTS.values() for section, clause in tests]


def test_the_book_was_read() -> None:
    assert len(SECTIONS) == 15
    assert len(CLAUSES) == 54


@pytest.mark.parametrize("clause", CLAUSES)
def test_a_clause_has_a_test(clause: str) -> None:
    assert clause in NAMED


@pytest.mark.parametrize("section", SECTIONS)
def test_a_section_has_a_file_of_its_own(section: str) -> None:
    (tests,) = [tests for name, tests in TESTS.items() if name.startswith(f"test_{int(section):02}_")]
    assert tests
    assert {section} == {named for named, _ in tests}


def test_no_test_is_named_by_a_clause_that_does_not_exist() -> None:
    """`x_0` stands for what a section says outside its clauses."""
    assert set(NAMED) - set(CLAUSES) <= {f"{section}.0" for section in SECTIONS}
