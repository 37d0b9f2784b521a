"""One way to ask a server: answers are kept, failures tried again with patience, and requests are counted."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Self, TypeVar
from urllib.parse import urlsplit

import httpx
from tenacity import RetryCallState, Retrying, retry_if_exception_type, stop_after_attempt, wait_random_exponential

from ltr.errors import InputError
from ltr.progress import Progress
from ltr.remote.answers import AnswerError, BrokenAnswerError, plain_text
from ltr.remote.cache import Cache, Request

T = TypeVar("T")

TRIES = 5
PATIENCE = 300.0
"""Seconds: a server that asks for a longer pause is not waited for."""
LARGEST = 32 << 20
"""Bytes of an answer."""
_TRY_AGAIN = {408, 425, 429, 500, 502, 503, 504}
_LOCAL = {"localhost", "127.0.0.1", "::1"}


@dataclass
class Manners:
    """What all clients of a run share: the cache, how many requests they may send, progress, and time."""

    cache: Cache
    budget: int
    progress: Progress
    timeout: float = 30.0
    """Seconds without a byte. A whole answer may take four times as long."""
    now: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep
    sent: int = 0


class _AgainError(Exception):
    """This try failed, the next may not; perhaps after a pause of some seconds that the server asks for."""

    def __init__(self, what: str, pause: float | None = None) -> None:
        super().__init__(what)
        self.pause = pause


class Client:
    """A server, which is asked what the cache does not know."""

    def __init__(self, name: str, address: str, manners: Manners, *, key: str = "", key_hint: str = "") -> None:
        """``key_hint`` says where a key comes from, for a server that wants one. Raises InputError."""
        self.name = name
        self.address = checked_address(name, address, secure=bool(key_hint))
        self._manners = manners
        self._key, self._key_hint = key, key_hint
        try:
            self._http = httpx.Client(timeout=manners.timeout, headers={"User-Agent": "riposte"})
        except (ValueError, ImportError, httpx.InvalidURL):  # which say its whole address, with the password
            hint = "correct or unset HTTP_PROXY, HTTPS_PROXY and ALL_PROXY"
            raise InputError(name, "the proxy that the environment names cannot be used", hint) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def ask(self, request: Request, read: Callable[[str], T], *, keyed: bool = False, absent: str | None = None) -> T:
        """What ``read`` makes of the answer; only an answer that it can read is kept.

        With ``keyed`` the key goes along. ``absent`` stands for the answer where the server says 404.
        Raises InputError.
        """
        kept = self._manners.cache.find(self.address, request)
        if kept is not None:
            with suppress(AnswerError):
                return read(kept)
        if keyed and not self._key:
            raise InputError(self.name, "it wants a key, and there is none", self._key_hint)
        retrying = Retrying(
            stop=stop_after_attempt(TRIES),
            wait=self._pause,
            retry=retry_if_exception_type(_AgainError),
            before_sleep=self._tell,
            sleep=self._manners.sleep,
            reraise=True,
        )
        try:
            answer, found = retrying(self._try, request, read, self._key if keyed else "", absent)
        except _AgainError as error:
            raise self._stopped(f"{error}, {TRIES} times") from None
        self._manners.cache.keep(self.address, request, answer)
        return found

    def _try(self, request: Request, read: Callable[[str], T], key: str, absent: str | None) -> tuple[str, T]:
        manners = self._manners
        if manners.sent >= manners.budget:
            raise self._stopped(f"the budget of {manners.budget:,} requests is used up")
        manners.sent += 1
        try:
            response, answer = self._send(request, key)
        except httpx.TimeoutException:
            raise _AgainError("no answer in time") from None
        except httpx.ConnectError:
            raise _AgainError(f"{self.address} cannot be reached") from None
        except (httpx.RequestError, httpx.InvalidURL) as error:  # the latter is of what it points to
            raise _AgainError(f"no whole answer ({type(error).__name__})") from None
        if response.status_code == 404 and absent is not None:
            answer = absent
        elif response.status_code != 200:
            raise self._failure(response, answer)
        try:
            return answer, read(answer)
        except BrokenAnswerError as error:
            raise _AgainError(str(error)) from None
        except AnswerError as error:
            hint = f"check that {self.address} is such a server, or look for a newer Riposte"
            raise InputError(self.name, f"the interface has changed: {error}{self._reason(answer)}", hint) from None

    def _send(self, request: Request, key: str) -> tuple[httpx.Response, str]:
        """The response and its text, the key taken out, should the server repeat it."""
        headers = {"Accept": "application/json"}
        if request.body is not None:
            headers["Content-Type"] = request.media
        if key:
            headers["Authorization"] = f"Bearer {key}"
        body = None if request.body is None else request.body.encode()
        content, end = bytearray(), self._manners.now() + 4 * self._manners.timeout
        with self._http.stream(request.method, self.address + request.path, content=body, headers=headers) as response:
            for chunk in response.iter_bytes():
                content += chunk
                if len(content) > LARGEST:
                    raise self._stopped(f"an answer has more than {LARGEST >> 20} MiB")
                if self._manners.now() > end:
                    raise httpx.ReadTimeout("")
        answer = content.decode("utf-8", "replace")
        return response, answer.replace(key, "[key]") if len(key) >= 8 else answer

    def _failure(self, response: httpx.Response, answer: str) -> Exception:
        """What to raise for an answer that is none."""
        status = response.status_code
        said = f"(HTTP {status}{self._reason(answer)})"
        if status in _TRY_AGAIN:
            what = f"the quota is used up {said}" if status == 429 else f"it has a fault {said}"
            pause = _retry_after(response.headers.get("retry-after", ""), self._manners.now())
            if pause is None or pause <= PATIENCE:
                return _AgainError(what, pause)
            return self._stopped(f"{what}, until {pause:,.0f} seconds from now")
        if status == 401:
            return self._stopped(f"the key is refused {said}", f"it may have expired: get a new one, {self._key_hint}")
        if status == 403:
            return self._stopped(f"access is refused {said}", "ask those who run it why")
        if 300 <= status < 400:
            to = urlsplit(response.headers.get("location", ""))
            return self._stopped(f"it has moved {said}", f"name its new address, {to.scheme}://{to.netloc}")
        return self._stopped(f"the request is refused {said}", f"check that {self.address} is such a server")

    def _stopped(self, what: str, hint: str = "") -> InputError:
        """The end of a run that the same command takes up again."""
        kept = f"the same command goes on from what came, which is kept in {self._manners.cache.folder}"
        return InputError(self.name, what, f"{hint}; {kept}" if hint else kept)

    def _reason(self, answer: str) -> str:
        """The server's own words, from either form of its errors."""
        found = re.search(r'"message"\s*:\s*"((?:[^"\\]|\\.){1,200})', answer[:10_000])
        words = plain_text(found[1].replace("\\", "")) if found else ""
        return f", {words.replace(self._key, '[key]') if self._key else words}" if words else ""

    def _pause(self, state: RetryCallState) -> float:
        """What the server asks for, or up to 2, 4, 8, 16 seconds; by chance, so that clients do not come in step."""
        asked = _error(state).pause
        drawn = wait_random_exponential(multiplier=2, min=0.5)(state)
        return drawn if asked is None else asked + drawn / 10

    def _tell(self, state: RetryCallState) -> None:
        pause = state.next_action.sleep if state.next_action else 0
        again = f"try {state.attempt_number + 1} of {TRIES} in {pause:.0f} s"
        self._manners.progress.say(f"{self.name}: {_error(state)}; {again}")


