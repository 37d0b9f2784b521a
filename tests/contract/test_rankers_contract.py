"""What every registered ranker owes."""

from __future__ import annotations

import pkgutil
import sys
from copy import deepcopy
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support.tables import CORPUS, make_argument_table, make_block, make_context, make_part, make_table, of_topic

import models
from features.core import feature as registry
from features.core.feature import ALL_KINDS, ItemKind
from ltr.ranking.candidates import Candidates
from models import base
from models.base import RANKERS, TrainingSet, baselines, learned_ranker, make_ranker, ranker, rankers
from models.baselines import PAIR_SHARE
from models.lambdamart import Parameters
from models.learned import input_values, inputs_of

SMALL = Parameters(trees=4, seeds=2, rows_a_leaf=5, learning_rate=0.3)
CASES = [(name, kind) for kind in ALL_KINDS for name in rankers() if name in baselines(kind) or name == "lambdamart"]
named = pytest.mark.parametrize(("name", "kind"), CASES)


@cache
def table(kind: ItemKind = "pair") -> Candidates:
    return make_table() if kind == "pair" else make_argument_table(kind=kind)


@cache
def trained(name: str, kind: ItemKind = "pair") -> Any:
    """A ranker of that name, trained on the small table when it learns."""
    if name in baselines(kind):
        return make_ranker(name, kind=kind)
    model = RANKERS[name].make(inputs_of(registry.columns(kind)), SMALL)
    labels = 2 * np.random.default_rng(5).random(len(table(kind)))
    values = input_values(table(kind), model.inputs)
    model.fit(TrainingSet(values, labels, np.ones(len(labels)), table(kind).groups))
    return model


def whole(data: Candidates) -> pd.DataFrame:
    return make_part(data.features, data.groups)


@named
def test_scores_are_finite_and_one_a_row(name: str, kind: ItemKind):
    scores = trained(name, kind).score(table(kind))
    assert scores.shape == (len(table(kind)),)
    assert np.isfinite(scores).all()
    least = {"pair": 10, "argument": 3, "document": 1}[kind]  # copies are among them, and counts of few words
    assert len(np.unique(scores)) > least


@named
def test_scores_are_deterministic_and_leave_the_matrix_alone(name: str, kind: ItemKind):
    data = deepcopy(table(kind))
    before = data.features.copy(deep=True), data.groups.copy()
    first = trained(name, kind).score(data)
    np.testing.assert_array_equal(trained(name, kind).score(data), first)
    pd.testing.assert_frame_equal(data.features, before[0])
    np.testing.assert_array_equal(data.groups, before[1])


@named
def test_rows_of_a_topic_may_stand_in_any_order(name: str, kind: ItemKind):
    data = whole(table(kind))
    starts = np.concatenate([[0], np.cumsum(data.groups)])
    rng = np.random.default_rng(6)
    order = np.concatenate([start + rng.permutation(size) for start, size in zip(starts, data.groups, strict=False)])
    other = make_part(data.features.iloc[order].reset_index(drop=True), data.groups)
    # Up to the last of five decimals of standard scores; at random, an order of rows is all that there is.
    if name != "random":
        model = trained(name, kind)
        np.testing.assert_allclose(model.score(other), model.score(data)[order], rtol=1e-9, atol=1e-9)


@named
def test_a_topic_has_its_scores_alone(name: str, kind: ItemKind):
    data = table(kind)
    scores = trained(name, kind).score(data)
    for topic, rows in data.spans.items() if name != "random" else ():
        alone = trained(name, kind).score(of_topic(data, topic))
        np.testing.assert_allclose(alone, scores[rows], rtol=1e-9, atol=1e-9, err_msg=topic)


@named
def test_one_pair_and_constant_columns(name: str, kind: ItemKind):
    if kind != "pair":
        assert np.isfinite(trained(name, kind).score(make_argument_table(CORPUS[:1], "Unknown?", kind=kind))).all()
        return
    one = Candidates.concat([make_block("1", make_context(pairs=[(0, 1)]))])
    assert np.isfinite(trained(name, kind).score(one)).all()
    several = Candidates.concat([make_block("1", make_context(CORPUS, "Unknown?", pairs=[(0, 1), (1, 2), (5, 6)]))])
    assert np.isfinite(trained(name, kind).score(several)).all()


@named
def test_it_needs_registered_columns_and_no_others(name: str, kind: ItemKind):
    model = trained(name, kind)
    needed = set(model.columns)
    assert needed <= set(registry.columns(kind))
    part = whole(table(kind))
    narrow = make_part(part.features[model.columns], part.groups)
    np.testing.assert_array_equal(model.score(narrow), model.score(part))


@named
def test_it_has_a_description(name: str, kind: ItemKind):
    assert rankers()[name]
    assert "\n" not in rankers()[name]


def test_every_file_is_imported():
    names = {f"models.{module.name}" for module in pkgutil.iter_modules(models.__path__)}
    assert names <= sys.modules.keys()
    assert rankers().keys() >= {"bm25", "bm25-tuned", "dirichlet", "lambdamart", "length", "random"}


def test_baselines_stand_beside_every_model_and_learned_rankers_do_not():
    before = baselines()
    assert "lambdamart" not in before
    ranker("a baseline", "for this test")(object)
    learned_ranker("a learner", "for this test")(object)
    try:
        assert baselines() == sorted([*before, "a baseline"])
        assert rankers().keys() >= {"a baseline", "a learner"}
        assert "a learner" in base.objectives()
        with pytest.raises(ValueError, match="the objective 'a learner' is registered twice"):
            learned_ranker("another", "for this test", objectives=["a learner"])(object)
    finally:
        del base.RANKERS["a baseline"], base.RANKERS["a learner"]
    assert baselines() == before


@pytest.mark.parametrize("name", ["bm25", "bm25-tuned", "dirichlet", "length"])
def test_baselines_order_arguments_first_and_pairs_inside_them(name: str):
    # Hand-made: two topics; z-scores make them comparable, and a column without spread adds nothing.
    argument, pair = make_ranker(name).columns
    features = pd.DataFrame({argument: [1.0, 1, 3, 5, 5], pair: [2.0, 4, 3, 7, 9]}, dtype=np.float32)
    found = make_ranker(name).score(make_part(features, np.array([3, 2])))
    # Topic 1: mean 5/3, deviation sqrt(8)/3, so -1/sqrt 2, -1/sqrt 2, sqrt 2; pairs: mean 3, deviation sqrt(2/3).
    # Topic 2: the arguments tie, pairs are -1 and 1.
    half, step = 1 / np.sqrt(2), PAIR_SHARE / np.sqrt(2 / 3)
    expected = [-half - step, -half + step, np.sqrt(2), -PAIR_SHARE, PAIR_SHARE]
    assert found.tolist() == pytest.approx(expected)
