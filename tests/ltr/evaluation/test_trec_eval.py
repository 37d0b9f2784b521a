"""What we write, trec_eval reads as we meant it: pytrec_eval is trec_eval's own C code."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from pathlib import Path

import ir_measures
import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import nDCG
from support.ranked import evaluate_run
from support.sample_model import sample_index, sample_model
from support.tables import plain_matrix

from ltr.commands import predict
from ltr.data.ids import argument_of
from ltr.data.qrels import Qrels, read_qrels, write_qrels
from ltr.data.runs import STEP, RunRow, read_run, write_run
from ltr.evaluation.measures import standard_measures
from ltr.evaluation.rankings import rankings
from ltr.ranking.final_list import ListOptions, make_run
from ltr.sample import SAMPLE
from ltr.tasks.base import find_task

Run = dict[str, dict[str, float]]


def by_trec_eval(path: Path) -> Run:
    with path.open(encoding="utf-8") as lines:
        return pytrec_eval.parse_run(lines)  # type: ignore[no-any-return]


def order_of(run: Run, topic: str) -> list[str]:
    """The order in which trec_eval sees a topic: the reciprocal rank of each document, were it the relevant one."""
    places = {}
    for name in run[topic]:
        found = pytrec_eval.RelevanceEvaluator({topic: {name: 1}}, {"recip_rank"}).evaluate({topic: run[topic]})
        places[name] = round(1 / found[topic]["recip_rank"])
    assert sorted(places.values()) == list(range(1, len(places) + 1))
    return sorted(places, key=places.__getitem__)


def pairs(number: int) -> list[tuple[str, str]]:
    return [(f"S1-A{n}__PREMISE__1", f"S1-A{n}__PREMISE__2") for n in range(number)]


def written(folder: Path, scores: list[float], diversify: float = 0.0) -> tuple[Path, list[str]]:
    """A run of one topic as ``ltr.predict`` makes it, and its pairs in our order."""
    matrix = plain_matrix({"1": pairs(len(scores))})
    rows = make_run(find_task("pairs"), matrix, np.array(scores), ListOptions(diversify=diversify))
    write_run(folder / "run.txt", rows)
    return folder / "run.txt", [row.pair for row in rows]


# ---- runs -----------------------------------------------------------------------------------------


@cache
def sample_run() -> Path:
    out = sample_index().parent / "run"
    common = ["--index", str(sample_index()), "-m", str(sample_model()), "--jobs", "1", "--quiet", "--depth", "120"]
    assert predict.main(["-i", str(SAMPLE), "-o", str(out), *common]) == 0
    return out / "run.txt"


def test_trec_eval_sees_the_order_that_we_wrote() -> None:
    rows = read_run(sample_run())
    run = by_trec_eval(sample_run())
    for topic in run:
        assert order_of(run, topic) == [row.pair for row in rows if row.topic == topic] == rankings(rows)[topic]


@given(st.lists(st.floats(-15, 15), min_size=1, max_size=12))
def test_close_and_equal_scores_keep_their_order(tmp_path_factory: pytest.TempPathFactory, scores: list[float]) -> None:
    # Rounded, so that hypothesis hits equal scores and steps of one millionth. trec_eval keeps 32 bits of a score:
    # below 16 they tell a millionth apart.
    path, ours = written(tmp_path_factory.mktemp("run"), [round(score, 6) for score in scores])
    assert order_of(by_trec_eval(path), "1") == ours


@pytest.mark.parametrize("top", [0.0, 1.0, 7.999999, 15.99, -15.99])
def test_a_long_list_of_equal_scores_keeps_its_order(top: float, tmp_path: Path) -> None:
    path, ours = written(tmp_path, [top] * 60)
    assert order_of(by_trec_eval(path), "1") == ours
    scores = list(by_trec_eval(path)["1"].values())
    assert np.diff(scores) == pytest.approx(np.full(59, -STEP))


# ---- judgments ------------------------------------------------------------------------------------


def judged() -> Qrels:
    """The sample's judgments with grades from 0: pytrec_eval 0.5.11 must not see two signs in a topic."""
    qrels = read_qrels(SAMPLE / "qrels-test-relevance.qrels")
    return {topic: {name: max(grade, 0.0) for name, grade in grades.items()} for topic, grades in qrels.items()}


# ---- measures -------------------------------------------------------------------------------------


def pair_qrels(rows: list[RunRow]) -> Qrels:
    """Pairs of the run judged by the worse grade of their arguments, every third one; and one that it lacks."""
    qrels: Qrels = defaultdict(dict)
    for number, row in enumerate(rows):
        grades = [judged()[row.topic].get(argument_of(name)) for name in row.pair.split(",")]
        if number % 3 == 0 and None not in grades:
            qrels[row.topic][row.pair] = min(grade for grade in grades if grade is not None)
    for grades in qrels.values():
        grades["S0-A0__PREMISE__1,S0-A0__PREMISE__2"] = 3.0
    return dict(qrels)


@pytest.mark.parametrize("k", [1, 5, 20])
def test_ndcg_is_that_of_trec_eval_and_ir_measures(k: int, tmp_path: Path) -> None:
    rows = read_run(sample_run())
    qrels = pair_qrels(rows)
    write_qrels(tmp_path / "q.qrels", qrels)
    ours = evaluate_run(rows, qrels, standard_measures(k), strict_order=True)
    assert len(ours.values[f"nDCG@{k}"]) == 4
    assert 0 < (ours.means[f"nDCG@{k}"] or 0) < 1 or k == 1

    with (tmp_path / "q.qrels").open(encoding="utf-8") as lines:
        read = pytrec_eval.parse_qrel(lines)
    found = pytrec_eval.RelevanceEvaluator(read, {f"ndcg_cut.{k}"}).evaluate(by_trec_eval(sample_run()))
    by_topic = {topic: values[f"ndcg_cut_{k}"] for topic, values in found.items()}
    assert ours.values[f"nDCG@{k}"] == pytest.approx(by_topic)

    measure = ir_measures.parse_measure(f"nDCG@{k}")
    assert (measure, str(measure)) == (nDCG @ k, f"nDCG@{k}"), "our names are those of ir_measures"
    files = ir_measures.read_trec_qrels(str(tmp_path / "q.qrels")), ir_measures.read_trec_run(str(sample_run()))
    assert ir_measures.calc_aggregate([measure], *files)[measure] == pytest.approx(ours.means[f"nDCG@{k}"])
