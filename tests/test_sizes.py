"""The house stays easy to read: few files a folder, few parameters a function, short bodies.

`folder_faults` and `function_faults` take what a folder or a text holds, so that planted violations prove that they can
fail.
"""

from __future__ import annotations

import ast
import statistics
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FILES = sorted(
    [*ROOT.glob("pontoon_gym/**/*.py"), *ROOT.glob("agents/**/*.py"), ROOT / "train.py", ROOT / "evaluate.py"]
)
FOLDERS = sorted({file.parent for file in FILES} - {ROOT})
MOST_MODULES = 9
MOST_PARAMETERS, MOST_OF_KERNELS = 8, 10
MOST_LINES = 40

Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(source: str) -> list[Function]:
    """Every function and method of a text."""
    return [node for node in ast.walk(ast.parse(source)) if isinstance(node, Function)]


def body_lines(function: Function) -> int:
    """Lines from a function's first statement to its last, the docstring left out."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def parameters(function: Function) -> int:
    """What a caller may hand over; `self` and `cls` are not counted."""
    of = function.args
    named = [one.arg for one in (*of.posonlyargs, *of.args, *of.kwonlyargs)]
    return (
        len([name for name in named if name not in ("self", "cls")]) + (of.vararg is not None) + (of.kwarg is not None)
    )


def is_kernel(function: Function) -> bool:
    """Whether it is compiled (`pontoon_gym.compiled`)."""
    return any(getattr(one, "id", "") in ("kernel", "leaf") for one in function.decorator_list)


def function_faults(source: str) -> Iterator[str]:
    """Functions of a text with too many parameters, or too long."""
    for function in functions(source):
        most = MOST_OF_KERNELS if is_kernel(function) else MOST_PARAMETERS
        if parameters(function) > most:
            yield f"{function.name} takes {parameters(function)}, at most {most}"
        if body_lines(function) > MOST_LINES:
            yield f"{function.name} has {body_lines(function)} lines, at most {MOST_LINES}"


def folder_faults(names: list[str]) -> Iterator[str]:
    """Whether a folder's files are too many to choose among; `__init__` tells what the others are."""
    modules = [name for name in names if name != "__init__.py"]
    if len(modules) > MOST_MODULES:
        yield f"{len(modules)} modules, at most {MOST_MODULES}: {', '.join(sorted(modules))}"


@pytest.mark.parametrize("folder", FOLDERS, ids=[str(folder.relative_to(ROOT)) for folder in FOLDERS])
def test_a_folder_has_few_modules(folder: Path) -> None:
    assert list(folder_faults([file.name for file in FILES if file.parent == folder])) == []


@pytest.mark.parametrize("file", FILES, ids=[str(file.relative_to(ROOT)) for file in FILES])
def test_functions_take_little_and_are_short(file: Path) -> None:
    assert list(function_faults(file.read_text(encoding="utf-8"))) == []


def test_most_bodies_are_a_few_lines() -> None:
    found = sorted(body_lines(one) for file in FILES for one in functions(file.read_text(encoding="utf-8")))
    assert statistics.median(found) <= 6
    assert found[len(found) * 9 // 10] <= 15


def _function(parameters: int, lines: int, decorator: str = "") -> str:
    names = ", ".join(f"a{i}" for i in range(parameters))
    return f"{decorator}def f({names}):\n" + "    pass\n" * lines


@pytest.mark.parametrize(
    ("source", "faults"),
    [
        (_function(8, 40), 0),
        (_function(9, 40), 1),
        (_function(8, 41), 1),
        (_function(10, 1, "@kernel\n"), 0),
        (_function(11, 1, "@leaf\n"), 1),
        (_function(10, 1, "@cache\n"), 1),
        ("class C:\n    def f(self, a, b, c, d, e, f, g, *h):\n        pass\n", 0),
        ("class C:\n    def f(self, a, b, c, d, e, f, g, *h, **i):\n        pass\n", 1),
        ('def f():\n    """Text.\n' + "    more\n" * 50 + '    """\n    return 1\n', 0),
    ],
)
def test_a_planted_fault_is_seen(source: str, faults: int) -> None:
    assert len(list(function_faults(source))) == faults


def test_a_planted_module_too_many_is_seen() -> None:
    names = ["__init__.py", *(f"m{i}.py" for i in range(MOST_MODULES))]
    assert list(folder_faults(names)) == []
    assert len(list(folder_faults([*names, "one_more.py"]))) == 1
