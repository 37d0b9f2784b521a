"""Lexical match of the topic with a sentence, the pair, the whole argument and its conclusion."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from features.core.feature import INFINITE, OF_ARGUMENTS, UNITS, Lift, Scope, feature
from features.core.statistics import FloatArray
from features.core.tables import Context
from features.core.text import bigrams

LEVELS: dict[str, tuple[Scope, str, tuple[Lift, ...]]] = {
    "sentence": ("sentence", "sentence", ("min", "max")),
    "pair": ("pair", "sentence", ()),
    "argument": ("argument", "argument", ("min", "max")),
    "conclusion": ("argument", "conclusion", ("min", "max")),
}
"""Level of text -> scope, the unit whose statistics apply, lifts."""

_feature = partial(feature, group="lexical")


def bm25(
    tf: FloatArray, length: FloatArray, df: FloatArray, size: float, mean_length: float, k1: float, b: float
) -> FloatArray:
    """(n_texts,) BM25 with Lucene's idf, from (n_texts, n_terms) frequencies (Robertson & Zaragoza 2009)."""
    idf = np.log1p((size - df + 0.5) / (df + 0.5))
    norm = k1 * (1 - b + b * length / mean_length)
    return np.asarray((idf * tf * (k1 + 1) / (tf + norm[:, None])).sum(axis=1))


def dirichlet(tf: FloatArray, length: FloatArray, cf: FloatArray, tokens: float, mu: float) -> FloatArray:
    """(n_texts,) query likelihood with Dirichlet smoothing, no term below 0 (Zhai & Lafferty 2001, as in Lucene)."""
    background = (cf + 1) / (tokens + 1)
    score = np.log1p(tf / (mu * background)) + np.log(mu / (length + mu))[:, None]
    # Lucene's floor at zero keeps a text that lacks a term from paying for its length, and so does ours:
    # a term that the text does not hold adds nothing.
    return np.asarray(np.where(tf > 0, np.maximum(score, 0), 0).sum(axis=1))


def dph(tf: FloatArray, length: FloatArray, cf: FloatArray, size: float, mean_length: float) -> FloatArray:
    """(n_texts,) DPH, the parameter-free divergence from randomness model (Amati et al. 2007)."""
    length = np.maximum(length, 1)[:, None]
    share = np.minimum(tf / length, 1 - 1e-9)
    norm = (1 - share) ** 2 / (tf + 1)
    expected = np.maximum(tf * mean_length / length * (size / np.maximum(cf, 1)), 1e-12)
    score = norm * (tf * np.log2(expected) + 0.5 * np.log2(2 * np.pi * np.maximum(tf, 1e-12) * (1 - share)))
    return np.asarray(np.where(tf > 0, score, 0).sum(axis=1))


def _level(context: Context, level: str) -> tuple[FloatArray, FloatArray]:
    """Frequencies of the topic's terms (n, n_query) and lengths (n,) of the texts of a level."""
    counts: csr_matrix = getattr(context, f"{LEVELS[level][1]}_counts")
    tf = context.query_columns(counts)
    length = np.asarray(counts.sum(axis=1), np.float64).ravel()
    if level == "pair":
        tf = context.of_first(tf) + context.of_second(tf)
        length = context.of_first(length) + context.of_second(length)
    return tf, length


def _score(level: str, unit: str, model: str, **parameters: float) -> Callable[[Context], FloatArray]:
    def compute(context: Context) -> FloatArray:
        (tf, length), statistics = _level(context, level), context.statistics
        counts = statistics.units[unit]
        df, cf = (of(unit, context.query).astype(np.float64) for of in (statistics.df, statistics.cf))
        if model == "bm25":
            return bm25(tf, length, df, counts.size, counts.mean_length, **parameters)
        if model == "dirichlet":
            return dirichlet(tf, length, cf, counts.tokens, **parameters)
        return dph(tf, length, cf, counts.size, counts.mean_length)

    return compute


def _coverage(level: str, unit: str) -> Callable[[Context], FloatArray]:
    def compute(context: Context) -> FloatArray:
        return coverage(context, _level(context, level)[0] > 0, unit)

    return compute


