"""Labelled rows of inputs with a known pattern."""

from __future__ import annotations

import numpy as np

from models.base import TOP_GRADE, TrainingSet
from models.lambdamart import Parameters

INPUTS = ["up", "up@topic", "down", "curved", "noise"]
SMALL = Parameters(trees=12, seeds=2, rows_a_leaf=5, learning_rate=0.3, l2=1.0, feature_share=0.7)
GROUPS = np.array([40, 60, 50])


def data(seed: int = 0, groups: np.ndarray = GROUPS) -> TrainingSet:
    """Labels that rise with one input by steps, fall with another, and are curved in a third."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(int(groups.sum()), len(INPUTS))).astype(np.float32)
    wish = (values[:, 0] > 0.3) - 0.5 * values[:, 2] + np.abs(values[:, 3]) + 0.3 * rng.normal(size=len(values))
    labels = TOP_GRADE * (wish - wish.min()) / np.ptp(wish)
    return TrainingSet(values, labels, rng.uniform(0.5, 2, len(values)), groups)
