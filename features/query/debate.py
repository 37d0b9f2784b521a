"""The debate that an argument was written for: does its title ask the same question, and do its arguments answer it."""

from __future__ import annotations

from functools import partial

import numpy as np

from features.core.feature import OF_ARGUMENTS, feature
from features.core.statistics import FloatArray
from features.core.tables import Context
from features.query.lexical import coverage, dirichlet, match, topic_cosine

_feature = partial(feature, "argument", group="debate", lift=("min",), kinds=OF_ARGUMENTS, standardise="both")


@_feature(measured_in="share", range=(0, 1))
def coverage_title(c: Context) -> FloatArray:
    """Idf-weighted share of the topic's terms that the title of the debate holds."""
    return coverage(c, c.query_columns("title") > 0)


@_feature(measured_in="cosine", range=(0, 1), source="Salton & Buckley 1988")
def tfidf_cosine_title(c: Context) -> FloatArray:
    """TF-IDF cosine of the topic with the title of the debate."""
    return topic_cosine(c, c.weighted(c.title_counts))


@_feature(
    measured_in="log-likelihood ratio",
    range=(0, np.inf),
    kinds=("argument",),
    standardise="topic",
    source="Zhai & Lafferty 2001, sec. 3",
)
def dirichlet_2500_title(c: Context) -> FloatArray:
    """DirichletLM (mu=2500) of the topic with the title of the debate, smoothed by the corpus's conclusions.

    Titles are worded as conclusions are, and have no statistics of their own.
    """
    return dirichlet(match(c, "title", "conclusion"), 2500)


@_feature(measured_in="ln(1 + arguments)", range=(0, np.inf))
def debate_candidates(c: Context) -> FloatArray:
    """Arguments of the same page among the topic's candidates, logarithmic."""
    return np.asarray(np.log1p(np.bincount(c.arguments.page)[c.arguments.page]))


@_feature(measured_in="cosine", range=(0, 1))
def debate_cosine(c: Context) -> FloatArray:
    """TF-IDF cosine of the topic with an argument, mean over those of the page among the candidates.

    What the other arguments of the page are about says what this one is about.
    """
    own = topic_cosine(c, c.argument_tfidf)
    page = c.arguments.page
    return np.asarray((np.bincount(page, own) / np.maximum(np.bincount(page), 1))[page])


@feature("pair", group="debate", measured_in="share", range=(0, 1), standardise="both")
def coverage_in_debate(c: Context) -> FloatArray:
    """Idf-weighted share of the topic's terms that the pair holds, or the conclusions or debates' titles of both its
    arguments.

    A sentence need not repeat what its headings say.
    """
    sentence, conclusion, title = (c.query_columns(texts) > 0 for texts in ("sentence", "conclusion", "title"))
    heading = (conclusion | title)[c.sentences.argument]
    words = c.of_first(sentence) | c.of_second(sentence) | (c.of_first(heading) & c.of_second(heading))
    return coverage(c, words)
