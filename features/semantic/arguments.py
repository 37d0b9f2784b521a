"""Cosines of an encoder's vectors for whole arguments and documents: does their text mean what the question means?

What is read are the candidate sentences that the tables have, without conclusions: the sentences of each text that
match the question's words best.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from features.core.feature import feature
from features.core.statistics import FloatArray
from features.core.tables import Context, once
from features.semantic.cosines import cosines

_feature = partial(
    feature,
    "argument",
    group="semantic",
    measured_in="cosine",
    range=(-1, 1),
    units=("argument", "document"),
    head=True,
)


@once
def _two_best(c: Context) -> FloatArray:
    """(n_arguments, 2) highest and second highest cosine of the question with a sentence of each."""
    texts = ~c.sentences.is_conclusion
    owner, values = c.sentences.argument[texts], cosines(c.meaning.sentences[texts], c.meaning.question)
    ordered = values[np.lexsort((-values, owner))]
    count = np.bincount(owner, minlength=len(c.arguments))
    some, first = count > 0, np.cumsum(count) - count
    best = np.zeros((len(c.arguments), 2))
    best[some, 0] = ordered[first[some]]
    best[some, 1] = ordered[first[some] + (count[some] > 1)]
    return best


@_feature()
def meaning_best(c: Context) -> FloatArray:
    """Highest cosine of the question with a candidate sentence, by an encoder; 0 without one."""
    return _two_best(c)[:, 0]


@_feature()
def meaning_second(c: Context) -> FloatArray:
    """Second highest cosine of the question with a candidate sentence, by an encoder; of the only one, the highest."""
    return _two_best(c)[:, 1]


@_feature()
def meaning_text(c: Context) -> FloatArray:
    """Cosine of the question with the mean of the candidate sentences, by an encoder; 0 without one."""
    texts = ~c.sentences.is_conclusion
    vectors = c.meaning.sentences[texts]
    sums = np.zeros((len(c.arguments), vectors.shape[1]))
    np.add.at(sums, c.sentences.argument[texts], vectors)
    return cosines(sums, c.meaning.question)
