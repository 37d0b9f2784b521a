"""The page and its JSON interface as a Starlette application."""

from __future__ import annotations

import asyncio
import json
import sys
import unicodedata
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ltr import __version__
from ltr.data.columns import is_word
from ltr.errors import InputError
from ltr.escapes import harmless
from ltr.web.answerer import Answerer
from ltr.web.guard import LOCAL, Guard
from ltr.web.processes import Call, FailedCallError, Job
from ltr.web.queue import Abandoned, Busy, WorkQueue
from models.weights import WEIGHT_RANGE, parse_weights

PAGE = Path(__file__).parent / "page"
TYPES = {".css": "text/css", ".js": "text/javascript"}
"""Media types of the page's parts."""

FAULT = "this is an error of the server; its terminal has the details"

RETRY = 3
"""Seconds after which a refused client may try again."""

LONGEST = 500
"""Characters of a question."""

COUNT, MOST = 20, 100
"""Default and largest number of results per side."""


def make_app(
    answerers: Mapping[str, Answerer],
    hosts: Collection[str] = LOCAL,
    queue: WorkQueue | None = None,
    preparations: Iterable[Job] = (),
) -> Guard:
    """The application for these tasks and host names; ``preparations`` run between requests after the start."""
    return Guard(_Site(answerers, queue or WorkQueue(partial(perform, answerers))).app(preparations), hosts)


def perform(answerers: Mapping[str, Answerer], call: Call) -> bytes:
    """The content of an answer; ``call`` is as the handlers of requests put it together."""
    what, task, *asked = call
    answerer = answerers[task]
    if what == "argument":
        return _json(answerer.argument(*asked) or {})
    question, count, topic, *numbers = asked
    weights = dict(zip(answerer.weights, numbers, strict=True))
    if what == "run":
        return answerer.run(question, weights, topic).encode()
    answer = answerer.answer if what == "search" else answerer.reasons
    return _json(answer(question, count, weights))


class _Site:
    def __init__(self, answerers: Mapping[str, Answerer], queue: WorkQueue) -> None:
        self._answerers = answerers
        self._queue = queue
        parts = [path for path in PAGE.iterdir() if path.suffix in TYPES]
        self._files = {f"/{path.name}": (path.read_bytes(), TYPES[path.suffix]) for path in parts}
        self._files["/"] = self._page().encode(), "text/html"
        interface = json.loads((PAGE / "openapi.json").read_text("utf-8"))
        interface["info"]["version"] = __version__
        self._files["/api/openapi.json"] = json.dumps(interface).encode(), "application/json"

    def app(self, preparations: Iterable[Job]) -> Starlette:
        """The routes, and the answers to errors."""
        endpoints: dict[str, Callable[..., Any]] = {"/health": self.health, "/api/argument": self.argument}
        endpoints |= {f"/api/{what}": partial(self.ask, what=what) for what in ("search", "reasons", "run")}
        endpoints |= dict.fromkeys(self._files, self.file)
        routes = [Route(path, endpoint, methods=["GET"]) for path, endpoint in endpoints.items()]
        handlers: dict[Any, Callable[..., Response]] = {
            BadRequest: lambda _, error: _error(400, str(error)),
            Busy: lambda *_: _error(429, "too many requests wait: try again", {"retry-after": str(RETRY)}),
            Abandoned: lambda *_: Response(status_code=499),  # nobody reads it
            HTTPException: lambda _, error: _error(error.status_code, error.detail.lower(), error.headers),
            FailedCallError: lambda *_: _error(500, FAULT),
            InputError: _report,
            Exception: lambda *_: _error(500, FAULT),
        }

        @asynccontextmanager
        async def lifespan(_: Starlette) -> AsyncIterator[None]:
            preparing = asyncio.create_task(self._queue.prepare(preparations))
            yield
            preparing.cancel()

        app = Starlette(routes=routes, exception_handlers=handlers, lifespan=lifespan)
        app.router.redirect_slashes = False
        return app

    async def file(self, request: Request) -> Response:
        """The page, its style sheets and its scripts."""
        content, kind = self._files[request.url.path]
        return Response(content, media_type=kind)

    async def health(self, request: Request) -> Response:
        """The state of the server, and the number of waiting requests."""
        tasks = {
            name: {"arguments": answerer.index.arguments, "weights": answerer.weights, **answerer.names}
            for name, answerer in self._answerers.items()
        }
        return JSONResponse({"status": "ok", "version": __version__, "waiting": self._queue.waiting, "tasks": tasks})

    async def argument(self, request: Request) -> Response:
        """One argument with its sentences."""
        query = request.query_params
        check_names(query, {"task", "id"})
        answerer, id_ = self._answerer(query), query.get("id", "")
        if id_ not in answerer.rows:
            return _error(404, "there is no argument with this id")
        content = await self._queue.get(("argument", answerer.task.name, id_), request.is_disconnected)
        return Response(content, media_type="application/json")

    async def ask(self, request: Request, what: str) -> Response:
        """The best results of each side, the reasons for their scores, or all results as a TREC run."""
        query = request.query_params
        check_names(query, {"task", "q", "blend", "topic" if what == "run" else "k"})
        answerer = self._answerer(query)
        weights = weights_of(query, answerer.weights)
        question, count = question_of(query), count_of(query)
        if not answerer.has_words(question):
            raise BadRequest("there is no word to search for in the question: say what it is about")
        call = what, answerer.task.name, question, count, topic_of(query), *weights.values()
        content = await self._queue.get(call, request.is_disconnected)
        headers = {"content-disposition": "attachment; filename=run.txt"} if what == "run" else {}
        return Response(content, headers=headers, media_type="text/plain" if headers else "application/json")

    def _answerer(self, query: Mapping[str, str]) -> Answerer:
        name = query.get("task", next(iter(self._answerers)))
        if name not in self._answerers:
            raise BadRequest(f"task is {name[:20]!r}: this server has {', '.join(self._answerers)}")
        return self._answerers[name]

    def _page(self) -> str:
        environment = Environment(loader=FileSystemLoader(PAGE), autoescape=True, undefined=StrictUndefined)
        environment.policies["json.dumps_kwargs"] = {"sort_keys": False}  # weights in the order of --blend
        page = environment.get_template("ask.html")
        return page.render(answerers=self._answerers, longest=LONGEST, version=__version__)


