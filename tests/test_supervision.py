from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import Pair, plain_block, plain_matrix

from ltr.errors import InputError
from ltr.formats import Qrels
from ltr.label_model import learn_label_model
from ltr.labelling import TEACHERS, Evidence, Values, labelling_functions
from ltr.matrix import Matrix
from ltr.supervision import Explained, weak_labels
from models.base import percentile, standardise
from models.choice import SIGNS, representativeness, sign_columns

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
NAN = float("nan")
GRADE = ("minimum_grade",)


def matrix_with(columns: dict[str, list[float]] | None = None) -> Matrix:
    matrix = plain_matrix(PAIRS, columns)
    assert matrix.first.tolist() == [A1, A1, A1, A2, B1, D1, C1]  # sorted: (A1, B1) is row 2
    return matrix


def signs(**values: list[float]) -> dict[str, list[float]]:
    """Equal columns for each sign, all rows alike unless given."""
    rows = sum(map(len, PAIRS.values()))
    return {column: values.get(name, [0.0] * rows) for name in SIGNS for column in sign_columns(name)}


def vote(name: str, matrix: Matrix, qrels: Qrels | None = None, dimension: str = "relevance") -> Values:
    return labelling_functions()[name].vote(Evidence(matrix, qrels or {}, dimension))


def columns(**values: list[float]) -> Matrix:
    """A topic with a row of one argument for each value, in order."""
    (number,) = {len(found) for found in values.values()}
    return plain_matrix({"1": [own_pair(n) for n in range(1, number + 1)]}, dict(values))


def own_pair(number: int) -> Pair:
    return (f"S1-A{number:04x}__PREMISE__1", f"S1-A{number:04x}__PREMISE__2")


# ---- votes ----------------------------------------------------------------------------------------


def test_minimum_grade_by_hand():
    # The top grade is 2. Inside A both are 2: 1. A with B: the lower is -2: 0. B and C: -2 again. D is
    # unjudged, so (D, D) and (C, D) abstain.
    np.testing.assert_allclose(vote("minimum_grade", matrix_with(), QRELS), [1, 1, 0, 1, 0, NAN, NAN])


@pytest.mark.parametrize("dimension", ["relevance", "quality"])
def test_grades_between(dimension: str):
    # Off the topic is 0 and on it above 0 for relevance; in quality, the lowest grade is the worst there is.
    matrix = plain_matrix({"1": [(A1, A2), (B1, B1), (C1, C1)]})
    irrelevant, half, negative = vote(
        "minimum_grade", matrix, {"1": {A: 0.0, B: 1.5, C: -0.5}, "2": {D: 3.0}}, dimension
    )
    assert negative == 0
    assert (irrelevant > 0) if dimension == "relevance" else (irrelevant == 0)
    assert half == pytest.approx((1 + irrelevant) / 2)


def test_the_top_grade_is_at_least_one():
    matrix = plain_matrix({"1": [(A1, A2)]})
    assert vote("minimum_grade", matrix, {"1": {A: 0.5}}, "quality").tolist() == [0.5]


def test_a_long_argument_does_not_count_more():
    # Three pairs inside A share one unit; A with B, B with C, D with itself and C with D are units of one row.
    evidence = Evidence(matrix_with(), QRELS)
    assert evidence.share.tolist() == pytest.approx([1 / 3, 1 / 3, 1, 1 / 3, 1, 1, 1])
    np.testing.assert_array_equal(weak_labels(matrix_with(), QRELS, KNOWN, GRADE).weight, evidence.share)


def test_a_unit_is_two_arguments_of_one_topic_in_either_order():
    matrix = plain_matrix({"1": [(A1, B1), (B1, A2), (A1, A2)], "2": [(A1, B1)]})
    one, two = matrix.units[:2][matrix.first[:2] == A1], matrix.units[2:3]
    assert matrix.second.tolist() == [A2, B1, A2, B1]
    assert one.tolist() == [0, 1]
    assert two.tolist() == [1]
    assert matrix.units[3] == 2


