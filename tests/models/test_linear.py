"""Ridge regression within topics: by hand, read back, and taken apart."""

from __future__ import annotations

import numpy as np
import pytest
from support.rows import INPUTS, data
from support.tables import make_table

import models.linear
from features.core import feature as registry
from models.base import Parameters, TrainingSet
from models.blend import Blend
from models.contributions import contributions
from models.learned import fit_selected, inputs_of
from models.linear import LinearRanker


def test_two_topics_by_hand(monkeypatch: pytest.MonkeyPatch):
    # Topics differ by 10 in x and by nothing in grades: inside both, x = -1, 1 goes with grades -1, 1 about the mean.
    values = np.array([[-1], [1], [9], [11]], np.float32)
    training = TrainingSet(values, np.array([0.0, 2, 0, 2]), np.ones(4), np.array([2, 2]))
    monkeypatch.setattr(models.linear, "PENALTY", 0.0)
    model = LinearRanker(["x"])
    model.fit(training)
    # A weight of 1 puts a topic in order; the line to grades then has the slope cov(x, grade) / var(x) = 1 / 26 at
    # the mean (5, 1).
    assert model.weights == pytest.approx([1 / 26], abs=1e-8)
    assert model.score_values(np.array([[5], [31]], np.float32)).tolist() == pytest.approx([1, 2], abs=1e-6)


def test_few_columns_stay_and_it_is_read_back():
    training = data(3)
    found = fit_selected(training, INPUTS, Parameters(objective="linear", columns=2))
    assert isinstance(found, LinearRanker)
    first = LinearRanker(INPUTS)
    first.fit(training)
    gains = first.gains()
    assert sum(gains.values()) == pytest.approx(1)
    assert set(found.columns) == set(sorted(gains, key=lambda column: -gains[column])[:2])
    assert "noise" not in found.columns
    again = LinearRanker.load(found.settings(), found.dump())
    seen = training.values[:, [INPUTS.index(name) for name in found.inputs]]
    assert again.score_values(seen).tolist() == found.score_values(seen).tolist()
    assert np.corrcoef(found.score_values(seen), training.labels)[0, 1] > 0.5


@pytest.mark.parametrize("weights", [[1.0], [1.0, float("nan")]])
def test_a_damaged_one_is_refused(weights: list[float]):
    settings = LinearRanker(["a", "b"]).settings() | {"weights": weights}
    with pytest.raises(ValueError, match="the weights do not fit the inputs"):
        LinearRanker.load(settings, {})


def test_what_columns_add_sums_to_the_score():
    matrix = make_table()
    model = LinearRanker(inputs_of(registry.columns()))
    model.weights = np.random.default_rng(1).normal(size=len(model.inputs)) / 100
    scores = model.score(matrix)
    assert np.ptp(scores) > 0.1
    added = contributions(Blend({"relevance": model}, {"relevance": 1.0}), matrix).sum(axis=1).to_numpy()
    for _, rows in matrix.spans.items():
        np.testing.assert_allclose(added[rows], scores[rows] - scores[rows].mean(), atol=2e-6)
