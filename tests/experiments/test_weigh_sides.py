"""Weights of signs from labels."""

from __future__ import annotations

import numpy as np
import pytest

from experiments.lab.weigh_sides import fitted


def test_weights_give_the_odds_of_the_labels() -> None:
    signs = np.repeat([[1.0, 0.0], [0.0, 1.0]], 400, axis=0).tolist()
    labels = [*[True] * 300, *[False] * 100, *[True] * 200, *[False] * 200]
    assert fitted(signs, labels) == pytest.approx([np.log(3), 0], abs=0.02)


def test_a_question_and_its_opposite_have_opposite_sides() -> None:
    rows = np.random.default_rng(1).normal(size=(200, 2))
    labels = rows[:, 0] > 0.5
    turned = [fitted((sign * rows).tolist(), labels.tolist(), both_ways=True) for sign in (1, -1)]
    assert turned[0] == pytest.approx([-one for one in turned[1]], abs=0.002)
