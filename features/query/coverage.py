"""How the topic spreads over the sentences of an argument: how many speak of it, how soon, with how much of it."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import numpy as np

from features.core.feature import feature
from features.core.statistics import FloatArray
from features.core.tables import Context, once
from features.core.text import bigrams
from features.query.feedback import key_words

_feature = partial(feature, "argument", group="lexical", lift=("min",))
_sentences = partial(_feature, measured_in="ln(1 + sentences)", range=(0, np.inf))


@once
def _sentence_hits(c: Context) -> list[FloatArray]:
    """For each argument (n_sentences, n_query) whether its sentences hold the topic's words."""
    column_of = {term: column for column, term in enumerate(c.query)}
    arguments = []
    for sentences in c.arguments.sentences:
        hits = np.zeros((len(sentences), len(column_of)))
        for row, terms in enumerate(sentences):
            hits[row, [column_of[term] for term in terms if term in column_of]] = 1
        arguments.append(hits)
    return arguments


@once
def _coverages(c: Context) -> list[FloatArray]:
    """For each argument (n_sentences,) the idf-weighted share of the topic that its sentences hold."""
    idf = c.statistics.idf("sentence", c.query)
    weight = idf / max(float(idf.sum()), 1e-9)
    return [hits @ weight for hits in _sentence_hits(c)]


@_sentences()
def topic_sentences(c: Context) -> FloatArray:
    """Sentences of the argument that speak of the topic, each by the share of the topic that it holds."""
    return np.log1p([coverage.sum() for coverage in _coverages(c)])


@_sentences()
def topic_sentences_squared(c: Context) -> FloatArray:
    """As topic_sentences, with squared shares: one sentence on all of the topic beats two on half of it."""
    return np.log1p([(coverage**2).sum() for coverage in _coverages(c)])


@_sentences()
def key_sentences(c: Context) -> FloatArray:
    """Sentences of the argument that contain both words that feedback chose as the topic's focus."""
    two = key_words(c)
    if not len(two):
        return np.zeros(len(c.arguments))
    return np.log1p([hits[:, two].all(axis=1).sum() for hits in _sentence_hits(c)])


@_feature(measured_in="share", range=(0, 1))
def topic_start(c: Context) -> FloatArray:
    """Position of the first topic word in the argument: 1 is its first word, 0 none."""
    wanted = set(c.query)
    values = np.zeros(len(c.arguments))
    for row, terms in enumerate(c.arguments.terms):
        first = next((i for i, term in enumerate(terms) if term in wanted), len(terms))
        values[row] = 1 - first / len(terms) if terms else 0
    return values


@_feature(measured_in="ln(1 + places)", range=(0, np.inf), source="Metzler & Croft 2005 (ordered window of 2)")
def bigram_places(c: Context) -> FloatArray:
    """Places where the argument holds two neighbouring words of the topic in order."""
    wanted = set(bigrams(c.query))
    return np.log1p(
        [sum(pair in wanted for terms in sentences for pair in pairwise(terms)) for sentences in c.arguments.sentences]
    )
