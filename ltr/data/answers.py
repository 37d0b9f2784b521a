"""Answers to questions that a user brings: JSON lines with ``topic`` and ``answer``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ltr.data.columns import quote, read_objects
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.escapes import encodable

LARGEST = 64 << 20
"""Bytes of a file of answers."""
LONGEST_ANSWER = 20_000
"""Characters of an answer."""
_FORM = 'write {"topic": "51", "answer": "..."} on each line'


def with_answers(topics: Sequence[Topic], path: Path | None) -> list[Topic]:
    """The topics with their answers in ``path``, "" where it has none; None: the topics as they are.

    Raises InputError, also where no topic has an answer.
    """
    if path is None:
        return list(topics)
    answers = read_answers(path)
    if not any(topic.number in answers for topic in topics):
        raise InputError(path, "has no answer to any of the topics", "name the answers to these topics")
    return [replace(topic, answer=answers.get(topic.number, "")) for topic in topics]


def read_answers(path: Path) -> dict[str, str]:
    """Topic -> answer. Raises InputError."""
    answers: dict[str, str] = {}
    for where, fields in read_objects(path, _FORM, LARGEST):
        topic, answer = fields.get("topic"), fields.get("answer")
        if not isinstance(topic, str) or not isinstance(answer, str):
            raise InputError(where, "has no topic and answer that are texts", _FORM)
        if len(answer) > LONGEST_ANSWER:
            raise InputError(where, f"the answer has {len(answer):,} characters", f"keep {LONGEST_ANSWER:,} at most")
        if answers.setdefault(topic, encodable(answer)) != encodable(answer):
            raise InputError(where, f"topic {quote(topic)} has another answer in an earlier line", "keep one")
    return answers
