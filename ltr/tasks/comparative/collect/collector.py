"""Ranked lists of a search API, and the corpora that they become."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from features.core.text import normalise
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.progress import Progress

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


def collect_lists(
    name: str, search: Callable[[str], list[Hit]], topics: Sequence[Topic], progress: Progress
) -> dict[str, list[Hit]]:
    """Topic number -> the hits of the search API ``name`` for its title, best first; warns of a topic without any.

    Raises InputError where no topic has any.
    """
    lists: dict[str, list[Hit]] = {}
    with progress.stage(f"searching {name}", unit="topics", total=len(topics)) as tick:
        for topic in topics:
            lists[topic.number] = search(topic.title)
            tick()
    empty = [topic for topic in topics if not lists[topic.number]]
    if len(empty) == len(topics):
        raise InputError(name, "there are no hits for any topic", "check the topics and the indices")
    for topic in empty:
        progress.warn(f"topic {topic.number} ({topic.title}): no hits from {name}; it is left out")
    return lists


def without_copies(hits: Iterable[Hit]) -> list[Hit]:
    """The hits in their order; of those with the same id, words or title, the first."""
    seen: set[tuple[str, str]] = set()
    kept = []
    for hit in hits:
        title = normalise(hit.title)
        marks = {("id", hit.key), ("text", normalise(hit.text))}
        marks |= {("title", title)} if title.count(" ") >= _TITLE_WORDS - 1 else set()
        if not marks & seen:
            kept.append(hit)
        seen |= marks
    return kept


def result_lines(topics: Sequence[Topic], lists: Mapping[str, Sequence[Hit]]) -> Iterator[str]:
    """A corpus of documents: one JSON line per hit."""
    for topic in topics:
        for rank, hit in enumerate(lists[topic.number], 1):
            yield _json({"topic": topic.number, "query": topic.title, "rank": rank, **hit.fields}) + "\n"


def args_json(topics: Sequence[Topic], lists: Mapping[str, Sequence[Hit]]) -> Iterator[str]:
    """A corpus of arguments: args.me JSON, each argument once, even when several topics have it."""
    arguments = {hit.key: hit.fields for topic in topics for hit in lists[topic.number]}
    yield '{"arguments": [\n' + ",\n".join(map(_json, arguments.values())) + "\n]}\n"


def _json(fields: Mapping[str, Any]) -> str:
    return json.dumps(fields, ensure_ascii=False, allow_nan=False)
