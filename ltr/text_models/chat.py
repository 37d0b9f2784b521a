"""``chat:MODEL@URL``: a language model behind an OpenAI-compatible endpoint, which orders lists.

A window of 20 texts slides from the end of the list to its beginning, ten texts at a time; in each window the model
puts the texts in order (RankGPT: Sun et al. 2023, https://arxiv.org/abs/2304.09542). Answers are cached by prompt and
model. An answer that names not every text once is asked for again, a bounded number of times; then it is reported, and
the window keeps its order.
"""

from __future__ import annotations

import atexit
import re
from contextlib import ExitStack
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from ltr.errors import InputError
from ltr.progress import Progress
from ltr.remote.answers import AnswerError
from ltr.text_models.rerankers import RERANKERS, Reranker

KIND: Final = "chat"

WINDOW, STEP = 20, 10
"""Texts that the model sees at a time, and how far the window moves."""
LONGEST = 1_500
"""Characters of a text that the model sees."""
SETTINGS: Final = {"temperature": 0, "max_tokens": 2_000, "seed": 0}

PROMPT: Final = Path(__file__).with_suffix(".txt").read_text("utf-8")

_WHAT = re.compile(r"(?P<model>.+)@(?P<url>https?://\S+)")
_ORDER = re.compile(r'"order"\s*:\s*\[([^][]*)\]')
_BRACKETS = re.compile(r"\[\s*(\d{1,4})\s*\]")
_NUMBERS = re.compile(r"\d{1,4}")


class ChatReranker(Reranker):
    """See the module. Scores are n, n - 1, ..., 1 for a list of n texts."""

    pointwise = False
    digest = None  # answers are cached by the client, and an order that was kept for lack of one is not

    def __init__(self, model: str, url: str) -> None:
        from ltr.remote.chat import ChatOptions, open_chat  # noqa: PLC0415 needs an extra

        self.name, self._progress = f"{KIND}:{model}@{url}", Progress(quiet=True)
        # The connection stays open: failures in a row are counted over all lists.
        stack = ExitStack()
        options = ChatOptions(endpoint=url, model=model, settings=SETTINGS)
        self._chat = stack.enter_context(open_chat(options, self._progress))
        atexit.register(stack.close)

    def scores(self, question: str, texts: list[str]) -> Any:
        """See `Reranker.scores`."""
        order = list(range(len(texts)))
        end = len(order)
        while end > 1:
            start = max(0, end - WINDOW)
            seen = order[start:end]
            order[start:end] = [seen[place] for place in self._ordered(question, [texts[at] for at in seen])]
            end = start + WINDOW - STEP if start else 0
        return len(texts) - np.argsort(order)

    def _ordered(self, question: str, texts: list[str]) -> list[int]:
        """The places of texts, best first; as they are where the model gives no order."""
        from ltr.remote.chat import Failure, Prompt  # noqa: PLC0415 needs an extra

        chat, n = self._chat, len(texts)
        numbers = {"type": "array", "items": {"type": "integer"}, "minItems": n, "maxItems": n}
        schema = {"type": "object", "properties": {"order": numbers}, "required": ["order"]}
        reminder = f"Name every number from 1 to {n} exactly once, as JSON."
        prompt = Prompt(prompt_of(question, texts), schema, reminder)
        (found,) = chat.ask_all([prompt], lambda answer: read_order(answer, n))
        if isinstance(found, Failure):
            self._progress.warn(f"{self.name}: {n} texts keep their order, for lack of an answer ({found.reason})")
            return list(range(n))
        return list(found.value)


def prompt_of(question: str, texts: list[str]) -> str:
    """The prompt."""
    lines = (f"[{number}] {' '.join(text.split())[:LONGEST]}" for number, text in enumerate(texts, 1))
    return PROMPT.format(n=len(texts), question=" ".join(question.split()), passages="\n\n".join(lines))


def read_order(answer: str, size: int) -> list[int]:
    """Places from 0, best first, of an answer: JSON with the field ``order``, ``[2] > [1]``, or numbers alone.

    Raises AnswerError where it does not name every text exactly once.

    >>> read_order('Sure: {"order": [2, 3, 1]}', 3), read_order("[3] > [1] > [2]", 3), read_order("2, 1", 2)
    ([1, 2, 0], [2, 0, 1], [1, 0])
    """
    listed = _ORDER.findall(answer)
    found = _NUMBERS.findall(listed[-1]) if listed else _BRACKETS.findall(answer) or _NUMBERS.findall(answer)
    places = [int(number) - 1 for number in found]
    if sorted(places) != list(range(size)):
        raise AnswerError(f"the answer names {len(set(places) & set(range(size)))} of {size} texts, not each once")
    return places


def open_model(what: str, threads: int = 1) -> Reranker:
    """The re-ranker MODEL@URL. Raises InputError."""
    if (named := _WHAT.fullmatch(what)) is None:
        hint = "name it as in chat:qwen3@http://localhost:8080/v1"
        raise InputError(f"{KIND}:{what}", "names no model and address", hint)
    return _opened(named["model"], named["url"])


_opened = lru_cache(maxsize=4)(ChatReranker)

RERANKERS.add(KIND, open_model)
