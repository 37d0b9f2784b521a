"""ChatNoir's interface, as old and as newer servers have it."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

import pytest
from support.web import Asked, Reply, Web, settings

from ltr.errors import InputError
from ltr.remote.client import Client
from ltr.remote.sources import ChatNoir, canonical_uuid

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


@pytest.fixture
def engine(web: Web, tmp_path: Path) -> Iterator[ChatNoir]:
    with Client("chatnoir", web.address, settings(tmp_path), key="k", key_hint="name one") as client:
        yield ChatNoir(client)


def test_what_is_asked_and_what_comes_back(engine: ChatNoir, web: Web) -> None:
    web.replies = [page(RESULT)]
    (hit,) = engine.search("tea or coffee", 10)
    (asked,) = web.asked
    assert (asked.method, asked.path, asked.query) == ("POST", "/api/v1/_search", {})
    assert asked.headers["content-type"] == "application/json"
    assert asked.headers["authorization"] == "Bearer k"
    assert asked.json == {"query": "tea or coffee", "index": ["cw12"], "from": 0, "size": 10}
    assert hit.fields == {
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
    assert (hit.key, hit.title, hit.text) == (TREC, "Tea & coffee", "Tea is 3/4 water…")


def test_both_forms_of_an_id_are_one(engine: ChatNoir, web: Web) -> None:
    newer = RESULT | {"uuid": NEW, "warc_id": "x", "cache_uri": "y", "crawl_date": "2012", "lang": "en"}
    del newer["trec_id"]
    web.replies = [page(newer)]
    (hit,) = engine.search("tea", 10)
    assert len(NEW) == 22
    assert (hit.key, hit.fields["id"], hit.fields["uuid"], hit.handle) == (OLD, OLD, OLD, NEW)


def test_an_id_of_another_form_stays() -> None:
    assert canonical_uuid(OLD.upper()) == OLD
    assert canonical_uuid("no-id") == "no-id"
    assert canonical_uuid("22 characters, no id!!") == "22 characters, no id!!"


def test_pages_are_asked_for_until_there_are_enough(engine: ChatNoir, web: Web) -> None:
    """A server that gives no more than 60 at a time."""
    stock = [RESULT | {"uuid": str(UUID(int=n)), "trec_id": f"d{n}"} for n in range(500)]

    def answer(asked: Asked) -> Reply:
        start = asked.json["from"]
        return page(*stock[start : start + min(asked.json["size"], 60)], total=500)

    web.answer = answer
    assert [hit.fields["id"] for hit in engine.search("tea", 150)] == [f"d{n}" for n in range(150)]
    assert [(asked.json["from"], asked.json["size"]) for asked in web.asked] == [(0, 100), (60, 90), (120, 30)]


def test_pages_end_where_nothing_new_comes(engine: ChatNoir, web: Web) -> None:
    web.answer = lambda _: page(RESULT, total=10_000)
    assert len(engine.search("tea", 300)) == 1
    assert len(web.asked) == 2


@pytest.mark.parametrize(
    ("title", "query"),
    [
        ('Is "e-mail" -or- AND site:x better?', "Is e-mail or- and site x better"),
        ("C++ vs C#: (which) is/was best*", "C++ vs C# which is was best"),
    ],
)
def test_a_question_holds_no_operators(engine: ChatNoir, web: Web, title: str, query: str) -> None:
    web.replies = [page(RESULT)]
    engine.search(title, 10)
    assert web.asked[0].json["query"] == query


def test_nothing_is_asked_without_a_word(engine: ChatNoir, web: Web) -> None:
    assert engine.search('"?"', 10) == []
    assert not web.asked


def without(*names: str) -> dict[str, Any]:
    return {name: value for name, value in RESULT.items() if name not in names}


def test_what_may_be_missing(engine: ChatNoir, web: Web) -> None:
    bare = {"uuid": NEW, "snippet": None, "title": "Tea", "page_rank": None, "trec_id": None}
    nothing = {"trec_id": "d1", "snippet": " <em></em> ", "title": ""}
    web.replies = [Reply({"results": [bare, nothing, {"trec_id": "d2", "snippet": "x"}]}), Reply({"results": []})]
    first, second = engine.search("tea", 10)
    assert first.fields == {"id": OLD, "uuid": OLD, "title": "Tea", "text": "Tea", "source": "chatnoir"}
    assert second.fields == {"id": "d2", "text": "x", "source": "chatnoir"}


CHANGED = [
    ({"hits": []}, "'results' of the answer is missing"),
    ({"results": {}}, "'results' of the answer is not a list"),
    ({"results": [1]}, "'results' 1 of the answer is not an object"),
    ({"results": [RESULT], "meta": 3}, "'meta' of the answer is not an object"),
    ({"results": [RESULT, without("uuid", "trec_id")]}, "result 2 has neither 'trec_id' nor 'uuid'"),
    ({"results": [RESULT | {"trec_id": "two words"}]}, "result 1 has neither 'trec_id' nor 'uuid'"),
    ({"results": [RESULT | {"trec_id": "clue\ue000web"}]}, "result 1 has neither 'trec_id' nor 'uuid'"),
    ({"results": [RESULT | {"uuid": "half a \ud800"}]}, "result 1 has neither 'trec_id' nor 'uuid'"),
    ({"results": [RESULT | {"trec_id": 7}]}, "'trec_id' of result 1 is not a text"),
    ({"results": [without("title", "snippet")]}, "result 1 has neither 'title' nor 'snippet'"),
    ({"results": [RESULT | {"page_rank": "high"}]}, "'page_rank' of result 1 is not a number"),
    ({"results": [RESULT | {"snippet": ["a"]}]}, "'snippet' of result 1 is not a text"),
]


@pytest.mark.parametrize(("answer", "said"), CHANGED)
def test_another_interface_is_said_and_not_kept(
    engine: ChatNoir, web: Web, tmp_path: Path, answer: object, said: str
) -> None:
    web.answer = lambda _: Reply(answer)
    with pytest.raises(InputError) as caught:
        engine.search("tea", 10)
    assert str(caught.value).startswith(f"chatnoir: the interface has changed: {said}; check that http://127")
    assert len(web.asked) == 1
    assert not list(tmp_path.iterdir())


def test_whole_documents(engine: ChatNoir, web: Web) -> None:
    old, new, gone = RESULT, RESULT | {"uuid": NEW, "index": "cc"}, {"trec_id": "d1", "snippet": "x", "title": "y"}
    web.replies = [page(old), page(new), page(gone)]
    hits = [engine.search(query, 1)[0] for query in ("a", "b", "c")]
    web.replies = [
        Reply("<h1>Tea</h1><p>hot &amp; wet</p>"),
        Reply("T<script>x</script>ea"),
        Reply("no such page", 404),
    ]
    found = [engine.whole(hit) for hit in hits]
    assert [asked.query for asked in web.asked[3:]] == [
        {"uuid": OLD, "index": "cw12", "raw": "", "plain": ""},
        {"uuid": NEW, "index": "cc", "raw": "", "plain": ""},
        {"trec-id": "d1", "index": "cw12", "raw": "", "plain": ""},
    ]
    assert {asked.path for asked in web.asked[3:]} == {"/cache"}
    assert not any("authorization" in asked.headers for asked in web.asked[3:])
    assert [hit.fields["text"] for hit in found] == ["Tea\n\nhot & wet", "T ea", "x"]
    assert [hit.text for hit in found] == ["Tea\n\nhot & wet", "T ea", "x"]
    assert [engine.whole(hit) for hit in hits] == found
    assert len(web.asked) == 6, "what is gone is not asked for again either"
