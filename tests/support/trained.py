"""A model trained by the command on the sample."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

from ltr.commands import train

FEW = ["--trees", "10", "--seeds", "1", "--folds", "2", "--quiet"]
_KEPT: list[tempfile.TemporaryDirectory[str]] = []


@cache
def trained_on_sample() -> Path:
    """A model trained by the command without options but few trees, with its index beside it; once a session."""
    _KEPT.append(tempfile.TemporaryDirectory())
    folder = Path(_KEPT[0].name)
    assert train.main(["-m", str(folder / "model"), *FEW, "--jobs", "1", "--index", str(folder / "index")]) == 0
    return folder / "model"
