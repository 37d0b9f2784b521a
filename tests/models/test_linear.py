"""Ridge regression within topics: by hand, read back, and taken apart."""

from __future__ import annotations

import numpy as np
import pytest
from support.rows import INPUTS, data

import models.linear
from models.base import Parameters, TrainingSet
from models.learned import fit_selected
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
