"""How the source of a document ranked it."""

from __future__ import annotations

from functools import partial

import numpy as np

from features.core.feature import feature
from features.core.statistics import FloatArray
from features.core.tables import SOURCE, Context

_feature = partial(feature, "argument", lift=("min",), units=("document",), group="source")


@_feature(measured_in="share", range=(0, 1))
def source_reciprocal_rank(c: Context) -> FloatArray:
    """1 / rank in the result list that it came in, else 0."""
    rank = c.arguments.source[:, SOURCE.index("rank")]
    return np.where(np.isnan(rank), 0, 1 / np.maximum(np.nan_to_num(rank, nan=1), 1))


@_feature(measured_in="share", range=(0, 1))
def source_strength(c: Context) -> FloatArray:
    """Score of the source as a share of its best for the topic; by rank, 1 / (1 + ln rank), without scores."""
    rank, score = (c.arguments.source[:, SOURCE.index(name)] for name in ("rank", "score"))
    by_rank = np.where(np.isnan(rank), 0, 1 / (1 + np.log(np.maximum(np.nan_to_num(rank, nan=1), 1))))
    best = np.nanmax(score, initial=0) if not np.isnan(score).all() else 0.0
    if best <= 0:
        return by_rank
    return np.clip(np.nan_to_num(score) / best, 0, 1)


@_feature(measured_in="log10", range=(-15, 15))
def page_rank(c: Context) -> FloatArray:
    """Logarithm of the page rank; 0 where unknown."""
    value = np.nan_to_num(c.arguments.source[:, SOURCE.index("page_rank")])
    return np.where(value > 0, np.clip(np.log10(np.where(value > 0, value, 1)), -15, 15), 0)


@_feature(measured_in="percent", range=(0, 100))
def spam_rank(c: Context) -> FloatArray:
    """Share of pages with more spam; 0 where unknown.

    Waterloo's percentiles: 100 is no spam.
    """
    return np.clip(np.nan_to_num(c.arguments.source[:, SOURCE.index("spam_rank")]), 0, 100)
