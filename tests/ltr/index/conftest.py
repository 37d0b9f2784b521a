from __future__ import annotations

from pathlib import Path

import pytest
from support.corpora import SMALL, build, write_corpus


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A corpus of `SMALL`."""
    return write_corpus(tmp_path / "corpus", SMALL)


@pytest.fixture
def place(folder: Path, tmp_path: Path) -> Path:
    """The place of its index."""
    return build(folder, tmp_path / "index").folder.parent
