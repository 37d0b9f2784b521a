"""Ranked lists of a search API: several queries a topic, merged, with whole documents and tags if wanted."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from features.query.comparison import objects_of
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.progress import Progress
from ltr.remote.hits import Hit, Source, merge
from ltr.remote.queries import make_queries
from ltr.remote.targer import Targer

RankedLists = dict[str, list[Hit]]
"""Topic number -> its hits, best first."""


@dataclass(frozen=True)
class Collector:
    """A search API with its options."""

    name: str
    source: Source
    depth: int
    expand: bool = False
    whole: Callable[[Hit], Hit] | None = None
    """Replaces the text of a hit by its whole document."""
    targer: Targer | None = None

    def collect(self, topics: Sequence[Topic], progress: Progress) -> RankedLists:
        """The hits of every topic; warns of a topic without hits. Raises InputError, also where no topic has any."""
        lists: RankedLists = {}
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
        hits = merge([self.source.search(query, self.depth) for query in queries], self.depth)
        if self.whole:
            hits = [self.whole(hit) for hit in hits]
        if self.targer:
            hits = [replace(hit, fields=hit.fields | self.targer.describe(hit.text)) for hit in hits]
        return hits


def result_lines(topics: Sequence[Topic], lists: Mapping[str, Sequence[Hit]]) -> Iterator[str]:
    """A corpus of documents: JSON lines, one a hit."""
    for topic in topics:
        for rank, hit in enumerate(lists[topic.number], 1):
            row = {"topic": topic.number, "query": topic.title, "rank": rank, **hit.fields}
            yield json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n"


def args_json(topics: Sequence[Topic], lists: Mapping[str, Sequence[Hit]]) -> Iterator[str]:
    """A corpus of arguments: args.me JSON, each argument once however many topics it was found for."""
    arguments = {hit.key: hit.fields for topic in topics for hit in lists[topic.number]}
    rows = (json.dumps(fields, ensure_ascii=False, allow_nan=False) for fields in arguments.values())
    yield '{"arguments": [\n' + ",\n".join(rows) + "\n]}\n"
