"""What a trainer writes beside the weights themselves, to compare with the files that ship."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ABOUT = ["what", "command", "training", "figures", "versions"]


def layout(path: Path) -> dict[str, Any]:
    """Keys at every level of a weights file, and all that a small fit has in common with a large one."""
    document = json.loads(path.read_text("utf-8"))
    about = document.pop("about")
    assert list(about) == ABOUT
    return {
        "what": about["what"],
        "command": about["command"],
        **{part: _keys(about[part]) for part in ("training", "figures", "versions")},
        "models": {name: (model["outputs"], model["scale"], len(model["intercept"]), list(model))
                   for name, model in document.pop("models").items()},
        "arrays": sorted(document),
    }  # fmt: skip


def _keys(values: Any) -> Any:
    return {name: _keys(value) for name, value in values.items()} if isinstance(values, dict) else type(values).__name__
