"""Facts that the source of a document gives: rank, and quality as a web page."""

from __future__ import annotations

from functools import partial

import numpy as np

from features.core.feature import feature
from features.core.statistics import FloatArray
from features.core.tables import SOURCE, Context

_feature = partial(feature, "argument", group="source", lift=("min",), kinds=("document",), standardise="both")


def _known(c: Context, name: str, missing: float = 0.0) -> FloatArray:
    """(n_documents,) values of the source, ``missing`` where it has none."""
    return np.nan_to_num(c.arguments.source[:, SOURCE.index(name)], nan=missing)


@_feature(measured_in="share", range=(0, 1))
def source_reciprocal_rank(c: Context) -> FloatArray:
    """1 / rank in the result list that it came in, else 0."""
    return np.asarray(1 / np.maximum(_known(c, "rank", np.inf), 1))


@_feature(measured_in="share", range=(0, 1))
def source_strength(c: Context) -> FloatArray:
    """Score of the source as a share of its best for the topic; by rank, 1 / (1 + ln rank), without scores."""
    score = _known(c, "score")
    if not (score > 0).any():
        return np.asarray(1 / (1 + np.log(np.maximum(_known(c, "rank", np.inf), 1))))
    return np.clip(score / score.max(), 0, 1)


@_feature(measured_in="log10", range=(-15, 15))
def page_rank(c: Context) -> FloatArray:
    """Logarithm of the page rank; 0 where unknown."""
    value = _known(c, "page_rank")
    return np.clip(np.log10(np.where(value > 0, value, 1)), -15, 15)


@_feature(measured_in="percent", range=(0, 100))
def spam_rank(c: Context) -> FloatArray:
    """Share of pages with more spam; 0 where unknown.

    Waterloo's percentiles: 100 is not spam.
    """
    return np.clip(_known(c, "spam_rank"), 0, 100)