# Texts 1 to 4; A is judged 2, B 1, C -1; D and E are not.
TWINS: list[tuple[Pair, tuple[int, int]]] = [
    (("S1-A1__PREMISE__1", "S1-A1__PREMISE__2"), (1, 2)),
    (("S1-A2__PREMISE__1", "S1-A2__PREMISE__2"), (1, 3)),
    (("S1-A3__PREMISE__1", "S1-A3__PREMISE__2"), (4, 2)),
    (("S1-A4__PREMISE__1", "S1-A4__PREMISE__2"), (2, 1)),
    (("S1-A4__PREMISE__1", "S1-A4__PREMISE__3"), (2, 3)),
    (("S1-A4__PREMISE__2", "S1-A4__PREMISE__3"), (1, 3)),
    (("S1-A4__PREMISE__3", "S1-A4__PREMISE__4"), (3, 9)),
    (("S1-A5__PREMISE__1", "S1-A5__PREMISE__2"), (1, 1)),
]
TWIN_QRELS = {"1": {"S1-A1": 2.0, "S1-A2": 1.0, "S1-A3": -1.0}}


def twins(topic: str = "1") -> Matrix:
    block = plain_block(topic, [pair for pair, _ in TWINS])
    for side, texts in enumerate((block.first_text, block.second_text)):
        texts[:] = [keys[side] for _, keys in TWINS]
    return Matrix([block])


def test_twin_grade_by_hand():
    votes = vote("twin_grade", twins(), TWIN_QRELS, "quality")
    # The lowest grade of a text: 1 has min(2, 1) = 1, 2 has min(2, -1) = -1, 3 has 1, 4 has -1; 9 is judged nowhere.
    # Judged rows abstain; of the others (2, 1) and (2, 3) are -1 and so 0, (1, 3) is 1 of 2; one text twice is no pair.
    np.testing.assert_allclose(votes, [NAN, NAN, NAN, 0, 0, 0.5, NAN, NAN])


def test_twins_are_of_one_topic():
    qrels = {"2": TWIN_QRELS["1"], "1": {}}
    assert np.isnan(vote("twin_grade", twins("1"), qrels)).all()
    assert not np.isnan(vote("twin_grade", twins("2"), qrels)).all()


def test_half_judged_pairs_have_no_twins():
    block = plain_block("1", [(A1, A2), (A1, B1), (B1, D1)])
    block.first_text[:], block.second_text[:] = [1, 1, 2], [2, 2, 1]
    matrix = Matrix([block])
    # (A1, B1) is half judged; (B1, D1) says what A says.
    np.testing.assert_allclose(vote("twin_grade", matrix, {"1": {A: 1.0}}), [NAN, NAN, 1])


def test_teachers_agree_by_hand():
    # Eleven rows, so places are 0, .1, ..., 1; the last teacher has the best row of the others in the middle.
    places = [float(n) for n in range(11)]
    matrix = columns(**{f"{name}_min": places for name in TEACHERS})
    np.testing.assert_array_equal(vote("teachers_agree", matrix), [0] * 5 + [NAN] * 4 + [1, 1])
    odd = [float(n) for n in (1, 0, 2, 3, 9, 5, 6, 7, 8, 4, 10)]
    matrix = columns(**{f"{name}_min": places for name in TEACHERS[:-1]}, **{f"{TEACHERS[-1]}_min": odd})
    np.testing.assert_array_equal(vote("teachers_agree", matrix), [0] * 4 + [NAN] * 6 + [1])


def test_representative_by_hand():
    # In A, centrality says row 0 < row 1 < row 3, all else is tied; units of one or two pairs have no thirds.
    matrix = matrix_with(signs(centrality=[0.1, 0.2, 0.3, 0.9, 0.9, 0.9, 0.9]))  # in the order of PAIRS
    np.testing.assert_array_equal(vote("representative", matrix), [0, NAN, NAN, 1, NAN, NAN, NAN])


def test_role_contradicts_position_and_debris_by_hand():
    roles = columns(own_support=[1, 1, 0, 0], conclusions=[1, 1, 2, 0], stance_conflict=[0, 1, 0, 0])
    np.testing.assert_array_equal(vote("role", roles), [1, NAN, 0, NAN])
    np.testing.assert_array_equal(vote("contradicts", roles), [NAN, 0, NAN, NAN])
    places = columns(relative_position_first=[0.1, 0.9, 0.1, 0.5], relative_position_second=[0.3, 0.7, 0.9, 0.5])
    np.testing.assert_array_equal(vote("position", places), [1, 0, NAN, NAN])
    kinds = ("is_boilerplate", "meta_talk", "url", "profanity")
    rubbish = columns(**{f"{kind}_max": [float(n == row) for row in range(5)] for n, kind in enumerate(kinds)})
    np.testing.assert_array_equal(vote("debris", rubbish), [0, 0, 0, 0, NAN])


