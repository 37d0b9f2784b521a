"""Files as a stranger may have made them: manifests in order again after a change, and JSON changed anywhere."""

from __future__ import annotations

import hashlib
import json
import math
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ltr.data.arrays import save_array
from ltr.data.files import manifest_digest
from ltr.index.folder import SUMS, write_sums

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


def forge_index(folder: Path, name: str) -> None:
    """Put the check sums of an index in order after the file ``name`` of it was changed."""
    if name.startswith("text-"):  # its blocks have sums of their own
        blocks = folder / name.replace("text", "blocks").replace(".bin", ".npy")
        raw, ends = (folder / name).read_bytes(), np.load(blocks)[:, 0].tolist()
        sums = [zlib.crc32(raw[start:end]) for start, end in zip([0, *ends], ends, strict=False)]
        save_array(blocks, np.array([ends, sums], np.int64).T)
    (folder / SUMS).unlink()
    write_sums(folder)
