"""ChatNoir: its requests, and what its answers become."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

import pytest
from support.web import Asked, Reply, Web, settings

from ltr.errors import InputError
from ltr.remote.client import Client
from ltr.tasks.comparative.collect.chatnoir import canonical_uuid, search, without_copies


@pytest.fixture
def client(web: Web, tmp_path: Path) -> Iterator[Client]:
    with Client("source", f"{web.address}/api", settings(tmp_path / "cache"), key="k", key_hint="name one") as client:
        yield client


def changed_interface(act: Callable[..., object], *given: object) -> str:
    with pytest.raises(InputError) as caught:
        act(*given)
    line = str(caught.value)
    assert line.startswith("source: the interface has changed: ")
    return line.removeprefix("source: the interface has changed: ").partition(";")[0]


# ---- ChatNoir -------------------------------------------------------------------------------------

TREC = "clueweb12-0200tw-48-13390"
OLD = str(uuid5(NAMESPACE_URL, f"clueweb12:{TREC}"))
NEW = urlsafe_b64encode(UUID(OLD).bytes).decode().rstrip("=")

RESULT: dict[str, Any] = {
    "score": 1012.5,
    "uuid": OLD,
    "index": "cw12",
    "trec_id": TREC,
    "target_hostname": "www.example.org",
    "target_uri": "http://www.example.org/tea?a=1&b=2",
    "page_rank": 1.18e-09,
    "spam_rank": 75,
    "title": "<em>Tea</em> &amp; coffee",
    "snippet": "<em>Tea</em> is 3&#x2F;4 water&hellip;",
    "explanation": None,
}


def page(*results: dict[str, Any], total: int | None = None) -> Reply:
    meta = {"query_time": 9, "total_results": len(results) if total is None else total, "indices": ["cw12"]}
    return Reply({"meta": meta, "results": list(results)})


def test_what_is_asked_and_what_comes_back(client: Client, web: Web) -> None:
    web.replies = [page(RESULT)]
    (hit,) = search(client, "tea or coffee", 10)
    (asked,) = web.asked
    assert (asked.method, asked.path, asked.query) == ("POST", "/api/api/v1/_search", {})
    assert asked.headers["content-type"] == "application/json"
    assert asked.headers["authorization"] == "Bearer k"
    assert asked.json == {"query": "tea or coffee", "index": ["cw12"], "from": 0, "size": 10}
    assert hit == {
        "id": TREC,
        "uuid": OLD,
        "title": "Tea & coffee",
        "text": "Tea is 3/4 water…",
        "host": "www.example.org",
        "url": "http://www.example.org/tea?a=1&b=2",
        "index": "cw12",
        "page_rank": 1.18e-09,
        "spam_rank": 75,
        "score": 1012.5,
        "source": "chatnoir",
    }


def test_both_forms_of_an_id_are_one(client: Client, web: Web) -> None:
    newer = RESULT | {"uuid": NEW, "warc_id": "x", "cache_uri": "y", "crawl_date": "2012", "lang": "en"}
    del newer["trec_id"]
    web.replies = [page(newer)]
    (hit,) = search(client, "tea", 10)
    assert len(NEW) == 22
    assert (hit["id"], hit["uuid"]) == (OLD, OLD)
    assert canonical_uuid(OLD.upper()) == OLD
    for other in ("no-id", "22 characters, no id!!"):
        assert canonical_uuid(other) == other


def test_pages_are_asked_for_until_there_are_enough(client: Client, web: Web) -> None:
    """A server that gives no more than 60 at a time."""
    stock = [RESULT | {"uuid": str(UUID(int=n)), "trec_id": f"d{n}"} for n in range(500)]

    def answer(asked: Asked) -> Reply:
        start = asked.json["from"]
        return page(*stock[start : start + min(asked.json["size"], 60)], total=500)

    web.answer = answer
    assert [hit["id"] for hit in search(client, "tea", 150)] == [f"d{n}" for n in range(150)]
    assert [(asked.json["from"], asked.json["size"]) for asked in web.asked] == [(0, 100), (60, 90), (120, 30)]


def test_pages_end_where_nothing_new_comes(client: Client, web: Web) -> None:
    web.answer = lambda _: page(RESULT, total=10_000)
    assert len(search(client, "tea", 300)) == 1
    assert len(web.asked) == 2


def test_a_question_holds_no_operators(client: Client, web: Web) -> None:
    web.answer = lambda _: page(RESULT)
    queries = {
        'Is "e-mail" -or- AND site:x better?': "Is e-mail or- and site x better",
        "C++ vs C#: (which) is/was best*": "C++ vs C# which is was best",
    }
    for title, query in queries.items():
        search(client, title, 10)
        assert web.asked[-1].json["query"] == query
    assert search(client, '"?"', 10) == []
    assert len(web.asked) == 2, "without a word nothing is requested"


def without(*names: str) -> dict[str, Any]:
    return {name: value for name, value in RESULT.items() if name not in names}


def test_what_may_be_missing(client: Client, web: Web) -> None:
    bare = {"uuid": NEW, "snippet": None, "title": "Tea", "page_rank": None, "trec_id": None}
    nothing = {"trec_id": "d1", "snippet": " <em></em> ", "title": ""}
    web.replies = [Reply({"results": [bare, nothing, {"trec_id": "d2", "snippet": "x"}]}), Reply({"results": []})]
    first, second = search(client, "tea", 10)
    assert first == {"id": OLD, "uuid": OLD, "title": "Tea", "text": "Tea", "source": "chatnoir"}
    assert second == {"id": "d2", "text": "x", "source": "chatnoir"}


CHANGED = [
    ({"hits": []}, "'results' of the answer is missing"),
    ({"results": [RESULT], "meta": 3}, "'meta' of the answer is not an object"),
    ({"results": [RESULT, without("uuid", "trec_id")]}, "result 2 has neither 'trec_id' nor 'uuid'"),
    ({"results": [RESULT | {"trec_id": "two words"}]}, "result 1 has neither 'trec_id' nor 'uuid'"),
    ({"results": [without("title", "snippet")]}, "result 1 has neither 'title' nor 'snippet'"),
    ({"results": [RESULT | {"page_rank": "high"}]}, "'page_rank' of result 1 is not a number"),
]


@pytest.mark.parametrize(("answer", "said"), CHANGED)
def test_another_interface_is_reported_and_not_cached(
    client: Client, web: Web, tmp_path: Path, answer: object, said: str
) -> None:
    web.answer = lambda _: Reply(answer)
    assert changed_interface(search, client, "tea", 10) == said
    assert len(web.asked) == 1
    assert not list(tmp_path.iterdir())


# ---- copies ---------------------------------------------------------------------------------------


def test_copies_leave() -> None:
    hits = [
        {"id": "a", "title": "Tea or coffee? A guide", "text": "Tea is hot."},
        {"id": "b", "title": "Another page altogether", "text": "tea  is HOT!"},
        {"id": "c", "title": "TEA OR COFFEE: a guide", "text": "Coffee is hotter."},
        {"id": "d", "title": "x", "text": "coffee is hotter"},  # a copy of a copy
        {"id": "e", "title": "Tea", "text": "Milk first."},
        {"id": "f", "title": "tea", "text": "Milk last."},  # a short title
        {"id": "a", "title": "", "text": "In other words."},
    ]
    assert "".join(hit["id"] for hit in without_copies(hits)) == "aef"
