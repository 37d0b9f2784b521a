from __future__ import annotations

import math
import warnings
from contextlib import nullcontext

import ir_measures
import numpy as np
import pytest
from support.collection import COLLECTION
from support.ranked import P, Q, R, evaluate_rows, evaluate_run, run
from support.refusals import refuses

from ltr.data.qrels import read_qrels
from ltr.data.runs import RunRow, read_run
from ltr.errors import InputError
from ltr.evaluation.evaluator import evaluate_orders, mean_evaluation
from ltr.evaluation.further import COMPOSITION, composition
from ltr.evaluation.irmeasures import parse_measure, parse_measures
from ltr.evaluation.measures import lab_ndcg, standard_measures
from ltr.evaluation.rankings import random_orders, rankings_by_rank

STANDARD = standard_measures()


def test_topics_are_counted_where_run_and_qrels_differ():
    qrels = {
        "1": {"a": 1.0, "b": 0.0},
        "2": {"a": 1.0},  # not in the run: scores 0
        "3": {"a": 0.0, "b": -2.0},  # nothing to find: scores 0, never 1
    }
    found = evaluate_run(run(t9=["a"], t1=["a"], t3=["a"]), qrels)
    assert found.coverage.judged == ("1", "2", "3")
    assert found.coverage.missing == ("2",)
    assert found.coverage.unjudged == ("9",)
    assert found.coverage.without_relevant == ("3",)
    for name in ("nDCG@5", "condensed_nDCG@5"):
        assert found.values[name] == {"1": 1.0, "2": 0.0, "3": 0.0}
        assert found.means[name] == pytest.approx(1 / 3)
    assert found.values["lab_nDCG@5"] == {"1": 1.0, "3": 0.0}
    assert found.means["lab_nDCG@5"] == 1 / 2
    assert found.coverage.outside_lab_mean == ("2",)
    assert found.values["judged@5"] == {"1": 1.0, "2": 0.0, "3": 1.0}


def test_lab_ndcg_follows_the_rank_column():
    """Scores tie or contradict the ranks: trec_eval reads scores, the lab ranks, which may count from 0."""
    ranked = [("b", 0, 1.0), ("a", 1, 1.0), ("c", 2, 9.0)]
    rows = [RunRow("1", "Q0", id_, rank, score, "t") for id_, rank, score in reversed(ranked)]
    found = evaluate_run(rows, {"1": {"a": 2.0, "b": 1.0, "c": -2.0}})
    # By rank b a c: (1 + 2 / 1.58496) / (2 + 1 / 1.58496). By score c first, then of equal scores b before a:
    # (1 / 1.58496 + 2 / 2) / (2 + 1 / 1.58496).
    ideal = 2 + 1 / math.log2(3)
    assert found.means["lab_nDCG@5"] == pytest.approx((1 + 2 / math.log2(3)) / ideal)
    assert found.means["nDCG@5"] == pytest.approx((1 / math.log2(3) + 1) / ideal)
    assert rankings_by_rank(rows) == {"1": ["b", "a", "c"]}
    assert rankings_by_rank([*rows[:2], rows[1]._replace(pair="d")]) == {"1": ["a", "d", "c"]}


def test_lab_ndcg_leaves_out_what_it_cannot_see():
    """Unjudged results are dropped after the cut; topics with nothing judged above it are no part of the mean."""
    qrels = {"1": {"a": 1.0}, "2": {"a": 1.0}, "3": {"a": 1.0, "b": -2.0}, "4": {"a": 1.0}}
    rows = run(t1=["u", "a"], t2=["u", "v", "a"], t3=["b", "u"])
    found = evaluate_run(rows, qrels, standard_measures(2))
    # Topic 1: a closes up to rank 1. Topic 2: a is below the cut. Topic 3: b is judged, and gains 0. 4 is missing.
    assert found.values["lab_nDCG@2"] == {"1": 1.0, "3": 0.0}
    assert found.means["lab_nDCG@2"] == 0.5
    assert found.means["nDCG@2"] == pytest.approx(0.157732, abs=1e-5)
    assert found.coverage.outside_lab_mean == ("2", "4")
    nothing = evaluate_run(run(t1=["u"]), qrels)
    assert (nothing.values["lab_nDCG@5"], nothing.means["lab_nDCG@5"]) == ({}, 0.0)


