"""The page and its JSON interface as a Starlette application."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from threading import Lock
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from features.core.sides import Side
from ltr import __version__
from ltr.answers.select import Selection
from ltr.data.ids import is_word
from ltr.errors import InputError
from ltr.escapes import harmless
from ltr.settings.kinds import Number
from ltr.web.answerer import COUNT, LONGEST, MOST, Answerer, Asked
from models.defaults import BLENDS, DIMENSIONS, WEIGHT_RANGE, parse_weights

PAGE = Path(__file__).parent / "page"
TYPES = {".css": "text/css", ".js": "text/javascript"}
"""Media types of the page's parts."""

LOCAL = ("127.0.0.1", "localhost", "[::1]")
"""Host names of this machine."""

HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
    "connection": "close",  # an idle browser takes none of the connections that a process accepts
}
"""Headers of every answer."""

CONNECTIONS = 100
"""Open connections per process; further requests get status 503."""

SERVER: dict[str, Any] = {
    "http": "ltr.web.connections:TimedProtocol",
    "ws": "none",
    "loop": "asyncio",
    "lifespan": "off",
    "log_config": None,
    "log_level": "error",
    "access_log": False,
    "server_header": False,
    "proxy_headers": False,
    "headers": list(HEADERS.items()),
    "limit_concurrency": CONNECTIONS,
    "backlog": CONNECTIONS,
    "timeout_graceful_shutdown": 1,  # second
    "h11_max_incomplete_event_size": 16_384,  # bytes of a request's headers
}
"""Settings of uvicorn."""

REMEMBERED = 128
"""Answers that a process caches."""

FAULT = "this is an error of the server; its terminal has the details"

SAYS = {"agree": 1, "oppose": -1, "neither": 0}
"""Parameters with a conclusion that says what is asked, the opposite, or neither; they may be repeated."""

REPEATED = (*SAYS, "moved")
_SEARCH = ("task", "q", "k", "blend", "as_typed", *REPEATED)
PARAMETERS: Mapping[str, tuple[str, ...]] = {
    "/health": (),
    "/api/search": _SEARCH,
    "/api/reasons": _SEARCH,
    "/api/run": ("task", "q", "blend", "as_typed", "topic"),
    "/api/argument": ("task", "id"),
}
"""Path -> the names of its parameters; docs/serve.md says what they mean."""


def make_app(answerers: Mapping[str, Answerer], hosts: Sequence[str] = LOCAL) -> Starlette:
    """The application for these tasks; requests for other ``hosts`` are refused (``"*"``: any host)."""
    site = _Site(answerers)
    endpoints: dict[str, Callable[..., Any]] = {"/health": site.health, "/api/argument": site.argument}
    endpoints |= {f"/api/{what}": partial(site.ask, what=what) for what in ("search", "reasons", "run")}
    endpoints |= dict.fromkeys(site.files, site.file)
    handlers: dict[Any, Callable[..., Response]] = {
        BadRequest: lambda _, error: _error(400, str(error)),
        HTTPException: lambda _, error: _error(error.status_code, error.detail.lower(), error.headers),
        InputError: _report,
        Exception: lambda *_: _error(500, FAULT),
    }
    app = Starlette(
        routes=[Route(path, endpoint, methods=["GET"]) for path, endpoint in endpoints.items()],
        # With DNS rebinding a page of another site sends the name of that site.
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=hosts, www_redirect=False)],
        exception_handlers=handlers,
    )
    app.router.redirect_slashes = False
    return app


class _Site:
    def __init__(self, answerers: Mapping[str, Answerer]) -> None:
        self._answerers = answerers
        self._turn = Lock()
        self._content = lru_cache(REMEMBERED)(self._perform)
        parts = [path for path in PAGE.iterdir() if path.suffix in TYPES]
        self.files = {f"/{path.name}": (path.read_bytes(), TYPES[path.suffix]) for path in parts}
        environment = Environment(loader=FileSystemLoader(PAGE), autoescape=True, undefined=StrictUndefined)
        template = environment.get_template("ask.html")
        page = template.render(answerers=answerers, count=COUNT, longest=LONGEST, version=__version__)
        self.files["/"] = page.encode(), "text/html"

    def _perform(self, what: str, task: str, asked: Asked) -> bytes:
        """The content of an answer, one at a time: an answerer is for one thread."""
        answerer = self._answerers[task]
        with self._turn:
            if what == "argument":
                return _json(answerer.argument(asked.text))
            if not answerer.has_words(asked.text):
                raise BadRequest("there is no word to search for in the question: say what it is about")
            if what == "run":
                return answerer.run(asked).encode()
            return _json(answerer.answer(asked) if what == "search" else answerer.reasons(asked))

    async def file(self, request: Request) -> Response:
        """The page, its style sheets and its scripts."""
        content, kind = self.files[request.url.path]
        return Response(content, media_type=kind)

    async def health(self, request: Request) -> Response:
        """The state of the server, and its tasks."""
        tasks = {
            name: {"arguments": answerer.index.arguments, "weights": answerer.weights, **answerer.names}
            for name, answerer in self._answerers.items()
        }
        return JSONResponse({"status": "ok", "version": __version__, "tasks": tasks})

    def argument(self, request: Request) -> Response:
        """One argument with its sentences."""
        query = _query(request)
        answerer, id_ = self._answerer(query), query.get("id", "")
        if id_ not in answerer.index.row_of:
            return _error(404, "there is no argument with this id")
        return Response(self._content("argument", answerer.task.name, Asked(id_)), media_type="application/json")

    def ask(self, request: Request, what: str) -> Response:
        """The best results of each side, the reasons for their scores, or all results as a TREC run."""
        query = _query(request)
        answerer = self._answerer(query)
        content = self._content(what, answerer.task.name, asked_of(query, answerer.weights))
        headers = {"content-disposition": "attachment; filename=run.txt"} if what == "run" else {}
        return Response(content, headers=headers, media_type="text/plain" if headers else "application/json")

    def _answerer(self, query: Mapping[str, str]) -> Answerer:
        name = query.get("task", next(iter(self._answerers)))
        if name not in self._answerers:
            raise BadRequest(f"task is {name[:20]!r}: this server has {', '.join(self._answerers)}")
        return self._answerers[name]


