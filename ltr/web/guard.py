"""Refuse requests for other hosts and from other sites; headers of every answer."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection
from ipaddress import ip_address
from typing import TYPE_CHECKING

from starlette.datastructures import Headers
from starlette.responses import JSONResponse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

LOCAL = frozenset({"127.0.0.1", "localhost", "::1"})
ANY = frozenset({"0.0.0.0", "::"})
"""Hosts that mean every address of the machine."""

HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
    "connection": "close",  # one request a connection, so that silent connections stand out
}

_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([^\s:/?#@\[\]\\]+))(?::([0-9]{1,5}))?", re.IGNORECASE)


class Guard:
    """Refuses requests for other host names, from pages of other sites, and with a body.

    Starlette's TrustedHostMiddleware cannot allow every address but no name, which `ANY` needs.
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str] = LOCAL) -> None:
        self.app = app
        self.hosts = frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a refused request, or pass it on (ASGI)."""
        app = self.app
        if scope["type"] == "http":
            headers = Headers(scope=scope)
            has_body = headers.get("content-length", "0") != "0" or "transfer-encoding" in headers
            if has_body:
                await asyncio.sleep(0)  # if the body is malformed, uvicorn has answered and now closes
            if refusal := self._refusal(headers, scope, has_body):
                app = JSONResponse({"error": refusal[1]}, refusal[0])
        await app(scope, receive, send)

    def _refusal(self, headers: Headers, scope: Scope, has_body: bool) -> tuple[int, str] | None:
        # With DNS rebinding a page of another site sends the name of that site.
        if not is_served(headers.get("host", ""), self.hosts):
            return 421, "this host name is not served: use the address that the server was started with"
        if scope["path"].startswith("/api/") and headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            return 403, "pages of other sites may not use this interface"
        if has_body and scope["method"] in ("GET", "HEAD"):  # other methods are refused by the routes
            return 413, "a request has no body here: use the query"
        return None


def is_served(host: str, hosts: frozenset[str]) -> bool:
    """Whether a Host header names one of ``hosts``, or any address, but no name, where `ANY` is among them."""
    match = _HOST.fullmatch(host)
    if match is None or int(match[3] or 0) > 65535:
        return False
    name = (match[1] or match[2]).lower()
    try:
        return name in hosts or (not hosts.isdisjoint(ANY) and bool(ip_address(name)))
    except ValueError:
        return False
