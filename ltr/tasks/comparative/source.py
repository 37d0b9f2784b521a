"""What the source of a document says of it: its rank and its score."""

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
