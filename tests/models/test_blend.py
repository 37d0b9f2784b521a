from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from support.tables import Part

from models.base import DIMENSIONS, Scores
from models.blend import Blend


class Column:
    """Scores rows by one of their columns."""

    def __init__(self, column: str) -> None:
        self.columns = [column]

    def score(self, matrix: Part) -> Scores:
        return matrix.features[self.columns[0]].to_numpy(np.float64)


PART = Part(pd.DataFrame({"a": [1, 2, 0], "b": [2, 0, 0.5], "c": [9, 9, 9]}, dtype=np.float32), np.array([2, 1]))


def blend(**weights: float) -> Blend:
    return Blend({name: Column(name) for name in ("a", "b")}, weights)


def test_scores_add_up_as_they_are():
    # Expected grades need no scaling, in no topic: 1 + .5 * 2, 2 + .5 * 0, 0 + .5 * .5.
    assert blend(a=1, b=0.5).score(PART).tolist() == [2, 2, 0.25]
    assert blend(a=1, b=0.5).combine({"a": np.array([3.0]), "b": np.array([4.0])}).tolist() == [5]


def test_a_weight_of_zero_asks_for_nothing():
    model = blend(a=0, b=2)
    narrow = Part(PART.features[["b"]], PART.groups)
    assert model.columns == ["b"]
    assert model.dimension_scores(narrow).keys() == {"b"}
    assert model.score(narrow).tolist() == [4, 0, 1]
    assert blend(b=2).weights == {"a": 0, "b": 2}, "whoever is not named weighs nothing"


def test_other_weights_for_the_same_rankers():
    model = blend(a=1, b=0.5)
    other = model.reweighted({"b": 2, "c": 0})
    assert other.score(PART).tolist() == [4, 0, 1]
    assert other.rankers == model.rankers
    assert model.weights == {"a": 1, "b": 0.5}
    with pytest.raises(KeyError, match="c"):
        model.reweighted({"a": 1, "c": 0.1})


def test_the_order_of_rankers_changes_no_bit():
    rng = np.random.default_rng(1)
    scores = {name: rng.normal(size=50) for name in DIMENSIONS}
    weights = dict(zip(DIMENSIONS, (0.1, 0.7, 0.3), strict=True))
    found = [
        Blend({name: Column(name) for name in order}, weights).combine(scores)
        for order in (DIMENSIONS, DIMENSIONS[::-1])
    ]
    np.testing.assert_array_equal(*found)
