"""What a trainer writes beside the weights themselves, to compare with the files that ship."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

ABOUT = ["what", "command", "training", "figures", "versions"]


def train_twice(main: Callable[[list[str]], int], options: list[str], folder: Path, shipped: Path) -> Path:
    """The file that a trainer writes: the same bytes every time, in the layout of the file that ships."""
    files = [folder / name for name in ("a.json", "b.json")]
    for path in files:
        assert main([*options, "-o", str(path)]) == 0
    assert files[0].read_bytes() == files[1].read_bytes()
    assert layout(files[0]) == layout(shipped)
    return files[0]


def about(path: Path) -> Any:
    """What a weights file says of its training and figures."""
    return json.loads(path.read_text("utf-8"))["about"]


def write_files(folder: Path, files: Mapping[str, str]) -> Path:
    """A folder with these texts by path."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


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