def test_a_pair_judged_in_both_orders_has_the_mean_of_its_grades():
    qrels = {"1": {f"{P},{R}": 0.0, f"{R},{P}": 4.0, f"{P},{Q}": 1.0, f"{Q},{P}": 1.0}}
    found = evaluate_run(run(t1=[f"{P},{R}", f"{P},{Q}"]), qrels)
    assert found.means["nDCG@5"] == found.means["lab_nDCG@5"] == 1.0
    strict = evaluate_run(run(t1=[f"{P},{R}", f"{P},{Q}"]), qrels, strict_order=True)
    assert strict.means["lab_nDCG@5"] < 1.0


def test_a_pair_twice_gains_once():
    qrels = {"1": {f"{P},{R}": 1.0, f"{P},{Q}": 1.0}}
    found = evaluate_run(run(t1=[f"{P},{R}", f"{R},{P}"]), qrels)
    assert found.coverage.repeated == 1
    # One of two equal grades, at rank 1: 1 / (1 + 1 / log2(3))
    assert found.means["lab_nDCG@5"] == pytest.approx(0.613147, abs=1e-6)
    assert found.means["lab_nDCG@5"] == found.means["nDCG@5"]


def test_argument_level_reads_pairs_and_plain_documents_alike():
    qrels = {"1": {"x": 1.0, "y": 2.0}}
    of_pairs = evaluate_run(run(t1=[f"{P},{Q}", f"{P},{R}"]), qrels)
    of_documents = evaluate_run(run(t1=["x", "y"]), qrels)
    assert of_pairs == of_documents
    assert of_pairs.values["lab_nDCG@5"]["1"] < 1.0


@pytest.mark.parametrize("ids", [[P, R, Q], [f"{P},{R}", f"{Q},{P}"]])
def test_judged_sentences_are_looked_for_in_runs_of_sentences_and_of_pairs(ids):
    assert evaluate_run(run(t1=ids), {"1": {P: 2.0, Q: 0.0, R: 1.0}}).means["nDCG@5"] == 1


@pytest.mark.parametrize(
    ("judged", "said"), [({P: 1.0}, "ranks no sentences"), ({P: 1.0, "x": 1.0}, "judge sentences and whole items")]
)
def test_sentences_and_whole_items_are_not_compared(judged, said):
    refuses(lambda: evaluate_run(run(t1=["x"]), {"1": judged}), "", said)


@pytest.mark.parametrize("third", [0.5, 0.333333333, 1e-300])  # the later ones are off the scale when made whole
def test_fractional_grades(third):
    found = evaluate_run(run(t1=["a", "b"]), {"1": {"a": third, "b": 1.0}})
    # (third + 1 / 1.58496) / (1 + third / 1.58496)
    expected = (third + 1 / math.log2(3)) / (1 + third / math.log2(3))
    assert found.means["lab_nDCG@5"] == pytest.approx(expected)
    assert found.means["nDCG@5"] == pytest.approx(expected)
    assert list(found.means) == ["nDCG@5", "lab_nDCG@5", "judged@5", "condensed_nDCG@5"]
    first = evaluate_run(run(t1=["a", "b"]), {"1": {"a": third, "b": 1.0}}, standard_measures(1)).means
    assert list(first.values()) == pytest.approx([third, third, 1, third]), "cut at 1: a of b"


@pytest.mark.parametrize("name", ["ERR@5", "nDCG(dcg='exp-log2')@5", "nDCG(gains={1:3})@5"])
def test_halves_that_would_change_a_measure_are_refused(name):
    with pytest.raises(InputError, match="is not defined for these grades"):
        evaluate_run(run(t1=["a", "b", "c"]), {"1": {"a": 0.5, "b": 1.5, "c": 1.0}}, [name])


