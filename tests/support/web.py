"""A server on this machine that answers as it is told, and remembers what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from ltr.progress import Progress
from ltr.remote.cache import Cache
from ltr.remote.client import Manners


@dataclass
class Asked:
    """A request, as it came."""

    method: str
    path: str
    query: dict[str, str]
    body: str
    headers: dict[str, str]

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Reply:
    """What goes back: text as it is, everything else as JSON."""

    body: object = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cut: int = 0
    """Bytes at the end that never come."""
    silent: bool = False
    """Nothing comes at all, until the client has gone."""


Answer = Callable[[Asked], Reply]


class Web:
    """The server: ``replies`` go out first, one a request, then whatever ``answer`` makes."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.asked: list[Asked] = []
        self.replies: list[Reply] = []
        self.answer: Answer = lambda _: Reply({}, 500)
        self.closing = threading.Event()

    def reply(self, asked: Asked) -> Reply:
        self.asked.append(asked)
        return self.replies.pop(0) if self.replies else self.answer(asked)


@contextmanager
def serving() -> Iterator[Web]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    web = Web(f"http://127.0.0.1:{server.server_port}")
    server.web = web  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield web
    finally:
        web.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    def _serve(self) -> None:
        web: Web = self.server.web  # type: ignore[attr-defined]
        parts = urlsplit(self.path)
        query = {name: values[-1] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
        body = self.rfile.read(int(self.headers.get("content-length") or 0)).decode()
        headers = {name.lower(): value for name, value in self.headers.items()}
        reply = web.reply(Asked(self.command, parts.path, query, body, headers))
        if reply.silent:
            web.closing.wait(30)
            return
        content = (reply.body if isinstance(reply.body, str) else json.dumps(reply.body)).encode("utf-8", "replace")
        self.send_response(reply.status)
        for name, value in {"Content-Length": str(len(content)), **reply.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content[: len(content) - reply.cut])

    do_GET = do_POST = _serve

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


class Time:
    """A clock that stands still, but for those who sleep."""

    def __init__(self, now: float = 1_000_000.0) -> None:
        self.at = now
        self.slept: list[float] = []

    def now(self) -> float:
        return self.at

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.at += seconds


def manners(folder: Path, time: Time | None = None, *, budget: int = 100, timeout: float = 5.0) -> Manners:
    """Those of a test: no time passes."""
    time = time or Time()
    return Manners(Cache(folder), budget, Progress(quiet=True), timeout, time.now, time.sleep)
