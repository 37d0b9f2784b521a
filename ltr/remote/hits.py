"""What a source finds, and the lists of several queries as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Protocol

from features.core.text import normalise
from ltr.data.fusion import DIGITS, reciprocal_ranks

_TITLE_WORDS = 3
"""Shorter titles, such as "Home", say nothing of what is below them."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A document that a source found."""

    key: str
    """Its id: the same whatever the query, and different for every other document."""
    title: str
    text: str
    fields: dict[str, Any] = field(default_factory=dict)
    """What is written of it."""
    handle: str = ""
    """What the source itself calls it."""


class Source(Protocol):
    """A search engine."""

    def search(self, query: str, depth: int, /) -> list[Hit]:
        """The best hits, best first, ``depth`` at most. Raises InputError."""


def merge(lists: Sequence[Sequence[Hit]], depth: int) -> list[Hit]:
    """One list of several by reciprocal rank fusion, ``depth`` at most; a single one keeps its order.

    A document is what the first list that has it shows. Of documents with the same words, or under the same title, the
    best stays. Ties go to the earlier list, and there to the better rank.
    """
    hits: dict[str, Hit] = {}
    for hit in chain.from_iterable(lists):
        hits.setdefault(hit.key, hit)
    scores = reciprocal_ranks([(hit.key, 0.0) for hit in found] for found in lists)
    seen: set[tuple[str, str]] = set()
    merged = []
    for hit in sorted(hits.values(), key=lambda hit: -round(scores[hit.key], DIGITS)):
        title = normalise(hit.title)
        marks = {("text", normalise(hit.text)), *([("title", title)] if title.count(" ") >= _TITLE_WORDS - 1 else [])}
        if not marks & seen:
            merged.append(hit)
        seen |= marks
    return merged[:depth]
