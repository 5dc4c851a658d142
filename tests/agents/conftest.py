"""What tests of learners share."""

from __future__ import annotations

import importlib.util

import pytest


@pytest.fixture(autouse=True)
def value_learners_look_up_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """An update of theirs is 16,384 decisions, more than most tests have time for."""
    if importlib.util.find_spec("sb3_contrib"):
        monkeypatch.setattr("agents.deep.UPDATE_STEPS", 128)
