"""What a trainer writes beside the weights themselves, to compare with the files that ship."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

ABOUT = ["what", "command", "training", "figures", "versions"]


def train_twice(main: Callable[[list[str]], int], options: list[str], folder: Path, shipped: Path) -> Path:
    """The file that a trainer writes: the same bytes every time, models and data sets as in the file that ships."""
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
    """What a small fit has in common with a large one: data sets, packages, and the models' outputs and scales."""
    document = json.loads(path.read_text("utf-8"))
    about = document["about"]
    assert list(about) == ABOUT
    models = {name: (model["outputs"], model["scale"]) for name, model in document["models"].items()}
    return {**about, "training": list(about["training"]), "figures": "", "versions": list(about["versions"])} | models