@pytest.mark.parametrize(
    "name",
    [
        *"P@0 P P@nan Rprec@5 __import__('os') lab_nDCG judged@0 condensed_nDCG(rel=1)@5".split(),
        *"P@1.5 AP(rel=0) AP(rel=-1) IPrec@0 AP(x=1) a.b f('x') AP(rel=1if)".split(),
        "",
    ],
)
def test_measures_that_there_are_not(name):
    with (
        warnings.catch_warnings(record=True) as warned,
        pytest.raises(InputError, match=r"measure: .* is unknown, lacks or has too many parameters"),
    ):
        parse_measure(name)
    assert not warned


@pytest.mark.parametrize("name", ["NumRet", "NumQ", "NumRel"])
def test_counts_are_refused_where_means_are_shown(name):
    refuses(lambda: parse_measure(name), "", "is summed over topics")


@pytest.mark.parametrize("measure", [ir_measures.P @ 0, "AP", 3])
def test_measures_as_objects_are_checked(measure):
    with pytest.raises(InputError, match="is unknown") if measure != "AP" else nullcontext():
        parse_measures(measure if measure == "AP" else [measure])


def test_a_provider_that_fails_is_one_line():
    # Accuracy divides by the number of ids that are not relevant: none here.
    with pytest.raises(InputError, match=r"provider of Accuracy.* fails \(ZeroDivisionError"):
        evaluate_run(run(t1=["a"]), {"1": {"a": 1.0}}, ["nDCG@5", "Accuracy"])


def test_random_orders_are_the_mean_of_shuffles():
    ids = [f"d{number}" for number in range(10)]
    orders = random_orders({"1": ids, "2": ids[:3]}, seed=3)
    assert orders == random_orders({"1": ids, "2": ids[:3]}, seed=3) != random_orders({"1": ids, "2": ids[:3]}, seed=4)
    assert all(sorted(order.by_score["1"]) == ids and order.by_rank == order.by_score for order in orders)
    assert len({tuple(order.by_score["1"]) for order in orders}) == len(orders) == 20
    found = evaluate_orders(orders, {"1": {"d0": 1.0}}, STANDARD)
    alone = [evaluate_orders([order], {"1": {"d0": 1.0}}, STANDARD) for order in orders]
    assert found.means["nDCG@5"] == pytest.approx(sum(one.means["nDCG@5"] for one in alone) / 20)
    seen = [value for one in alone for value in one.values["lab_nDCG@5"].values()]
    assert found.means["lab_nDCG@5"] == pytest.approx(sum(seen) / len(seen))
    assert found.means["condensed_nDCG@5"] == 1  # the one judged id is first of one, by luck alone
    # The first five of ten hold the one judged id in half of the orders; those first five of ten hold a tenth each.
    assert 0.05 < found.means["judged@5"] < 0.15


def test_mean_of_dimensions_is_over_the_topics_that_all_judge():
    one = evaluate_run(run(t1=["a", "b"], t2=["a"]), {"1": {"a": 1.0}, "2": {"a": 1.0}})
    other = evaluate_run(run(t1=["a", "b"], t2=["a"]), {"3": {"a": 1.0}, "1": {"b": 1.0}})
    both = mean_evaluation([one, other])
    assert both.values["nDCG@5"] == {"1": pytest.approx((1 + 1 / math.log2(3)) / 2)}
    assert both.values["lab_nDCG@5"] == {"1": 1.0}
    assert both.coverage.judged == ("1",)
    assert both.coverage.missing == both.coverage.outside_lab_mean == ()
    absent = evaluate_rows([], {"1": {"a": 1.0}})
    assert mean_evaluation([absent, absent]).coverage.missing == ("1",)
    assert mean_evaluation([absent, absent]).coverage.outside_lab_mean == ("1",)
    with pytest.raises(
        InputError, match="qrels: have no topic that every dimension judges; name judgments of the same"
    ):
        mean_evaluation([absent, evaluate_rows([], {"2": {"a": 1.0}})])


