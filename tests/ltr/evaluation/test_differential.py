"""Every measure that is offered has the value that ir_measures gives it."""

from __future__ import annotations

import random
import re
from functools import cache
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st
from support.ranked import evaluate_run
from support.sample_model import sample_index, sample_model
from support.tables import plain_table

from ltr.commands import predict
from ltr.data.runs import STEP, RunRow, read_run, write_run
from ltr.errors import InputError
from ltr.evaluation.irmeasures import parse_measure
from ltr.evaluation.rankings import rankings
from ltr.ranking.final_list import ListOptions, make_run
from ltr.ranking.task import find_task
from ltr.sample import SAMPLE

NAMES = """
    P@3 P(rel=2)@5 P(judged_only=True)@3 RR RR(judged_only=True) RR@3 RR(rel=2)@2 Rprec Rprec(judged_only=True) AP AP@3
    AP(rel=2,judged_only=True)@4 nDCG nDCG@3 nDCG(judged_only=True) nDCG(judged_only=True)@3 nDCG(gains={0:1,2:5})@4
    nDCG(dcg='exp-log2')@3 R@3 R(judged_only=True)@2 R(rel=2)@3 Bpref Bpref(rel=2) SetAP SetAP(judged_only=True) SetF
    SetF(beta=2.0) SetP SetP(relative=True) SetR SetR(rel=2) Success@1 Success(rel=2)@3 IPrec@0.1
    IPrec(judged_only=True)@0.3 infAP infAP(rel=2) Compat Compat(p=0.9) Judged@3 Judged Accuracy Accuracy@3 ERR@3
""".split()
COUNTS = {"NumRet", "NumQ", "NumRel"}
GRADES = {"whole": (0, 1, 2, 3), "negative": (-2, -1, 0, 1, 2), "halves": (-0.5, 0, 0.5, 1, 2)}
WHOLE = {"nDCG(gains={0:1,2:5})@4", "nDCG(dcg='exp-log2')@3", "ERR@3"}
NEGATIVE = ("negative", "halves")
Case = tuple[dict[str, dict[str, Any]], dict[str, dict[str, float]]]


def case(seed: int, grades: tuple[float, ...]) -> Case:
    """Judgments and scores of four topics: ties, also of 32 bits, unjudged items and topics missing on either side."""
    draw = random.Random(seed)
    ids = [f"d{number}" for number in range(12)]
    qrels = {t: {id_: draw.choice(grades) for id_ in draw.sample(ids, 7)} | {"d0": 2} for t in "1234"}
    scores = [1.0, 1 + 1e-9, 2.0, 2.0, 3.5]
    run = {t: {id_: draw.choice(scores) for id_ in draw.sample(ids, draw.randint(1, 10))} for t in "3125"}
    del run[draw.choice("12")]
    return qrels, run


def reference(measure: Any, qrels: dict[str, dict[str, Any]], run: dict[str, dict[str, float]]) -> dict[str, float]:
    """The values of ir_measures on doubled grades that are whole; without negative ones, of which its C dies.

    To that C they are unjudged, as pinned below, and to the others of no gain.
    """
    factor = 2 if any(grade % 1 for of in qrels.values() for grade in of.values()) else 1
    judged = {
        topic: {i: int(grade * factor) for i, grade in of.items() if grade >= 0 or measure.NAME == "Judged"}
        for topic, of in qrels.items()
    }
    if "rel" in measure.SUPPORTED_PARAMS and isinstance(measure["rel"], int):
        measure = measure(rel=measure["rel"] * factor)
    return {found.query_id: found.value for found in ir_measures.iter_calc([measure], judged, run)}


# Halves are refused for the measures of WHOLE; infAP of negative grades is pinned below.
EXCEPT = {(name, "halves") for name in WHOLE} | {(name, kind) for name in NAMES if "inf" in name for kind in NEGATIVE}


@pytest.mark.parametrize(("name", "kind"), sorted({(name, kind) for name in NAMES for kind in GRADES} - EXCEPT))
def test_values_are_those_of_ir_measures(name: str, kind: str) -> None:
    measure = parse_measure(name)
    for seed in range(4 if name in WHOLE else 12):
        qrels, run = case(seed, GRADES[kind])
        rows = [RunRow(t, "Q0", i, 1, score, "t") for t, of in run.items() for i, score in of.items()]
        try:
            expected = reference(measure, qrels, run)
        except ZeroDivisionError:  # Accuracy, where all is relevant
            with pytest.raises(InputError, match="fails"):
                evaluate_run(rows, qrels, [name])
            continue
        assert evaluate_run(rows, qrels, [name]).values[str(measure)] == pytest.approx(expected, abs=1e-9), seed


def test_every_measure_of_the_providers_is_compared() -> None:
    providers = [one for one in ir_measures.DefaultPipeline.providers if one.is_available()]
    offered = {measure.NAME for provider in providers for measure in provider.SUPPORTED_MEASURES}
    assert offered - COUNTS <= {re.split(r"\W", name)[0] for name in NAMES}


@pytest.mark.parametrize(
    ("name", "value"),
    [("Bpref", 0.5), ("infAP", 0.8), ("AP", 0.7), ("AP(judged_only=True)", 0.8333333), ("Judged@5", 1)],
)
def test_negative_grades_as_trec_eval_reads_them(name: str, value: float) -> None:
    """Values of trec_eval's C in a process of its own, which often dies of it."""
    qrels = {"1": {"a": 1, "b": -2, "c": 0, "d": 2, "e": -1}}
    run = {"1": {"a": 5.0, "b": 4.0, "c": 3.0, "e": 2.0, "d": 1.0}}
    assert evaluate_run(run, qrels, [name]).means[name] == pytest.approx(value, abs=1e-6)


@pytest.mark.parametrize("name", ["AP", "Bpref", "infAP", "nDCG", "Judged@5", "RR@5"])
def test_a_topic_with_negative_grades_alone_has_no_gain(name: str) -> None:
    found = evaluate_run({"1": {"a": 1.0}, "2": {"a": 1.0}}, {"1": {"a": -2}, "2": {"a": 1}}, [name])
    assert found.values[name] == {"1": float(name == "Judged@5"), "2": 1}


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
    table = plain_table({"1": pairs(len(scores))})
    rows = make_run(find_task("pairs"), table, np.array(scores), ListOptions(diversify=diversify)).rows()
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
