"""Answers on disk, one file a request, whole or absent."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ltr.data.files import replaced_text

_LARGEST = 256 << 20
"""Characters of a file: the largest answer, each of its characters escaped."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request to a server, without the key, which therefore never gets into a file."""

    path: str
    """With its query, as in ``/search?q=tea``."""
    body: str | None = None
    """Sent by POST; without a body the request is a GET."""
    media: str = "application/json"
    """Media type of the body."""


class Cache:
    """A folder of answers. Several processes may use it at once.

    File names can be guessed, and others may be able to write into the folder: symbolic links are never followed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def find(self, server: str, request: Request) -> str | None:
        """The cached answer; None where there is none, or its file is damaged."""
        asked, path = self._entry(server, request)
        try:
            handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            with open(handle, encoding="utf-8") as file:
                kept: Any = json.loads(file.read(_LARGEST)) if stat.S_ISREG(os.fstat(handle).st_mode) else None
        except (OSError, ValueError, RecursionError):
            return None
        whole = isinstance(kept, dict) and kept.get("asked") == asked and isinstance(kept.get("answer"), str)
        return kept["answer"] if whole else None

    def keep(self, server: str, request: Request, answer: str) -> None:
        """Cache an answer. Raises OSError."""
        asked, path = self._entry(server, request)
        path.parent.mkdir(parents=True, exist_ok=True)
        with replaced_text(path) as out:
            out.write(json.dumps({"asked": asked, "answer": answer}, indent=1, sort_keys=True) + "\n")

    def _entry(self, server: str, request: Request) -> tuple[dict[str, str], Path]:
        """The server and request as JSON, and the path of their answer."""
        asked = {"server": server, **{name: value for name, value in asdict(request).items() if value is not None}}
        name = hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()
        return asked, self.folder / name[:2] / f"{name[2:]}.json"
