"""Requests to the page to ask, as bytes on a connection: all but the socket is what `ltr.serve` runs."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

import h11
import uvicorn
from uvicorn.server import ServerState

from fuzz.cases import NUMBERS, ODD
from fuzz.reader import Read, reader
from fuzz.readers.index import QUESTION, whole
from ltr.answers.search import Question
from ltr.index.reader import Index
from ltr.searcher import Searcher
from ltr.web.answerer import Answerer
from ltr.web.app import HEADERS, SERVER, make_app

STATUS = {200, 400, 403, 404, 405, 431, 503}
TOLD = re.compile(r"Traceback|\.py|/ltr/|/tmp|/dev|File \"")
"""What no answer may hold."""


def request(target: str, more: str = "", method: str = "GET") -> bytes:
    """A request."""
    return f"{method} {target} HTTP/1.1\r\nHost: localhost\r\n{more}\r\n".encode()


def seeds() -> Sequence[bytes]:
    """What the page asks, and what it would not."""
    q = quote(QUESTION.title)
    targets = ["/", "/health", "/base.css", "/api/openapi.json", f"/api/search?q={q}&k=5&blend=1,.5,0&task=pairs"]
    targets += [f"/api/reasons?q={q}", f"/api/run?q={q}&blend=1,1,1", "/api/argument?id=S1-A1&task=pairs", "/nix"]
    found = [request(target) for target in targets]
    found += [request("/health", "Sec-Fetch-Site: cross-site\r\nAccept: */*\r\n"), request("/", "", "HEAD")]
    found += [request("/health", "Content-Length: 5\r\n", "POST") + b"a=b&c", request("*", "", "OPTIONS")]
    found += [request("/health", "Transfer-Encoding: chunked\r\n") + b"5\r\na=b&c\r\n0\r\n\r\n"]
    return found


_LINES = (
    "Host: evil.example|Host: [::1]:80|Host:|Content-Length: 99999999999999999999|Content-Length: -1|Range: bytes=0-"
    "|Connection: upgrade|Upgrade: websocket|Upgrade: h2c|Expect: 100-continue|Transfer-Encoding: gzip, chunked"
    "|Sec-Fetch-Site: same-site|X-Forwarded-For: 1.2.3.4|Origin: null|Cookie: a=b|Accept-Encoding: gzip"
)
TOKENS = [
    *NUMBERS,
    *(line.encode() + b"\r\n" for line in _LINES.split("|")),
    *b"GET POST HEAD OPTIONS TRACE CONNECT PRI HTTP/1.0 HTTP/2.0 http://localhost/ * /../ // ? & = + ; # %".split(),
    *b"%2e%2e %2f %00 %0a %0d%0a %ff %c0%80 %ed%a0%80 %F0%9F%98%80 %E2%80%AE %u0041 %zz task= id= q= k= blend=".split(),
    *b"1e308,1,1 nan,1,1 inf,0,0 0,0,0 1,1,1,1 , \r\n \r\n\r\n \r \n \x00 \x0b".split(b" "),
    *(quote(text).encode() for text in ODD),
]


class Transport(asyncio.Transport):
    """The other end of a connection, which keeps what it is sent."""

    def __init__(self) -> None:
        super().__init__({"peername": ("127.0.0.1", 1), "sockname": ("127.0.0.1", 8080)})
        self.sent = bytearray()
        self.closed = False
        self.protocol: asyncio.BaseProtocol | None = None

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        """The protocol to tell when it is closed."""
        self.protocol = protocol

    def write(self, data: Any) -> None:
        """Keep it."""
        self.sent += data

    def close(self) -> None:
        """Be closed, and say so as the event loop does."""
        if not self.closed and self.protocol:
            asyncio.get_running_loop().call_soon(self.protocol.connection_lost, None)
        self.closed = True

    abort = close

    def is_closing(self) -> bool:
        """Whether it is."""
        return self.closed

    def pause_reading(self) -> None:
        """Nothing more comes."""

    resume_reading = pause_reading


class Quick(Searcher):
    """Describes some questions only: the others have the candidates of the first."""

    def look_up(self, question: str) -> Question:
        """The candidates of a question."""
        return super().look_up(question if len(question) % 16 == 0 else QUESTION.title)


@reader("request", seeds, tokens=TOKENS)
def _request(_: Path) -> Read:
    names = {"corpus": "c", "model": "m", "trained": "t"}
    answerer = Answerer(Quick(index=Index(whole()), jobs=1), names)
    config = uvicorn.Config(make_app({"pairs": answerer}), **SERVER)
    config.load()
    loop = asyncio.new_event_loop()
    faults: list[logging.LogRecord] = []
    log = logging.getLogger("uvicorn.error")
    log.addFilter(lambda record: faults.append(record) is not None if record.levelno >= logging.ERROR else False)

    async def exchange(content: bytes) -> bytes:
        state, transport = ServerState(), Transport()
        state.default_headers = config.encoded_headers
        connection = config.http_protocol_class(config, state, {}, loop)
        transport.set_protocol(connection)
        connection.connection_made(transport)
        for start in range(0, len(content), 1 << 14):
            if not transport.closed:
                connection.data_received(content[start : start + (1 << 14)])
        if not transport.closed:
            connection.eof_received()
        while state.tasks:
            await asyncio.gather(*state.tasks)
        transport.close()
        await asyncio.sleep(0)
        return bytes(transport.sent)

    def take(content: bytes) -> None:
        faults.clear()
        check(content, loop.run_until_complete(exchange(content)))
        assert not faults, faults[0]

    take(request(f"/api/search?q={quote(QUESTION.title)}"))
    return take


def check(content: bytes, raw: bytes) -> None:
    """An answer is whole, says nothing of the server, and is one line of JSON where it is an error."""
    if not raw or b"Invalid HTTP request received." in raw or b"Invalid host header" in raw:
        return  # nothing was asked, or of another host
    client = h11.Connection(h11.CLIENT)
    method = "HEAD" if content.startswith(b"HEAD ") else "GET"
    client.send(h11.Request(method=method, target="/", headers=[("Host", "a")]))
    client.send(h11.EndOfMessage())
    client.receive_data(raw)
    client.receive_data(b"")
    while isinstance(response := client.next_event(), h11.InformationalResponse):
        pass
    response, body = cast(h11.Response, response), b""
    while isinstance(event := client.next_event(), h11.Data):
        body += event.data
    assert isinstance(event, h11.EndOfMessage), event
    assert response.status_code in STATUS, (response.status_code, body)
    headers = {name.decode(): value.decode() for name, value in response.headers}
    assert HEADERS.items() <= headers.items()
    if response.status_code != 200 and method == "GET":
        document = json.loads(body)
        assert list(document) == ["error"]
        assert document["error"].isprintable()
        assert not TOLD.search(document["error"])
