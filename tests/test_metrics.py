from __future__ import annotations

import math

import numpy as np
import pytest

from ltr.errors import InputError
from ltr.formats import RunRow
from ltr.metrics import argument_ranking, bootstrap_interval, evaluate, lab_ndcg, rankings

P, Q, R = "x__PREMISE__1", "x__CONC__1", "y__PREMISE__1"


def run(**topics: list[str]) -> list[RunRow]:
    return [
        RunRow(topic[1:], "PRO", id_, rank, 100.0 - rank, "t")
        for topic, ids in topics.items()
        for rank, id_ in enumerate(ids, 1)
    ]


def test_rankings_ignore_ranks_and_file_order_and_break_ties_by_id_descending():
    rows = [
        RunRow("1", "Q0", "a", 1, 1.0, "t"),
        RunRow("2", "Q0", "z", 1, -1.0, "t"),
        RunRow("1", "Q0", "b", 2, 1.0, "t"),
        RunRow("1", "Q0", "c", 3, 10.0, "t"),
    ]
    assert rankings(rows) == {"1": ["c", "b", "a"], "2": ["z"]}


def test_argument_ranking_is_by_first_appearance():
    assert argument_ranking([f"{R},{P}", f"{P},{Q}", "z,y"]) == ["y", "x", "z"]


def test_topics_are_counted_where_run_and_qrels_differ():
    qrels = {
        "1": {"a": 1.0, "b": 0.0},
        "2": {"a": 1.0},  # not in the run: scores 0
        "3": {"a": 0.0, "b": -2.0},  # nothing to find: scores 0, never 1
    }
    found = evaluate(run(t9=["a"], t1=["a"], t3=["a"]), qrels, level="argument")
    assert found.coverage.judged == ("1", "2", "3")
    assert found.coverage.missing == ("2",)
    assert found.coverage.unjudged == ("9",)
    assert found.coverage.without_relevant == ("3",)
    for name in ("nDCG@5", "lab_nDCG@5", "condensed_nDCG@5"):
        assert found.values[name] == {"1": 1.0, "2": 0.0, "3": 0.0}
        assert found.means[name] == pytest.approx(1 / 3)
    assert found.values["judged@5"] == {"1": 1.0, "2": 0.0, "3": 1.0}


def test_order_of_a_pair_matters_only_when_it_is_asked_for():
    qrels = {"1": {f"{P},{R}": 2.0}}
    rows = run(t1=[f"{R},{P}"])
    assert evaluate(rows, qrels, level="pair").means["lab_nDCG@5"] == 1.0
    assert evaluate(rows, qrels, level="pair", strict_order=True).means["lab_nDCG@5"] == 0.0
    assert evaluate(run(t1=[f"{P},{R}"]), qrels, level="pair", strict_order=True).means["nDCG@5"] == 1.0


def test_a_pair_judged_in_both_orders_has_the_higher_grade():
    qrels = {"1": {f"{P},{R}": 0.0, f"{R},{P}": 2.0, f"{P},{Q}": 1.0, f"{Q},{P}": 1.0}}
    found = evaluate(run(t1=[f"{P},{R}", f"{P},{Q}"]), qrels, level="pair")
    assert found.coverage.two_grades == 1
    assert found.means["nDCG@5"] == found.means["lab_nDCG@5"] == 1.0
    strict = evaluate(run(t1=[f"{P},{R}", f"{P},{Q}"]), qrels, level="pair", strict_order=True)
    assert strict.coverage.two_grades == 0
    assert strict.means["lab_nDCG@5"] < 1.0


def test_a_pair_twice_gains_once():
    qrels = {"1": {f"{P},{R}": 1.0, f"{P},{Q}": 1.0}}
    found = evaluate(run(t1=[f"{P},{R}", f"{R},{P}"]), qrels, level="pair")
    assert found.coverage.repeated == 1
    # One of two equal grades, at rank 1: 1 / (1 + 1 / log2(3))
    assert found.means["lab_nDCG@5"] == pytest.approx(0.613147, abs=1e-6)
    assert found.means["lab_nDCG@5"] == found.means["nDCG@5"]


def test_argument_level_reads_pairs_and_plain_documents_alike():
    qrels = {"1": {"x": 1.0, "y": 2.0}}
    of_pairs = evaluate(run(t1=[f"{P},{Q}", f"{P},{R}"]), qrels, level="argument")
    of_documents = evaluate(run(t1=["x", "y"]), qrels, level="argument")
    assert of_pairs == of_documents
    assert of_pairs.values["lab_nDCG@5"]["1"] < 1.0


