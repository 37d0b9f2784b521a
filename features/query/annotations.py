"""Claims and premises of a document as TARGER tags them, where its result list has the shares.

Chernodub et al. 2019, https://doi.org/10.18653/v1/P19-3031. `ltr.collect --targer` stores them.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from features.core.feature import feature
from features.core.statistics import FloatArray
from features.core.tables import SOURCE, Context

_feature = partial(feature, "argument", lift=("min",), units=("document",), group="annotations", measured_in="share")


def _said(c: Context, name: str) -> FloatArray:
    return np.asarray(c.arguments.source[:, SOURCE.index(name)])


@_feature(range=(0, 1))
def tagged_claims(c: Context) -> FloatArray:
    """Share of words in claims, by TARGER; 0 where it was not asked."""
    return np.clip(np.nan_to_num(_said(c, "claim_share")), 0, 1)


@_feature(range=(0, 1))
def tagged_premises(c: Context) -> FloatArray:
    """Share of words in premises, by TARGER; 0 where it was not asked."""
    return np.clip(np.nan_to_num(_said(c, "premise_share")), 0, 1)