@pytest.mark.parametrize(
    ("name", "column"), [("argues", "argumentative_min"), ("well_written", "convincing_min"), ("coherent", "coherence")]
)
def test_thirds_of_the_topic(name: str, column: str):
    matrix = columns(**{column: [0.9, 0.1, 0.5, 0.6, 0.2, 0.4, 0.8]})  # places 1, 0, 3/6, 4/6, 1/6, 2/6, 5/6
    np.testing.assert_array_equal(vote(name, matrix), [1, 0, NAN, 1, 0, 0, 1])


def test_an_early_position_is_better():
    late_first = [0.9, 0.5, 0.1, 0.5, 0.5, 0.5, 0.5]
    matrix = matrix_with({**signs(), **dict.fromkeys(sign_columns("relative_position"), late_first)})
    best = representativeness(matrix.features, matrix.units, {"relative_position": -0.5})
    assert best[[0, 1, 3]].tolist() == [0, 0.5, 1]


# ---- what is absent, what is counted --------------------------------------------------------------


def test_what_is_absent_from_the_corpus_is_counted_and_no_negative():
    found = weak_labels(matrix_with(), QRELS, KNOWN, GRADE)
    assert found.account == {
        "judgments": 5,
        "absent from the corpus": 1,  # S9-A9
        "in the corpus but not among the candidates": 0,
        "used": 4,
        "topics": 2,
        "topics without a judged candidate": 1,  # in topic 2, D is unjudged
        "pairs labelled": 5,
        "unjudged pairs as light negatives": 0,
        "pairs left out": 2,
    }
    assert found.used.tolist() == [True] * 5 + [False] * 2
    fewer = {topic: {a: g for a, g in grades.items() if a in KNOWN} for topic, grades in QRELS.items()}
    np.testing.assert_array_equal(weak_labels(matrix_with(), fewer, KNOWN, GRADE).label, found.label)


def test_judged_arguments_that_are_no_candidates_are_counted():
    qrels = {"1": {A: 1.0, "S8-A8": 1.0}, "5": {A: 1.0}}
    account = weak_labels(matrix_with(), qrels, KNOWN | {"S8-A8"}, GRADE).account
    # S8-A8 was not proposed, and topic 5 has no candidates at all.
    assert account["in the corpus but not among the candidates"] == 2
    assert account["used"] == 1


def test_an_unknown_labelling_function_lists_the_known_ones():
    with pytest.raises(InputError) as error:
        weak_labels(matrix_with(), QRELS, KNOWN, ("maximum_grade",))
    assert "\n" not in str(error.value)
    assert "no labelling function 'maximum_grade'; known: minimum_grade," in str(error.value)


@pytest.mark.parametrize("names", [(), ("debris",), ("contradicts", "position")])
def test_somebody_has_to_look_at_the_judgments(names: tuple[str, ...]):
    with pytest.raises(InputError, match="none of these functions looks at the judgments; add one of: minimum_grade"):
        weak_labels(matrix_with(), QRELS, KNOWN, names)


def test_no_candidates_at_all():
    found = weak_labels(Matrix([]), QRELS, KNOWN, ("minimum_grade", "twin_grade"))
    assert found.account["pairs labelled"] == found.account["topics"] == 0
    assert found.account["in the corpus but not among the candidates"] == 4
    assert [row.coverage for row in found.explained] == [0, 0]


# ---- several functions ----------------------------------------------------------------------------


def rubbish(matrix: Matrix, bad: list[int]) -> Matrix:
    """The matrix with debris in some rows."""
    for column in ("is_boilerplate_max", "meta_talk_max", "url_max", "profanity_max"):
        matrix.features[column] = np.isin(np.arange(len(matrix)), bad).astype(np.float32)
    return matrix


