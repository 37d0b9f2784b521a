"""Answers on disk, one file a request, whole or absent.

hishel cannot take its place: by RFC 9111 it stores neither answers to POST, which searches and chats are, nor what a
server marks as not to be stored, and it writes the headers of requests to disk, the key among them.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from ltr.files import atomic_text, clear_place, open_own, read_bounded


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
    """A folder of answers. Several processes may use it at once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def find(self, server: str, request: Request) -> str | None:
        """The cached answer; None where there is none, or its file is damaged."""
        try:
            path = self._entry(server, request)[1]
            with open_own(path, os.O_RDONLY) as file:
                answer = json.loads(read_bounded(path, file))["answer"]
        except (OSError, ValueError, LookupError, TypeError, RecursionError):
            return None
        return answer if isinstance(answer, str) else None

    def keep(self, server: str, request: Request, answer: str) -> None:
        """Cache an answer. Raises OSError."""
        asked, path = self._entry(server, request)
        path.parent.mkdir(parents=True, exist_ok=True)
        clear_place(path)
        with atomic_text(path) as out:
            out.write(json.dumps({"asked": asked, "answer": answer}, indent=1, sort_keys=True) + "\n")

    def _entry(self, server: str, request: Request) -> tuple[dict[str, str], Path]:
        """The server and request as JSON, and the path of their answer."""
        asked = {"server": server, **{name: value for name, value in asdict(request).items() if value is not None}}
        name = hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()
        return asked, self.folder / name[:2] / f"{name[2:]}.json"
