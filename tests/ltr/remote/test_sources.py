"""args.me and TARGER: what they are asked, and what is made of their answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.web import Reply, Web, settings

from ltr.corpora.source import open_corpus
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.remote.client import Client
from ltr.remote.collector import args_json
from ltr.remote.sources import ArgsMe, Targer


@pytest.fixture
def client(web: Web, tmp_path: Path) -> Iterator[Client]:
    with Client("source", f"{web.address}/api", settings(tmp_path / "cache")) as client:
        yield client


def complaint(act: Any, *given: object) -> str:
    with pytest.raises(InputError) as caught:
        act(*given)
    line = str(caught.value)
    assert line.startswith("source: the interface has changed: ")
    return line.removeprefix("source: the interface has changed: ").partition(";")[0]


# ---- args.me --------------------------------------------------------------------------------------

ARGUMENT: dict[str, Any] = {
    "id": "S1-A1",
    "conclusion": "Ban &quot;cars&quot;",
    "premises": [{"text": "Cars smell.\nThey are loud.", "stance": "CON", "annotations": [{"x": 1}]}],
    "context": {"sourceTitle": "Page", "sourceUrl": "https://example.org", "topic": None, "sourceText": "long"},
    "summary": "s",
    "explanation": {"score": 3},
    "stance": "PRO",
}


def test_arguments_make_a_corpus(client: Client, web: Web, tmp_path: Path) -> None:
    second = {"id": "S1-A2", "conclusion": None, "premises": [{"text": "x \ud800"}], "stance": "PRO"}
    empty = {"id": "S1-A3", "conclusion": "c", "premises": []}
    web.replies = [Reply({"query": {}, "arguments": [ARGUMENT, second, empty], "totalSize": 3})]
    hits = ArgsMe(client).search("ban cars?", 20)
    (asked,) = web.asked
    assert (asked.method, asked.path) == ("GET", "/api/api/v2/arguments")
    assert asked.query == {"query": "ban cars?", "pageSize": "20", "format": "json"}
    assert asked.headers["accept"] == "application/json"
    assert [hit.key for hit in hits] == ["S1-A1", "S1-A2"]
    topics = [Topic("1", "a"), Topic("2", "b")]
    (tmp_path / "args-me.json").write_text("".join(args_json(topics, {"1": hits, "2": hits[:1]})), "utf-8")
    first, other = open_corpus(str(tmp_path / "args-me.json"))
    assert (first.id, first.conclusion, first.stance, first.title) == ("S1-A1", 'Ban "cars"', "CON", "Page")
    assert [one.text for one in first.sentences] == ["Cars smell.", "They are loud.", 'Ban "cars"']
    assert (other.id, other.stance, [one.text for one in other.sentences]) == ("S1-A2", "PRO", ["x \ufffd"])


def test_no_more_arguments_than_asked_for(client: Client, web: Web) -> None:
    web.replies = [Reply({"arguments": [ARGUMENT | {"id": f"S{n}"} for n in range(9)]})]
    assert len(ArgsMe(client).search("cars", 4)) == 4


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"id": None}, "'id' of argument 1 is missing"),
        ({"id": "a b"}, "'id' of argument 1 is not one word"),
        ({"id": "S1\u00ad-A1"}, "'id' of argument 1 is not one word"),  # no corpus may have it
        ({"premises": None}, "'premises' of argument 1 is missing"),
        ({"premises": ["text"]}, "'premises' 1 of argument 1 is not an object"),
        ({"context": "Page"}, "'context' of argument 1 is not an object"),
        ({"conclusion": ["c"]}, "'conclusion' of argument 1 is not a text"),
    ],
)
def test_arguments_of_another_form(client: Client, web: Web, changed: dict[str, Any], said: str) -> None:
    web.replies = [Reply({"arguments": [ARGUMENT | changed]})]
    assert complaint(ArgsMe(client).search, "cars", 4) == said


# ---- TARGER ---------------------------------------------------------------------------------------


def word(label: object, **more: object) -> dict[str, object]:
    return {"token": "w", "label": label, **more}


def test_shares_of_claims_and_premises(client: Client, web: Web) -> None:
    first = [word("C-B", prob="0.9"), word("C-I"), word("O", prob=0.5)]
    second = [word("MP-B"), word("P-I"), word("O"), word("MC-I"), word("O")]
    web.replies = [Reply([first, second])]
    targer = Targer(client)
    assert targer.describe("Tea, höt.") == {"claim_share": 0.375, "premise_share": 0.25}  # 3 and 2 of 8 words
    (asked,) = web.asked
    assert (asked.method, asked.path, asked.body) == ("POST", "/api", "Tea, höt.")
    assert asked.headers["content-type"] == "text/plain"
    assert targer.describe("Tea, höt.")["claim_share"] == 0.375
    assert targer.describe(" ") == {"claim_share": 0.0, "premise_share": 0.0}
    assert len(web.asked) == 1


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({}, "the answer is not a list"),
        ([{}], "sentence 1 is not a list of tagged words"),
        ([[], ["w"]], "sentence 2 is not a list of tagged words"),
        ([[{"token": "w"}]], "'label' of a word of sentence 1 is missing"),
        ([[word(3)]], "'label' of a word of sentence 1 is not a text"),
    ],
)
def test_tags_of_another_form(client: Client, web: Web, answer: object, said: str) -> None:
    web.replies = [Reply(answer)]
    assert complaint(Targer(client).describe, "tea") == said


def test_json_of_no_arguments_is_whole() -> None:
    assert json.loads("".join(args_json([], {}))) == {"arguments": []}