def test_a_function_alone_is_taken_at_its_word():
    found = weak_labels(matrix_with(), QRELS, KNOWN, GRADE)
    np.testing.assert_array_equal(found.label, vote("minimum_grade", matrix_with(), QRELS))


def test_only_what_an_anchor_votes_on_trains():
    # Debris votes on rows 1 and 2, which are judged, and on 5 and 6, which are not.
    found = weak_labels(rubbish(matrix_with(), [1, 2, 5, 6]), QRELS, KNOWN, ("minimum_grade", "debris"))
    assert found.used.tolist() == [True] * 5 + [False] * 2
    assert found.label[1] < found.label[0]
    assert found.label[0] == found.label[3] > 0.5 > found.label[4]
    # Two votes are surer than one.
    assert found.weight[1] > found.weight[0] > 0


def test_the_label_model_behind_the_labels():
    matrix, names = rubbish(matrix_with(), [1, 2]), ("minimum_grade", "debris")
    functions = [labelling_functions()[name] for name in names]
    votes = np.column_stack([vote(name, matrix, QRELS) for name in names])[:5]
    share = Evidence(matrix, QRELS).share
    expected = np.array([function.expected for function in functions])
    model = learn_label_model(votes, share[:5], expected, anchors=np.array([True, False]))
    found = weak_labels(matrix, QRELS, KNOWN, names)
    np.testing.assert_allclose(found.label[:5], model.label(votes))
    np.testing.assert_allclose(found.weight[:5], (share[:5] * model.support(votes)))
    assert [row.accuracy for row in found.explained] == pytest.approx(model.accuracy.tolist())
    assert [row.voices for row in found.explained] == pytest.approx(model.voices.tolist())


def test_explained_by_hand():
    # Topic 2 has no judged pair and is not counted. Debris votes against two of six rows: row 1, which is good by
    # the judgments, and row 2, which is not. The grades vote on five rows, on two of them not alone.
    found = weak_labels(rubbish(matrix_with(), [1, 2, 6]), QRELS, KNOWN, ("minimum_grade", "debris"))
    grades, debris = found.explained
    assert (grades.name, debris.name) == ("minimum_grade", "debris")
    assert (grades.coverage, grades.overlap, grades.conflict) == pytest.approx((5 / 6, 2 / 5, 1 / 5))
    assert (debris.coverage, debris.overlap, debris.conflict) == pytest.approx((2 / 6, 1, 1 / 2))
    (alone,) = weak_labels(matrix_with(), QRELS, KNOWN, GRADE).explained
    assert alone == Explained("minimum_grade", 5 / 6, 0, 0, alone.accuracy, 1)


def test_twins_train_though_unjudged():
    found = weak_labels(twins(), TWIN_QRELS, frozenset(TWIN_QRELS["1"]), ("minimum_grade", "twin_grade"))
    assert found.used.tolist() == [True] * 6 + [False] * 2
    assert found.account["pairs labelled"] == 6
    # By the grades 0, half and all of the top one.
    assert found.label[3] < found.label[5] < found.label[0]


# ---- what nobody judged ---------------------------------------------------------------------------


def crowd(judged: int, unjudged: int, topics: int = 2) -> tuple[Matrix, Qrels]:
    """Topics with rows of one argument each, the first ones judged; all teachers have one order."""
    pairs = {str(t): [own_pair(n) for n in range(1, judged + unjudged + 1)] for t in range(1, topics + 1)}
    number = judged + unjudged
    order = [float(n) for n in range(number)] * topics
    matrix = plain_matrix(pairs, {f"{name}_min": order for name in TEACHERS})
    qrels = {t: {own_pair(n)[0].split("__")[0]: float(n % 4) for n in range(1, judged + 1)} for t in pairs}
    return matrix, qrels


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 6), st.integers(2, 30), st.sampled_from([0.01, 0.1, 0.5, 1.0]))
def test_the_unjudged_of_a_topic_weigh_what_was_asked(judged: int, unjudged: int, share: float):
    matrix, qrels = crowd(judged, unjudged)
    found = weak_labels(matrix, qrels, frozenset(), GRADE, unjudged=share)
    for _, rows in matrix:
        known, negative = found.weight[rows][:judged], found.weight[rows][judged:]
        used = found.used[rows][judged:]
        assert known.tolist() == [1] * judged
        assert negative[used].sum() == pytest.approx(share * judged)
        assert (found.label[rows][judged:][used] == 0).all()
        # The last row is the best of all teachers: nothing speaks against it.
        assert used.tolist() == [True] * (unjudged - 1) + [False]
    assert found.account["unjudged pairs as light negatives"] == 2 * (unjudged - 1)
    assert found.account["pairs left out"] == 2


