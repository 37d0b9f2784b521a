"""Figures of scored pairs, by hand and beside those of the run that the scores give."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.ranked import evaluate_run
from support.tables import Pair, plain_block, plain_table

from ltr.data.qrels import Grades
from ltr.evaluation.rankings import RunOrder
from ltr.learning.held_out import (
    BLEND,
    MeanCI,
    Values,
    board_of,
    final_rows,
    ids_of,
    intervals,
    list_values,
    relevant_items,
    top_estimate,
)
from ltr.ranking.candidates import Candidates
from ltr.ranking.final_list import ListOptions, make_run
from ltr.ranking.task import find_task
from models.base import Scores

A, B, C, D, E, F = (f"S{n}-A{n}__PREMISE__1" for n in range(1, 7))
SECOND, THIRD = 1 / np.log2(3), 1 / 2  # discounts of ranks 2 and 3


def key(first: str, second: str) -> str:
    return f"{first},{second}"


def values_of(table: Candidates, qrels: Grades, scores: Scores, diversify: float = 0) -> Values:
    lists = ids_of(table, final_rows(table, scores, diversify=diversify))
    return list_values(qrels, [RunOrder(lists, lists)])


# ---- pairs ----------------------------------------------------------------------------------------

PAIRS: dict[str, list[Pair]] = {"1": [(A, B), (A, C), (C, D), (E, F)], "2": [(A, B)], "3": [(C, D)]}
GRADES: Grades = {"1": {key(A, B): 1.0, key(C, A): 2.0, key(C, D): 2.0}, "2": {key(A, B): 0.0}, "4": {key(A, B): 1.0}}


def test_pairs_by_hand():
    # Topics 2 has nothing good, topic 4 no candidates. Scores order topic 1 (A, B), (A, C), (C, D), (E, F);
    # of the first two, which share A, the second waits: 1, (C, D) 2, (E, F) unjudged, then (A, C) 2.
    table, scores = plain_table(PAIRS), np.array([4.0, 3, 2, 1, 9, 9])
    assert relevant_items(table, GRADES) == (4, 3, 3), "topic 4 has no candidates"
    best = 2 + 2 * SECOND + THIRD
    full = (1 + 2 * SECOND + 2 / np.log2(5)) / best
    condensed = (1 + 2 * SECOND + 2 * THIRD) / best
    found = values_of(table, GRADES, scores)
    assert found[0].tolist() == pytest.approx((full, 3 / 4, condensed))
    assert found[1:].tolist() == [[0, 1, 0], [0, 0, 0]], "the judged topics all count"
    board = board_of(["1"], {BLEND: found[:1]}, [])
    mean = MeanCI(pytest.approx(full), 0, 1, 1)  # type: ignore[arg-type]
    assert intervals(board)[BLEND]["full"] == mean, "one topic says nothing of others"
    assert str(MeanCI(0.61236, 0.5, 0.75, 8)) == "0.612 [0.500, 0.750]"


def test_expected_and_graded_top_by_hand():
    # Topic 1 shows (A, B), (C, D), (E, F), (A, C): expected 1.5, 1, .5, 1 of the four, graded 1, 2 and 2 of three.
    # Topic 2 shows one pair, expected 2 and graded 1.
    pairs = {"1": PAIRS["1"], "2": [(A, B)]}
    grades = {"1": GRADES["1"], "2": {key(A, B): 1.0}}
    table, scores, expected = plain_table(pairs), np.array([4.0, 3, 2, 1, 5]), np.array([1.5, 1, 1, 0.5, 2])
    lists = final_rows(table, scores, diversify=0)
    found = [top_estimate(table, {topic: rows}, grades, expected) for topic, rows in lists.items()]
    np.testing.assert_allclose([one[:2] for one in found if one], [(1, 5 / 3), (2, 1)])


NAMES = [f"S{n // 3}-A{n // 3}__PREMISE__{n}" for n in range(12)]
EVERY = list(combinations(NAMES, 2))


@given(st.integers(0, 10_000), st.integers(1, 60), st.sampled_from([0.0, 0.1, 1.0]))
def test_figures_are_those_of_the_run(seed: int, size: int, diversify: float):
    """Figures are those of `ltr.evaluation.evaluator.evaluate` on the run that the same scores give."""
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
    table = Candidates.concat(blocks)
    scores = np.round(rng.normal(size=len(table)), 1)  # with ties
    rows = make_run(find_task("pairs"), table, scores, ListOptions(diversify=diversify)).rows()
    expected = evaluate_run(rows, qrels)
    lists = ids_of(table, final_rows(table, scores, min_items=100, diversify=diversify))
    values = list_values(qrels, [RunOrder(lists, lists)])
    names = ("nDCG@5", "judged@5", "condensed_nDCG@5")
    np.testing.assert_allclose(values.T, [list(expected.values[name].values()) for name in names], atol=1e-12)


# ---- arguments ------------------------------------------------------------------------------------


def test_arguments_by_hand():
    pairs: dict[str, list[Pair]] = {"1": [(name, name[:-1] + "2") for name in (A, B, C, D)], "2": [(A, B)]}
    qrels = {"1": {"S1-A1": 1.0, "S2-A2": 2.0, "S3-A3": -2.0, "S9-A9": 3.0}, "2": {"S1-A1": 0.0}}
    table, scores = plain_table(pairs), np.array([2.0, 1, 3, 9, 0])
    # D is unjudged; S9-A9 is no candidate; topic 2 has nothing relevant. Order: D, C, A, B.
    assert relevant_items(table, qrels) == (3, 2, 2)
    best = 3 + 2 * SECOND + THIRD
    full, judged, condensed = values_of(table, qrels, scores)[0]
    assert full == pytest.approx((THIRD + 2 / np.log2(5)) / best)
    assert judged == 3 / 4
    assert condensed == pytest.approx((SECOND + 2 * THIRD) / best)


def test_the_blend_is_tested_against_every_baseline_but_chance():
    topics, rng = [f"{n}" for n in range(12)], np.random.default_rng(0)
    values = {name: rng.random((12, 3)) / 2 for name in (BLEND, "relevance", "weak", "strong", "random")}
    values["strong"][:, 0] = values[BLEND][:, 0] + 0.3
    test, other = board_of(topics, values, ["weak", "strong"]).tests
    assert (test.baseline, other.baseline) == ("strong", "weak"), "the best one first"
    assert test.difference.mean == pytest.approx(-0.3)
    assert (test.adjusted_p, test.verdict) == (pytest.approx(2 * 2 / 2**12), "worse")
