"""The servers of `riposte collect`: the search APIs ChatNoir and args.me.

ChatNoir: Bevendorff et al. 2018, "Elastic ChatNoir", https://doi.org/10.1007/978-3-319-76941-7_83.
args.me: Wachsmuth et al. 2017, "Building an Argument Search Engine for the Web", https://doi.org/10.18653/v1/W17-5106.
"""

from __future__ import annotations

import json
import re
from base64 import urlsafe_b64decode
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode
from uuid import UUID

from ltr.data.ids import LISTED, is_name
from ltr.remote.answers import AnswerError, member, number, objects, paragraphs, parsed, text
from ltr.remote.cache import Request
from ltr.tasks.comparative.collect.collector import Hit

if TYPE_CHECKING:
    from ltr.remote.client import Client  # the search for tasks imports this module, and httpx takes .2 s

CHATNOIR: Final = "https://www.chatnoir.eu"
ARGSME: Final = "https://www.args.me"
INDEX: Final = "cw12"

_PAGE = 100
_LONGEST_ID = 200
_OPERATOR = re.compile(r'["“”:]|(?<!\S)[-+]+|[()\[\]{}^~*?\\/|&!<>]')
_CONTEXT = ("topic", "discussionTitle", "sourceDomain", "sourceId", "sourceTitle", "sourceUrl")


def search_chatnoir(client: Client, query: str, depth: int) -> list[Hit]:
    """The best web documents of ClueWeb or the Common Crawl, best first. Raises InputError.

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
        page, reported = client.ask(request, _page, keyed=True)
        new = {hit.key: hit for hit in page if hit.key not in hits}
        if not new:
            break
        hits |= new
        start, total = start + len(page), total if reported is None else reported
    return list(hits.values())[:depth]


def whole_document(client: Client, hit: Hit) -> Hit:
    """The hit with the text of its document in place of the snippet, where the server still has it.

    Raises InputError. ChatNoir's document cache needs no key, so none is sent.
    """
    name = "uuid" if hit.fields.get("uuid") else "trec-id"
    query = urlencode({name: hit.handle, "index": hit.fields.get("index", INDEX)})
    document = client.ask(Request(f"/cache?{query}&raw&plain"), paragraphs, absent="")
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


def _page(answer: str) -> tuple[list[Hit], float | None]:
    """The hits of a page, and the total number of hits if the server reports it."""
    fields = parsed(answer, dict)
    meta = member(fields, "meta", dict, "the answer") if "meta" in fields else {}
    return _hits(fields, "results", _document), number(meta, "total_results", "the answer")


def _hits(fields: dict[str, Any], name: str, read: Callable[[dict[str, Any], str], Hit]) -> list[Hit]:
    listed = enumerate(objects(fields, name, "the answer"), 1)
    return [hit for place, item in listed if (hit := read(item, f"{name[:-1]} {place}")).text]


def _document(result: dict[str, Any], what: str) -> Hit:
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
    known = {name: value for name, value in fields.items() if value not in ("", None)}
    return Hit(trec or uuid, title, str(fields["text"]), known, handle or trec)


def search_argsme(client: Client, query: str, depth: int) -> list[Hit]:
    """The best arguments of debate portals, best first. The server needs no key. Raises InputError."""
    fields = urlencode({"query": query, "pageSize": depth, "format": "json"})
    request = Request(f"/api/v2/arguments?{fields}")
    return client.ask(request, lambda answer: _hits(parsed(answer, dict), "arguments", _argument))[:depth]


def _argument(argument: dict[str, Any], what: str) -> Hit:
    """An argument in the form of args.me JSON. The title stays empty: all arguments of a debate have the same one."""
    name = member(argument, "id", str, what)
    if not is_name(name):
        raise AnswerError(f"'id' of {what} is not one word")
    context = member(argument, "context", dict, what) if argument.get("context") else {}
    premises = []
    for premise in objects(argument, "premises", what):
        stance = text(premise, "stance", what) or text(argument, "stance", what)
        premises.append({"text": text(premise, "text", f"a premise of {what}"), "stance": stance})
    fields = {
        "id": name,
        "conclusion": text(argument, "conclusion", what),
        "premises": premises,
        "context": {key: text(context, key, f"the context of {what}") for key in _CONTEXT if context.get(key)},
    }
    return Hit(name, "", " ".join(premise["text"] for premise in premises).strip(), fields)
