"""What every registered labelling function owes."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from tables import CORPUS, make_matrix

from features import registry
from ltr.labelling import TEACHERS, Evidence, labelling_function, labelling_functions
from ltr.matrix import Matrix
from ltr.supervision import DEFAULT, UNJUDGED
from models.choice import SIGNS, sign_columns

named = pytest.mark.parametrize("name", labelling_functions())
# Every grade of the task, fractions, an argument that is unjudged but holds what a judged one says (the second),
# another one (the last), and a topic without judgments.
GRADES = (-2.0, 0.0, 0.4, 1.0, 3.0)
QRELS = {
    topic: {source.id: GRADES[(n + skip) % 5] for n, source in enumerate(CORPUS) if n not in (1, 5)}
    for skip, topic in enumerate(("2", "3", "77"))
}
DIMENSIONS = ("relevance", "quality")


@pytest.fixture(scope="module")
def matrix() -> Matrix:
    return make_matrix()


@named
@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_one_vote_a_row(name: str, dimension: str, matrix: Matrix):
    for qrels, data in product((QRELS, {}), (matrix, matrix.of_topics({"10"}))):
        votes = labelling_functions()[name].vote(Evidence(data, qrels, dimension))
        assert votes.shape == (len(data),)
        assert votes.dtype == np.float64
        voted = votes[~np.isnan(votes)]
        assert ((voted >= 0) & (voted <= 1 + 1e-12)).all()


@named
def test_it_votes_and_it_abstains(name: str, matrix: Matrix):
    votes = labelling_functions()[name].vote(Evidence(matrix, QRELS))
    assert 0 < np.isnan(votes).sum() < len(votes)


@named
def test_only_anchors_look_at_the_judgments(name: str, matrix: Matrix):
    function = labelling_functions()[name]
    told, untold = (function.vote(Evidence(matrix, qrels)) for qrels in (QRELS, {}))
    if function.anchor:
        assert np.isnan(untold).all()
    else:
        np.testing.assert_array_equal(told, untold)


@named
def test_same_evidence_same_votes(name: str, matrix: Matrix):
    evidence = Evidence(matrix, QRELS)
    first, second, third = (labelling_functions()[name].vote(e) for e in (evidence, evidence, Evidence(matrix, QRELS)))
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(first, third)


@named
def test_a_topic_is_voted_on_by_itself(name: str, matrix: Matrix):
    # Otherwise labels of a held-out topic would change with those that it is held out from.
    votes = labelling_functions()[name].vote(Evidence(matrix, QRELS))
    for topic, rows in matrix:
        part = labelling_functions()[name].vote(Evidence(matrix.of_topics({topic}), QRELS))
        np.testing.assert_array_equal(part, votes[rows])


@named
def test_inputs_are_left_alone(name: str):
    matrix = make_matrix()
    evidence = Evidence(matrix, {topic: dict(grades) for topic, grades in QRELS.items()})
    share, grades = evidence.share.copy(), [side.copy() for side in evidence.grades]
    features = matrix.features.copy(deep=True)
    labelling_functions()[name].vote(evidence)
    pd.testing.assert_frame_equal(matrix.features, features)
    assert evidence.qrels == QRELS
    np.testing.assert_array_equal(evidence.share, share)
    for side, before in zip(evidence.grades, grades, strict=True):
        np.testing.assert_array_equal(side, before)


@named
def test_what_is_said_of_it(name: str):
    function = labelling_functions()[name]
    assert function.name == name
    assert function.description
    assert "\n" not in function.description
    assert 0.5 <= function.expected < 1, "one that is expected to be worse than chance should vote the other way"
    assert isinstance(function.anchor, bool)


@named
def test_overlaps_are_features(name: str):
    for overlap in labelling_functions()[name].overlaps:
        assert registry.find(overlap).name == overlap


@named
def test_it_looks_at_no_feature_but_those_it_names(name: str, matrix: Matrix):
    function = labelling_functions()[name]
    before = function.vote(Evidence(matrix, QRELS))
    known = registry.column_features()
    blind = make_matrix()
    for column in blind.features.columns:
        if known[column].name not in function.overlaps:
            blind.features[column] = np.float32(0)
    np.testing.assert_array_equal(function.vote(Evidence(blind, QRELS)), before)


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_the_default_strategies_are_registered_and_have_an_anchor(dimension: str):
    known = labelling_functions()
    assert set(DEFAULT[dimension]) <= known.keys()
    assert any(known[name].anchor for name in DEFAULT[dimension])
    assert 0 <= UNJUDGED[dimension] <= 1


def test_there_are_anchors_and_others():
    anchors = [function.anchor for function in labelling_functions().values()]
    assert any(anchors)
    assert not all(anchors)


@pytest.mark.parametrize("teacher", TEACHERS)
def test_teachers_are_features_of_whole_arguments_or_pairs(teacher: str):
    assert f"{teacher}_min" in registry.columns()


def test_every_sign_of_choice_has_its_columns():
    for sign in SIGNS:
        assert set(sign_columns(sign)) <= set(registry.columns())


def test_a_second_function_of_one_name_is_refused():
    def minimum_grade(evidence: Evidence):  # type: ignore[no-untyped-def]
        raise NotImplementedError

    before = labelling_functions()
    with pytest.raises(ValueError, match="'minimum_grade' is registered twice"):
        labelling_function("another")(minimum_grade)
    assert labelling_functions() == before
