"""HTTP client of web APIs: httpx, with several tries, a cache of answers and a budget of requests.

A server is not trusted: the time and the bytes of a request have a limit, from the first header to the last byte.
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import time
from asyncio import sleep
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, Self, TypeVar
from urllib.parse import urlsplit

import httpx

from ltr.data.columns import read_bytes
from ltr.errors import InputError
from ltr.progress import Progress
from ltr.remote.answers import AnswerError, BrokenAnswerError, plain_text
from ltr.remote.cache import Cache, Request

T = TypeVar("T")

TRIES = 5
PATIENCE = 300.0
"""Longest pause in seconds that a server may ask for."""
LARGEST = 32 << 20
"""Largest answer in bytes."""
THIS_REQUEST = {400, 413, 422}
"""Statuses that blame what was asked: too long, or with a parameter that is not known."""
_TRY_AGAIN = {408, 425, 429, 500, 502, 503, 504}
_LOCAL = {"localhost", "127.0.0.1", "::1"}
_KEY = re.compile(rb"[A-Za-z0-9._~+/=-]+")  # what may follow "Bearer": RFC 6750, 2.1
_SHORTEST = 8
"""Characters of a key that is hidden: a shorter one may be part of any word."""


@dataclass
class ClientSettings:
    """The cache, the budget of requests and the progress line that all clients of a run share."""

    cache: Cache
    budget: int
    progress: Progress
    timeout: float = 30.0
    """Seconds without a byte. A whole request may take four times as long."""
    largest: int = LARGEST
    """Bytes of an answer."""
    sent: int = 0


class RequestError(InputError):
    """This request failed, and another one may not."""

    def __init__(self, where: object, what: str, hint: str, status: int = 0) -> None:
        super().__init__(where, what, hint)
        self.status = status
        """One of `THIS_REQUEST`, else 0."""


class _TryError(Exception):
    """This try failed, and the next one may not."""

    def __init__(self, what: str, pause: float | None = None, *, ends: bool = False) -> None:
        super().__init__(what)
        self.pause = pause
        """Seconds that the server asks for."""
        self.ends = ends
        """Whether no other request will do better either."""


class Client:
    """A connection to one server."""

    def __init__(self, name: str, address: str, settings: ClientSettings, *, key: str = "", key_hint: str = "") -> None:
        """``key_hint`` says where to put the key, for a server that needs one. Raises InputError."""
        self.name = name
        self.address = checked_address(name, address, secure=bool(key))
        self._settings = settings
        self._key, self._key_hint = key, key_hint
        try:
            headers = {"User-Agent": "riposte", "Accept": "application/json"}
            # What is for this machine goes through no proxy, which would see the key and has a localhost of its own.
            self._elsewhere = urlsplit(self.address).hostname not in _LOCAL
            self._http = httpx.AsyncClient(timeout=settings.timeout, headers=headers, trust_env=self._elsewhere)
        except (ValueError, ImportError, httpx.InvalidURL):  # whose messages hold the whole address and its password
            hint = "correct or unset HTTP_PROXY, HTTPS_PROXY and ALL_PROXY"
            raise InputError(name, "the proxy that the environment names cannot be used", hint) from None
        # Only what runs in an event loop can be stopped at any byte, within headers too.
        self._runner = asyncio.Runner()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._runner.run(self._http.aclose())
        self._runner.close()

    def ask(self, request: Request, read: Callable[[str], T]) -> T:
        """The answer as ``read`` parses it; only answers that it can parse are cached. Raises InputError."""
        if (cached := self.cached(request, read)) is not None:
            return cached
        answer, parsed = self.run(self.send(request, read))
        self.keep(request, answer)
        return parsed

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of a coroutine, which may `send` many requests at once. The caller may be in an event loop."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return self._runner.run(work)
        return ThreadPoolExecutor(1).submit(self._runner.run, work).result()

    def cached(self, request: Request, read: Callable[[str], T]) -> T | None:
        """The cached answer as ``read`` parses it; None where there is none that it can parse."""
        cached = self._settings.cache.find(self.address, request)
        with suppress(AnswerError):
            return None if cached is None else read(cached)
        return None

    def keep(self, request: Request, answer: str) -> None:
        """Cache an answer. Raises OSError."""
        self._settings.cache.keep(self.address, request, answer)

    async def send(self, request: Request, read: Callable[[str], T]) -> tuple[str, T]:
        """The server's answer, which is not cached, and how ``read`` parses it; otherwise as `ask`.

        Raises RequestError where only this request failed, else InputError.
        """
        tries = 1
        while True:
            try:
                return await self._try(request, read)
            except _TryError as failed:
                if tries == TRIES:
                    what = f"{failed}, {TRIES} times"
                    raise self.stopped(what) if failed.ends else RequestError(self.name, what, self._resume()) from None
                pause = random.uniform(0.5, 2**tries)  # or clients would retry in step
                pause = pause if failed.pause is None else failed.pause + pause / 10
                tries += 1
                self._settings.progress.say(f"{self.name}: {failed}; try {tries} of {TRIES} in {pause:.0f} s")
            await sleep(pause)

    async def _try(self, request: Request, read: Callable[[str], T]) -> tuple[str, T]:
        settings = self._settings
        if settings.sent >= settings.budget:
            raise self.stopped(f"the budget of {settings.budget:,} requests is used up")
        settings.sent += 1
        try:
            response, raw = await self._send(request)
        except (httpx.TimeoutException, TimeoutError):
            raise _TryError("no answer in time") from None
        except httpx.ConnectError:
            what = f"{self.address} cannot be reached"
            raise (_TryError(what, ends=True) if self._elsewhere else self.stopped(what)) from None
        except (httpx.RequestError, httpx.InvalidURL) as error:  # InvalidURL: where it redirects to
            raise _TryError(f"the answer is incomplete ({type(error).__name__})") from None
        answer = hide_key(raw.decode("utf-8", "replace"), self._key)
        if response.status_code != 200:
            raise self._failure(response, answer)
        try:
            return answer, read(answer)
        except BrokenAnswerError as error:
            raise _TryError(str(error)) from None
        except AnswerError as error:
            hint = f"check that {self.address} is such a server, or look for a newer Riposte"
            raise RequestError(self.name, f"the interface has changed: {error}{self._message(answer)}", hint) from None

    async def _send(self, request: Request) -> tuple[httpx.Response, bytes]:
        """The response and its bytes. Raises httpx's errors, TimeoutError and RequestError."""
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        if request.body is not None:
            headers["Content-Type"] = request.media
        content, raw = None if request.body is None else request.body.encode(), bytearray()
        async with asyncio.timeout(4 * self._settings.timeout):
            method, url = "GET" if content is None else "POST", self.address + request.path
            async with self._http.stream(method, url, content=content, headers=headers) as response:
                async for chunk in response.aiter_bytes():
                    raw += chunk
                    if len(raw) > self._settings.largest:
                        what = f"an answer has more than {self._settings.largest >> 20} MiB"
                        raise RequestError(self.name, what, self._resume())
        return response, bytes(raw)

    def _failure(self, response: httpx.Response, answer: str) -> Exception:
        """The error to raise for a status other than 200."""
        status = response.status_code
        detail = f"(HTTP {status}{self._message(answer)})"
        if status in _TRY_AGAIN:
            what = f"the quota is used up {detail}" if status == 429 else f"the server reports an error {detail}"
            pause = _retry_after(response.headers.get("retry-after", ""))
            if pause is not None and pause > PATIENCE:
                return self.stopped(f"{what}, until {pause:,.0f} seconds from now")
            return _TryError(what, pause, ends=status == 429)
        if status == 401:
            hint = f"it may have expired: get a new one, {self._key_hint}" if self._key else self._key_hint
            return self.stopped(f"{'the key is refused' if self._key else 'it needs a key'} {detail}", hint)
        if status == 403:
            return self.stopped(f"access is refused {detail}", "ask the provider why")
        what, hint = f"the request is refused {detail}", f"check that {self.address} is such a server"
        if status in THIS_REQUEST:
            return RequestError(self.name, what, self._resume(hint), status)
        return self.stopped(what, hint)

    def stopped(self, what: str, hint: str = "") -> InputError:
        """The error that ends a run which can be resumed."""
        return InputError(self.name, what, self._resume(hint))

    def _resume(self, hint: str = "") -> str:
        resume = f"run the same command again to resume; answers are cached in {self._settings.cache.folder}"
        return f"{hint}; {resume}" if hint else resume

    def _message(self, answer: str) -> str:
        """The error message of the server, from either form of its errors."""
        match = re.search(r'"message"\s*:\s*"((?:[^"\\]|\\.){1,200})', answer[:10_000])
        words = plain_text(match[1].replace("\\", "")) if match else ""
        return f", {hide_key(words, self._key)}" if words else ""


