"""How like an answer to the question a text is: an answer that somebody, or a language model, brings."""

from __future__ import annotations

import numpy as np

from features.core.feature import feature
from features.core.statistics import FloatArray
from features.core.tables import Context, count_matrix


@feature(
    "argument",
    group="answer",
    measured_in="cosine",
    range=(0, 1),
    lift=("min", "max"),
    needs_answers=True,
    source="Bondarenko et al. 2020 (team Frodo Baggins), https://ceur-ws.org/Vol-2696/",
)
def answer_cosine(c: Context) -> FloatArray:
    """TF-IDF cosine of the whole text and an answer to the question; 0 where the topic has none."""
    known = [c.vocabulary[term] for term in c.answer if term in c.vocabulary]
    answer = c.weighted(count_matrix([known], len(c.vocabulary)))
    return np.clip((c.argument_tfidf @ answer.T).toarray().ravel(), 0, 1)