def test_ndcg_never_exceeds_one_by_rounding():
    rng = np.random.default_rng(5)
    for _ in range(2000):
        grades = {f"d{n}": 1.0 + float(rng.integers(-2, 3)) * 2**-52 for n in range(6)}
        assert lab_ndcg(list(rng.permutation(list(grades))), grades) <= 1.0


def test_grades_of_both_signs_never_reach_the_library_that_dies_of_them():
    """pytrec_eval 0.5.11 corrupts memory there: a few thousand such topics used to end the process."""
    qrels = {str(topic): {"a": -2.0, "b": 3.0, "c": -1.0, "d": 0.0, "e": 1.0} for topic in range(3000)}
    rows = [RunRow(topic, "Q0", id_, rank, -float(rank), "t") for topic in qrels for rank, id_ in enumerate("cbaed", 1)]
    by_topic = evaluate_run(rows, qrels).values["nDCG@5"]
    # gain 3 at rank 2, 1 at rank 4: (3/log2(3) + 1/log2(5)) / (3 + 1/log2(3))
    expected = (3 / math.log2(3) + 1 / math.log2(5)) / (3 + 1 / math.log2(3))
    assert len(by_topic) == 3000
    assert list(by_topic.values()) == pytest.approx([expected] * 3000)


C1, P1, P2 = "S1-A1__CONC__1", "S1-A1__PREMISE__1", "S1-A1__PREMISE__2"
OTHER, FAR = "S1-A2__PREMISE__1", "S2-A3__CONC__1"


def rows(topic: str, *pairs: str) -> list[RunRow]:
    return [RunRow(topic, "PRO", pair, rank, -float(rank), "t") for rank, pair in enumerate(pairs, 1)]


def test_by_hand():
    run = rows("1", f"{C1},{P1}", f"{P1},{OTHER}", f"{P2},{FAR}", f"{OTHER},{FAR}") + rows("2", f"{C1},{FAR}")
    found = composition(run, k=3)
    assert found.keys() == COMPOSITION.keys()
    # Topic 1, three pairs: two across arguments, one across debates, two of a conclusion and a premise; arguments
    # A1 A2 A3; P1 twice among six sentences. Topic 2: across debates, both conclusions, two arguments, none twice.
    assert found["across_arguments"] == pytest.approx((2 / 3 + 1) / 2)
    assert found["across_debates"] == pytest.approx((1 / 3 + 1) / 2)
    assert found["conclusion_premise"] == pytest.approx((2 / 3 + 0) / 2)
    assert found["arguments"] == (3 + 2) / 2
    assert found["repeated_sentences"] == pytest.approx((1 / 6 + 0) / 2)
    assert composition(run, k=3, topics={"2"}) == composition(rows("2", f"{C1},{FAR}"))


def test_runs_without_pairs():
    assert composition(rows("1", "S1-A1")) == composition([]) == composition(rows("1", f"{C1},{P1}"), topics=()) == {}


QRELS = COLLECTION / "qrels-2021-relevance.qrels" if COLLECTION else None
RUNS = COLLECTION.parent / "whole-arguments" / "runs-2021" if COLLECTION else None


@pytest.mark.parametrize(("name", "published"), [("ElrondKRun", 0.720), ("ElrondSimpleRun", 0.674)])
@pytest.mark.skipif(not (QRELS and RUNS and QRELS.is_file() and RUNS.is_dir()), reason="no whole-arguments/runs-2021")
def test_published_figures(name, published):
    assert QRELS is not None
    assert RUNS is not None
    rows = read_run(RUNS / f"{name}.txt")
    assert min(row.rank for row in rows) == 0
    found = evaluate_run(rows, read_qrels(QRELS))
    assert len(found.values["lab_nDCG@5"]) == 50
    assert round(found.means["lab_nDCG@5"], 3) == published
