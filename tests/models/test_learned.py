"""What learned rankers see of feature columns, and the few that they keep: those of the highest gain in a first fit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.rows import INPUTS, SMALL, data
from support.tables import make_part

from features.core import feature as registry
from models.base import percentile, standardise
from models.lambdamart import LambdaMart
from models.learned import IN_TOPIC, columns_of, fit_selected, input_values, inputs_of


def test_a_column_enters_as_it_is_in_standard_scores_or_both_ways():
    # A count says the same everywhere; a BM25 score compares within a topic; a cosine with the question does both.
    assert inputs_of(["n_words_pair"]) == ["n_words_pair"]
    assert inputs_of(["bm25_k1.2_b0.75_pair"]) == ["bm25_k1.2_b0.75_pair@topic"]
    assert inputs_of(["debate_cosine_min"]) == ["debate_cosine_min", "debate_cosine_min@topic"]
    assert inputs_of([]) == []


def test_every_column_enters_and_comes_back():
    every = registry.columns()
    inputs = inputs_of(every)
    assert len(set(inputs)) == len(inputs)
    assert columns_of(inputs) == every
    assert not any(column.endswith(IN_TOPIC) for column in every)
    # A score whose scale is that of the collection must never enter raw: a model has to work on another collection.
    for feature in registry.all_columns().values():
        assert feature.standardise == "topic" or feature.measured_in not in ("score", "log-likelihood ratio", "bits")


def test_values_by_hand():
    features = pd.DataFrame({"x": [1, 3, 7, 7, 10], "y": [0.5, 0.25, 1, 0, 0]}, dtype=np.float32)
    found = input_values(make_part(features, np.array([2, 3])), ["y", "x@topic", "x"])
    # Topic 1: mean 2, deviation 1. Topic 2: 7, 7, 10: mean 8, deviation sqrt 2: -1/sqrt 2 twice and sqrt 2.
    z = [-1, 1, -0.70711, -0.70711, 1.41421]
    assert found.dtype == np.float32
    assert found.tolist() == np.column_stack([features["y"], np.float32(z), features["x"]]).tolist()
    assert input_values(make_part(features, np.array([5])), []).shape == (5, 0)


@pytest.mark.parametrize("columns", [1, 2, 3])
def test_the_columns_of_the_highest_gain_stay(columns: int):
    training = data(3)
    found = fit_selected(training, INPUTS, replace(SMALL, columns=columns))
    first = LambdaMart(INPUTS, replace(SMALL, trees=6, learning_rate=0.06, seeds=1))
    first.fit(training)
    gains = first.gains()
    best = sorted(gains, key=lambda column: -gains[column])[:columns]
    assert "noise" not in best
    # In the order in which they came, and both inputs of a column.
    assert found.columns == [column for column in first.columns if column in best]
    assert found.inputs == [name for name in INPUTS if name.removesuffix("@topic") in best]


@pytest.mark.parametrize("columns", [0, 4, 99])
def test_all_may_stay(columns: int):
    found = fit_selected(data(3), INPUTS, replace(SMALL, columns=columns))
    assert found.inputs == INPUTS
    assert found.parameters.columns == columns
    assert len(found.dump()) == 2 * SMALL.seeds, "of each objective"


def test_standard_scores_by_hand():
    # 1, 2, 3: mean 2, deviation sqrt(2/3); a constant group and a group of one have none.
    found = standardise([1, 2, 3, 10, 10, 4], [3, 2, 1])
    np.testing.assert_allclose(found, [-np.sqrt(1.5), 0, np.sqrt(1.5), 0, 0, 0])
    assert standardise([], []).tolist() == []
    assert standardise([1, 3], [2, 0]).tolist() == [-1, 1]


def test_scale_and_level_of_a_group_do_not_matter():
    values = np.random.default_rng(3).normal(size=9)
    found = standardise(values, [4, 5])
    other = np.concatenate([values[:4] * 3 + 100, values[4:] * 0.01 - 7])
    np.testing.assert_allclose(standardise(other, [4, 5]), found, atol=1e-9)
    for part_of in (found[:4], found[4:]):
        np.testing.assert_allclose([part_of.mean(), part_of.std()], [0, 1], atol=1e-12)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-3, 3)), max_size=20))
def test_percentile_is_the_mean_rank_inside_the_topic(rows: list[tuple[int, int]]):
    topics = np.array([topic for topic, _ in rows], np.int64)
    found = percentile([value for _, value in rows], topics)
    for (topic, value), place in zip(rows, found.tolist(), strict=True):
        peers = [other for number, other in rows if number == topic]
        below, ties = sum(other < value for other in peers), peers.count(value)
        expected = (below + (ties - 1) / 2) / (len(peers) - 1) if len(peers) > 1 else 0.5
        assert place == pytest.approx(expected)
