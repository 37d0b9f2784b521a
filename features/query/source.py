"""Facts that the source of a document gives: rank, quality as a web page, and shares of claims and premises.

`riposte collect --targer` stores shares of claims and premises: Chernodub et al. 2019, https://doi.org/10.18653/v1/P19-3031.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from features.core.feature import feature
from features.core.statistics import FloatArray
from features.core.tables import SOURCE, Context

_of_source = partial(feature, "argument", lift=("min",), units=("document",))
_feature = partial(_of_source, group="source", standardise="both")
_tagged = partial(_of_source, group="annotations", measured_in="share", range=(0, 1))


def _known(c: Context, name: str) -> FloatArray:
    """(n_documents,) NaN where the source has no such value."""
    return np.asarray(c.arguments.source[:, SOURCE.index(name)])


@_tagged()
def tagged_claims(c: Context) -> FloatArray:
    """Share of words in claims, by TARGER; 0 where it was not asked."""
    return np.clip(np.nan_to_num(_known(c, "claim_share")), 0, 1)


@_tagged()
def tagged_premises(c: Context) -> FloatArray:
    """Share of words in premises, by TARGER; 0 where it was not asked."""
    return np.clip(np.nan_to_num(_known(c, "premise_share")), 0, 1)


@_feature(measured_in="share", range=(0, 1))
def source_reciprocal_rank(c: Context) -> FloatArray:
    """1 / rank in the result list that it came in, else 0."""
    rank = _known(c, "rank")
    return np.where(np.isnan(rank), 0, 1 / np.maximum(np.nan_to_num(rank, nan=1), 1))


@_feature(measured_in="share", range=(0, 1))
def source_strength(c: Context) -> FloatArray:
    """Score of the source as a share of its best for the topic; by rank, 1 / (1 + ln rank), without scores."""
    rank, score = (_known(c, name) for name in ("rank", "score"))
    by_rank = np.where(np.isnan(rank), 0, 1 / (1 + np.log(np.maximum(np.nan_to_num(rank, nan=1), 1))))
    best = np.nanmax(score, initial=0) if not np.isnan(score).all() else 0.0
    if best <= 0:
        return by_rank
    return np.clip(np.nan_to_num(score) / best, 0, 1)


@_feature(measured_in="log10", range=(-15, 15))
def page_rank(c: Context) -> FloatArray:
    """Logarithm of the page rank; 0 where unknown."""
    value = np.nan_to_num(_known(c, "page_rank"))
    return np.where(value > 0, np.clip(np.log10(np.where(value > 0, value, 1)), -15, 15), 0)


@_feature(measured_in="percent", range=(0, 100))
def spam_rank(c: Context) -> FloatArray:
    """Share of pages with more spam; 0 where unknown.

    Waterloo's percentiles: 100 is no spam.
    """
    return np.clip(np.nan_to_num(_known(c, "spam_rank")), 0, 100)
