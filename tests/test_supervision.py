from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import Pair, plain_matrix

from ltr.errors import InputError
from ltr.matrix import Matrix
from ltr.supervision import Evidence, labelling_functions, weak_labels
from models.base import percentile, standardise
from models.choice import SIGNS, representativeness

A1, A2, A3 = (f"S1-A1__PREMISE__{n}" for n in (1, 2, 3))
B1, C1, D1 = (f"S{n}-A{n}__PREMISE__1" for n in (2, 3, 4))
A, B, C, D = "S1-A1", "S2-A2", "S3-A3", "S4-A4"

# Topic 1: three pairs inside A, one of A and B, one of B and C, one inside D; topic 2: one pair of C and D.
PAIRS: dict[str, list[Pair]] = {
    "1": [(A1, A2), (A1, A3), (A2, A3), (A1, B1), (B1, C1), (D1, D1)],
    "2": [(C1, D1)],
}
QRELS = {"1": {A: 2.0, B: -2.0, C: 0.0, "S9-A9": 1.0}, "2": {C: 1.0}}
KNOWN = frozenset({A, B, C, D})


def matrix_with(columns: dict[str, list[float]] | None = None) -> Matrix:
    matrix = plain_matrix(PAIRS, columns)
    assert matrix.first.tolist() == [A1, A1, A1, A2, B1, D1, C1]  # sorted: (A1, B1) is row 2
    return matrix


def signs(**values: list[float]) -> dict[str, list[float]]:
    """Two equal columns for each sign, all rows alike unless given."""
    rows = sum(map(len, PAIRS.values()))
    lift = dict.fromkeys(SIGNS, ("min", "max")) | {"relative_position": ("first", "second")}
    return {f"{name}_{side}": values.get(name, [0.0] * rows) for name in SIGNS for side in lift[name]}


# ---- votes ----------------------------------------------------------------------------------------


def test_minimum_grade_by_hand():
    # The top grade is 2. Inside A both are 2: 1. A with B: the lower is -2: 0. B and C: -2 again. D is
    # unjudged, so (D, D) and (C, D) abstain.
    votes = labelling_functions()["minimum_grade"].vote(Evidence(matrix_with(), QRELS))
    np.testing.assert_allclose(votes.label, [1, 1, 0, 1, 0, np.nan, np.nan])


def test_grades_between():
    # Irrelevant is .1 and not 0; half the top grade is .1 + .9 / 2; a negative grade is 0 however small.
    matrix = plain_matrix({"1": [(A1, A2), (B1, B1), (C1, C1)]})
    votes = labelling_functions()["minimum_grade"].vote(
        Evidence(matrix, {"1": {A: 0.0, B: 1.5, C: -0.5}, "2": {D: 3.0}})
    )
    assert votes.label.tolist() == pytest.approx([0.1, 0.1 + 0.9 * 0.5, 0])


def test_the_top_grade_is_at_least_one():
    matrix = plain_matrix({"1": [(A1, A2)]})
    votes = labelling_functions()["minimum_grade"].vote(Evidence(matrix, {"1": {A: 0.5}}))
    assert votes.label.tolist() == pytest.approx([0.1 + 0.9 * 0.5])


def test_a_long_argument_does_not_count_more():
    # Three pairs inside A share one unit; A with B, B with C, D with itself and C with D are units of one row.
    votes = labelling_functions()["minimum_grade"].vote(Evidence(matrix_with(), QRELS))
    assert votes.weight.tolist() == pytest.approx([1 / 3, 1 / 3, 1, 1 / 3, 1, 1, 1])


def test_a_unit_is_two_arguments_of_one_topic_in_either_order():
    matrix = plain_matrix({"1": [(A1, B1), (B1, A2), (A1, A2)], "2": [(A1, B1)]})
    one, two = matrix.units[:2][matrix.first[:2] == A1], matrix.units[2:3]
    assert matrix.second.tolist() == [A2, B1, A2, B1]
    assert one.tolist() == [0, 1]
    assert two.tolist() == [1]
    assert matrix.units[3] == 2


