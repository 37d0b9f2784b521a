"""Servers on this machine: one that replies as a test says and records requests, one that sends raw bytes."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from ltr.progress import Progress
from ltr.remote.cache import Cache
from ltr.remote.client import ClientSettings


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
    """What goes back: text and bytes as they are, everything else as JSON."""

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
        content = reply.body if isinstance(reply.body, str | bytes) else json.dumps(reply.body)
        content = content.encode("utf-8", "replace") if isinstance(content, str) else content
        self.send_response(reply.status)
        for name, value in {"Content-Length": str(len(content)), **reply.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content[: len(content) - reply.cut])

    do_GET = do_POST = _serve

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


@contextmanager
def sending(parts: Iterator[bytes]) -> Iterator[str]:
    """The address of a server that sends these parts of one answer, whatever is asked, until the client has gone."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            line, _ = server.accept()
            with line, suppress(OSError):
                line.recv(65536)
                for part in parts:
                    line.sendall(part)

        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


class Clock:
    """In place of the module `time` and of `asyncio.sleep`: it stands still, but for those who sleep."""

    def __init__(self) -> None:
        self.now = 1_000_000.0
        self.slept: list[float] = []

    def time(self) -> float:
        return self.now

    monotonic = time

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def settings(folder: Path, *, budget: int = 100, timeout: float = 5.0) -> ClientSettings:
    """Those of a test."""
    return ClientSettings(Cache(folder), budget, Progress(quiet=True), timeout)
