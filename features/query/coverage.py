"""How the topic spreads over the sentences of an argument: how many speak of it, how soon, with how much of it."""

from __future__ import annotations

from functools import partial
from itertools import chain, pairwise

import numpy as np

from features.core.feature import OF_ARGUMENTS, feature
from features.core.statistics import FloatArray, IntArray
from features.core.tables import Context, once

_feature = partial(feature, "argument", group="lexical", lift=("min",), standardise="both")
_sentences = partial(_feature, measured_in="ln(1 + sentences)", range=(0, np.inf))


@once
def _sentence_hits(c: Context) -> tuple[IntArray, FloatArray]:
    """The argument of every sentence, and (n_sentences, n_query) 1 where it holds the topic's word."""
    column_of = {term: column for column, term in enumerate(c.query)}
    wanted = frozenset(column_of)
    found = [wanted.intersection(terms) for terms in chain.from_iterable(c.arguments.sentences)]
    hits = np.zeros((len(found), len(column_of)))
    columns = [column_of[term] for terms in found for term in terms]
    hits[np.repeat(np.arange(len(found)), list(map(len, found))), columns] = 1
    return np.repeat(np.arange(len(c.arguments)), c.arguments.length), hits


@once
def _coverages(c: Context) -> tuple[IntArray, FloatArray]:
    """The argument of every sentence, and (n_sentences,) the idf-weighted share of the topic that it holds."""
    idf = c.statistics.idf("sentence", c.query)
    owner, hits = _sentence_hits(c)
    return owner, hits @ (idf / max(float(idf.sum()), 1e-9))


@_sentences()
def topic_sentences(c: Context) -> FloatArray:
    """Sentences of the argument that speak of the topic, each by the share of the topic that it holds."""
    owner, coverage = _coverages(c)
    return np.log1p(np.bincount(owner, coverage, len(c.arguments)))


@_sentences(kinds=("argument", "document"))
def topic_sentences_squared(c: Context) -> FloatArray:
    """Like topic_sentences, with squared shares: one sentence on all of the topic beats two on half of it."""
    owner, coverage = _coverages(c)
    return np.log1p(np.bincount(owner, coverage**2, len(c.arguments)))


@_feature(measured_in="share", range=(0, 1))
def topic_start(c: Context) -> FloatArray:
    """Position of the first topic word in the argument: 1 is its first word, 0 none."""
    wanted = set(c.query)
    values = np.zeros(len(c.arguments))
    for row, terms in enumerate(c.arguments.terms):
        first = next((i for i, term in enumerate(terms) if term in wanted), len(terms))
        values[row] = 1 - first / len(terms) if terms else 0
    return values


@_feature(
    measured_in="ln(1 + places)",
    range=(0, np.inf),
    kinds=OF_ARGUMENTS,
    source="Metzler & Croft 2005 (ordered window of 2)",
)
def bigram_places(c: Context) -> FloatArray:
    """Places where the argument holds two neighbouring words of the topic in order."""
    wanted = set(pairwise(c.query))
    owner, hits = _sentence_hits(c)
    places = np.zeros(len(c.arguments))
    sentences = list(chain.from_iterable(c.arguments.sentences))
    for row in np.flatnonzero(hits.sum(axis=1) > 1).tolist():
        places[owner[row]] += sum(pair in wanted for pair in pairwise(sentences[row]))
    return np.log1p(places)
