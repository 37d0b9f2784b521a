"""Pseudo-relevance feedback: what the best arguments for a topic say tells what the topic is about.

The best arguments by DirichletLM among the candidates stand for the topic: their words weigh the topic's own
words (a word that they all use is the point, one that they do not is decoration), lend it new ones, and their
place in the latent space is where the topic lies.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from features.core.feature import OF_ARGUMENTS, UNITS, feature
from features.core.statistics import FloatArray, IntArray, Terms
from features.core.tables import Context, once
from features.query.lexical import dirichlet, topic_counts

MU = 2500
TERMS = 100
"""Words that feedback adds to the topic."""

_feature = partial(feature, "argument", group="feedback", lift=("min",), standardise="both")
"""A pair is as good as the weaker of its arguments."""
_count = partial(_feature, measured_in="ln(1 + count)", range=(0, np.inf))


def best_arguments(c: Context, number: int) -> IntArray:
    """Positions of the ``number`` best arguments by DirichletLM, ties in table order."""
    return _order(c)[:number]


@once
def _order(c: Context) -> IntArray:
    """All arguments, the best first."""
    cf = c.statistics.cf("argument", c.query).astype(np.float64)
    score = dirichlet(*topic_counts(c, "argument"), cf, c.statistics.units["argument"].tokens, MU)
    return np.argsort(-np.round(score, 9), kind="stable")


@once
def key_weights(c: Context) -> FloatArray:
    """(n_query,) how much each word of the topic is its point; sums to 1.

    Its part in the divergence of the best arguments' language from the collection's (Carpineto et al. 2001).
    """
    best = best_arguments(c, 30)
    tf, length = topic_counts(c, "argument")
    share = (tf[best] / np.maximum(length[best], 1)[:, None]).mean(axis=0) if len(best) else np.zeros(len(c.query))
    gain = np.maximum(share * np.log(np.maximum(share, 1e-9) / _background(c, c.query)), 1e-9)
    return np.asarray(gain / gain.sum()) if len(gain) else gain


def key_words(c: Context) -> IntArray:
    """Positions in the topic of the two words that are most its point, ties in its order."""
    return np.argsort(-np.round(key_weights(c), 9), kind="stable")[:2]


@_count(units=OF_ARGUMENTS, source="Carpineto et al. 2001")
def key_terms(c: Context) -> FloatArray:
    """Frequency of the topic's words in the argument, weighed by how much feedback holds them for the point.

    Sum over the topic's words of weight times ln(1 + tf).
    """
    return np.log1p(c.query_columns("argument")) @ key_weights(c)


@_feature(
    measured_in="log-likelihood ratio",
    range=(-np.inf, np.inf),
    standardise="topic",
    units=OF_ARGUMENTS,
    source="Zhai & Lafferty 2001; Carpineto et al. 2001",
)
def key_likelihood(c: Context) -> FloatArray:
    """DirichletLM (mu=2500) of the argument with the topic's words weighed by feedback.

    As key_terms, smoothed; a long argument is penalised for its length.
    """
    tf, length = topic_counts(c, "argument")
    seen = np.log1p(tf / (MU * _background(c, c.query))) @ key_weights(c)
    return np.asarray(seen + np.log(MU / (length + MU)) / max(len(c.query), 1))


@_count()
def key_pair(c: Context) -> FloatArray:
    """Geometric mean of ln(1 + tf) of the two words that feedback chose as the topic's focus.

    0 unless the argument has both.
    """
    two = key_words(c)
    found = np.log1p(c.query_columns("argument")[:, two])
    return np.asarray(np.prod(found, axis=1) ** (1 / max(len(two), 1))) if len(two) else np.zeros(len(c.arguments))


@_feature(measured_in="share", range=(0, 1), source="Carpineto et al. 2001")
def feedback_terms(c: Context) -> FloatArray:
    """Share of the words of the best 40 arguments' language that the argument holds, weighed by divergence.

    The words that set the best arguments apart from the collection, whether the topic has them or not.
    """
    counts = c.argument_counts
    best = best_arguments(c, 40)
    terms = list(c.vocabulary)
    if not len(best) or not terms:
        return np.zeros(len(c.arguments))
    length = topic_counts(c, "argument")[1][best]
    share = np.asarray(counts[best].multiply(1 / np.maximum(length, 1)[:, None]).mean(axis=0)).ravel()
    seen = np.flatnonzero(share)
    background = _background(c, c.hashes[seen])
    gain = np.zeros(len(terms))
    gain[seen] = np.maximum(share[seen] * np.log(share[seen] / background), 0)
    # By weight, then by word: the order of the vocabulary follows the candidates.
    near = np.flatnonzero(gain >= np.partition(gain, -TERMS)[-TERMS] - 1e-9) if len(gain) > TERMS else seen
    top = sorted(near.tolist(), key=lambda i: (-round(float(gain[i]), 12), terms[i]))[:TERMS]
    total = gain[top].sum()
    return np.asarray((counts[:, top] > 0) @ gain[top]) / max(float(total), 1e-12)


def _nearness(number: int) -> Callable[[Context], FloatArray]:
    def compute(c: Context) -> FloatArray:
        latent = c.argument_latent
        centre = latent[best_arguments(c, number)].sum(axis=0)
        return np.clip(latent @ centre / max(float(np.linalg.norm(centre)), 1e-9), -1, 1)

    return compute


for _number, _units in ((20, UNITS), (80, ("argument", "document"))):
    _feature(
        name=f"feedback_nearness_{_number}",
        measured_in="cosine",
        range=(-1, 1),
        units=_units,
        source="Rocchio 1971, in the space of Deerwester et al. 1990",
        description=f"latent cosine of the argument with the mean of the {_number} best arguments",
    )(_nearness(_number))


def _background(c: Context, terms: Terms) -> FloatArray:
    """(n_terms,) probability of each term in the collection, none of them 0."""
    return np.asarray((c.statistics.cf("argument", terms) + 1) / (c.statistics.units["argument"].tokens + 1))
