"""The second view, whole arguments: what is compared, and that learning helps on the sample."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from experiments import effectiveness
from experiments.effectiveness import adjust, compare, find_sets, main, table
from ltr.data.runs import RunRow
from ltr.errors import InputError
from ltr.progress import Progress

SAMPLE = Path(effectiveness.__file__).parents[1] / "ltr" / "sample"
BASELINES = ["bm25", "bm25-tuned", "dirichlet", "length", "random"]


def run(**orders: str) -> list[RunRow]:
    """Topic -> arguments in order, each as one pair."""
    return [
        RunRow(topic, "Q0", f"S1-A{name}__PREMISE__1,S1-A{name}__PREMISE__2", rank, 10.0 - rank, "x")
        for topic, order in orders.items()
        for rank, name in enumerate(order, 1)
    ]


def test_differences_are_from_dirichlet_topic_by_topic() -> None:
    qrels = {"t1": {"S1-Aa": 2.0, "S1-Ab": 0.0}, "t2": {"S1-Aa": 1.0}}
    runs = {"dirichlet": run(t1="ba", t2="cba"), "other": run(t1="ab", t2="abc")}
    results = compare("set", runs, qrels, {})
    base, other = results
    # t1: 1/log2(3), then 1. t2: the good one third, 1/log2(4), full; condensed it is alone.
    third = 0.6309297535714574
    assert base["full"]["mean"] == pytest.approx((third + 0.5) / 2)
    assert base["condensed"]["mean"] == pytest.approx((third + 1) / 2)
    assert other["full"]["mean"] == other["condensed"]["mean"] == 1
    assert "test" not in base["full"]
    assert other["full"]["test"]["mean"] == pytest.approx(1 - (third + 0.5) / 2)
    assert other["condensed"]["test"]["mean"] == pytest.approx((1 - third) / 2)
    # Two topics: of four patterns of signs two are as far from 0; with one that differs, all are.
    assert [other[name]["test"]["p"] for name in ("full", "condensed")] == [0.5, 1.0]
    adjust(results)
    assert [other[name]["test"]["p_holm"] for name in ("full", "condensed")] == [1.0, 1.0]
    assert len(table(results).splitlines()) == 3 + 2


def corpus(place: Path) -> Path:
    """The sample with its judged topics as a set."""
    place.mkdir()
    shutil.copy(SAMPLE / "args_processed_sample.csv", place / "args_processed_sample.csv")
    shutil.copy(SAMPLE / "topics-train.xml", place / "topics-sample.xml")
    for name in ("relevance", "quality", "pairs-relevance"):
        shutil.copy(SAMPLE / f"qrels-train-{name}.qrels", place / f"qrels-sample-{name}.qrels")
    return place


def test_sets_are_of_arguments_that_the_model_did_not_see(tmp_path: Path) -> None:
    from ltr.data.files import sha256

    place = corpus(tmp_path / "x")
    (one,) = find_sets(place, set(), Progress(quiet=True))
    assert (one.name, list(one.qrels)) == ("sample", ["relevance", "quality"])
    with pytest.raises(InputError, match="there is no test set"):
        find_sets(place, {sha256(place / "topics-sample.xml")}, Progress(quiet=True))
    with pytest.raises(InputError, match="there is no test set"):
        find_sets(place, set(), Progress(quiet=True), ["other"])


def test_what_is_learned_from_other_topics_shows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place, out = corpus(tmp_path / "x"), tmp_path / "figures.json"
    few = ["--trees", "60", "--averaged", "1", "--columns", "0", "--folds", "3", "--jobs", "1", "--quiet"]
    argv = ["-i", str(place), "--index", str(tmp_path / "index"), "--cross-validate", *few, "--json", str(out)]
    assert main(argv) == 0
    results: list[dict[str, Any]] = json.loads(out.read_text())
    assert capsys.readouterr().out == table(results) + "\n"
    assert [row["ranker"] for row in results] == 2 * [*BASELINES, "relevance", "quality", "blend"]
    assert {row["set"] for row in results} == {"sample relevance", "sample quality"}
    for name in ("relevance", "quality"):
        figures = {row["ranker"]: row["condensed"]["mean"] for row in results if row["set"] == f"sample {name}"}
        # The figures are held out; the lexical orders look at no judgment at all.
        assert figures[name] > max(figures[one] for one in ("bm25", "bm25-tuned", "dirichlet"))
    tests = [row[short]["test"] for row in results for short in ("full", "condensed") if "test" in row[short]]
    assert len(tests) == 2 * 2 * 7
    assert all(test["p"] <= test["p_holm"] <= 1 for test in tests)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["-m", "model", "--cross-validate"], "cross-validation trains rankers of its own"),
        (["--pair-qrels", "quality=x"], "--pair-qrels is to train with; add --cross-validate"),
        (["--folds", "1"], "not a whole number from 2"),
    ],
)
def test_mistakes_are_one_line(tmp_path: Path, more: list[str], said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        main(["-i", str(tmp_path), *more])
    assert "\n" not in str(caught.value)
