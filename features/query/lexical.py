"""Lexical match of the topic with a sentence, the pair, the whole argument and its conclusion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from features.core.feature import INFINITE, OF_ARGUMENTS, Scope, feature
from features.core.statistics import CollectionStatistics, FloatArray, UnitStatistics
from features.core.tables import Context

OF_PAIRS = ("bm25_k1.2_b0.75", "bm25_k4_b0.15", "dirichlet_2500")
"""Scores that pairs have as well as arguments."""

_feature = partial(feature, group="lexical", standardise="both")
_share = partial(_feature, measured_in="share", range=(0, 1))
_cosine = partial(_feature, measured_in="cosine", range=(0, 1), source="Salton & Buckley 1988")


class Match(NamedTuple):
    """The topic's terms in texts, and in the corpus."""

    tf: FloatArray
    """(n_texts, n_query)"""
    length: FloatArray
    df: FloatArray
    """(n_query,), as is cf"""
    cf: FloatArray
    corpus: UnitStatistics

    @classmethod
    def of(
        cls, tf: FloatArray, length: FloatArray, statistics: CollectionStatistics, unit: str, query: Sequence[str]
    ) -> Match:
        """With the statistics of such units of the corpus."""
        df, cf = (of(unit, query).astype(np.float64) for of in (statistics.df, statistics.cf))
        return cls(tf, length, df, cf, statistics.units[unit])


def match(c: Context, texts: str, unit: str) -> Match:
    """The topic in ``texts`` as `Context.query_columns` names them, with the corpus's statistics of such units."""
    length = np.asarray(getattr(c, f"{texts}_counts").sum(axis=1), np.float64).ravel()
    return Match.of(c.query_columns(texts), length, c.statistics, unit, c.query)


def bm25(m: Match, k1: float, b: float) -> FloatArray:
    """(n_texts,) BM25 with Lucene's idf (Robertson & Zaragoza 2009)."""
    idf = np.log1p((m.corpus.size - m.df + 0.5) / (m.df + 0.5))
    norm = k1 * (1 - b + b * m.length / m.corpus.mean_length)
    return np.asarray((idf * m.tf * (k1 + 1) / (m.tf + norm[:, None])).sum(axis=1))


def dirichlet(m: Match, mu: float) -> FloatArray:
    """(n_texts,) query likelihood with Dirichlet smoothing, no term below 0 (Zhai & Lafferty 2001, as in Lucene)."""
    background = (m.cf + 1) / (m.corpus.tokens + 1)
    score = np.log1p(m.tf / (mu * background)) + np.log(mu / (m.length + mu))[:, None]
    # Lucene's floor at zero keeps a text that lacks a term from paying for its length, and so does ours:
    # a term that the text does not hold adds nothing.
    return np.asarray(np.where(m.tf > 0, np.maximum(score, 0), 0).sum(axis=1))


def dph(m: Match) -> FloatArray:
    """(n_texts,) DPH, the parameter-free divergence from randomness model (Amati et al. 2007)."""
    length = np.maximum(m.length, 1)[:, None]
    share = np.minimum(m.tf / length, 1 - 1e-9)
    norm = (1 - share) ** 2 / (m.tf + 1)
    expected = np.maximum(m.tf * m.corpus.mean_length / length * (m.corpus.size / np.maximum(m.cf, 1)), 1e-12)
    score = norm * (m.tf * np.log2(expected) + 0.5 * np.log2(2 * np.pi * np.maximum(m.tf, 1e-12) * (1 - share)))
    return np.asarray(np.where(m.tf > 0, score, 0).sum(axis=1))


def _score(scope: Scope, formula: Callable[[Match], FloatArray]) -> Callable[[Context], FloatArray]:
    def of_pairs(c: Context) -> FloatArray:
        m = match(c, "sentence", "sentence")
        tf, length = (c.of_first(values) + c.of_second(values) for values in (m.tf, m.length))
        return formula(m._replace(tf=tf, length=length))

    return of_pairs if scope == "pair" else lambda c: formula(match(c, "argument", "argument"))


def topic_cosine(context: Context, rows: csr_matrix) -> FloatArray:
    """(n_texts,) cosines of the topic with unit-length TF-IDF rows."""
    query = np.zeros(len(context.vocabulary))
    columns = [context.vocabulary[term] for term in context.query]
    query[columns] = context.idf[columns]
    query /= max(float(np.linalg.norm(query)), 1e-9)
    return np.clip(np.asarray(rows @ query), 0, 1)


