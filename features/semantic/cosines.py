"""Cosines of an encoder's vectors: which texts mean what the question means, whatever their words.

Of whole arguments and documents the candidate sentences are read that the tables have, without conclusions: those of
each text that match the question's words best.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from features.core.feature import feature
from features.core.statistics import FloatArray
from features.core.tables import Context

DECIMALS = 3
"""Decimals of a cosine: an eight-bit encoder is not more exact, and processors differ in the last digits."""

_feature = partial(
    feature, group="semantic", measured_in="cosine", range=(-1, 1), needs_encoder=True, standardise="both"
)


def cosines(first: FloatArray, second: FloatArray) -> FloatArray:
    """(n_rows,) cosines of the vectors in each row; 0 for a text that is not there."""
    products = np.einsum("ij,ij->i", np.asarray(first, np.float64), np.broadcast_to(second, first.shape))
    lengths = np.linalg.norm(first, axis=1) * np.linalg.norm(np.broadcast_to(second, first.shape), axis=1)
    return np.round(np.divide(products, lengths, out=np.zeros(len(first)), where=lengths > 0), DECIMALS) + 0.0


@_feature("argument", units=("argument", "document"))
def meaning_best(c: Context) -> FloatArray:
    """Highest cosine of the question with a candidate sentence, by an encoder; 0 without one."""
    texts = ~c.sentences.is_conclusion
    best = np.full(len(c.arguments), -np.inf)
    np.maximum.at(best, c.sentences.argument[texts], cosines(c.meaning.sentences[texts], c.meaning.question))
    return np.where(np.isfinite(best), best, 0.0)


@_feature("argument", units=("argument", "document"))
def meaning_text(c: Context) -> FloatArray:
    """Cosine of the question with the mean of the candidate sentences, by an encoder; 0 without one."""
    texts = ~c.sentences.is_conclusion
    vectors = c.meaning.sentences[texts]
    sums = np.zeros((len(c.arguments), vectors.shape[1]))
    np.add.at(sums, c.sentences.argument[texts], vectors)
    return cosines(sums, c.meaning.question)


@_feature("argument", units=("argument",))
def meaning_conclusion(c: Context) -> FloatArray:
    """Cosine of the question with the conclusion, by an encoder."""
    return cosines(c.meaning.conclusions, c.meaning.question)


@_feature("argument", units=("argument",))
def meaning_title(c: Context) -> FloatArray:
    """Cosine of the question with the title of the debate, by an encoder."""
    return cosines(c.meaning.titles, c.meaning.question)


@_feature("sentence", lift=("max", "mean"), units=("pair",))
def meaning_question(c: Context) -> FloatArray:
    """Cosine of the question with the sentence, by an encoder."""
    return cosines(c.meaning.sentences, c.meaning.question)


@_feature("pair")
def meaning_pair(c: Context) -> FloatArray:
    """Cosine of the question with the mean of both sentences, by an encoder."""
    return cosines(c.of_first(c.meaning.sentences) + c.of_second(c.meaning.sentences), c.meaning.question)
