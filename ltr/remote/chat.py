"""Answers of language models, from any OpenAI-compatible chat endpoint: llama.cpp, vLLM, Ollama or a hosted one.

The interface is ``POST /chat/completions``: https://platform.openai.com/docs/api-reference/chat.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from ltr.errors import InputError
from ltr.files import user_cache, writable_folder
from ltr.progress import Progress, Tick
from ltr.remote import KEY_VARIABLE
from ltr.remote.answers import AnswerError, member, objects, parsed
from ltr.remote.cache import Cache, Request
from ltr.remote.client import THIS_REQUEST, Client, ClientSettings, RequestError, read_key

T = TypeVar("T")

TRIES = 3
"""Times that a prompt is asked until its answer can be used."""
MOST_IN_A_ROW = 10
"""Prompts in a row without a usable answer, after which the run stops."""
LARGEST = 1 << 20
"""Bytes of an answer."""
CHARACTERS_PER_TOKEN = 4
"""English text in tokens, roughly: for estimates."""

_PATH = "/chat/completions"
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
_VERSION = re.compile(r"[-@:](\d{4}-?\d\d-?\d\d|\d{3,4}|latest)")
"""Endings that a server may add to the name of the model that it was asked for."""


class Prompt(NamedTuple):
    """A question to a language model."""

    text: str
    schema: Mapping[str, Any] | None = None
    """JSON schema of the answer; without one it is text."""
    reminder: str = ""
    """Appended when it is asked again, after an answer that could not be used."""


@dataclass(frozen=True)
class Reply(Generic[T]):
    """A usable answer."""

    value: T
    date: str
    """Day of the answer, "" where the server does not say."""


class Failure(NamedTuple):
    """A prompt without a usable answer."""

    reason: str


class Completion(NamedTuple):
    """The answer of a server."""

    text: str
    model: str
    date: str
    end: str
    """Why the model stopped: "stop", "length", "content_filter"."""
    refusal: str
    tokens: int
    """Tokens of prompt and answer; 0 where the server does not say."""


@dataclass(frozen=True, kw_only=True)
class ChatOptions:
    """An endpoint, its model, and how both are asked."""

    endpoint: str
    """Base address, as in ``http://localhost:8080/v1``."""
    model: str
    served_as: str = ""
    """The server's name for the model, where it differs."""
    key_file: Path | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Fields of every request, such as temperature and max_tokens."""
    parallel: int = 1
    timeout: int = 120
    budget_requests: int = 1_000_000
    budget_tokens: int | None = None
    cache: Path | None = None


class Chat:
    """A language model behind an endpoint. See `open_chat`."""

    def __init__(self, client: Client, options: ChatOptions, progress: Progress) -> None:
        self._client, self._options, self._progress = client, options, progress
        self._schemas: bool | None = None
        """Whether the server takes schemas; None: not known yet."""
        self._failed = 0
        """Prompts in a row without a usable answer."""
        self._works = False
        """Whether a prompt had a usable answer in this run."""
        self.tokens = 0
        """Tokens of this run's requests, as the server counts them, else estimated."""

    def ask_all(
        self, prompts: Sequence[Prompt], read: Callable[[str], T], tick: Tick = lambda: None
    ) -> list[Reply[T] | Failure]:
        """The answers in the order of the prompts, as ``read`` parses them; it raises AnswerError for a wrong one.

        Usable answers are cached, by prompt, model and settings. Others are asked again, `TRIES` times in all. Raises
        InputError where going on makes no sense: a refused key, a budget that is used up, `MOST_IN_A_ROW` failures.
        """
        found: list[Reply[T] | Failure] = [Failure("not asked")] * len(prompts)
        stopped: list[InputError] = []
        todo = iter(enumerate(prompts))

        async def work() -> None:
            for place, prompt in todo:
                if stopped:
                    return
                try:
                    found[place] = await self._ask(prompt, read)
                except InputError as error:
                    stopped.append(error)
                tick()

        async def work_together() -> None:
            await asyncio.gather(*(work() for _ in range(self._options.parallel)))

        self._client.run(work_together())
        if stopped:
            raise stopped[0]
        return found

    def is_cached(self, prompt: Prompt, read: Callable[[str], T]) -> bool:
        """Whether the prompt has a usable answer in the cache."""
        return self._client.cached(self._request(prompt), partial(self._reply, read=read)) is not None

    async def _ask(self, prompt: Prompt, read: Callable[[str], T]) -> Reply[T] | Failure:
        kept_as = self._request(prompt)
        if cached := self._client.cached(kept_as, partial(self._reply, read=read)):
            return cached
        reason = ""
        for tried in range(TRIES):
            try:
                answer = await self._send(prompt, again=tried > 0)
                reply = self._reply(answer, read)
            except AnswerError as error:
                reason = str(error)
            except RequestError as error:
                if not self._works and error.status not in THIS_REQUEST:
                    raise
                reason = error.what
                break
            else:
                self._client.keep(kept_as, answer)
                self._failed, self._works = 0, True
                return reply
        self._failed += 1
        if self._failed >= MOST_IN_A_ROW:
            raise self._client.stopped(
                f"{self._failed} prompts in a row without a usable answer, the last one: {reason}"
            )
        return Failure(reason)

    async def _send(self, prompt: Prompt, *, again: bool) -> str:
        """The server's answer; a server that refuses a schema is asked without one from then on."""
        if not prompt.schema or self._schemas is False:
            return await self._send_once(prompt, self._request(prompt, again=again))
        try:
            answer = await self._send_once(prompt, self._request(prompt, again=again, schema=prompt.schema))
            self._schemas = True
        except RequestError as error:
            if self._schemas or error.status not in THIS_REQUEST:
                raise
            answer = await self._send_once(prompt, self._request(prompt, again=again))
            self._schemas = False
            self._progress.say("the endpoint refuses a schema; it is asked for JSON in words alone")
        return answer

    async def _send_once(self, prompt: Prompt, request: Request) -> str:
        expected, budget = estimate_tokens(prompt, self._options.settings), self._options.budget_tokens
        if budget is not None and self.tokens + expected > budget:
            raise self._client.stopped(f"the budget of {budget:,} tokens is used up")
        self.tokens += expected
        used = 0
        try:
            answer, completion = await self._client.send(request, read_completion)
            used = completion.tokens or expected
        finally:
            self.tokens += used - expected
        return answer

    def _request(self, prompt: Prompt, *, again: bool = False, schema: Mapping[str, Any] | None = None) -> Request:
        text = f"{prompt.text}\n\n{prompt.reminder}" if again else prompt.text
        body: dict[str, Any] = {"model": self._options.model, "messages": [{"role": "user", "content": text}]}
        body |= sorted(self._options.settings.items())
        if schema:
            body["response_format"] = {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}
        return Request(_PATH, json.dumps(body))  # a schema keeps the order of its fields: models answer in it

    def _reply(self, answer: str, read: Callable[[str], T]) -> Reply[T]:
        """Raises AnswerError for an answer of another model, a refusal, half an answer and what ``read`` refuses."""
        completion, wanted = read_completion(answer), self._options.served_as or self._options.model
        if completion.model and not same_model(wanted, completion.model):
            raise AnswerError(f"the answer is by another model, {completion.model[:80]!r}, not {wanted!r}")
        if completion.refusal or completion.end == "content_filter":
            raise AnswerError(f"the model refuses: {completion.refusal[:200] or 'filtered'}")
        if completion.end == "length":
            raise AnswerError("the answer is cut off at the largest number of tokens")
        text = _THOUGHT.sub("", completion.text).strip()
        if not text:
            raise AnswerError("the answer is empty")
        return Reply(read(text), completion.date)


