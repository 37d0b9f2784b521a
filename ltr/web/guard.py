"""What every request passes before anything looks at it, and what every answer carries."""

from __future__ import annotations

from collections.abc import Collection
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOCAL = frozenset({"127.0.0.1", "localhost", "::1"})
ANY = frozenset({"0.0.0.0", "::"})
"""Hosts to bind to that stand for every address of the machine."""

HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
    # One request a connection: whoever opens one and asks nothing is soon found out.
    "connection": "close",
}


class Guard:
    """Refuses requests by the name of another host, from pages of other sites, and with a body."""

    def __init__(self, app: ASGIApp, hosts: Collection[str] = LOCAL) -> None:
        self.app = app
        self.hosts = frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI wants it."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        headers = Headers(scope=scope)
        refusal = self._refusal(headers, scope["method"], scope["path"])
        app = self.app if refusal is None else JSONResponse({"error": refusal[1]}, refusal[0])
        await app(scope, receive, send_with_headers)

    def _refusal(self, headers: Headers, method: str, path: str) -> tuple[int, str] | None:
        # A page of another site whose name was made to lead here sends that name.
        if not self._knows(headers.getlist("host")):
            return 421, "this host name is not served: ask by the address that the server was started with"
        if path.startswith("/api/") and headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            return 403, "a page of another site may not ask"
        body = headers.get("content-length", "0") != "0" or "transfer-encoding" in headers
        if body and method in ("GET", "HEAD"):  # others are refused as such
            return 413, "a request has no body here: ask in the query"
        return None

    def _knows(self, given: list[str]) -> bool:
        try:
            parts = urlsplit(f"//{given[0] if len(given) == 1 else ''}")
            name, _ = parts.hostname or "", parts.port
        except ValueError:
            return False
        if parts.path or parts.query or parts.fragment or parts.username is not None:
            return False
        return name in self.hosts or (not self.hosts.isdisjoint(ANY) and _is_address(name))


def _is_address(name: str) -> bool:
    """No name service has had a say in it."""
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
