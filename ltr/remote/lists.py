"""Result lists of topics: several queries each, merged, and what else is asked of their documents."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from features.query.comparison import objects_of
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.progress import Progress
from ltr.remote.cam import Cam
from ltr.remote.hits import Hit, Source, merge
from ltr.remote.queries import make_queries
from ltr.remote.targer import Targer

Lists = dict[str, list[Hit]]
"""Number of a topic -> its hits, best first."""


@dataclass(frozen=True)
class Collector:
    """Who is asked for what."""

    name: str
    source: Source
    depth: int
    expand: bool = False
    whole: Callable[[Hit], Hit] | None = None
    """A hit with the text of its document."""
    targer: Targer | None = None
    cam: Cam | None = None

    def collect(self, topics: Sequence[Topic], progress: Progress) -> Lists:
        """Hits of every topic; one without any is warned of. Raises InputError, also where none has any."""
        lists: Lists = {}
        with progress.stage(f"asking {self.name}", unit="topics", total=len(topics)) as tick:
            for topic in topics:
                lists[topic.number] = self._hits(topic)
                tick()
        empty = [topic for topic in topics if not lists[topic.number]]
        if len(empty) == len(topics):
            raise InputError(self.name, "it has nothing for any topic", "check the topics, and what is searched in")
        for topic in empty:
            progress.warn(f"topic {topic.number} ({topic.title}): {self.name} has nothing; it is not among the results")
        return lists

    def _hits(self, topic: Topic) -> list[Hit]:
        objects = objects_of(topic.title, topic.objects) or ()
        queries = make_queries(topic.title, objects) if self.expand else [topic.title]
        hits = merge([self.source.search(query, self.depth) for query in queries], self.depth)
        if self.whole:
            hits = [self.whole(hit) for hit in hits]
        if self.targer:
            hits = [replace(hit, fields=hit.fields | self.targer.describe(hit.text)) for hit in hits]
        if self.cam and hits and objects:
            share = {"first_share": self.cam.first_share(*objects)}
            hits = [replace(hit, fields=hit.fields | share) for hit in hits]
        return hits


def result_lines(topics: Sequence[Topic], lists: Mapping[str, Sequence[Hit]]) -> Iterator[str]:
    """JSON lines, a document each: a corpus of result lists."""
    for topic in topics:
        for rank, hit in enumerate(lists[topic.number], 1):
            row = {"topic": topic.number, "query": topic.title, "rank": rank, **hit.fields}
            yield json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n"


def args_json(topics: Sequence[Topic], lists: Mapping[str, Sequence[Hit]]) -> Iterator[str]:
    """args.me JSON, an argument a line, each once however many topics it was found for."""
    found = {hit.key: hit.fields for topic in topics for hit in lists[topic.number]}
    rows = (json.dumps(fields, ensure_ascii=False, allow_nan=False) for fields in found.values())
    yield '{"arguments": [\n' + ",\n".join(rows) + "\n]}\n"