def _json(document: Mapping[str, Any]) -> bytes:
    return harmless(json.dumps(document, ensure_ascii=False, allow_nan=False)).encode("utf-8", "replace")


def _report(_: Request, error: Exception) -> Response:
    """Print what the operator can correct, such as a damaged index, on the terminal."""
    print(f"error: {error}", file=sys.stderr)
    return _error(500, FAULT)


def _error(status: int, line: str, headers: Mapping[str, str] | None = None) -> Response:
    return JSONResponse({"error": line}, status, headers)


class BadRequest(Exception):
    """The request cannot be answered; the message is shown to the client."""


def check_names(query: QueryParams, known: set[str]) -> None:
    """Raise BadRequest unless every parameter is ``known`` and given once."""
    for name in query:
        if name not in known:
            raise BadRequest(f"unknown parameter {name[:20]!r}: known are {', '.join(sorted(known))}")
    if len(query.multi_items()) > len(query):
        raise BadRequest("a parameter is given twice")


def question_of(query: QueryParams) -> str:
    """``q``, in one line. Raises BadRequest where it is empty, too long, or has control characters."""
    text = query.get("q", "")
    if len(text) > LONGEST:
        raise BadRequest(f"the question has {len(text)} characters: ask in at most {LONGEST}")
    question = " ".join(text.split())
    if not question:
        raise BadRequest("there is no question: give one as q")
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in question):
        raise BadRequest("the question holds control characters: leave them out")
    return question


def count_of(query: QueryParams) -> int:
    """``k``, results a side. Raises BadRequest."""
    text = query.get("k", str(COUNT))
    if not (text.isascii() and text.isdigit() and len(text) < 4 and 1 <= int(text) <= MOST):
        raise BadRequest(f"k is {text[:20]!r}: it is a whole number from 1 to {MOST}")
    return int(text)


def topic_of(query: QueryParams) -> str:
    """``topic``, the number of the topic in a run. Raises BadRequest."""
    topic = query.get("topic", "1")
    if not is_word(topic) or len(topic) > LONGEST:
        raise BadRequest(f"topic is {topic[:20]!r}: it is one word of at most {LONGEST} characters")
    return topic


def weights_of(query: QueryParams, default: Mapping[str, float]) -> dict[str, float]:
    """``blend``, a weight for each dimension of ``default`` in its order. Raises BadRequest."""
    if (text := query.get("blend")) is None:
        return dict(default)
    if (weights := parse_weights(text, (len(default),))) is None:
        low, high = WEIGHT_RANGE
        names = ",".join(default)
        raise BadRequest(f"blend is {text[:40]!r}: it is {names}, each 0 or from {low:g} to {high:g}, not all 0")
    return dict(zip(default, weights, strict=True))
