"""Cosines of an encoder's vectors: similarity in meaning of texts and question.

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


def cosines(c: Context, vectors: FloatArray) -> FloatArray:
    """(n_rows,) cosines of the question with the vectors, (n_rows, size); 0 for a text that is not there."""
    question = c.meaning.question
    lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(question, axis=-1)
    products = np.vecdot(vectors.astype(np.float64), question)
    return np.round(np.divide(products, lengths, out=np.zeros(len(vectors)), where=lengths > 0), DECIMALS) + 0.0


@_feature("argument", kinds=("argument", "document"))
def meaning_best(c: Context) -> FloatArray:
    """Highest cosine of the question with a candidate sentence, by an encoder; 0 without one."""
    texts = ~c.sentences.is_conclusion
    best = np.full(len(c.arguments), -np.inf)
    np.maximum.at(best, c.sentences.argument[texts], cosines(c, c.meaning.sentences[texts]))
    return np.where(np.isfinite(best), best, 0.0)


@_feature("argument", kinds=("argument", "document"))
def meaning_text(c: Context) -> FloatArray:
    """Cosine of the question with the mean of the candidate sentences, by an encoder; 0 without one."""
    texts = ~c.sentences.is_conclusion
    vectors = c.meaning.sentences[texts]
    sums = np.zeros((len(c.arguments), vectors.shape[1]))
    np.add.at(sums, c.sentences.argument[texts], vectors)
    return cosines(c, sums)


@_feature("argument", kinds=("argument",))
def meaning_conclusion(c: Context) -> FloatArray:
    """Cosine of the question with the conclusion, by an encoder."""
    return cosines(c, c.meaning.conclusions)


@_feature("argument", kinds=("argument",))
def meaning_title(c: Context) -> FloatArray:
    """Cosine of the question with the title of the debate, by an encoder."""
    return cosines(c, c.meaning.titles)


@_feature("sentence", lift=("max", "mean"), kinds=("pair",))
def meaning_question(c: Context) -> FloatArray:
    """Cosine of the question with the sentence, by an encoder."""
    return cosines(c, c.meaning.sentences)


@_feature("pair")
def meaning_pair(c: Context) -> FloatArray:
    """Cosine of the question with the mean of both sentences, by an encoder."""
    return cosines(c, c.of_first(c.meaning.sentences) + c.of_second(c.meaning.sentences))
