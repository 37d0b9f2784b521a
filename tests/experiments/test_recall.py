"""Recall of good pairs by the candidates."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from support.corpora import build, write_corpus

from experiments import recall
from experiments.recall import find_pairs, good_pairs, main, measure
from ltr.data.qrels import read_qrels, write_qrels
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.retrieval.base import CandidateConfig

SAMPLE = Path(recall.__file__).parents[1] / "ltr" / "sample"


def test_pairs_that_are_good_in_every_dimension() -> None:
    pairs = {
        "relevance": {"1": {"b,a": 2.0, "c,d": 1.5, "e,f": 1.0}, "2": {"a,b": 2.0}},
        "quality": {"1": {"a,b": 1.5, "c,d": 1.0, "e,f": 2.0}},
    }
    found = good_pairs(pairs)
    assert found["relevance"] == {"1": {"a,b", "c,d"}, "2": {"a,b"}}
    assert found["quality"] == {"1": {"a,b", "e,f"}}
    assert found["all"] == {"1": {"a,b"}}
    assert "all" not in good_pairs({"quality": pairs["quality"]})


def test_recall_by_hand(tmp_path: Path) -> None:
    cars, zoos = "S1-A1", "S1-A2"
    premises = {cars: ["Cars pollute the city.", "Cars are loud."], zoos: ["Zoos keep animals.", "Zoos are prisons."]}
    rows = [(name, title, "PRO", premises[name]) for name, title in ((cars, "Ban all cars"), (zoos, "Close all zoos"))]
    index = build(write_corpus(tmp_path / "corpus", rows), tmp_path / "index")
    topics = [Topic("1", "Should cars be banned?"), Topic("2", "Are zoos prisons?")]
    # Topic 1 cannot reach the argument about zoos, which somebody judged as relevant all the same; nor its pair.
    judged = {"1": {cars: 1.0, zoos: 1.0, "S9-A9": 2.0}, "2": {zoos: 2.0, cars: 0.0}}
    pair = {name: f"{name}__PREMISE__1,{name}__PREMISE__2" for name in (cars, zoos, "S9-A9")}
    graded = {"quality": {"1": {pair[cars]: 2.0, pair[zoos]: 2.0, pair["S9-A9"]: 2.0}, "2": {pair[zoos]: 1.5}}}
    good = find_pairs(index, good_pairs(graded))
    assert good["quality"].absent == 1
    best = CandidateConfig(min_pairs=0)  # short lists are not filled up with what does not match
    figures = measure(index, topics, judged, good, best)
    assert {name: figures[name] for name in ("pool", "arguments", "quality")} == pytest.approx(
        {"pool": 2 / 3, "arguments": 2 / 3, "quality": 2 / 3}
    )
    assert figures["pairs"] >= 1
    nothing = replace(best, argument_depth=0, sentence_depth=0, conclusion_depth=0)
    assert measure(index, topics, judged, good, nothing)["quality"] == 0


def test_what_the_corpus_lacks_is_counted_and_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    qrels = read_qrels(SAMPLE / "qrels-train-pairs-quality.qrels")
    topic = next(iter(qrels))
    pair = next(pair for pair, grade in qrels[topic].items() if grade == 2)
    write_qrels(tmp_path / "q.qrels", {topic: {pair: 2.0, "S0-A0__PREMISE__1,S0-A0__PREMISE__2": 2.0}})
    given = ["-i", str(SAMPLE), "--topics", str(SAMPLE / "topics-train.xml"), "--index", str(tmp_path / "index")]
    assert main([*given, "--pair-qrels", f"quality={tmp_path / 'q.qrels'}", "--default-only"]) == 0
    said = capsys.readouterr()
    assert "quality+: 1 pairs are left out, the corpus lacks a sentence of theirs" in said.err
    head, line = said.out.splitlines()
    assert head.split() == ["analysis", "setting", "quality+", "pairs", "ms"]
    assert line.split()[3] in ("1.000", "0.000"), "of one pair"
    assert main([*given, "--qrels", str(SAMPLE / "qrels-train-relevance.qrels"), "--default-only", "--quiet"]) == 0
    assert capsys.readouterr().out.split()[2:4] == ["pool", "arguments"]


def test_something_has_to_be_judged() -> None:
    with pytest.raises(InputError, match="nothing is judged; add --qrels FILE or --pair-qrels DIMENSION=FILE"):
        main(["-i", "x", "--topics", "y"])
