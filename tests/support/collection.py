"""Where the open collection lies: real arguments in the task's own format, for tests that need them.

``RIPOSTE_COLLECTION`` names the folder; without it, it is looked for beside the project.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_TABLE = "args_processed_04_01.csv"
_FOLDER = Path(
    os.environ.get("RIPOSTE_COLLECTION") or Path(__file__).resolve().parents[2].parent / "shared" / "collection"
)

COLLECTION: Path | None = _FOLDER if (_FOLDER / _TABLE).is_file() else None
"""The folder, or None when it is not there."""

needs_collection = pytest.mark.skipif(
    COLLECTION is None, reason=f"no {_TABLE} in {_FOLDER}; name its folder with RIPOSTE_COLLECTION"
)
"""Skips a test, and says why, when the collection is absent."""