def test_fractional_grades_leave_only_our_own_measures():
    found = evaluate(run(t1=["a", "b"]), {"1": {"a": 0.5, "b": 1.0}}, level="argument")
    assert found.means["nDCG@5"] is None
    assert found.intervals["nDCG@5"] is None
    assert "nDCG@5" not in found.values
    assert "whole grades" in found.unavailable["nDCG@5"]
    # (0.5 + 1 / 1.58496) / (1 + 0.5 / 1.58496)
    assert found.means["lab_nDCG@5"] == pytest.approx(0.859719, abs=1e-6)
    assert list(found.means) == ["nDCG@5", "lab_nDCG@5", "judged@5", "condensed_nDCG@5"]


def test_k_names_and_cuts_the_measures():
    found = evaluate(run(t1=["b", "a"]), {"1": {"a": 1.0}}, level="argument", k=1)
    assert found.means == {"nDCG@1": 0.0, "lab_nDCG@1": 0.0, "judged@1": 0.0, "condensed_nDCG@1": 1.0}


def test_scores_that_32_bits_cannot_tell_apart_keep_their_order():
    rows = [RunRow("1", "Q0", "a", 1, 1.0 + 1e-12, "t"), RunRow("1", "Q0", "b", 2, 1.0, "t")]
    assert evaluate(rows, {"1": {"a": 1.0, "b": 0.0}}, level="argument").means["nDCG@5"] == 1.0


@pytest.mark.parametrize("qrels", [{}, {"1": {}}])
def test_no_judgments_at_all(qrels):
    with pytest.raises(InputError, match="hold no judgments"):
        evaluate(run(t1=["a"]), qrels, level="argument")


def test_a_seed_fixes_the_interval_and_another_moves_it():
    values = np.random.default_rng(3).random(50)
    low, high = bootstrap_interval(values, seed=1)
    assert (low, high) == bootstrap_interval(values, seed=1)
    assert (low, high) != bootstrap_interval(values, seed=2)
    assert low < values.mean() < high
    assert high - low == pytest.approx(2 * 1.96 * values.std() / 50**0.5, rel=0.05)


def test_interval_in_batches_and_of_nothing_to_resample():
    many = np.random.default_rng(4).random(3000)  # 30 million draws: more than one batch
    low, high = bootstrap_interval(many)
    assert high - low == pytest.approx(2 * 1.96 * many.std() / 3000**0.5, rel=0.05)
    assert bootstrap_interval(np.array([0.3])) == (0.3, 0.3)
    assert bootstrap_interval(np.full(7, 0.1)) == (0.1, 0.1)
    with pytest.raises(ValueError, match="zero-size"):
        bootstrap_interval(np.array([]))


def test_inputs_are_left_alone():
    qrels = {"1": {"b,a": 1.0, "a,b": 2.0}}
    rows = run(t1=["b,a", "c,d"])
    evaluate(rows, qrels, level="pair")
    assert qrels == {"1": {"b,a": 1.0, "a,b": 2.0}}
    assert rows == run(t1=["b,a", "c,d"])


def test_ndcg_never_exceeds_one_by_rounding():
    rng = np.random.default_rng(5)
    for _ in range(2000):
        grades = {f"d{n}": 1.0 + float(rng.integers(-2, 3)) * 2**-52 for n in range(6)}
        assert lab_ndcg(list(rng.permutation(list(grades))), grades) <= 1.0


def test_grades_of_both_signs_never_reach_the_library_that_dies_of_them():
    """pytrec_eval 0.5.11 corrupts memory there: a few thousand such topics used to end the process."""
    qrels = {str(topic): {"a": -2.0, "b": 3.0, "c": -1.0, "d": 0.0, "e": 1.0} for topic in range(3000)}
    rows = [RunRow(topic, "Q0", id_, rank, -float(rank), "t") for topic in qrels for rank, id_ in enumerate("cbaed", 1)]
    by_topic = evaluate(rows, qrels, level="argument").values["nDCG@5"]
    # gain 3 at rank 2, 1 at rank 4: (3/log2(3) + 1/log2(5)) / (3 + 1/log2(3))
    expected = (3 / math.log2(3) + 1 / math.log2(5)) / (3 + 1 / math.log2(3))
    assert len(by_topic) == 3000
    assert list(by_topic.values()) == pytest.approx([expected] * 3000)
