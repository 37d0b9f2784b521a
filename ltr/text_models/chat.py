"""``chat:MODEL@URL``: a language model behind an OpenAI-compatible endpoint, which orders lists or reads sides.

A window of 20 texts slides from the end of the list to its beginning, ten texts at a time; in each window the model
puts the texts in order (RankGPT: Sun et al. 2023, https://arxiv.org/abs/2304.09542). A reader of sides grades a text at
a time. Answers are cached by prompt and model. An answer that names not every text once, or without all grades, is
asked for again, a bounded number of times; then it is reported, and the window keeps its order, or the text is unclear.
"""

from __future__ import annotations

import atexit
import re
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from ltr.errors import InputError
from ltr.progress import Progress
from ltr.remote.answers import AnswerError, read_grades
from ltr.text_models.model import Numbers, digest_of
from ltr.text_models.rerankers import RERANKERS, Reranker

KIND: Final = "chat"

WINDOW, STEP = 20, 10
"""Texts that the model sees at a time, and how far the window moves."""
LONGEST = 1_500
"""Characters of a text that the model sees."""
SETTINGS: Final = {"temperature": 0, "max_tokens": 2_000, "seed": 0}
JUDGED: Final = ("matter", "argues", "side")
"""Grades of a text: whether it is on the matter, whether it argues, whether it is for what is asked."""
GRADES, ODDS = range(-2, 3), 1.5
"""Grades, and log-odds of grade 1: they stand for probabilities of .05, .18, .5, .82 and .95."""

PROMPT: Final = Path(__file__).with_suffix(".txt").read_text("utf-8")
READING: Final = Path(__file__).with_name("chat_reading.txt").read_text("utf-8")

_WHAT = re.compile(r"(?P<model>.+)@(?P<url>https?://\S+)")
_ORDER = re.compile(r'"order"\s*:\s*\[([^][]*)\]')
_BRACKETS = re.compile(r"\[\s*(\d{1,4})\s*\]")
_NUMBERS = re.compile(r"\d{1,4}")


class ChatReranker(Reranker):
    """See the module. Scores are n, n - 1, ..., 1 for a list of n texts."""

    pointwise = False  # and without a digest: an order that was kept for lack of an answer is not stored

    def __init__(self, model: str, url: str) -> None:
        from ltr.remote.chat import ChatOptions, open_chat  # noqa: PLC0415 needs an extra

        self.name, self._progress = f"{KIND}:{model}@{url}", Progress(quiet=True)
        # The connection stays open: failures in a row are counted over all lists.
        stack, options = ExitStack(), ChatOptions(endpoint=url, model=model, settings=SETTINGS, parallel=4)
        self._chat = stack.enter_context(open_chat(options, self._progress))
        atexit.register(stack.close)
        self.digest = digest_of(f"{self.name} {SETTINGS} {ODDS} {READING}") if self.pointwise else None

    def _ask(
        self, prompts: Sequence[str], fields: dict[str, Any], reminder: str, read: Callable[[str], Any], lacking: str
    ) -> list[Any]:
        """The answers, by JSON schemas of their ``fields``; None for a missing one, reported as what is ``lacking``."""
        from ltr.remote.chat import Failure, Prompt  # noqa: PLC0415 needs an extra

        schema = {"type": "object", "properties": fields, "required": [*fields], "additionalProperties": False}
        found = self._chat.ask_all([Prompt(prompt, schema, reminder) for prompt in prompts], read)
        if failed := [one.reason for one in found if isinstance(one, Failure)]:
            self._progress.warn(f"{self.name}: {lacking}, for lack of an answer ({failed[0]})")
        return [None if isinstance(one, Failure) else one.value for one in found]

    def scores(self, question: str, texts: list[str]) -> Any:
        """See `Reranker.scores`."""
        order, end = list(range(len(texts))), len(texts)
        while end > 1:
            start = max(0, end - WINDOW)
            seen, n = order[start:end], end - start
            prompt, read = prompt_of(question, [texts[at] for at in seen]), partial(read_order, size=n)
            numbers = {"type": "array", "items": {"type": "integer"}, "minItems": n, "maxItems": n}
            reminder = f"Name every number from 1 to {n} exactly once, as JSON."
            (found,) = self._ask([prompt], {"order": numbers}, reminder, read, f"{n} texts keep their order")
            order[start:end] = [seen[place] for place in found or range(n)]
            end = start + WINDOW - STEP if start else 0
        return len(texts) - np.argsort(order)


class ChatReader(ChatReranker):
    """(n_texts, 3) log-odds of `JUDGED`; NaN for a text without an answer, which is not kept."""

    kind, pointwise, width = "reader", True, len(JUDGED)

    def scores(self, question: str, texts: list[str]) -> Any:
        """See `Reranker.scores`."""
        asked, *read = (" ".join(text.split())[:LONGEST] for text in (question, *texts))
        prompts = [READING.format(question=asked, text=text) for text in read]
        fields = {name: {"type": "integer", "enum": [*GRADES]} for name in JUDGED}
        reminder = f"Answer with {', '.join(JUDGED)} from -2 to 2, as JSON alone."
        grades_of = partial(read_grades, names=JUDGED, scale=GRADES)
        found = self._ask(prompts, fields, reminder, grades_of, "some texts count as unclear")
        return [[ODDS * grades[0][name] if grades else np.nan for name in JUDGED] for grades in found]

    def checked(self, values: Numbers, texts: Sequence[str], *size: int) -> Numbers:
        """``values``, of which some are NaN."""
        return values


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


def open_model(what: str, threads: int = 1, of: type[ChatReranker] = ChatReranker) -> Reranker:
    """The model MODEL@URL. Raises InputError."""
    if (named := _WHAT.fullmatch(what)) is None:
        hint = "name it as in chat:qwen3@http://localhost:8080/v1"
        raise InputError(f"{KIND}:{what}", "names no model and address", hint)
    return _opened(of, named["model"], named["url"])


_opened: Callable[..., Reranker] = lru_cache(maxsize=4)(lambda of, *named: of(*named))

RERANKERS.add(KIND, open_model)
