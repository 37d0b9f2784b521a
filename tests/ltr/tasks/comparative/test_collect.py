"""Whole runs of `riposte collect`: results, what stops one in the middle, and how it goes on."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from support.web import Asked, Reply, Web

from ltr.corpora.source import find_topics, open_corpus
from ltr.errors import InputError
from ltr.tasks.comparative.collect import command as collect

KEY = "2a3d0e6c-6bd6-5ea2-af1d"
TOPICS = """<topics>
<topic><number>1</number><title>Which is better, a bike or a train?</title><objects>bike, train</objects></topic>
<topic><number>2</number><title>Is zyzzyva any good?</title></topic>
<topic><number>3</number><title>What is healthier, tea or coffee?</title></topic>
</topics>"""
STOCK = ["bikes and a train", "the train is late", "bicycle lanes", "tea is hot", "green tea or coffee", "coffee beans"]


class ChatNoirTwin:
    """Finds the documents that hold a word of the query, most words first; who has no key is refused."""

    def __init__(self) -> None:
        self.left = 1_000_000
        """Requests until the `end`."""
        self.end = Reply()

    def __call__(self, asked: Asked) -> Reply:
        if asked.headers.get("authorization") != f"Bearer {KEY}":
            return Reply({"code": 401, "error": "auth", "message": f"no: {asked.headers.get('authorization')}"}, 401)
        if not self.left:
            return self.end
        self.left -= 1
        words = {word for word in asked.json["query"].lower().replace(",", "").split() if len(word) > 2}
        found = sorted((-len(words & set(text.split())), n) for n, text in enumerate(STOCK))
        results = [self.result(n, -shared) for shared, n in found if shared]
        start = asked.json["from"]
        return Reply({"meta": {"total_results": len(results)}, "results": results[start : start + asked.json["size"]]})

    @staticmethod
    def result(number: int, score: float) -> dict[str, Any]:
        text = STOCK[number].replace("tea", "<em>tea</em>")
        return {
            "uuid": str(UUID(int=number)),
            "trec_id": f"d{number}",
            "score": score,
            "title": "",
            "snippet": f"{text}&#x2F;",
            "target_hostname": "example.org",
            "page_rank": 1e-9,
            "spam_rank": 75,
        }


class Place:
    """A server, topics, and where things go."""

    def __init__(self, folder: Path, web: Web) -> None:
        self.web, self.twin = web, ChatNoirTwin()
        web.answer = self.twin
        self.out, self.cache, self.key = folder / "results.jsonl", folder / "cache", folder / "key.txt"
        self.topics = folder / "topics.xml"
        self.topics.write_text(TOPICS)
        self.key.write_text(f"{KEY}\n")

    def options(self, *more: object, key: bool = True) -> list[str]:
        options = ["--topics", self.topics, "-o", self.out, "--cache", self.cache]
        options += ["--address", self.web.address, *(["--key-file", self.key] if key else []), *more]
        return list(map(str, options))

    def run(self, *more: object, **how: Any) -> list[dict[str, Any]]:
        assert collect.main(self.options(*more, **how)) == 0
        return [json.loads(line) for line in self.out.read_text("utf-8").splitlines()]

    def complaint(self, *more: object, **how: Any) -> str:
        before = self.out.read_bytes() if self.out.exists() else None
        with pytest.raises(InputError) as caught:
            collect.main(self.options(*more, **how))
        assert (self.out.read_bytes() if self.out.exists() else None) == before
        assert not list(self.out.parent.rglob(".*.part"))
        line = str(caught.value)
        assert "\n" not in line
        assert "; " in line
        return line


@pytest.fixture
def place(tmp_path: Path, web: Web) -> Place:
    return Place(tmp_path, web)


def ids(rows: list[dict[str, Any]], topic: str) -> list[str]:
    assert [row["rank"] for row in rows if row["topic"] == topic] == list(
        range(1, 1 + sum(row["topic"] == topic for row in rows))
    )
    return [row["id"] for row in rows if row["topic"] == topic]


# ---- results --------------------------------------------------------------------------------------


def test_result_lists(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    rows = place.run()
    out, err = capsys.readouterr()
    assert out == f"{place.out}: 5 results for 2 of 3 topics\n"
    assert "warning: topic 2 (Is zyzzyva any good?): no hits from chatnoir; it is left out\n" in err
    assert f"3 requests sent; answers are cached in {place.cache}\n" in err
    assert ids(rows, "1") == ["d0", "d1"]  # train
    assert ids(rows, "3") == ["d4", "d3", "d5"]  # tea and coffee, tea, coffee
    assert rows[2] == {
        "topic": "3",
        "query": "What is healthier, tea or coffee?",
        "rank": 1,
        "id": "d4",
        "uuid": str(UUID(int=4)),
        "text": "green tea or coffee/",
        "host": "example.org",
        "page_rank": 1e-9,
        "spam_rank": 75,
        "score": 2,
        "source": "chatnoir",
    }


def test_result_lists_are_a_corpus(place: Place) -> None:
    rows = place.run()
    corpus = open_corpus(str(place.out))
    first, *others = corpus
    assert (first.id, first.sentences[0].text, first.url) == ("1|d0", "bikes and a train/", "example.org")
    assert len(others) == len(rows) - 1
    place.topics.unlink()
    assert [topic.title for topic in find_topics(corpus)] == [
        "Which is better, a bike or a train?",
        "What is healthier, tea or coffee?",
    ]


def test_a_finished_run_needs_neither_network_nor_key(place: Place) -> None:
    place.run()
    first, sent = place.out.read_bytes(), len(place.web.asked)
    place.web.answer = lambda _: Reply("", 500)
    place.out.unlink()
    place.run("--budget", 0, key=False)
    assert place.out.read_bytes() == first
    assert len(place.web.asked) == sent


@pytest.mark.parametrize(
    "shown", [f"{KEY[:9]}<em>{KEY[9:]}</em>", f"&#{ord(KEY[0])};{KEY[1:]}", KEY.upper()], ids=["tag", "entity", "upper"]
)
def test_the_key_is_not_in_the_results(place: Place, shown: str) -> None:
    """However the server that got it writes it."""
    result = ChatNoirTwin.result(3, 1) | {"title": f"for {shown}", "snippet": f"key {shown}."}
    place.web.answer = lambda _: Reply({"results": [result]})
    place.run()
    assert KEY not in place.out.read_text().lower()
    assert "key [key]." in place.out.read_text()


# ---- stopped in the middle ------------------------------------------------------------------------


def everything(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != "key.txt")


QUOTA = Reply({"error": {"code": 429, "message": f"{KEY} has no more"}}, 429, {"Retry-After": "86400"})
EXPIRED = Reply({"code": 401, "error": "auth", "message": f"{KEY} has expired"}, 401)
ENDS: dict[str, tuple[Reply | None, str]] = {
    "quota": (QUOTA, "the quota is used up (HTTP 429, [key] has no more), until 86,400 seconds from now; run the"),
    "expired": (EXPIRED, "the key is refused (HTTP 401, [key] has expired); it may have expired: get a new one"),
    "budget": (None, "the budget of 2 requests is used up; run the"),
}


@pytest.mark.parametrize("why", ENDS)
def test_the_same_command_goes_on(place: Place, why: str, capsys: pytest.CaptureFixture[str]) -> None:
    place.run()
    whole = place.out.read_bytes()
    place.out.write_text("old\n")
    shutil.rmtree(place.cache)
    end, said = ENDS[why]
    if end is not None:
        place.twin.left, place.twin.end = 2, end
    line = place.complaint(*([] if end else ["--budget", 2]))
    assert line.startswith(f"chatnoir: {said}")
    assert line.endswith(f"run the same command again to resume; answers are cached in {place.cache}")
    assert place.out.read_text() == "old\n"
    place.web.asked.clear()
    place.twin.left = 1
    place.run()
    assert len(place.web.asked) == 1, "only the third topic is asked for again"
    assert place.out.read_bytes() == whole
    assert KEY not in line + "".join(capsys.readouterr())
    assert KEY.encode() not in everything(place.out.parent)


# ---- bad input ------------------------------------------------------------------------------------


REFUSED: list[tuple[Callable[[Place], list[object]], str]] = [
    (lambda p: ["-o", p.out.with_suffix(".json")], " is not a .jsonl file; name one"),
    (lambda p: ["--key-file", p.topics], "topics.xml: is not a key: one word of letters"),
    (
        lambda p: ["--address", "http://chatnoir.example"],
        "the key would be sent unencrypted to chatnoir.example; name an",
    ),
    (lambda p: ["--address", "nowhere"], "chatnoir: 'nowhere' is not the address of a server; name"),
    (lambda p: ["--cache", p.key], "key.txt: the cache cannot be written (file exists); name another directory"),
]


@pytest.mark.parametrize(("change", "said"), REFUSED, ids=[said for _, said in REFUSED])
def test_what_is_refused(place: Place, change: Callable[[Place], list[object]], said: str) -> None:
    line = place.complaint(*change(place))
    assert said in line
    assert KEY not in line
    assert not place.web.asked, "before anything is asked"


def test_without_a_key(place: Place) -> None:
    line = place.complaint(key=False)
    assert line.startswith("chatnoir: it needs a key (HTTP 401, no: None); put it into a file for --key-file, or into")
