"""Recall of good pairs by the candidates."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments import recall
from experiments.recall import good_pairs, main
from ltr.data.qrels import read_qrels, write_qrels
from ltr.errors import InputError

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
