"""The server around the application: where it listens, how long it waits for slow clients, and how it ends."""

from __future__ import annotations

import asyncio
import resource
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from ltr.errors import InputError

ASKED_WITHIN = 10.0
DONE_WITHIN = 120.0
"""Seconds that a connection may take until it has sent a request, and in all."""

CONNECTIONS = 400
"""Open ones at most; half of what the system allows where that is less."""

BACKLOG = 100
"""Connections that the system holds until they are taken."""

LARGEST_HEAD = 16_384
"""Bytes of a request's first line with its headers."""


class Connection(H11Protocol):
    """A connection that is cut when it is slow; when too many are open, the one that has been silent longest is."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the clocks."""
        super().connection_made(transport)
        self.since = self.loop.time()
        self._clocks = [
            self.loop.call_later(ASKED_WITHIN, self._cut_if_silent),
            self.loop.call_later(DONE_WITHIN, transport.abort),
        ]
        if len(self.connections) > allowed_connections():
            silent = [other for other in self.connections if isinstance(other, Connection) and other.cycle is None]
            min(silent, key=lambda other: other.since).transport.abort()  # this one at the latest

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clocks."""
        for clock in self._clocks:
            clock.cancel()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Say that this is no request; if it was one in its beginning, that has no other answer."""
        if self.cycle is not None:
            self.cycle.disconnected = True
        super().send_400_response(msg)

    def _cut_if_silent(self) -> None:
        if self.cycle is None:
            self.transport.abort()


def allowed_connections() -> int:
    """How many may be open at once."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return CONNECTIONS if files == resource.RLIM_INFINITY else min(CONNECTIONS, files // 2)


class Server(uvicorn.Server):
    """uvicorn, for which Ctrl-C is the usual end."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Without raising them again when all is done."""
        with super().capture_signals():
            yield
            self._captured_signals.clear()


def make_server(app: Any) -> Server:
    """A server of this application; `bind` gives a socket for its ``run``."""
    config = uvicorn.Config(
        app,
        http=Connection,
        ws="none",
        loop="asyncio",
        lifespan="off",
        log_config=None,
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=BACKLOG,
        h11_max_incomplete_event_size=LARGEST_HEAD,
        timeout_graceful_shutdown=1,
    )
    return Server(config)


def bind(host: str, port: int) -> socket.socket:
    """A socket there that does not listen yet. Raises InputError."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError):
        raise InputError("--host", f"{host!r} is no address of this machine", "leave it out for 127.0.0.1") from None
    found = socket.socket(family, kind, protocol)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind(address)
        found.listen(0)  # two that only bind would not know of each other until now
    except OSError as error:
        found.close()
        what = f"port {port} of {host} cannot be had ({(error.strerror or str(error)).lower()})"
        raise InputError("--port", what, "name another, or 0 for any that is free") from None
    return found