def test_the_representative_pair_has_the_higher_label():
    # In A, centrality says row 0 < row 1 < row 3; all else is tied (percentile .5).
    centrality = [0.1, 0.2, 0.3, 0.9, 0.9, 0.9, 0.9]  # in the order of PAIRS
    matrix = matrix_with(signs(centrality=centrality))
    label = labelling_functions()["representative_grade"].vote(Evidence(matrix, QRELS)).label
    total = sum(map(abs, SIGNS.values()))
    fit = [(place * SIGNS["centrality"] + 0.5 * (total - 1)) / total for place in (0, 0.5, 1)]
    assert label[[0, 1, 3]].tolist() == pytest.approx([0.5 + 0.5 * f for f in fit])
    assert label[2] == 0
    assert np.isnan(label[5:]).all()


def test_an_early_position_is_better():
    late_first = [0.9, 0.5, 0.1, 0.5, 0.5, 0.5, 0.5]
    matrix = matrix_with(signs(relative_position=late_first))
    fit = representativeness(matrix.features, matrix.units)
    assert fit[0] < fit[1] < fit[3]
    best = representativeness(matrix.features, matrix.units, {"relative_position": -0.5})
    assert best[[0, 1, 3]].tolist() == [0, 0.5, 1]


def test_unjudged_negatives_are_a_light_sample_of_wholly_unjudged_pairs():
    pairs = [(f"S{n}-A{n}__PREMISE__1", f"S{n}-A{n}__PREMISE__2") for n in range(1, 1001)]
    qrels = {"1": {f"S{n}-A{n}": 1.0 for n in range(1, 501)}}
    matrix = plain_matrix({"1": pairs})
    votes = labelling_functions()["unjudged_negative"].vote(Evidence(matrix, qrels, seed=1))
    judged = np.array([name.split("__")[0] in qrels["1"] for name in matrix.first])
    assert np.isnan(votes.label[judged]).all()
    taken = ~np.isnan(votes.label)
    assert 60 < taken.sum() < 140  # a fifth of 500
    assert set(votes.label[taken]) == {0.0}
    assert set(votes.weight[taken]) == {0.01}
    half = plain_matrix({"1": [(A1, B1)] * 1 + [(A1, f"S5-A5__PREMISE__{n}") for n in range(50)]})
    assert np.isnan(labelling_functions()["unjudged_negative"].vote(Evidence(half, {"1": {A: 1.0}})).label).all()


# ---- strategies -----------------------------------------------------------------------------------


def test_what_is_absent_from_the_corpus_is_counted_and_no_negative():
    found = weak_labels(matrix_with(), QRELS, KNOWN, ("minimum_grade",))
    assert found.account == {
        "judgments": 5,
        "absent from the corpus": 1,  # S9-A9
        "in the corpus but not among the candidates": 0,
        "used": 4,
        "topics": 2,
        "topics without a judged candidate": 1,  # in topic 2, D is unjudged
        "pairs labelled": 5,
        "pairs left out": 2,
    }
    assert found.decided_by == {"minimum_grade": 5}
    assert found.used.tolist() == [True] * 5 + [False] * 2
    fewer = {topic: {a: g for a, g in grades.items() if a in KNOWN} for topic, grades in QRELS.items()}
    np.testing.assert_array_equal(weak_labels(matrix_with(), fewer, KNOWN, ("minimum_grade",)).label, found.label)


def test_judged_arguments_that_are_no_candidates_are_counted():
    qrels = {"1": {A: 1.0, "S8-A8": 1.0}, "5": {A: 1.0}}
    account = weak_labels(matrix_with(), qrels, KNOWN | {"S8-A8"}, ("minimum_grade",)).account
    # S8-A8 was not proposed, and topic 5 has no candidates at all.
    assert account["in the corpus but not among the candidates"] == 2
    assert account["used"] == 1


