"""Cosines of an encoder's vectors: which texts mean what the question means, whatever their words."""

from __future__ import annotations

from functools import partial

import numpy as np

from features.core.feature import feature
from features.core.statistics import FloatArray
from features.core.tables import Context

DECIMALS = 3
"""Of a cosine: an eight-bit encoder is not more exact, and another processor has other last digits."""

_feature = partial(
    feature, group="semantic", measured_in="cosine", range=(-1, 1), needs_encoder=True, standardise="both"
)


def cosines(first: FloatArray, second: FloatArray) -> FloatArray:
    """(n_rows,) of the vectors in each row; of a text that is not there, 0."""
    products = np.einsum("ij,ij->i", np.asarray(first, np.float64), np.broadcast_to(second, first.shape))
    lengths = np.linalg.norm(first, axis=1) * np.linalg.norm(np.broadcast_to(second, first.shape), axis=1)
    return np.round(np.divide(products, lengths, out=np.zeros(len(first)), where=lengths > 0), DECIMALS) + 0.0


@_feature("sentence", lift=("max", "mean"), units=("pair",))
def meaning_question(c: Context) -> FloatArray:
    """Cosine of the question with the sentence, by an encoder."""
    return cosines(c.meaning.sentences, c.meaning.question)


@_feature("pair")
def meaning_pair(c: Context) -> FloatArray:
    """Cosine of the question with the mean of both sentences, by an encoder."""
    return cosines(c.of_first(c.meaning.sentences) + c.of_second(c.meaning.sentences), c.meaning.question)
