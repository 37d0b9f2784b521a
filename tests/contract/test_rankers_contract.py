"""What every registered ranker owes."""

from __future__ import annotations

import pkgutil
import sys
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tables import CORPUS, Part, make_block, make_context, make_matrix

import models
from features import registry
from ltr.learning import signed_columns
from ltr.matrix import Matrix
from models import base
from models.base import TrainingSet, baselines, make_ranker, ranker, rankers, unit_table
from models.baselines import PAIR_SHARE
from models.lambdamart import Parameters

SMALL = Parameters(trees=4, seeds=2, rows_a_leaf=5, learning_rate=0.3)
named = pytest.mark.parametrize("name", rankers())


@cache
def matrix() -> Matrix:
    return make_matrix()


@cache
def trained(name: str) -> Any:
    """A ranker of that name, taught on the small matrix when it learns."""
    if name != "lambdamart":
        return make_ranker(name)
    signs = signed_columns(registry.columns())
    model = make_ranker(name, columns=list(signs), signs=signs, parameters=SMALL)
    table = unit_table(matrix(), model.columns)
    labels = np.random.default_rng(5).random(len(table.values))
    model.fit(TrainingSet(table.values, labels, np.ones(len(labels)), table.groups))
    return model


def whole(data: Matrix) -> Part:
    return Part(data.features, data.groups, data.units)


@named
def test_scores_are_finite_and_one_a_row(name: str):
    scores = trained(name).score(matrix())
    assert scores.shape == (len(matrix()),)
    assert np.isfinite(scores).all()
    assert len(np.unique(scores)) > 10


@named
def test_scores_are_deterministic_and_leave_the_matrix_alone(name: str):
    data = make_matrix()
    before = data.features.copy(deep=True), data.groups.copy(), data.units.copy()
    first = trained(name).score(data)
    np.testing.assert_array_equal(trained(name).score(data), first)
    pd.testing.assert_frame_equal(data.features, before[0])
    np.testing.assert_array_equal(data.groups, before[1])
    np.testing.assert_array_equal(data.units, before[2])


@named
def test_rows_of_a_topic_may_stand_in_any_order(name: str):
    data = whole(matrix())
    starts = np.concatenate([[0], np.cumsum(data.groups)])
    rng = np.random.default_rng(6)
    order = np.concatenate([start + rng.permutation(size) for start, size in zip(starts, data.groups, strict=False)])
    other = Part(data.features.iloc[order].reset_index(drop=True), data.groups, data.units[order])
    np.testing.assert_allclose(trained(name).score(other), trained(name).score(data)[order], rtol=1e-9, atol=1e-9)


@named
def test_a_topic_has_its_scores_alone(name: str):
    data = matrix()
    scores = trained(name).score(data)
    for topic, rows in data:
        alone = trained(name).score(data.of_topics([topic]))
        np.testing.assert_allclose(alone, scores[rows], rtol=1e-9, atol=1e-9, err_msg=topic)


@named
def test_one_pair_and_constant_columns(name: str):
    one = Matrix([make_block("1", make_context(pairs=[(0, 1)]))])
    assert np.isfinite(trained(name).score(one)).all()
    several = Matrix([make_block("1", make_context(CORPUS, "Unknown?", pairs=[(0, 1), (1, 2), (5, 6)]))])
    assert np.isfinite(trained(name).score(several)).all()


@named
def test_it_needs_registered_columns_and_no_others(name: str):
    model = trained(name)
    needed = set(model.columns)
    assert needed <= set(registry.columns())
    part = whole(matrix())
    narrow = Part(part.features[model.columns], part.groups, part.units)
    np.testing.assert_array_equal(model.score(narrow), model.score(part))


@named
def test_it_has_a_description(name: str):
    assert rankers()[name]
    assert "\n" not in rankers()[name]


def test_every_file_is_imported():
    names = {f"models.{module.name}" for module in pkgutil.iter_modules(models.__path__)}
    assert names <= sys.modules.keys()
    assert rankers().keys() >= {"bm25", "bm25-tuned", "coherence", "dirichlet", "lambdamart", "length"}


def test_teachers_stand_beside_every_model_and_others_do_not():
    before = baselines()
    ranker("a teacher", "for this test")(object)
    ranker("no teacher", "for this test", teacher=False)(object)
    try:
        assert baselines() == sorted([*before, "a teacher"])
        assert rankers().keys() >= {"a teacher", "no teacher"}
    finally:
        base._TEACHERS.discard("a teacher")
        del base._RANKERS["a teacher"], base._RANKERS["no teacher"]
    assert baselines() == before


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(KeyError) as error:
        make_ranker("bm52")
    assert "no ranker 'bm52'" in str(error.value)
    for name in rankers():
        assert name in str(error.value)


def test_a_second_ranker_of_one_name_is_refused():
    before = rankers()
    with pytest.raises(ValueError, match="ranker 'bm25' is registered twice"):
        ranker("bm25", "another")(object)
    assert rankers() == before


@pytest.mark.parametrize("name", ["bm25", "bm25-tuned", "dirichlet", "length"])
def test_baselines_order_arguments_first_and_pairs_inside_them(name: str):
    # Hand-made: two topics; z-scores make them comparable, and a column without spread adds nothing.
    argument, pair = make_ranker(name).columns
    features = pd.DataFrame({argument: [1.0, 1, 3, 5, 5], pair: [2.0, 4, 3, 7, 9]}, dtype=np.float32)
    found = make_ranker(name).score(Part(features, np.array([3, 2]), np.array([0, 0, 1, 2, 2])))
    # Topic 1: mean 5/3, deviation sqrt(8)/3, so -1/sqrt 2, -1/sqrt 2, sqrt 2; pairs: mean 3, deviation sqrt(2/3).
    # Topic 2: the arguments tie, pairs are -1 and 1.
    half, step = 1 / np.sqrt(2), PAIR_SHARE / np.sqrt(2 / 3)
    expected = [-half - step, -half + step, np.sqrt(2), -PAIR_SHARE, PAIR_SHARE]
    assert found.tolist() == pytest.approx(expected)


def test_coherence_is_the_log_odds_of_its_feature():
    features = pd.DataFrame({"coherence": [0.5, 0.75, 0.2, 0, 1]}, dtype=np.float32)
    found = make_ranker("coherence").score(Part(features, np.array([5]), np.arange(5)))
    np.testing.assert_allclose(found[:3], [0, np.log(3), -np.log(4)], rtol=1e-6, atol=1e-6)
    assert np.isfinite(found).all()
    assert found[3] < found[2]
    assert found[4] > found[1]


def test_lambdamart_scores_arguments_and_not_their_pairs():
    scores, units = trained("lambdamart").score(matrix()), matrix().units
    assert all(len(set(scores[units == unit])) == 1 for unit in np.unique(units))


def test_lambdamart_written_and_read_back_scores_the_same():
    model = trained("lambdamart")
    again = type(model).load(model.settings(), model.dump())
    np.testing.assert_array_equal(again.score(matrix()), model.score(matrix()))
    with pytest.raises(ValueError, match="other features than the manifest"):
        type(model).load(model.settings() | {"columns": model.columns[::-1]}, model.dump())
