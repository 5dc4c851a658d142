"""Rule kernels stay small: how long the bodies of the engine's functions are."""

from __future__ import annotations

import ast
import statistics
from pathlib import Path

ENGINE = Path(__file__).parents[1] / "pontoon_gym" / "engine"


def body_lines(function: ast.FunctionDef) -> int:
    """Lines from a function's first statement to its last, the docstring left out."""
    documented = ast.get_docstring(function) is not None
    body = function.body[1:] if documented else function.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def sizes(source: str) -> list[int]:
    return [body_lines(node) for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]


def test_what_is_counted() -> None:
    assert sizes('def f():\n    """Text.\n\n    More.\n    """\n    a = 1\n\n    return a\ndef g(): return 1\n') == [
        3,
        1,
    ]


def test_the_engine_s_functions_are_small() -> None:
    found = sorted(size for file in ENGINE.glob("*.py") for size in sizes(file.read_text(encoding="utf-8")))
    assert statistics.median(found) <= 8
    assert found[len(found) * 9 // 10] <= 25
    assert found[-1] <= 50