def test_the_more_doubtful_the_heavier():
    matrix, qrels = crowd(3, 7, topics=1)
    weight = weak_labels(matrix, qrels, frozenset(), GRADE, unjudged=0.1).weight[3:9]
    # Places 3/9 to 8/9 of the topic: doubts 6/9 to 1/9, squared.
    doubts = np.array([36, 25, 16, 9, 4, 1]) / 91
    np.testing.assert_allclose(weight, 0.1 * 3 * doubts)


def test_negatives_of_one_argument_share_its_weight():
    pairs = [(A1, A2), (B1, B1), (C1, C1), (C1, D1), ("S3-A3__PREMISE__2", "S3-A3__PREMISE__3")]
    matrix = plain_matrix({"1": pairs}, {f"{name}_min": [4.0, 3, 0, 0, 0] for name in TEACHERS})
    found = weak_labels(matrix, {"1": {A: 1.0}}, KNOWN, GRADE, unjudged=1.0)
    by_pair = dict(zip(zip(matrix.first, matrix.second, strict=True), found.weight.tolist(), strict=True))
    assert by_pair[C1, C1] == pytest.approx(by_pair[pairs[4]])
    assert by_pair[C1, D1] == pytest.approx(2 * by_pair[C1, C1])


@pytest.mark.parametrize("share", [0.0, 0.2, 1.0])
@pytest.mark.parametrize("names", [GRADE, ("minimum_grade", "twin_grade", "teachers_agree")])
def test_judged_rows_never_become_negatives(share: float, names: tuple[str, ...]):
    columns = {f"{name}_min": [float(-n) for n in range(7)] for name in TEACHERS}
    qrels = {"1": {A: 2.0, C: 0.0}, "2": {C: 1.0}}  # B and D are unjudged
    plain = weak_labels(matrix_with(columns), qrels, KNOWN, names)
    found = weak_labels(matrix_with(columns), qrels, KNOWN, names, unjudged=share)
    judged = ~np.isnan(plain.label)
    np.testing.assert_array_equal(found.label[judged], plain.label[judged])
    np.testing.assert_array_equal(found.weight[judged], plain.weight[judged])
    # (D, D) of topic 1 alone: half-judged pairs teach nothing, nor does topic 2.
    assert np.flatnonzero(found.used & ~judged).tolist() == ([5] if share else [])


def test_a_topic_without_judged_pairs_teaches_nothing():
    matrix, qrels = crowd(2, 5)
    del qrels["2"]
    found = weak_labels(matrix, qrels, frozenset(), GRADE, unjudged=0.5)
    assert not found.used[matrix.rows("2")].any()
    assert found.account["topics without a judged candidate"] == 1
    none = weak_labels(matrix, {}, frozenset(), ("minimum_grade", "twin_grade"), unjudged=0.5)
    assert not none.used.any()
    assert none.account["unjudged pairs as light negatives"] == 0


def test_twins_are_no_negatives():
    matrix = twins()
    for name in TEACHERS:
        matrix.features[f"{name}_min"] = np.arange(8.0)
    found = weak_labels(matrix, TWIN_QRELS, KNOWN, ("minimum_grade", "twin_grade"), unjudged=0.5)
    plain = weak_labels(matrix, TWIN_QRELS, KNOWN, ("minimum_grade", "twin_grade"))
    np.testing.assert_array_equal(found.label[:6], plain.label[:6])
    assert np.flatnonzero(found.used & ~plain.used).tolist() == [6]  # the last is the best of all teachers


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
    with pytest.raises(KeyError, match=sign_columns(min(SIGNS))[0]):
        representativeness(pd.DataFrame({"x": [1.0]}), np.zeros(1, np.int64))
