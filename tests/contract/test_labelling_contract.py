"""What every registered labelling function owes."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from tables import CORPUS, make_matrix

from features import registry
from ltr.matrix import Matrix
from ltr.supervision import DEFAULT, Evidence, labelling_function, labelling_functions
from models.choice import SIGNS, sign_columns

named = pytest.mark.parametrize("name", labelling_functions())
# Every grade of the task, fractions, an unjudged argument (the last), and a topic without judgments.
GRADES = (-2.0, 0.0, 0.4, 1.0, 3.0)
QRELS = {
    topic: {source.id: GRADES[(n + skip) % 5] for n, source in enumerate(CORPUS[:-1])}
    for skip, topic in enumerate(("2", "3", "77"))
}


@pytest.fixture(scope="module")
def matrix() -> Matrix:
    return make_matrix()


@named
def test_labels_and_weights(name: str, matrix: Matrix):
    for qrels, seed in product((QRELS, {}), (0, 1)):
        votes = labelling_functions()[name].vote(Evidence(matrix, qrels, seed))
        assert votes.label.shape == votes.weight.shape == (len(matrix),)
        voted = ~np.isnan(votes.label)
        assert (votes.label[voted] >= 0).all()
        assert (votes.label[voted] <= 1).all()
        assert np.isfinite(votes.weight[voted]).all()
        assert (votes.weight[voted] > 0).all()


@named
def test_it_votes_and_it_abstains(name: str, matrix: Matrix):
    label = labelling_functions()[name].vote(Evidence(matrix, QRELS)).label
    assert 0 < np.isnan(label).sum() < len(label)


@named
def test_same_evidence_same_votes(name: str, matrix: Matrix):
    first, second = (labelling_functions()[name].vote(Evidence(matrix, QRELS, 3)) for _ in range(2))
    np.testing.assert_array_equal(first.label, second.label)
    np.testing.assert_array_equal(first.weight, second.weight)


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
def test_overlaps_are_features(name: str):
    function = labelling_functions()[name]
    assert function.name == name
    assert function.description
    for overlap in function.overlaps:
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
    after = function.vote(Evidence(blind, QRELS))
    np.testing.assert_array_equal(after.label, before.label)
    np.testing.assert_array_equal(after.weight, before.weight)


def test_the_default_strategy_is_registered():
    assert set(DEFAULT) <= labelling_functions().keys()


def test_every_sign_of_choice_has_its_two_columns():
    for sign in SIGNS:
        assert len(set(sign_columns(sign)) & set(registry.columns())) == 2


def test_a_second_function_of_one_name_is_refused():
    def minimum_grade(evidence: Evidence):  # type: ignore[no-untyped-def]
        raise NotImplementedError

    before = labelling_functions()
    with pytest.raises(ValueError, match="'minimum_grade' is registered twice"):
        labelling_function("another")(minimum_grade)
    assert labelling_functions() == before
