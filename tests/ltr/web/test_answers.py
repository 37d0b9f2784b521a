"""What a search by the page gives: that of ltr.search and ltr.predict, taken apart as by ltr.explain."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest
from support.sample_model import sample_model
from support.served import ALONE, BREAD, QUESTION, answerers, get, served_corpus
from support.topics import write_topics

from ltr import __version__, predict, search
from ltr.data.runs import read_run
from ltr.data.topics import Topic, read_topics
from ltr.sample import SAMPLE
from ltr.searcher import Searcher
from ltr.web.answerer import Answerer, Asked
from ltr.web.app import PARAMETERS
from models.defaults import BLENDS


@pytest.fixture(scope="module")
def answer(address: str) -> dict[str, Any]:
    status, found = get(address, "/api/search", q=QUESTION, k="5")
    assert status == 200
    return found


def test_results_are_those_of_search(answer: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    options = ["-i", str(served_corpus()), "-m", str(sample_model()), "--jobs", "1", "--quiet", "--json", "-"]
    assert search.main([QUESTION, "-n", "5", *options]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(answer["results"]) == len(found["results"]) > 6
    for own, other in zip(answer["results"], found["results"], strict=True):
        assert (own["rank"], own["stance"], own["score"]) == (other["rank"], other["stance"], other["score"])
        assert [{**s, "debate": None} for s in own["sentences"]] == [{**s, "debate": None} for s in other["sentences"]]
    assert answer["expected_relevance"] == found["expected_relevance"]


def test_sides_and_sources(answer: dict[str, Any]) -> None:
    sides = {group["side"]: group["heading"] for group in answer["groups"]}
    assert sides == {"PRO": "For", "CON": "Against", "": "Unclear"}
    assert Counter(result["side"] for result in answer["results"]).keys() <= sides.keys()
    assert 3 <= max(Counter(result["side"] for result in answer["results"]).values()) <= 5
    arguments = [s["argument"] for r in answer["results"] for s in r["sentences"]]
    assert len({*arguments}) >= len(answer["results"]), "an argument once"
    assert {s["debate"] for r in answer["results"] for s in r["sentences"]} >= {QUESTION}
    assert answer["corpus"]
    assert "/" not in answer["corpus"]
    assert answer["model"] == sample_model().name


def test_what_a_person_says_of_a_conclusion_settles_its_debate(address: str, answer: dict[str, Any]) -> None:
    claim = next(one["conclusion"] for result in answer["results"] for one in result["sentences"] if one["conclusion"])

    def sides(**said: str) -> dict[str, str]:
        status, found = get(address, "/api/search", q=QUESTION, k="5", **said)
        assert status == 200
        results = [one for one in found["results"] if {s["conclusion"] for s in one["sentences"]} == {claim}]
        return {one["id"]: one["stance"] for one in results if not one["likely"]}

    agreed, opposed = sides(agree=claim), sides(oppose=claim)
    assert agreed
    turned = {"PRO": "CON", "CON": "PRO"}
    assert {opposed[id_] for id_ in agreed.keys() & opposed.keys()} <= {*turned}
    assert all(opposed[id_] == turned[side] for id_, side in agreed.items() if id_ in opposed and side in turned)


def test_a_person_gives_an_argument_its_side(address: str, answer: dict[str, Any]) -> None:
    own = [
        {one["argument"] for one in result["sentences"]} for result in answer["results"] if result["stance"] == "PRO"
    ]
    (argument,) = next(arguments for arguments in own if len(arguments) == 1)

    def moved(side: str) -> tuple[str, str, bool, str]:
        found = get(address, "/api/search", q=QUESTION, k="20", moved=f"{side}:{argument}")[1]["results"]
        own = next(one for one in found if {s["argument"] for s in one["sentences"]} == {argument})
        return own["stance"], own["side"], own["likely"], own["why"]

    assert moved("CON") == ("CON", "CON", False, "")
    assert moved("NO") == ("NO", "", False, "")
    assert get(address, "/api/search", q=QUESTION, k="5", moved="CON:no-such-argument")[1] == answer


def test_other_weights_are_those_of_blend(address: str) -> None:
    _, found = get(address, "/api/search", q=QUESTION, blend="0,1,0")
    assert found["weights"] == {"relevance": 0, "quality": 1, "coherence": 0, "words": 0.75, "argues": 0.5}, "as it was"
    _, found = get(address, "/api/search", q=QUESTION, blend="readable")
    assert found["weights"] == BLENDS["readable"] | {"words": 0.75, "argues": 0.5}
    _, found = get(address, "/api/search", q=QUESTION, k="100", blend="0,1,0,0,0")
    quality = [result["scores"]["quality"] for result in found["results"] if result["rank"] > 20]
    assert found["weights"] == {"relevance": 0, "quality": 1, "coherence": 0, "words": 0, "argues": 0}
    assert len(quality) > 5
    assert quality == sorted(quality, reverse=True)


def test_the_run_is_that_of_predict(address: str, tmp_path: Path) -> None:
    answerer = answerers()["pairs"]  # nothing is added to what predict ranks for this question
    write_topics(tmp_path / "topics.xml", [Topic("1", ALONE)])
    options = ["-m", str(sample_model()), "--topics", str(tmp_path / "topics.xml"), "--jobs", "1", "--quiet"]
    assert predict.main(["-i", str(served_corpus()), "-o", str(tmp_path), "--second-step-depth", "0", *options]) == 0
    assert answerer.run(Asked(ALONE)) == (tmp_path / "run.txt").read_text()
    assert len(read_run(tmp_path / "run.txt", "pair")) > 100
    with urlopen(f"{address}/api/run?{urlencode({'q': ALONE, 'topic': '53'})}") as response:
        assert response.read().decode() == answerer.run(Asked(ALONE, topic="53"))


def test_topics_have_their_number_in_the_corpus_else_a_word() -> None:
    names = answerers()["pairs"].names
    of_sample = Answerer(Searcher(str(SAMPLE), model=str(sample_model()), task="pairs"), names)
    topics = read_topics(SAMPLE / "topics.xml")
    assert [of_sample.topic_of(topic.title) for topic in topics] == [topic.number for topic in topics]
    assert of_sample.examples == [topic.title for topic in topics][:6]
    assert of_sample.topic_of('Should "A-levels" & zoos be closed?') == "should-a-levels-zoos-be-closed"
    assert of_sample.topic_of("?") == "1"


def test_reasons_add_up(address: str, answer: dict[str, Any]) -> None:
    """What families add, weighted, is the lead over the mean: so differences are those of the weighted scores."""
    _, reasons = get(address, "/api/reasons", q=QUESTION, k="5")
    assert {row["dimension"] for row in reasons["families"]} == {*answer["weights"]}
    assert len({(row["dimension"], row["family"]) for row in reasons["families"]}) == len(reasons["families"])
    leads = []
    for result in answer["results"]:
        values = reasons["units"][result["id"]]
        for name, score in result["scores"].items():
            own = [value for value, row in zip(values, reasons["families"], strict=True) if row["dimension"] == name]
            leads.append((name, sum(own) - score))
    for name in answer["weights"]:
        assert max(lead for own, lead in leads if own == name) == pytest.approx(
            min(lead for own, lead in leads if own == name), abs=0.005
        ), "the same mean for all"


def test_an_argument_has_all_its_sentences(address: str, answer: dict[str, Any]) -> None:
    sentence = answer["results"][0]["sentences"][0]
    _, found = get(address, "/api/argument", id=sentence["argument"], task="pairs")
    assert sentence["text"] in [one["text"] for one in found["sentences"]]
    roles = Counter(one["role"] for one in found["sentences"])
    assert roles[sentence["role"]] == sentence["of"]
    assert found["debate"] == sentence["debate"]


def test_arguments_and_comparative_questions(address: str) -> None:
    _, found = get(address, "/api/search", task="arguments", q=QUESTION, k="3")
    assert list(found["weights"]) == ["relevance", "quality"]
    assert [result["side"] for result in found["results"]].count("PRO") == 3
    assert {sentence["role"] for result in found["results"] for sentence in result["sentences"]} == {"argument"}
    _, found = get(address, "/api/search", task="comparative", q=BREAD)
    groups = {group["side"]: group["heading"] for group in found["groups"]}
    assert groups["FIRST"] == "For bread box"
    assert groups["SECOND"] == "For linen bag"
    assert {"FIRST", "SECOND"} <= {result["side"] for result in found["results"]} <= groups.keys()
    assert list(found["weights"]) == ["relevance", "quality", "source"]


def test_questions_to_start_with() -> None:
    some = answerers()
    assert len(some["pairs"].examples) == 6, "titles of the largest debates: this corpus has no topics"
    assert QUESTION in some["pairs"].examples
    assert len(set(some["comparative"].examples)) == len(some["comparative"].examples) <= 6


def test_nothing_found_is_an_empty_answer(address: str) -> None:
    status, found = get(address, "/api/search", q="xylophone")
    assert (status, found["results"], found["expected_relevance"]) == (200, [], None)
    assert get(address, "/api/reasons", q="xylophone")[1]["units"] == {}
    assert answerers()["pairs"].run(Asked("xylophone")) == ""


def test_answers_have_what_search_writes_and_what_the_page_reads(
    address: str, answer: dict[str, Any], tmp_path: Path
) -> None:
    file = tmp_path / "answer.json"
    options = ["-i", str(served_corpus()), "-m", str(sample_model()), "--jobs", "1", "--quiet", "--json", str(file)]
    assert search.main([QUESTION, "-n", "5", *options]) == 0
    written = json.loads(file.read_text("utf-8"))
    page = {"task", "topic", "unit", "weights", "candidates", "groups", "counts", "words"}
    assert answer.keys() == written.keys() | page
    for own, other in zip(answer["results"], written["results"], strict=True):
        assert own.keys() == other.keys() | {"id", "side"}
        assert [one.keys() for one in own["sentences"]] == [one.keys() for one in other["sentences"]]
    _, found = get(address, "/api/argument", id=answer["results"][0]["sentences"][0]["argument"])
    assert found.keys() == {"id", "stance", "debate", "url", "sentences"}
    assert found["sentences"][0].keys() == {"id", "role", "text"}
    assert get(address, "/api/reasons", q=QUESTION, k="5")[1].keys() == {"question", "families", "units"}
    state = get(address, "/health")[1]
    assert (state.keys(), state["version"]) == ({"status", "version", "tasks"}, __version__)
    assert state["tasks"]["pairs"].keys() == {"arguments", "weights", "corpus", "model", "trained"}
    assert get(address, "/api/search")[1].keys() == {"error"}
    for path in filter(PARAMETERS.get, PARAMETERS):  # others are refused
        wrong = get(address, path, nonsense="1")[1]["error"]
        assert wrong.endswith(f"known are {', '.join(sorted(PARAMETERS[path]))}")
