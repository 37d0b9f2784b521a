"""The page and its JSON interface as a Starlette application."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ltr import __version__
from ltr.errors import InputError
from ltr.escapes import harmless
from ltr.web.answerer import Answerer
from ltr.web.guard import LOCAL, Guard
from ltr.web.parameters import LONGEST, BadRequest, check_names, count_of, question_of, weights_of
from ltr.web.queue import Abandoned, Busy, WorkQueue

PAGE = Path(__file__).parent / "page"
TYPES = {".css": "text/css", ".js": "text/javascript"}
"""Media types of the page's parts."""

LOOKS_FOR = {
    "pairs": "Pairs of sentences",
    "arguments": "Whole arguments",
    "comparative": "A choice between two things",
}
"""Tasks as the page names them."""

FAULT = "this is an error of the server; its terminal has the details"

RETRY = 3
"""Seconds after which a refused client may try again."""


def make_app(
    answerers: Mapping[str, Answerer],
    hosts: Collection[str] = LOCAL,
    queue: WorkQueue | None = None,
    preparations: Iterable[Callable[[], object]] = (),
) -> Guard:
    """The application for these tasks, by name, and for requests to these host names.

    ``preparations`` are done after the start, between requests.
    """
    return Guard(_Site(answerers, queue or WorkQueue()).app(preparations), hosts)


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

    def app(self, preparations: Iterable[Callable[[], object]]) -> Starlette:
        """The routes, and the answers to errors."""
        routes = [Route(path, self.file, methods=["GET"]) for path in self._files]
        routes += [
            Route("/health", self.health, methods=["GET"]),
            Route("/api/search", self.search, methods=["GET"]),
            Route("/api/reasons", self.reasons, methods=["GET"]),
            Route("/api/run", self.run, methods=["GET"]),
            Route("/api/argument", self.argument, methods=["GET"]),
        ]
        handlers: dict[Any, Callable[..., Response]] = {
            BadRequest: lambda _, error: _error(400, str(error)),
            Busy: lambda *_: _error(429, "too many requests wait: try again", {"retry-after": str(RETRY)}),
            Abandoned: lambda *_: Response(status_code=499),  # nobody reads it
            HTTPException: lambda _, error: _error(error.status_code, error.detail.lower(), error.headers),
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

    async def search(self, request: Request) -> Response:
        """The best results of each side."""
        return await self._ask(request, "search", lambda answerer, *asked: _json(answerer.answer(*asked)))

    async def reasons(self, request: Request) -> Response:
        """What each family of features adds to their scores."""
        return await self._ask(request, "reasons", lambda answerer, *asked: _json(answerer.reasons(*asked)))

    async def run(self, request: Request) -> Response:
        """All results as a TREC run."""
        return await self._ask(request, "run", lambda answerer, *asked: answerer.run(asked[0], asked[2]).encode())

    async def argument(self, request: Request) -> Response:
        """One argument with its sentences."""
        query = request.query_params
        check_names(query, {"task", "id"})
        answerer, id_ = self._answerer(query), query.get("id", "")
        if id_ not in answerer.rows:
            return _error(404, "there is no argument with this id")
        key = "argument", answerer.task.name, id_
        content = await self._queue.get(key, lambda: _json(answerer.argument(id_) or {}), request.is_disconnected)
        return Response(content, media_type=JSON)

    async def _ask(self, request: Request, what: str, work: Callable[..., bytes]) -> Response:
        query = request.query_params
        check_names(query, {"task", "q", "k", "blend"} - ({"k"} if what == "run" else set()))
        answerer = self._answerer(query)
        weights = weights_of(query, answerer.weights)
        asked = question_of(query), count_of(query), weights
        if not answerer.has_words(asked[0]):
            raise BadRequest("there is no word to search for in the question: say what it is about")
        key = what, answerer.task.name, *asked[:2], *weights.values()
        content = await self._queue.get(key, lambda: work(answerer, *asked), request.is_disconnected)
        if what == "run":
            headers = {"content-disposition": "attachment; filename=run.txt"}
            return Response(content, media_type="text/plain", headers=headers)
        return Response(content, media_type=JSON)

    def _answerer(self, query: Mapping[str, str]) -> Answerer:
        name = query.get("task", next(iter(self._answerers)))
        if name not in self._answerers:
            raise BadRequest(f"task is {name[:20]!r}: this server has {', '.join(self._answerers)}")
        return self._answerers[name]

    def _page(self) -> str:
        environment = Environment(loader=FileSystemLoader(PAGE), autoescape=True, undefined=StrictUndefined)
        environment.policies["json.dumps_kwargs"] = {"sort_keys": False}  # weights in the order of --blend
        labels = {name: LOOKS_FOR.get(name, name) for name in self._answerers}
        return environment.get_template("ask.html").render(
            answerers=self._answerers, longest=LONGEST, looks_for=labels, version=__version__
        )


JSON = "application/json"


def _json(document: Mapping[str, Any]) -> bytes:
    return harmless(json.dumps(document, ensure_ascii=False, allow_nan=False)).encode("utf-8", "replace")


def _report(_: Request, error: Exception) -> Response:
    """Print what the operator can correct, such as a damaged index, on the terminal."""
    print(f"error: {error}", file=sys.stderr)
    return _error(500, FAULT)


def _error(status: int, line: str, headers: Mapping[str, str] | None = None) -> Response:
    return JSONResponse({"error": line}, status, headers)
