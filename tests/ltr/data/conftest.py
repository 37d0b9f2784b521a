from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def saved(tmp_path: Path) -> Callable[[str | bytes], Path]:
    def save(content: str | bytes) -> Path:
        path = tmp_path / "input"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return save
