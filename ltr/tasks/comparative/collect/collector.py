"""Ranked lists of a search API: several queries per topic, fused, with whole documents and tags if wanted."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from features.core.text import STOP_WORDS, normalise, words
from features.learned.vectors import load_vectors
from ltr.data.fusion import DIGITS, reciprocal_ranks
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.progress import Progress
from ltr.tasks.comparative.columns import objects_of

COMPARISON = frozenset("better best worse difference differences advantages disadvantages pros cons vs versus".split())
NEAR = 0.75
"""Cosine from which a word counts as a synonym, as "bicycle" does for "bike"."""

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


@dataclass(frozen=True)
class Collector:
    """A search API with its options."""

    name: str
    search: Callable[[str, int], list[Hit]]
    """Query, depth -> the best hits, best first."""
    depth: int
    expand: bool = False
    whole: Callable[[Hit], Hit] | None = None
    """Replaces the text of a hit by its whole document."""
    tags: Callable[[str], dict[str, float]] | None = None
    """Text -> fields to add to its hit."""

    def collect(self, topics: Sequence[Topic], progress: Progress) -> dict[str, list[Hit]]:
        """Topic number -> its hits, best first; warns of a topic without any. Raises InputError where none has any."""
        lists: dict[str, list[Hit]] = {}
        with progress.stage(f"searching {self.name}", unit="topics", total=len(topics)) as tick:
            for topic in topics:
                lists[topic.number] = self._hits(topic)
                tick()
        empty = [topic for topic in topics if not lists[topic.number]]
        if len(empty) == len(topics):
            raise InputError(self.name, "there are no hits for any topic", "check the topics and the indices")
        for topic in empty:
            progress.warn(f"topic {topic.number} ({topic.title}): no hits from {self.name}; it is left out")
        return lists

    def _hits(self, topic: Topic) -> list[Hit]:
        queries = [topic.title]
        if self.expand:
            queries = make_queries(topic.title, objects_of(topic.title, topic.objects) or ())
        hits = merge([self.search(query, self.depth) for query in queries], self.depth)
        if self.whole:
            hits = list(map(self.whole, hits))
        if self.tags:
            hits = [replace(hit, fields=hit.fields | self.tags(hit.text)) for hit in hits]
        return hits


def make_queries(title: str, objects: Sequence[str] = ()) -> list[str]:
    """Up to four different queries.

    The title; its words without stop words; the objects with those words, without words of comparison; and the last one
    with synonyms added.
    """
    content = [word for word in dict.fromkeys(words(title)) if word not in STOP_WORDS]
    aspects = [word for word in content if word not in COMPARISON and word not in words(" ".join(objects))]
    things = " ".join([*objects, *aspects])
    near = load_vectors().neighbours(words(things), NEAR)
    distinct: dict[str, str] = {}
    for query in (title, " ".join(content), things, " ".join([things, *near])):
        distinct.setdefault(normalise(query), query)
    return [query for mark, query in distinct.items() if mark]


def merge(lists: Sequence[Sequence[Hit]], depth: int) -> list[Hit]:
    """Merge lists by reciprocal rank fusion, ``depth`` hits at most; a single list keeps its order.

    A document is taken from the first list that has it. Of documents with the same words or title, the best one stays.
    Ties go to the earlier list, and there to the better rank.
    """
    hits: dict[str, Hit] = {}
    for hit in chain.from_iterable(lists):
        hits.setdefault(hit.key, hit)
    scores = reciprocal_ranks([hit.key for hit in ranked] for ranked in lists)
    seen: set[tuple[str, str]] = set()
    merged = []
    for hit in sorted(hits.values(), key=lambda hit: -round(scores[hit.key], DIGITS)):
        title = normalise(hit.title)
        marks = {("text", normalise(hit.text)), *([("title", title)] if title.count(" ") >= _TITLE_WORDS - 1 else [])}
        if not marks & seen:
            merged.append(hit)
        seen |= marks
    return merged[:depth]


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