def _json(document: Mapping[str, Any]) -> bytes:
    return json.dumps(_harmless(document), ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")


def _harmless(value: Any) -> Any:
    """A value for JSON whose strings are `harmless`: written as JSON, control characters would look like others."""
    if isinstance(value, str):
        return harmless(value)
    if isinstance(value, Mapping):
        return {_harmless(key): _harmless(own) for key, own in value.items()}
    return [*map(_harmless, value)] if isinstance(value, list | tuple) else value


def _report(_: Request, error: Exception) -> Response:
    """Print what the operator can correct, such as a damaged index, on the terminal."""
    print(f"error: {error}", file=sys.stderr)
    return _error(500, FAULT)


def _error(status: int, line: str, headers: Mapping[str, str] | None = None) -> Response:
    return JSONResponse({"error": line}, status, headers)


class BadRequest(Exception):
    """The request cannot be answered; the message is shown to the client."""


def _query(request: Request) -> QueryParams:
    """The parameters of a request. Raises BadRequest unless its path has every one, and it is given once."""
    if request.headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
        raise HTTPException(403, "pages of other sites may not use this interface")
    query, known = request.query_params, PARAMETERS[request.url.path]
    for name in query:
        if name not in known:
            raise BadRequest(f"unknown parameter {name[:20]!r}: known are {', '.join(sorted(known))}")
    once = [name for name, _ in query.multi_items() if name not in REPEATED]
    if len(once) > len({*once}):
        raise BadRequest("a parameter is given twice")
    return query


def asked_of(query: QueryParams, usual: Mapping[str, float]) -> Asked:
    """Parameters of a request; ``usual`` are the model's own weights. Raises BadRequest."""
    question, count = " ".join(query.get("q", "").split()), query.get("k", str(COUNT))
    typed, topic = query.get("as_typed", "0"), query.get("topic", "1")
    if not question:
        raise BadRequest("there is no question: give one as q")
    if (length := len(query.get("q", ""))) > LONGEST:
        raise BadRequest(f"the question has {length} characters: ask in at most {LONGEST}")
    try:
        wanted = int(Number(1, MOST).parse(count))
    except ValueError as error:
        raise BadRequest(f"k: {error}") from None
    if typed not in ("0", "1"):
        raise BadRequest(f"as_typed is {typed[:20]!r}: it is 1 to search for the question as it was typed, or 0")
    if not is_word(topic) or len(topic) > LONGEST:
        raise BadRequest(f"topic is {topic[:20]!r}: it is one word of at most {LONGEST} characters")
    known = {claim: sign for name, sign in SAYS.items() for claim in query.getlist(name)}
    moved = list[tuple[str, str, str]]()
    for one in query.getlist("moved"):
        side, _, of = one.partition(":")
        if side not in {*Side}:
            raise BadRequest(f"moved is {side[:20]!r} and more: it is SIDE:ID, with one of {', '.join(Side)}")
        id_, _, other = " ".join(of.split()).partition(" ")
        moved.append((id_, side, other))
    selection = Selection(wanted, known=known, moved=moved)
    return Asked(question, selection, weights_of(query, usual), typed == "1", topic)


def weights_of(query: QueryParams, usual: Mapping[str, float]) -> Mapping[str, float]:
    """``blend``, a name or weights in the order of ``usual``: of its dimensions, or of all in it. Raises BadRequest."""
    if (text := query.get("blend")) is None:
        return usual
    if text in BLENDS and usual:
        return {name: {**usual, **BLENDS[text]}[name] for name in usual}
    if (weights := parse_weights(text, (len(usual), sum(name in DIMENSIONS for name in usual)))) is None:
        low, high = WEIGHT_RANGE
        names = ",".join(usual)
        numbers = f"{names}, each 0 or from {low:g} to {high:g}, not all 0"
        raise BadRequest(f"blend is {text[:40]!r}: it is {numbers}, or one of {', '.join(BLENDS)}")
    return {**usual, **dict(zip(usual, weights, strict=False))}