def _cosine(level: str) -> Callable[[Context], FloatArray]:
    def compute(context: Context) -> FloatArray:
        counts = getattr(context, f"{LEVELS[level][1]}_counts")
        if level == "pair":
            counts = counts[context.pairs.first] + counts[context.pairs.second]
        return topic_cosine(context, context.tfidf if level == "sentence" else context.weighted(counts))

    return compute


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


MODELS: dict[str, tuple[str, str, dict[str, float]]] = {
    **{
        f"bm25_k{k1:g}_b{b:g}": (f"BM25 (k1={k1:g}, b={b:g})", "bm25", {"k1": k1, "b": b})
        for k1, b in ((0.9, 0.4), (1.2, 0.75), (4.0, 0.15))
    },
    **{f"dirichlet_{mu}": (f"DirichletLM (mu={mu})", "dirichlet", {"mu": mu}) for mu in (100, 2500)},
    "dph": ("DPH", "dph", {}),
}
"""Name -> description, formula and its parameters."""

FORMULAS = {
    "bm25": ("score", (0, np.inf), "Robertson & Zaragoza 2009, eq. 3.15"),
    "dirichlet": ("log-likelihood ratio", (0, np.inf), "Zhai & Lafferty 2001, sec. 3"),
    "dph": ("bits", INFINITE, "Amati et al. 2007 (TREC Blog track)"),
}
"""Formula -> unit, range, source."""

for _name in ("pair", "argument"):  # in a sentence or a conclusion it is enough to know which terms are there
    _scope, _statistics, _lift = LEVELS[_name]
    for _model, (_description, _formula, _parameters) in MODELS.items():
        _unit, _range, _source = FORMULAS[_formula]
        _feature(
            _scope,
            name=f"{_model}_{_name}",
            unit=_unit,
            range=_range,
            description=f"{_description} of the topic with the {_name}",
            lift=_lift,
            source=_source,
        )(_score(_name, _statistics, _formula, **_parameters))
for _name, (_scope, _unit, _lift) in LEVELS.items():
    _feature(
        _scope,
        name=f"coverage_{_name}",
        unit="share",
        range=(0, 1),
        description=f"idf-weighted share of the topic's terms that the {_name} holds",
        lift=_lift,
        units=OF_ARGUMENTS if _name == "conclusion" else UNITS,
    )(_coverage(_name, _unit))
    _feature(
        _scope,
        name=f"tfidf_cosine_{_name}",
        unit="cosine",
        range=(0, 1),
        description=f"TF-IDF cosine of the topic with the {_name}",
        lift=_lift,
        units=OF_ARGUMENTS if _name == "conclusion" else UNITS,
        source="Salton & Buckley 1988",
    )(_cosine(_name))


@_feature(
    "argument",
    unit="share",
    range=(0, 1),
    source="Metzler & Croft 2005 (ordered window of 2)",
    description="share of the topic's bigrams that some sentence of the argument holds in order",
)
def bigram_match_argument(context: Context) -> FloatArray:
    """Neighbouring query terms that are neighbours somewhere in the argument."""
    wanted = bigrams(context.query)
    held = [len(wanted & bigrams(terms)) for terms in context.arguments.terms]
    return np.array(held) / max(len(wanted), 1)


@_feature(
    "argument",
    unit="cosine",
    range=(-1, 1),
    source="Deerwester et al. 1990",
    description="cosine of the topic with the whole argument in the latent space of the corpus",
)
def latent_topic_argument(context: Context) -> FloatArray:
    """LSA similarity of topic and argument."""
    rows = context.latent_rows(context.weighted(context.argument_counts))
    return np.clip(rows @ latent_query(context), -1, 1)


def latent_query(context: Context) -> FloatArray:
    """(n_dimensions,) the topic's place in the latent space, of length 1."""
    vectors = context.statistics.latent(context.query).astype(np.float64)
    query = context.statistics.idf("sentence", context.query) @ vectors
    return np.asarray(query / max(float(np.linalg.norm(query)), 1e-9))