def checked_address(name: str, address: str, *, secure: bool) -> str:
    """An address without a slash at its end. Raises InputError; a key goes by https, but for this very machine."""
    hint = "name one such as https://example.org"
    try:
        parts = urlsplit(address.rstrip("/"))
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
    if not host or parts.scheme not in ("http", "https") or parts.query or parts.fragment or not address.isascii():
        shown = "what is given" if "@" in address or "?" in address else repr(address[:80])  # it may hold a secret
        raise InputError(name, f"{shown} is no address of a server", hint)
    if parts.username is not None:
        raise InputError(name, "the address holds a name or a password", "leave it out")
    if secure and parts.scheme == "http" and host not in _LOCAL:
        raise InputError(name, f"a key would go unprotected to {host}", "name an https:// address")
    return parts.geturl()


def _error(state: RetryCallState) -> _AgainError:
    error = state.outcome.exception() if state.outcome else None
    return error if isinstance(error, _AgainError) else _AgainError("")


def _retry_after(value: str, now: float) -> float | None:
    """Seconds, from a number of them or a date; None where there is neither."""
    if re.fullmatch(r"[0-9]{1,9}", value.strip()):
        return float(value.strip())
    with suppress(ValueError, TypeError, OverflowError):
        return max(0.0, parsedate_to_datetime(value).timestamp() - now)
    return None
