"""Files as a stranger may have made them: manifests in order again after a change, and JSON changed anywhere."""

from __future__ import annotations

import hashlib
import json
import math
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ltr.data.files import manifest_digest

ODD: list[Any] = [
    *(None, True, False, 0, -1, 1.5, 10**30, 1e308, math.nan, math.inf, -math.inf, "", "x", "1", "a\0b", "\ud800"),
    *([], {}, [1], ["x", None], [[]], {"x": 1}, [[1.0, 0.0]] * 9, "9" * 400, "\x1b[31m"),
]
"""What may stand where anything else is wanted."""


def forge(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the manifest of a model and put it in order again, digests of all files included."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    for name in manifest["files"]:
        manifest["files"][name] = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    change(manifest)
    manifest["digest"] = manifest_digest(manifest)
    path.write_text(json.dumps(manifest), "utf-8")


def mutate(value: Any, rng: random.Random) -> str:
    """Change one place of a JSON value; returns what was done."""
    parent, key = rng.choice([*_places(value)])
    kind = rng.choice(("replace", "replace", "remove", "add", "repeat", "nest"))
    if kind == "remove":
        del parent[key]
    elif kind == "add" and isinstance(parent, dict):
        parent["added"] = rng.choice(ODD)
    elif kind == "repeat" and isinstance(parent[key], str | list):
        parent[key] = parent[key] * 2
    elif kind == "nest":
        parent[key] = [parent[key]]
    else:
        parent[key] = rng.choice(ODD)
    return f"{kind} {key!r}: {parent.get(key) if isinstance(parent, dict) else parent!r}"[:200]


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from _places(value[key])