def coverage(context: Context, held: npt.NDArray[np.bool_], unit: str = "sentence") -> FloatArray:
    """(n_texts,) shares of the topic that are ``held``, (n_texts, n_query); rare terms weigh more."""
    idf = context.statistics.idf(unit, context.query)
    return np.asarray(held @ idf / max(float(idf.sum()), 1e-9))


_score_of = partial(_feature, standardise="topic")
_BM25 = partial(_score_of, measured_in="score", range=(0, np.inf), source="Robertson & Zaragoza 2009, eq. 3.15")
_DIRICHLET = partial(
    _score_of, measured_in="log-likelihood ratio", range=(0, np.inf), source="Zhai & Lafferty 2001, sec. 3"
)
_DPH = partial(_score_of, measured_in="bits", range=INFINITE, source="Amati et al. 2007 (TREC Blog track)")
for _name, _what, _formula, _register in (
    ("bm25_k1.2_b0.75", "BM25 (k1=1.2, b=0.75)", partial(bm25, k1=1.2, b=0.75), partial(_BM25, lift=("min",))),
    ("bm25_k4_b0.15", "BM25 (k1=4, b=0.15)", partial(bm25, k1=4.0, b=0.15), _BM25),
    ("dirichlet_100", "DirichletLM (mu=100)", partial(dirichlet, mu=100), partial(_DIRICHLET, kinds=("argument",))),
    ("dirichlet_2500", "DirichletLM (mu=2500)", partial(dirichlet, mu=2500), _DIRICHLET),
    ("dph", "DPH", dph, partial(_DPH, kinds=("argument",))),
):
    _scopes: tuple[Scope, ...] = ("pair", "argument") if _name in OF_PAIRS else ("argument",)
    for _scope in _scopes:
        _description = f"{_what} of the topic with the {_scope}"
        _register(_scope, name=f"{_name}_{_scope}", description=_description)(_score(_scope, _formula))


@_share("sentence")
def coverage_sentence(c: Context) -> FloatArray:
    """Idf-weighted share of the topic's terms that the sentence holds."""
    return coverage(c, c.query_columns("sentence") > 0)


@_share("pair")
def coverage_pair(c: Context) -> FloatArray:
    """Idf-weighted share of the topic's terms that the pair holds."""
    held = c.query_columns("sentence") > 0
    return coverage(c, c.of_first(held) | c.of_second(held))


@_share("argument", kinds=OF_ARGUMENTS)
def coverage_argument(c: Context) -> FloatArray:
    """Idf-weighted share of the topic's terms that the argument holds."""
    return coverage(c, c.query_columns("argument") > 0, "argument")


@_share("argument", lift=("min",), kinds=OF_ARGUMENTS)
def coverage_conclusion(c: Context) -> FloatArray:
    """Idf-weighted share of the topic's terms that the conclusion holds."""
    return coverage(c, c.query_columns("conclusion") > 0, "conclusion")


@_cosine("argument")
def tfidf_cosine_argument(c: Context) -> FloatArray:
    """TF-IDF cosine of the topic with the argument."""
    return topic_cosine(c, c.argument_tfidf)


@_cosine("argument", kinds=("argument",))
def tfidf_cosine_conclusion(c: Context) -> FloatArray:
    """TF-IDF cosine of the topic with the conclusion."""
    return topic_cosine(c, c.conclusion_tfidf)


@_feature("argument", measured_in="share", range=(0, 1), source="Metzler & Croft 2005 (ordered window of 2)")
def bigram_match_argument(context: Context) -> FloatArray:
    """Share of the topic's bigrams that some sentence of the argument holds in order."""
    wanted = set(pairwise(context.query))
    held = [len(wanted.intersection(pairwise(terms))) for terms in context.arguments.terms]
    return np.array(held) / max(len(wanted), 1)


@_feature("argument", measured_in="cosine", range=(-1, 1), lift=("min",), source="Deerwester et al. 1990", version=2)
def latent_topic_argument(context: Context) -> FloatArray:
    """Cosine of the topic with the whole argument in the latent space of the corpus."""
    vectors = context.statistics.latent(context.query).astype(np.float64)
    topic = context.statistics.idf("sentence", context.query) @ vectors
    topic /= max(float(np.linalg.norm(topic)), 1e-9)
    rows = context.argument_tfidf @ context.statistics.latent(context.hashes).astype(np.float64)
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.clip(np.asarray(rows / np.where(norms > 0, norms, 1)) @ topic, -1, 1)
