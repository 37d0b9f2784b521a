"""Means over sets of people's judgments, with intervals over sets and topics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ltr.evaluation.significance import percentile_interval
from models.base import Scores

DRAWS = 5000

Topics = Mapping[str, float]
"""Topic -> value."""


class Interval(NamedTuple):
    """A mean with its 95% bootstrap interval."""

    mean: float
    low: float
    high: float

    def text(self, sign: str = "") -> str:
        """``.5 [.4, .6]`` with three decimals."""
        return f"{self.mean:{sign}.3f} [{self.low:{sign}.3f}, {self.high:{sign}.3f}]"


def mean_over(sets: Sequence[Topics], seed: int = 0) -> Interval:
    """The mean over sets of their means over topics.

    In each draw of the bootstrap the sets are drawn with replacement and then the topics of each drawn set, so the
    interval is one for other sets and other topics; of a single set it is one for other topics.
    """
    arrays = [np.array(list(values.values()), np.float64) for values in sets]
    rng = np.random.default_rng(seed)
    chosen = rng.integers(0, len(arrays), (DRAWS, len(arrays)))
    drawn: Scores = np.zeros(DRAWS)
    for place in range(len(arrays)):  # a set that is drawn twice has its topics drawn twice
        for number, values in enumerate(arrays):
            draws = chosen[:, place] == number
            topics = rng.integers(0, len(values), (int(draws.sum()), len(values)))
            drawn[draws] += values[topics].mean(axis=1) / len(arrays)
    return Interval(float(np.mean([values.mean() for values in arrays])), *percentile_interval(drawn))


def mean_difference(ours: Sequence[Topics], others: Sequence[Topics]) -> Interval:
    """Ours minus another's over the same sets and topics, see `mean_over`."""
    return mean_over([{t: a[t] - b[t] for t in a if t in b} for a, b in zip(ours, others, strict=True)])