def test_a_topic_without_judged_pairs_teaches_nothing():
    pairs = {"1": [(A1, A2)], "2": [(f"S{n}-A{n}__PREMISE__1", f"S{n}-A{n}__PREMISE__2") for n in range(5, 100)]}
    found = weak_labels(plain_matrix(pairs), {"1": {A: 1.0}}, KNOWN, ("minimum_grade", "unjudged_negative"))
    assert found.used.tolist() == [True] + [False] * 95
    assert found.account["topics without a judged candidate"] == 1
    assert sum(found.decided_by.values()) == found.account["pairs labelled"] == 1


def test_the_first_function_that_votes_decides():
    pairs = [(A1, A2)] + [(f"S{n}-A{n}__PREMISE__1", f"S{n}-A{n}__PREMISE__2") for n in range(5, 100)]
    matrix = plain_matrix({"1": pairs})
    found = weak_labels(matrix, {"1": {A: 1.0}}, KNOWN, ("minimum_grade", "unjudged_negative"))
    assert found.label[0] == 1
    assert found.weight[0] == 1
    assert found.decided_by["minimum_grade"] == 1
    assert found.decided_by["unjudged_negative"] == found.used.sum() - 1 > 5
    other = weak_labels(matrix, {"1": {A: 1.0}}, KNOWN, ("minimum_grade", "unjudged_negative"), seed=1)
    assert other.used.tolist() != found.used.tolist()


def test_an_unknown_labelling_function_lists_the_known_ones():
    with pytest.raises(InputError) as error:
        weak_labels(matrix_with(), QRELS, KNOWN, ("maximum_grade",))
    assert "\n" not in str(error.value)
    assert "no labelling function 'maximum_grade'; known: minimum_grade," in str(error.value)


def test_no_candidates_at_all():
    found = weak_labels(Matrix([]), QRELS, KNOWN, ("minimum_grade", "unjudged_negative"))
    assert found.account["pairs labelled"] == found.account["topics"] == 0
    assert found.account["in the corpus but not among the candidates"] == 4


# ---- percentiles ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], []),
        ([7], [0.5]),  # alone
        ([3, 3, 3], [0.5, 0.5, 0.5]),  # tied with all
        ([3, 1, 2], [1, 0, 0.5]),
        ([1, 1, 2], [0.25, 0.25, 1]),  # places 0 and 1 are shared: .5 of 2
        ([5, 1, 5, 5, 9], [0.5, 0, 0.5, 0.5, 1]),  # places 1, 2, 3: 2 of 4
        ([-1, 0, -1], [0.25, 1, 0.25]),
    ],
)
def test_percentile_by_hand(values: list[float], expected: list[float]):
    assert percentile(values, np.zeros(len(values), np.int64)).tolist() == expected


def test_percentile_is_taken_inside_the_unit():
    units = np.array([1, 0, 1, 0, 2, 1])
    # Unit 1: 5, 4, 5 -> .75, 0, .75; unit 0: 5, 6 -> 0, 1; unit 2 alone. Equal values of two units are no tie.
    assert percentile([5, 5, 4, 6, 5, 5], units).tolist() == [0.75, 0, 0, 1, 0.5, 0.75]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-3, 3)), max_size=20))
def test_percentile_is_the_mean_rank(rows: list[tuple[int, int]]):
    units = np.array([unit for unit, _ in rows], np.int64)
    found = percentile([value for _, value in rows], units)
    for (unit, value), place in zip(rows, found.tolist(), strict=True):
        peers = [other for number, other in rows if number == unit]
        below, ties = sum(other < value for other in peers), peers.count(value)
        expected = (below + (ties - 1) / 2) / (len(peers) - 1) if len(peers) > 1 else 0.5
        assert place == pytest.approx(expected)


def test_standardise_by_hand():
    # 1, 3: mean 2, deviation 1; a constant group and a group of one have none.
    assert standardise([1, 3, 7, 7, 9], [2, 2, 1]).tolist() == [-1, 1, 0, 0, 0]
    assert standardise([], []).tolist() == []


def test_representativeness_needs_its_columns():
    with pytest.raises(KeyError, match="centrality_min"):
        representativeness(pd.DataFrame({"x": [1.0]}), np.zeros(1, np.int64))
