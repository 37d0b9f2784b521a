"""Connections of the server, which end where no request comes: uvicorn would wait for ever."""

from __future__ import annotations

from asyncio import BaseTransport

from uvicorn.protocols.http.h11_impl import H11Protocol

WITHIN = 10
"""Seconds in which the headers of a request must have come."""


class TimedProtocol(H11Protocol):
    """HTTP over a connection that is closed unless a request comes soon."""

    def connection_made(self, transport: BaseTransport) -> None:
        """Start the clock."""
        super().connection_made(transport)  # type: ignore[arg-type]
        self.loop.call_later(WITHIN, self._close_if_silent)

    def _close_if_silent(self) -> None:
        if self.cycle is None:
            self.transport.abort()
