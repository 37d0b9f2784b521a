"""Answers to questions by a language model, as `ltr.data.topics` reads them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from ltr.data.topics import LONGEST_ANSWER, Topic
from ltr.errors import InputError
from ltr.escapes import clean
from ltr.progress import Progress
from ltr.remote.answers import AnswerError
from ltr.remote.chat import Chat, Failure, Prompt, Reply

PROMPT_VERSION = 1
"""Raise it when the wording changes."""
_PROMPT = """Answer the question in about {words} words, in whole sentences and without a list. Say what speaks for \
your answer.

Question: {title}"""


def make_prompt(title: str, words: int) -> Prompt:
    """The prompt of a question."""
    return Prompt(_PROMPT.format(words=words, title=json.dumps(title, ensure_ascii=False)))


def read_answer(text: str) -> str:
    """An answer in one line. Raises AnswerError where it is too long."""
    if len(text) > LONGEST_ANSWER:
        raise AnswerError(f"the answer has {len(text):,} characters")
    return clean(text)


def answer_lines(chat: Chat, model: str, topics: Sequence[Topic], words: int, progress: Progress) -> list[str]:
    """A JSON line per topic; warns of a topic without an answer. Raises InputError where no topic has one."""
    prompt = f"{PROMPT_VERSION}:{hashlib.sha256(make_prompt('', words).text.encode()).hexdigest()[:12]}"
    with progress.stage("answering", unit="questions", total=len(topics)) as tick:
        found = chat.ask_all([make_prompt(topic.title, words) for topic in topics], read_answer, tick)
    lines = []
    for topic, answer in zip(topics, found, strict=True):
        if isinstance(answer, Reply):
            line = {"topic": topic.number, "query": topic.title, "answer": answer.value, "by": model}
            lines.append(json.dumps(line | {"prompt": prompt, "date": answer.date}, ensure_ascii=False) + "\n")
        else:
            progress.warn(f"topic {topic.number} ({topic.title}): no answer: {answer.reason}")
    if not lines and (failed := [answer for answer in found if isinstance(answer, Failure)]):
        raise InputError("endpoint", f"no question has an answer: {failed[-1].reason}", "try another model")
    return lines
