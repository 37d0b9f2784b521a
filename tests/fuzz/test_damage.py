"""Accidents in files of indexes and models: the same run, an index made anew, or one line."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from fuzz.damage import TASKS, try_many

CASES = 24


@pytest.mark.slow
def test_no_accident_changes_a_run(tmp_path: Path):
    """Other accidents every day."""
    found = try_many(CASES, int(time.time() // 86400), tmp_path)
    assert sum(found.values()) == CASES
    assert not [outcome for _, outcome in found if outcome.startswith("WRONG")]
    assert {task for task, _ in found} == set(TASKS)