_FIRST_DAY = datetime(2020, 1, 1, tzinfo=UTC).timestamp()


def read_completion(answer: str) -> Completion:
    """The first choice of an answer. Raises AnswerError."""
    fields = parsed(answer, dict)
    if not (choices := objects(fields, "choices", "the answer")):
        raise AnswerError("'choices' of the answer is empty")
    message = member(choices[0], "message", dict, "choice 1")
    created, day = fields.get("created"), ""
    # Some servers send no date, or one that cannot be.
    if isinstance(created, int | float) and _FIRST_DAY < created < time.time() + 86_400:
        day = datetime.fromtimestamp(created, UTC).date().isoformat()
    usage = fields.get("usage")
    tokens = usage.get("total_tokens") if isinstance(usage, dict) else 0
    return Completion(
        _string(message, "content"),
        _string(fields, "model"),
        day,
        _string(choices[0], "finish_reason"),
        _string(message, "refusal"),
        int(tokens) if isinstance(tokens, int) and 0 < tokens < 1 << 31 else 0,
    )


def _string(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def same_model(wanted: str, answered: str) -> bool:
    """Whether an answer is by the model asked for, whose name may have a provider, a date or a version.

    >>> same_model("openai/gpt-x", "gpt-x-2024-08-06"), same_model("llama", "llama:latest"), same_model("x", "x-mini")
    (True, True, False)
    """
    one, other = (name.rpartition("/")[2].casefold() for name in (wanted, answered))
    return other.startswith(one) and (other == one or _VERSION.fullmatch(other, len(one)) is not None)


def estimate_tokens(prompt: Prompt, settings: Mapping[str, Any]) -> int:
    """Tokens of a prompt and its longest answer, roughly."""
    longest = settings.get("max_tokens") or settings.get("max_completion_tokens")
    return len(prompt.text) // CHARACTERS_PER_TOKEN + (longest if isinstance(longest, int) else 0)


@contextmanager
def open_chat(options: ChatOptions, progress: Progress) -> Iterator[Chat]:
    """Connect to an endpoint; says at the end what was asked. Raises InputError."""
    cache = Cache(writable_folder(options.cache or user_cache() / "answers", "cache"))
    settings = ClientSettings(cache, options.budget_requests, progress, options.timeout, LARGEST)
    key = read_key(options.key_file, KEY_VARIABLE)
    hint = f"put it into a file of its own, or into the variable {KEY_VARIABLE}"
    address = options.endpoint.rstrip("/").removesuffix(_PATH)
    with Client("endpoint", address, settings, key=key, key_hint=hint) as client:
        chat = Chat(client, options, progress)
        try:
            yield chat
        finally:
            used = f"{settings.sent:,} requests sent, {chat.tokens:,} tokens"
            progress.say(f"{used}; answers are cached in {cache.folder}")
