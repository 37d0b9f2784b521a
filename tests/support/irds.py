"""Files in the place of downloads of ir_datasets."""

from __future__ import annotations

from pathlib import Path
from typing import Any


class Local:
    """A file in the place of a download, with ``content`` or as it is."""

    def __init__(self, path: Path, content: str | None = None) -> None:
        self._path = path
        if content is not None:
            path.write_text(content, "utf-8")

    def path(self, force: bool = True) -> Path:
        return self._path

    def stream(self) -> Any:
        return self._path.open("rb")
