"""What tests of learners share."""

from __future__ import annotations

import pytest


@pytest.fixture
def short_updates(monkeypatch: pytest.MonkeyPatch) -> None:
    """An update of value learners is 16,384 decisions, more than most tests have time for.

    Not for tests that start processes of their own: those would learn in other updates than this process does.
    """
    monkeypatch.setattr("agents.deep.UPDATE_STEPS", 128)
