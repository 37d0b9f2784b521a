"""Result lists of ChatNoir, a search engine for ClueWeb and the Common Crawl, and the corpus that they become.

Bevendorff et al. 2018, "Elastic ChatNoir", https://doi.org/10.1007/978-3-319-76941-7_83.
"""

from __future__ import annotations

import json
import re
from base64 import urlsafe_b64decode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from features.core.text import normalise
from ltr.data.ids import LISTED, is_name
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.progress import Progress
from ltr.remote.answers import AnswerError, member, number, objects, parsed, text
from ltr.remote.cache import Request

if TYPE_CHECKING:
    from ltr.remote.client import Client  # the search for tasks imports this module, and httpx takes .2 s

NAME: Final = "chatnoir"
ADDRESS: Final = "https://www.chatnoir.eu"
INDEX: Final = "cw12"

_PAGE = 100
_LONGEST_ID = 200
_TITLE_WORDS = 3
"""Shorter titles, such as "Home", do not identify a document."""
_OPERATOR = re.compile(r'["“”:]|(?<!\S)[-+]+|[()\[\]{}^~*?\\/|&!<>]')

Hit = dict[str, Any]
"""A document that was found: the fields that are written to the corpus."""


def search(client: Client, query: str, depth: int) -> list[Hit]:
    """The best web documents, best first. Raises InputError.

    Pages are requested as long as they bring new hits, for the words of the query: operators are left out.
    """
    hits: dict[str, Hit] = {}
    words = _OPERATOR.sub(" ", query).split()
    query = " ".join(word.lower() if word in ("AND", "OR", "NOT") else word for word in words)
    start, total = 0, float(depth)
    while query and start < min(depth, total):
        size = min(_PAGE, depth - start)
        fields = {"query": query, "index": [INDEX], "from": start, "size": size}
        request = Request("/api/v1/_search", json.dumps(fields, sort_keys=True))
        page, reported = client.ask(request, _page)
        new = {hit["id"]: hit for hit in page if hit["id"] not in hits}
        if not new:
            break
        hits |= new
        start, total = start + len(page), total if reported is None else reported
    return list(hits.values())[:depth]


def collect_lists(client: Client, topics: Sequence[Topic], depth: int, progress: Progress) -> dict[str, list[Hit]]:
    """Topic number -> the hits for its title without copies, best first; warns of a topic without any.

    Raises InputError where no topic has any.
    """
    lists: dict[str, list[Hit]] = {}
    with progress.stage(f"searching {NAME}", unit="topics", total=len(topics)) as tick:
        for topic in topics:
            lists[topic.number] = without_copies(search(client, topic.title, depth))
            tick()
    empty = [topic for topic in topics if not lists[topic.number]]
    if len(empty) == len(topics):
        raise InputError(NAME, "there are no hits for any topic", "check the topics and the indices")
    for topic in empty:
        progress.warn(f"topic {topic.number} ({topic.title}): no hits from {NAME}; it is left out")
    return lists


def without_copies(hits: Iterable[Hit]) -> list[Hit]:
    """The hits in their order; of those with the same id, words or title, the first."""
    seen: set[tuple[str, str]] = set()
    kept = []
    for hit in hits:
        title = normalise(hit.get("title", ""))
        marks = {("id", hit["id"]), ("text", normalise(hit["text"]))}
        marks |= {("title", title)} if title.count(" ") >= _TITLE_WORDS - 1 else set()
        if not marks & seen:
            kept.append(hit)
        seen |= marks
    return kept


def result_lines(topics: Sequence[Topic], lists: Mapping[str, Sequence[Hit]]) -> Iterator[str]:
    """A corpus of documents: one JSON line per hit."""
    for topic in topics:
        for rank, hit in enumerate(lists[topic.number], 1):
            fields = {"topic": topic.number, "query": topic.title, "rank": rank, **hit}
            yield json.dumps(fields, ensure_ascii=False, allow_nan=False) + "\n"


def canonical_uuid(name: str) -> str:
    """An id in its long form; newer servers write it in 22 letters.

    >>> canonical_uuid("Kj0ObGvWXqKvHZPR1dm6DA")
    '2a3d0e6c-6bd6-5ea2-af1d-93d1d5d9ba0c'
    """
    try:
        return str(UUID(bytes=urlsafe_b64decode(f"{name}=="))) if len(name) == 22 else str(UUID(name))
    except ValueError:
        return name


def _page(answer: str) -> tuple[list[Hit], float | None]:
    """The hits of a page that have a text, and the total number of hits if the server reports it."""
    fields = parsed(answer, dict)
    meta = member(fields, "meta", dict, "the answer") if "meta" in fields else {}
    hits = [_hit(result, f"result {place}") for place, result in enumerate(objects(fields, "results", "the answer"), 1)]
    return [hit for hit in hits if "text" in hit], number(meta, "total_results", "the answer")


def _hit(result: dict[str, Any], what: str) -> Hit:
    given, trec = (member(result, name, str, what) if result.get(name) else "" for name in ("uuid", "trec_id"))
    uuid = canonical_uuid(given)
    ids = [name for name in (trec, uuid) if name]
    if not ids or not all(is_name(name) and LISTED not in name and len(name) <= _LONGEST_ID for name in ids):
        raise AnswerError(f"{what} has neither 'trec_id' nor 'uuid'")
    if not {"title", "snippet"} & result.keys():
        raise AnswerError(f"{what} has neither 'title' nor 'snippet'")
    title = text(result, "title", what)
    fields = {
        "id": ids[0],
        "uuid": uuid,
        "title": title,
        "text": text(result, "snippet", what) or title,
        "host": text(result, "target_hostname", what),
        "url": text(result, "target_uri", what),
        "index": text(result, "index", what),
        **{name: number(result, name, what) for name in ("page_rank", "spam_rank", "score")},
        "source": NAME,
    }
    return {name: value for name, value in fields.items() if value not in ("", None)}
