"""ChatNoir: search in ClueWeb and the Common Crawl, and their whole documents.

Bevendorff et al. 2018, "Elastic ChatNoir", https://doi.org/10.1007/978-3-319-76941-7_83.
"""

from __future__ import annotations

import json
import re
from base64 import urlsafe_b64decode
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final
from urllib.parse import urlencode
from uuid import UUID

from ltr.data.ids import LISTED, is_name
from ltr.remote.answers import AnswerError, member, number, objects, paragraphs, parse_object, text
from ltr.remote.cache import Request
from ltr.remote.client import Client
from ltr.remote.hits import Hit

ADDRESS: Final = "https://www.chatnoir.eu"
INDICES: Final = ("cw12",)

_PAGE = 100
_LONGEST_ID = 200
_OPERATOR = re.compile(r'["“”:]|(?<!\S)[-+]+|[()\[\]{}^~*?\\/|&!<>]')


class ChatNoir:
    """Search in the named indices."""

    def __init__(self, client: Client, indices: Sequence[str] = INDICES) -> None:
        self._client = client
        self._indices = list(indices)

    def search(self, query: str, depth: int) -> list[Hit]:
        """The best hits, best first. Pages are requested as long as they bring new hits. Raises InputError."""
        hits: dict[str, Hit] = {}
        query = _literal(query)
        start, total = 0, float(depth)
        while query and start < min(depth, total):
            size = min(_PAGE, depth - start)
            asked = {"query": query, "index": self._indices, "from": start, "size": size}
            request = Request("/api/v1/_search", json.dumps(asked, sort_keys=True))
            page, reported = self._client.ask(request, _page, keyed=True)
            new = {hit.key: hit for hit in page if hit.key not in hits}
            if not new:
                break
            hits.update(new)
            start, total = start + len(page), total if reported is None else reported
        return list(hits.values())[:depth]

    def whole(self, hit: Hit) -> Hit:
        """The hit with the text of its document in place of the snippet, where the server still has it.

        Raises InputError. ChatNoir's document cache needs no key, so none is sent.
        """
        name = "uuid" if hit.fields.get("uuid") else "trec-id"
        asked = urlencode({name: hit.handle, "index": hit.fields.get("index", self._indices[0])})
        document = self._client.ask(Request(f"/cache?{asked}&raw&plain"), paragraphs, absent="")
        return replace(hit, text=document, fields={**hit.fields, "text": document}) if document else hit


def canonical_uuid(name: str) -> str:
    """An id in its long form; newer servers write it in 22 letters.

    >>> canonical_uuid("Kj0ObGvWXqKvHZPR1dm6DA")
    '2a3d0e6c-6bd6-5ea2-af1d-93d1d5d9ba0c'
    """
    try:
        return str(UUID(bytes=urlsafe_b64decode(f"{name}=="))) if len(name) == 22 else str(UUID(name))
    except ValueError:
        return name


def _literal(query: str) -> str:
    """The words of a query, without what ChatNoir would read as operators."""
    plain = _OPERATOR.sub(" ", query).split()
    return " ".join(word.lower() if word in ("AND", "OR", "NOT") else word for word in plain)


def _page(answer: str) -> tuple[list[Hit], float | None]:
    """The hits of a page, and the total number of hits if the server reports it."""
    fields = parse_object(answer)
    meta = member(fields, "meta", dict, "the answer") if "meta" in fields else {}
    results = objects(fields, "results", "the answer")
    hits = [_hit(result, f"result {place}") for place, result in enumerate(results, 1)]
    return [hit for hit in hits if hit.text], number(meta, "total_results", "the answer")


def _hit(result: dict[str, Any], what: str) -> Hit:
    handle, trec = (member(result, name, str, what) if result.get(name) else "" for name in ("uuid", "trec_id"))
    uuid = canonical_uuid(handle)
    ids = [name for name in (trec, uuid) if name]
    if not ids or not all(is_name(name) and LISTED not in name and len(name) <= _LONGEST_ID for name in ids):
        raise AnswerError(f"{what} has neither 'trec_id' nor 'uuid'")
    if not {"title", "snippet"} & result.keys():
        raise AnswerError(f"{what} has neither 'title' nor 'snippet'")
    title = text(result, "title", what)
    fields = {
        "id": trec or uuid,
        "uuid": uuid,
        "title": title,
        "text": text(result, "snippet", what) or title,
        "host": text(result, "target_hostname", what),
        "url": text(result, "target_uri", what),
        "index": text(result, "index", what),
        **{name: number(result, name, what) for name in ("page_rank", "spam_rank", "score")},
        "source": "chatnoir",
    }
    kept = {name: value for name, value in fields.items() if value not in ("", None)}
    return Hit(trec or uuid, title, str(fields["text"]), kept, handle or trec)
