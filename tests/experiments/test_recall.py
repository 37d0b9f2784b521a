"""Recall of good units by the candidates."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from support.corpora import build, write_corpus

from experiments import recall
from experiments.recall import good_units, main, measure, variants
from ltr.data.qrels import read_qrels, write_qrels
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.index.reader import Index
from ltr.retrieval.base import CandidateConfig
from ltr.tasks import find_task

SAMPLE = Path(recall.__file__).parents[1] / "ltr" / "sample"


PAIRS, ARGUMENTS = find_task("pairs"), find_task("arguments")
CARS, ZOOS, GONE = "S1-A1", "S1-A2", "S9-A9"
PAIR = {name: f"{name}__PREMISE__1,{name}__PREMISE__2" for name in (CARS, ZOOS, GONE)}
TOPICS = [Topic("1", "Should cars be banned?"), Topic("2", "Are zoos prisons?")]
BEST = CandidateConfig(min_pairs=0)  # short lists are not filled up with what does not match


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    place = tmp_path_factory.mktemp("recall")
    premises = {CARS: ["Cars pollute the city.", "Cars are loud."], ZOOS: ["Zoos keep animals.", "Zoos are prisons."]}
    rows = [(name, title, "PRO", premises[name]) for name, title in ((CARS, "Ban all cars"), (ZOOS, "Close all zoos"))]
    return build(write_corpus(place / "corpus", rows), place / "index")


def test_units_that_are_good_in_every_dimension(index: Index) -> None:
    first, second = PAIR[CARS].split(",")
    graded = {
        "relevance": {"1": {PAIR[CARS]: 1.5, PAIR[ZOOS]: 1.0}, "2": {PAIR[ZOOS]: 2.0}},
        "quality": {"1": {f"{second},{first}": 2.0, PAIR[ZOOS]: 2.0, PAIR[GONE]: 2.0}},
    }
    good, absent = good_units(PAIRS, index, graded)
    cars, zoos = (frozenset(index.find_sentences(PAIR[name].split(",")).values()) for name in (CARS, ZOOS))
    assert good["relevance"] == {"1": {cars}, "2": {zoos}}
    assert good["quality"] == {"1": {cars, zoos}}
    assert good["all"] == {"1": {cars}}
    assert absent == {"relevance": 0, "quality": 1}
    assert "all" not in good_units(PAIRS, index, {"quality": graded["quality"]})[0]


def test_recall_by_hand(index: Index) -> None:
    # Topic 1 cannot reach the argument about zoos, which somebody found good all the same; nor its pair.
    graded = {"quality": {"1": {PAIR[CARS]: 2.0, PAIR[ZOOS]: 2.0}, "2": {PAIR[ZOOS]: 1.5}}}
    good, _ = good_units(PAIRS, index, graded)
    figures = measure(PAIRS, index, TOPICS, good, BEST)
    assert figures["quality"] == pytest.approx(2 / 3)
    assert figures["units"] >= 1
    nothing = replace(BEST, argument_depth=0, sentence_depth=0, conclusion_depth=0)
    assert measure(PAIRS, index, TOPICS, good, nothing)["quality"] == 0
    judged = {"relevance": {"1": {CARS: 2.0, ZOOS: 2.0, GONE: 2.0}, "2": {ZOOS: 2.0, CARS: 0.0}}}
    good, absent = good_units(ARGUMENTS, index, judged)
    assert absent == {"relevance": 1}
    assert measure(ARGUMENTS, index, TOPICS, good, BEST) | {"ms": 0} == pytest.approx(
        {"relevance": 2 / 3, "units": 1, "ms": 0}
    )


def test_one_width_is_changed_at_a_time() -> None:
    found = variants(BEST)
    assert (found["arguments=60"], found["pairs=6000"]) == (replace(BEST, arguments=60), replace(BEST, pairs=6000))
    assert len(found) == 13


def test_what_the_corpus_lacks_is_counted_and_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    qrels = read_qrels(SAMPLE / "qrels-train-pairs-quality.qrels")
    topic = next(iter(qrels))
    pair = next(pair for pair, grade in qrels[topic].items() if grade == 2)
    write_qrels(tmp_path / "q.qrels", {topic: {pair: 2.0, PAIR[GONE]: 2.0}})
    given = ["-i", str(SAMPLE), "--topics", str(SAMPLE / "topics-train.xml"), "--index", str(tmp_path / "index")]
    out = tmp_path / "recall.json"
    assert main([*given, "--pair-qrels", f"quality={tmp_path / 'q.qrels'}", "--json", str(out)]) == 0
    said = capsys.readouterr()
    assert "quality: 1 graded pairs are left out, the corpus lacks them" in said.err
    head, line, *_ = said.out.splitlines()
    assert head.split() == ["quality+", "pairs", "ms"]
    assert line.split()[:2] in (["default", "1.000"], ["default", "0.000"]), "of one pair"
    assert set(json.loads(out.read_text())["default"]) == {"quality", "units", "ms"}


def test_something_has_to_be_judged() -> None:
    with pytest.raises(InputError, match="figures of pairs need graded pairs; add --pair-qrels relevance=FILE or"):
        main(["-i", str(SAMPLE), "--topics", str(SAMPLE / "topics-train.xml")])
