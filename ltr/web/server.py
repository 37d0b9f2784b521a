"""The server around the application: its address, and its limits for slow and silent clients."""

from __future__ import annotations

import resource
import socket
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import uvicorn

from ltr.errors import InputError
from ltr.web.guard import HEADERS

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

ASKED_WITHIN = 10.0
DONE_WITHIN = 120.0
"""Seconds until a connection has sent its request, and until it ends."""

CONNECTIONS = 400
"""Largest number of open connections; half of what the system allows where that is less."""

BACKLOG = 100
"""Connections that the system holds until they are accepted."""

LARGEST_HEAD = 16_384
"""Bytes of a request's first line and headers."""

Address = tuple[str, int]


class Listener(socket.socket):
    """A listening socket that ends slow connections, and the oldest silent one when too many are open.

    uvicorn limits neither the time until a request is complete nor that until its answer has been read.
    """

    def __init__(self, family: int) -> None:
        super().__init__(family)
        self._open: dict[Address, tuple[socket.socket, float]] = {}
        self._asked: set[Address] = set()

    def accept(self) -> tuple[socket.socket, Any]:
        """Accept a connection and note the time."""
        connection, address = super().accept()
        self._open[address[:2]] = connection, time.monotonic()
        self._asked.discard(address[:2])
        if len(self._open) > allowed_connections():
            self._forget_closed()
        if len(self._open) > allowed_connections():
            silent = next(peer for peer in self._open if peer not in self._asked)  # this one at the latest
            self._end(silent)
        return connection, address

    def has_asked(self, client: Address) -> None:
        """The connection to this client has sent its request."""
        self._asked.add(client)

    async def end_slow(self) -> None:
        """End the connections whose time is over."""
        self._forget_closed()
        now = time.monotonic()
        for peer, (_, since) in list(self._open.items()):
            if now - since > (DONE_WITHIN if peer in self._asked else ASKED_WITHIN):
                self._end(peer)

    def _forget_closed(self) -> None:
        self._open = {peer: entry for peer, entry in self._open.items() if entry[0].fileno() != -1}
        self._asked &= self._open.keys()

    def _end(self, peer: Address) -> None:
        connection, _ = self._open.pop(peer)
        with suppress(OSError):  # the client was faster
            connection.shutdown(socket.SHUT_RDWR)  # the event loop sees the end, and closes it


def allowed_connections() -> int:
    """Largest number of open connections."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return CONNECTIONS if files == resource.RLIM_INFINITY else min(CONNECTIONS, files // 2)


def make_server(app: ASGIApp, listener: Listener) -> uvicorn.Server:
    """A server of this application, for ``run(sockets=[listener])``."""

    async def watched(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["client"]:
            listener.has_asked(scope["client"])
        await app(scope, receive, send)

    config = uvicorn.Config(
        watched,
        http="h11",
        ws="none",
        loop="asyncio",
        log_config=None,
        log_level="error",
        access_log=False,
        server_header=False,
        headers=list(HEADERS.items()),
        proxy_headers=False,
        backlog=BACKLOG,
        h11_max_incomplete_event_size=LARGEST_HEAD,
        timeout_graceful_shutdown=1,
        callback_notify=listener.end_slow,
        timeout_notify=0,  # as often as the server looks at the clock, each second
    )
    return uvicorn.Server(config)


def bind(host: str, port: int) -> Listener:
    """A socket at this address. Raises InputError."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError):
        what = f"{host!r} is not an address of this machine"
        raise InputError("--host", what, "leave it out for 127.0.0.1") from None
    listener = Listener(family)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(0)  # from now on no other program can have the port
    except OSError as error:
        listener.close()
        what = f"port {port} of {host} is not available ({(error.strerror or str(error)).lower()})"
        raise InputError("--port", what, "name another, or 0 for any that is free") from None
    return listener
