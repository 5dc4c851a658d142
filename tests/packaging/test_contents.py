"""What the wheel and the source archive hold: the package and what describes it, nothing else of the checkout."""

from __future__ import annotations

import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import pontoon_gym
from tests.packaging.archives import Archives, build, copy_checkout

SOURCE_ONLY = {"LICENSE", "MANIFEST.in", "PKG-INFO", "README.md", "pyproject.toml", "setup.cfg"}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout of its own, to build in and to plant faults in."""
    return copy_checkout(tmp_path / "checkout")


def package_files(checkout: Path) -> set[str]:
    """Every file of the package: one that is no Python must be declared as its data."""
    return {str(file.relative_to(checkout)) for file in checkout.glob("pontoon_gym/**/*") if file.is_file()}


def wheel_files(wheel: Path) -> set[str]:
    """The files in a wheel, but the installer's metadata; the licence counts."""
    names = zipfile.ZipFile(wheel).namelist()
    return {name.split("/licenses/")[-1] for name in names if ".dist-info/" not in name or "/licenses/" in name}


def source_files(source: Path) -> set[str]:
    """The files in a source archive, seen from its one folder, but setuptools' metadata."""
    with tarfile.open(source) as archive:
        names = [member.name.partition("/")[2] for member in archive if member.isfile()]
    return {name for name in names if ".egg-info/" not in name}


def faults(checkout: Path, archives: Archives) -> Iterator[str]:
    """What is missing and what does not belong."""
    package = package_files(checkout)
    for held, due, kind in (
        (wheel_files(archives.wheel), package | {"LICENSE"}, "wheel"),
        (source_files(archives.source), package | SOURCE_ONLY, "source"),
    ):
        yield from (f"{kind}: {name} is missing" for name in sorted(due - held))
        yield from (f"{kind}: {name} does not belong" for name in sorted(held - due))


def test_they_hold_the_package_only(checkout: Path) -> None:
    files = package_files(checkout)
    assert {"pontoon_gym/py.typed", "pontoon_gym/__init__.py", "pontoon_gym/engine/act.py"} <= files
    archives = build(checkout)
    assert list(faults(checkout, archives)) == []
    with zipfile.ZipFile(archives.wheel) as wheel:
        shipped = [one for one in wheel.infolist() if one.filename.startswith("pontoon_gym/policies/pretrained/")]
    assert sum(one.file_size for one in shipped) < 3_000_000 and len(shipped) > 10
    assert archives.wheel.name == f"pontoon_gym-{pontoon_gym.__version__}-py3-none-any.whl"


@pytest.mark.parametrize(
    ("file", "right", "wrong", "fault"),
    [
        ("pyproject.toml", '["pontoon_gym*"]', '["pontoon_gym*", "agents*"]', "wheel: agents/deep.py does not belong"),
        ("pyproject.toml", '["pontoon_gym*"]', '["pontoon_gym"]', "wheel: pontoon_gym/engine/act.py is missing"),
        ("pyproject.toml", ".package-data]", ".exclude-package-data]", "wheel: pontoon_gym/py.typed is missing"),
        ("pyproject.toml", 'license-files = ["LICENSE"]', "license-files = []", "wheel: LICENSE is missing"),
        ("MANIFEST.in", "prune tests", "", "source: tests/test_imports.py does not belong"),
        ("MANIFEST.in", "prune tests", "prune tests\ninclude train.py", "source: train.py does not belong"),
    ],
)
def test_a_planted_fault_is_caught(checkout: Path, file: str, right: str, wrong: str, fault: str) -> None:
    path = checkout / file
    text = path.read_text(encoding="utf-8")
    assert text.count(right) == 1
    path.write_text(text.replace(right, wrong), encoding="utf-8")
    assert fault in faults(checkout, build(checkout))
