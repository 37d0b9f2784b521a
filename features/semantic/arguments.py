"""Cosines of an encoder's vectors for whole arguments and documents: does their text mean what the question means?

What is read are the candidate sentences that the tables have, without conclusions: the sentences of each text that
match the question's words best.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from features.core.feature import feature
from features.core.statistics import FloatArray
from features.core.tables import Context
from features.semantic.cosines import cosines

_feature = partial(
    feature,
    "argument",
    group="semantic",
    measured_in="cosine",
    range=(-1, 1),
    needs_encoder=True,
    standardise="both",
)


@_feature(units=("argument", "document"))
def meaning_best(c: Context) -> FloatArray:
    """Highest cosine of the question with a candidate sentence, by an encoder; 0 without one."""
    texts = ~c.sentences.is_conclusion
    best = np.full(len(c.arguments), -np.inf)
    np.maximum.at(best, c.sentences.argument[texts], cosines(c.meaning.sentences[texts], c.meaning.question))
    return np.where(np.isfinite(best), best, 0.0)


@_feature(units=("argument", "document"))
def meaning_text(c: Context) -> FloatArray:
    """Cosine of the question with the mean of the candidate sentences, by an encoder; 0 without one."""
    texts = ~c.sentences.is_conclusion
    vectors = c.meaning.sentences[texts]
    sums = np.zeros((len(c.arguments), vectors.shape[1]))
    np.add.at(sums, c.sentences.argument[texts], vectors)
    return cosines(sums, c.meaning.question)


@_feature(units=("argument",))
def meaning_conclusion(c: Context) -> FloatArray:
    """Cosine of the question with the conclusion, by an encoder."""
    return cosines(c.meaning.conclusions, c.meaning.question)


@_feature(units=("argument",))
def meaning_title(c: Context) -> FloatArray:
    """Cosine of the question with the title of the debate, by an encoder."""
    return cosines(c.meaning.titles, c.meaning.question)
