"""Hits of a search API, and the fusion of several lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Protocol

from features.core.text import normalise
from ltr.data.fusion import DIGITS, reciprocal_ranks

_TITLE_WORDS = 3
"""Shorter titles, such as "Home", do not identify a document."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A document or an argument that a search API returned."""

    key: str
    """Its id, unique among documents and the same for every query."""
    title: str
    text: str
    fields: dict[str, Any] = field(default_factory=dict)
    """The fields that are written to the corpus."""
    handle: str = ""
    """Its id as the server spells it."""


class Source(Protocol):
    """A search API."""

    def search(self, query: str, depth: int, /) -> list[Hit]:
        """The best hits, best first, ``depth`` at most. Raises InputError."""


def merge(lists: Sequence[Sequence[Hit]], depth: int) -> list[Hit]:
    """Merge lists by reciprocal rank fusion, ``depth`` hits at most; a single list keeps its order.

    A document is taken from the first list that has it. Of documents with the same words or title, the best one stays.
    Ties go to the earlier list, and there to the better rank.
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
