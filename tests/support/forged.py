"""A model folder whose manifest was changed, with its digests in order again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ltr.files import manifest_digest


def forge(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the manifest of a model and put it in order again, digests of all files included."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    for name in manifest["files"]:
        manifest["files"][name] = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    change(manifest)
    manifest["digest"] = manifest_digest(manifest)
    path.write_text(json.dumps(manifest), "utf-8")
