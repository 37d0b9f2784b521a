"""nDCG by hand and against two independent implementations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from support.ranked import evaluate_run

from ltr.data.runs import RunRow
from ltr.evaluation.measures import condensed_ndcg, judged_share, lab_ndcg, standard_measures
from ltr.evaluation.significance import mean_interval

LOG3 = math.log2(3)  # 1.58496, the discount of rank 2; rank 1 has log2(2) = 1, rank 3 log2(4) = 2
LOG5 = math.log2(5)  # 2.32193, rank 4
LOG6 = math.log2(6)  # 2.58496, rank 5

GRADES = {"a": 2.0, "b": 1.0, "c": 0.0, "d": -2.0}
IDEAL = 2 + 1 / LOG3  # a, b: 2/1 + 1/1.58496 = 2.63093


@pytest.mark.parametrize(
    ("ranking", "expected"),
    [
        (["a", "b", "c", "d"], 1.0),
        # d gains 0, not -2; b 1/1.58496 = 0.63093; a 2/2 = 1; 1.63093 / 2.63093 = 0.619906
        (["d", "b", "a"], (1 / LOG3 + 1) / IDEAL),
        # unjudged u, v gain 0 but take up ranks: a 2/1.58496 = 1.26186, b 1/2.32193 = 0.43068
        (["u", "a", "v", "b"], (2 / LOG3 + 1 / LOG5) / IDEAL),
        # a at rank 5: 2/2.58496 = 0.77371; / 2.63093 = 0.294081
        (["u", "v", "w", "x", "a", "b"], 2 / LOG6 / IDEAL),
        (["u", "v", "w", "x", "y", "a"], 0.0),
        ([], 0.0),
    ],
)
def test_lab_ndcg_at_5(ranking, expected):
    assert lab_ndcg(ranking, GRADES) == pytest.approx(expected, abs=1e-12)


def test_gain_is_linear_and_fractions_count():
    # One relevant id, at rank 3: (3 / 2) / 3 = 1/2, whatever its grade. With 2**grade - 1 as gain, the
    # second line would be (1 + 7 / 1.58) / (7 + 1 / 1.58); linear it is (1 + 3 / 1.58) / (3 + 1 / 1.58).
    assert lab_ndcg(["u", "v", "a"], {"a": 3.0}) == pytest.approx(0.5)
    assert lab_ndcg(["b", "a"], {"a": 3.0, "b": 1.0}) == pytest.approx((1 + 3 / LOG3) / (3 + 1 / LOG3))
    # (0.5 + 1.5 / 1.58496) / (1.5 + 0.5 / 1.58496)
    expected = (0.5 + 1.5 / LOG3) / (1.5 + 0.5 / LOG3)
    assert lab_ndcg(["b", "a"], {"a": 1.5, "b": 0.5}) == pytest.approx(expected)


def test_condensed_ndcg():
    # Without u, v the ranking is b, a: (1 + 2/1.58496) / 2.63093
    ranking = ["u", "b", "v", "w", "x", "y", "a"]
    assert condensed_ndcg(ranking, GRADES) == pytest.approx((1 + 2 / LOG3) / IDEAL)
    assert lab_ndcg(ranking, GRADES) == pytest.approx(1 / LOG3 / IDEAL)
    assert condensed_ndcg(["u", "v"], GRADES) == 0.0


def test_judged_share():
    # d is judged although its grade is -2; of a list of three, two thirds is the share.
    assert judged_share(["a", "u", "d", "v", "w", "b"], GRADES) == pytest.approx(2 / 5)
    assert judged_share(["a", "u", "d"], GRADES) == pytest.approx(2 / 3)
    assert judged_share([], GRADES) == 0.0


def test_interval_by_hand():
    # 4, 6, 8 tenths: mean .6, standard deviation .2; Student's t of 97.5% with 2 degrees of freedom is 4.302653.
    half = 4.302653 * 0.2 / math.sqrt(3)
    assert mean_interval(np.array([0.4, 0.6, 0.8])) == pytest.approx((0.6 - half, 1), abs=1e-6)
    assert mean_interval(np.array([0.4, 0.6, 0.8]), (0, 2)) == pytest.approx((0.6 - half, 0.6 + half), abs=1e-6)
    assert mean_interval(np.array([0.3]), (0, 1)) == (0, 1)
    assert mean_interval(np.full(7, 0.1)) == (0.1, 0.1)
    with pytest.raises(ValueError, match="zero-size"):
        mean_interval(np.array([]))


def random_topic(rng: np.random.Generator, grades: list[float]) -> tuple[list[str], dict[str, float]]:
    ids = [f"d{n}" for n in range(int(rng.integers(8, 30)))]
    judged = {id_: float(rng.choice(grades)) for id_ in ids if rng.random() < 0.7}
    judged[ids[0]] = 1.0  # at least one relevant id
    return list(rng.permutation(ids)), judged


@pytest.mark.parametrize("k", [1, 5, 10])
def test_both_ndcgs_agree_with_pytrec_eval(k):
    import pytrec_eval

    rng = np.random.default_rng(11)
    rows, qrels, run = [], {}, {}
    for topic in map(str, range(100)):
        ranking, judged = random_topic(rng, [-2, 0, 1, 2, 3])
        ranking = ranking[: int(rng.integers(1, len(ranking)))]
        qrels[topic] = judged
        # Coarse scores make ties, which trec_eval breaks by id, descending.
        run[topic] = {id_: float(rng.integers(0, 6)) for id_ in ranking}
        order = sorted(run[topic], key=lambda id_: (run[topic][id_], id_), reverse=True)
        rows += [RunRow(topic, "Q0", id_, rank, run[topic][id_], "t") for rank, id_ in enumerate(order)]
    # Without negatives, of which pytrec_eval can die; they count 0 all the same.
    whole = {topic: {id_: max(int(grade), 0) for id_, grade in judged.items()} for topic, judged in qrels.items()}
    theirs = pytrec_eval.RelevanceEvaluator(whole, {f"ndcg_cut.{k}"}).evaluate(run)
    ours = evaluate_run(rows, qrels, standard_measures(k)).values
    # The lab drops what is unjudged among the first k, and a topic of which nothing is left.
    top = {row.topic: {} for row in rows}
    for row in (row for row in rows if row.rank < k and row.pair in qrels[row.topic]):
        top[row.topic][row.pair] = -float(row.rank)
    labs = pytrec_eval.RelevanceEvaluator(whole, {f"ndcg_cut.{k}"}).evaluate({t: ids for t, ids in top.items() if ids})
    assert ours[f"lab_nDCG@{k}"].keys() == labs.keys()
    for topic, measures in theirs.items():
        assert ours[f"nDCG@{k}"][topic] == pytest.approx(measures[f"ndcg_cut_{k}"], abs=1e-12)
    for topic, measures in labs.items():
        assert ours[f"lab_nDCG@{k}"][topic] == pytest.approx(measures[f"ndcg_cut_{k}"], abs=1e-12)


def test_condensed_and_judged_agree_with_ir_measures():
    """Ours take fractions, too; where grades are whole they are ``nDCG(judged_only=True)@k`` and ``Judged@k``."""
    import ir_measures

    rng = np.random.default_rng(3)
    topics = {str(number): random_topic(rng, [0, 1, 2, 3]) for number in range(60)}
    qrels = {topic: {id_: int(grade) for id_, grade in judged.items()} for topic, (_, judged) in topics.items()}
    run = {topic: {id_: -float(place) for place, id_ in enumerate(order)} for topic, (order, _) in topics.items()}
    for k in (1, 5, 20):
        condensed, judged = ir_measures.nDCG(judged_only=True) @ k, ir_measures.Judged @ k
        for metric in ir_measures.iter_calc([condensed, judged], qrels, run):
            ours = condensed_ndcg if metric.measure == condensed else judged_share
            order, grades = topics[metric.query_id]
            assert ours(order, grades, k) == pytest.approx(metric.value, abs=1e-12)
