"""How near the results of a question are in meaning, beyond what they all have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from features.core.statistics import FloatArray
from features.learned.vectors import load_vectors

NEAR: Final = 0.4
"""Least cosine of two results that make the same point; see docs/laboratory.md for its precision."""

DECIMALS = 5


def nearness(texts: Sequence[str]) -> FloatArray:
    """(n_texts, n_texts) cosines of the texts' word vectors, from which their mean was taken away.

    All are about one question: what they share is its subject, and what is left is what each one says about it.
    A text without a known word is near to none.
    """
    rows = load_vectors().rows(texts)
    known = rows.norms > 0
    vectors = rows.sums / np.where(known, rows.norms, 1)[:, None]
    vectors -= vectors.sum(axis=0) / max(int(known.sum()), 1)
    norms = np.sqrt((vectors * vectors).sum(axis=1))
    vectors[~known] = 0
    vectors /= np.where(norms > 1e-9, norms, 1)[:, None]
    return np.asarray((vectors @ vectors.T).round(DECIMALS), np.float64)
