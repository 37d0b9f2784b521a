"""Figures of scored pairs, by hand and beside those of the run that the scores give."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.tables import Pair, plain_block, plain_matrix

from ltr.data.ids import pair_key
from ltr.data.qrels import Qrels
from ltr.evaluation.evaluator import evaluate
from ltr.ranking.final_list import ListOptions, final_list
from ltr.ranking.matrix import Matrix
from ltr.training.held_out import BLEND, ArgumentEvaluator, Board, MeanCI, UnitEvaluator

A, B, C, D, E, F = (f"S{n}-A{n}__PREMISE__1" for n in range(1, 7))
SECOND, THIRD = 1 / np.log2(3), 1 / 2  # discounts of ranks 2 and 3


def key(first: str, second: str) -> str:
    return f"{first},{second}"


# ---- pairs ----------------------------------------------------------------------------------------

PAIRS: dict[str, list[Pair]] = {"1": [(A, B), (A, C), (C, D), (E, F)], "2": [(A, B)], "3": [(C, D)]}
GRADES: Qrels = {"1": {key(A, B): 1.0, key(C, A): 2.0, key(C, D): 2.0}, "2": {key(A, B): 0.0}, "4": {key(A, B): 1.0}}


def test_pairs_by_hand():
    # Topics 2 and 3 have nothing good, topic 4 no candidates. Scores order topic 1 (A, B), (A, C), (C, D), (E, F);
    # of the first two, which share A, the second waits: 1, (C, D) 2, (E, F) unjudged, then (A, C) 2.
    found = UnitEvaluator(plain_matrix(PAIRS), GRADES, diversify=0)
    assert found.topics == ["1"]
    assert (found.relevant, found.missed) == (4, 1), "topic 4 has no candidates"
    best = 2 + 2 * SECOND + THIRD
    full = (1 + 2 * SECOND + 2 / np.log2(5)) / best
    condensed = (1 + 2 * SECOND + 2 * THIRD) / best
    ((one, judged, other),) = found.values(np.array([4.0, 3, 2, 1, 9, 9])).tolist()
    assert (one, judged, other) == pytest.approx((full, 3 / 4, condensed))
    board = Board(found.topics, {BLEND: found.values(np.array([4.0, 3, 2, 1, 9, 9]))}, [], 0, 0)
    mean = MeanCI(pytest.approx(full), 0, 1, 1)  # type: ignore[arg-type]
    assert board.figures[BLEND]["full"] == mean, "one topic says nothing of others"
    assert str(MeanCI(0.61236, 0.5, 0.75, 8)) == "0.612 [0.500, 0.750]"


def test_expected_and_graded_top_by_hand():
    # Topic 1 shows (A, B), (C, D), (E, F), (A, C): expected 1.5, 1, .5, 1 of the four, graded 1, 2 and 2 of three.
    # Topic 2 shows one pair, expected 2 and graded 1.
    pairs = {"1": PAIRS["1"], "2": [(A, B)]}
    grades = {"1": GRADES["1"], "2": {key(A, B): 1.0}}
    found = UnitEvaluator(plain_matrix(pairs), grades, diversify=0)
    scores, expected = np.array([4.0, 3, 2, 1, 5]), np.array([1.5, 1, 1, 0.5, 2])
    np.testing.assert_allclose(found.top_by_topic(scores, expected), [(1, 5 / 3), (2, 1)])


def test_grades_of_another_scale_change_no_figure_but_the_graded_top():
    # The lab's scale up to 4, with a pair that is worse than nothing: grades are halved, and 0 is the least.
    wide = {"1": {key(A, B): 2.0, key(C, A): 4.0, key(C, D): 4.0, key(E, F): -2.0}}
    narrow = {"1": {key(A, B): 1.0, key(C, A): 2.0, key(C, D): 2.0, key(E, F): 0.0}}
    matrix, scores = plain_matrix(PAIRS), np.array([4.0, 3, 2, 1, 9, 9])
    one, other = UnitEvaluator(matrix, wide), UnitEvaluator(matrix, narrow)
    np.testing.assert_allclose(one.values(scores), other.values(scores))
    np.testing.assert_allclose(one.top_by_topic(scores, scores), other.top_by_topic(scores, scores))
    assert one.top_by_topic(scores, scores)[:, 1].mean() == pytest.approx(5 / 4)


NAMES = [f"S{n // 3}-A{n // 3}__PREMISE__{n}" for n in range(12)]
EVERY = list(combinations(NAMES, 2))


@given(st.integers(0, 10_000), st.integers(1, 60), st.sampled_from([0.0, 0.1, 1.0]))
def test_figures_are_those_of_the_run(seed: int, size: int, diversify: float):
    """Full and judged share are those of `ltr.evaluation.evaluator.evaluate` on the run that the same scores give."""
    rng = np.random.default_rng(seed)
    blocks, qrels = [], {}
    for topic in ("1", "2"):
        pairs = [EVERY[n] for n in rng.permutation(len(EVERY))[:size]]
        clusters = {name: int(rng.integers(0, 10)) for name in NAMES}
        blocks.append(plain_block(topic, pairs, clusters=clusters))
        judged = [EVERY[n] for n in rng.permutation(len(EVERY))[:30]]
        qrels[topic] = {key(*pair[:: int(rng.choice((1, -1)))]): float(rng.integers(-1, 5)) / 2 for pair in judged}
        qrels[topic][key(*judged[0])] = 1.0
        qrels[topic].pop(key(*judged[0][::-1]), None)
    matrix = Matrix(blocks)
    scores = np.round(rng.normal(size=len(matrix)), 1)  # with ties
    rows = [
        row
        for topic in matrix.topics
        for row in final_list(matrix, topic, scores, ListOptions(diversify=diversify), min_units=100)
    ]
    expected = evaluate(rows, qrels)
    found = UnitEvaluator(matrix, qrels, diversify)
    values = found.values(scores)
    assert found.topics == ["1", "2"]
    np.testing.assert_allclose(values[:, 0], list(expected.values["nDCG@5"].values()), atol=1e-12)
    np.testing.assert_allclose(values[:, 1], list(expected.values["judged@5"].values()), atol=1e-12)
    # Condensed is the list that graded candidates alone would give.
    graded = [pair_key(key(a, b)) in {pair_key(p) for p in qrels[matrix.topics[t]]}
              for t, (a, b) in zip(matrix.topic_of_row, matrix.parts, strict=True)]  # fmt: skip
    for place, (topic, part) in enumerate(matrix):
        only = np.flatnonzero(graded[part])
        if len(only):
            block = plain_block(topic, list(map(tuple, matrix.parts[part][only])))
            block.units[["key_1", "key_2"]] = matrix.keys[part][only]
            alone = UnitEvaluator(Matrix([block]), qrels, diversify).values(scores[part][only])[0, 0]
            assert values[place, 2] == pytest.approx(alone, abs=1e-12)


# ---- arguments ------------------------------------------------------------------------------------


def test_arguments_by_hand():
    pairs: dict[str, list[Pair]] = {"1": [(A, A), (B, B), (C, C), (D, D)], "2": [(A, B)]}
    qrels = {"1": {"S1-A1": 1.0, "S2-A2": 2.0, "S3-A3": -2.0, "S9-A9": 3.0}, "2": {"S1-A1": 0.0}}
    found = ArgumentEvaluator(plain_matrix(pairs), qrels)
    # D is unjudged; S9-A9 is no candidate; topic 2 has nothing relevant. Order: D, C, A, B.
    assert found.topics == ["1"]
    assert (found.relevant, found.missed) == (3, 1)
    best = 2 + SECOND
    full, judged, condensed = found.values(np.array([2.0, 1, 3, 9, 0]))[0]
    assert full == pytest.approx((THIRD + 2 / np.log2(5)) / best)
    assert judged == 3 / 4
    assert condensed == pytest.approx((SECOND + 2 * THIRD) / best)
    assert ArgumentEvaluator(plain_matrix(pairs), {}).topics == []


@given(st.integers(0, 1000))
def test_arguments_are_evaluated_as_their_pairs_in_order(seed: int):
    rng = np.random.default_rng(seed)
    pairs = [(NAMES[i], NAMES[i + 1]) for i in range(0, 12, 3)]  # inside one argument each
    matrix = plain_matrix({"1": pairs})
    qrels = {"1": {f"S{n}-A{n}": float(rng.integers(-1, 4)) for n in (0, 1, 3, 7)} | {"S2-A2": 1.0}}
    scores = rng.permutation(4).astype(float)
    rows = final_list(matrix, "1", scores, ListOptions(100, 0))
    expected = evaluate(rows, {"1": {a: g for a, g in qrels["1"].items() if a != "S7-A7"}})
    found = ArgumentEvaluator(matrix, qrels).values(scores)[0]
    names = ("lab_nDCG@5", "judged@5", "condensed_nDCG@5")
    assert found.tolist() == pytest.approx([expected.means[name] for name in names])


def test_the_blend_is_tested_against_every_baseline_but_chance():
    topics, rng = [f"{n}" for n in range(12)], np.random.default_rng(0)
    values = {name: rng.random((12, 3)) / 2 for name in (BLEND, "relevance", "weak", "strong", "random")}
    values["strong"][:, 0] = values[BLEND][:, 0] + 0.3
    board = Board(topics, values, ["weak", "strong", "random"], 9, 2)
    assert list(board.differences) == ["strong", "weak"], "the best one first"
    test = board.differences["strong"]
    assert test.difference.mean == pytest.approx(-0.3)
    assert (test.adjusted_p, test.verdict) == (pytest.approx(2 * 2 / 2**12), "worse")
