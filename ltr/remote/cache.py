"""Answers kept on disk by what was asked: a file each, whole or absent."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from ltr.data.files import atomic_text


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of a server. Keys are no part of it, so they cannot get into a file."""

    path: str
    """With its query, as in ``/cam?objectA=tea``."""
    body: str | None = None
    """Sent by POST; without one the request is a GET."""
    media: str = "application/json"
    """What the body is."""

    @property
    def method(self) -> str:
        """GET or POST."""
        return "GET" if self.body is None else "POST"


class Cache:
    """A folder of answers. Several processes may use it at once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def find(self, server: str, request: Request) -> str | None:
        """The answer that is kept; None where there is none, or its file is damaged."""
        asked = _asked(server, request)
        try:
            kept = json.loads(self._place(asked).read_text("utf-8"))
        except (FileNotFoundError, ValueError, RecursionError):
            return None
        whole = isinstance(kept, dict) and kept.get("asked") == asked and isinstance(kept.get("answer"), str)
        return kept["answer"] if whole else None

    def keep(self, server: str, request: Request, answer: str) -> None:
        """Keep an answer. Raises OSError."""
        asked = _asked(server, request)
        place = self._place(asked)
        place.parent.mkdir(parents=True, exist_ok=True)
        with atomic_text(place) as out:
            out.write(json.dumps({"asked": asked, "answer": answer}, indent=1, sort_keys=True) + "\n")

    def _place(self, asked: dict[str, str]) -> Path:
        name = hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()
        return self.folder / name[:2] / f"{name[2:]}.json"


def _asked(server: str, request: Request) -> dict[str, str]:
    return {"server": server, **{name: value for name, value in asdict(request).items() if value is not None}}