def checked_address(name: str, address: str, *, secure: bool) -> str:
    """An address without a slash at its end. A ``secure`` one is https, or this machine. Raises InputError."""
    try:
        parts = urlsplit(address.rstrip("/"))
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
    if not host or parts.scheme not in ("http", "https") or parts.query or parts.fragment or not address.isascii():
        shown = "what is given" if "@" in address or "?" in address else repr(address[:80])  # it may hold a secret
        raise InputError(name, f"{shown} is not the address of a server", "name one such as https://example.org")
    if parts.username is not None:
        raise InputError(name, "the address holds a name or a password", "leave it out")
    if secure and parts.scheme == "http" and host not in _LOCAL:
        raise InputError(name, f"the key would be sent unencrypted to {host}", "name an https:// address")
    return parts.geturl()


def _retry_after(value: str) -> float | None:
    """Seconds, from a number of seconds or a date; None for anything else."""
    if re.fullmatch(r"[0-9]{1,9}", value.strip()):
        return float(value.strip())
    with suppress(ValueError, TypeError, OverflowError):
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    return None


def read_key(file: Path | None, variable: str) -> str:
    """The API key in ``file``, else in the environment's ``variable``, else "". Raises InputError without the key.

    Keys are never read from a command line, where other users could read them.
    """
    raw = read_bytes(file) if file else os.environ.get(variable, "").encode("utf-8", "surrogateescape")
    key = raw.strip()
    if key and not _KEY.fullmatch(key):
        what = "is not a key: one word of letters, digits and the marks . _ ~ + / = -"
        raise InputError(file or variable, what, "put the key there and nothing else")
    return key.decode("ascii")


def hide_key(text: str, key: str) -> str:
    """``text`` with [key] wherever the key stands, in upper or lower case: a server may repeat it."""
    return re.sub(re.escape(key), "[key]", text, flags=re.IGNORECASE) if len(key) >= _SHORTEST else text
