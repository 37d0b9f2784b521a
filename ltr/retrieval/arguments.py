"""Topic to arguments, and to the premises of an argument that say most of it.

Arguments are a wide BM25 pool, ordered by the scores that work best on whole arguments. Deterministic and bounded:
every cut is by score, then by id.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np

from features.query.lexical import bm25, dirichlet
from ltr.index.reader import Index
from ltr.retrieval.base import CandidateConfig
from ltr.retrieval.terms import TermCache

Premises = Mapping[int, list[int]]
"""Argument row -> the sentence rows of its premises that hold a word, best first."""


def rank_arguments(index: Index, query: Sequence[str], cache: TermCache, config: CandidateConfig) -> list[int]:
    """Argument rows, best first: a BM25 pool, ordered by the mean reciprocal rank of DirichletLM and tuned BM25.

    The engine's k1 and b are fixed at 1.2 and .75, under which short arguments win; the pool is wide
    enough for that not to matter, and both scores that order it are computed from the statistics.
    """
    pool: set[int] = set(index.search("argument", query, config.argument_depth)[0].tolist())
    pool |= set(index.search("conclusion", query, config.conclusion_depth)[0].tolist())
    sentences = index.search("sentence", query, config.sentence_depth)[0]
    pool |= set(index.argument_of(sentences).tolist())
    rows = sorted(pool, key=index.argument_id)
    if not rows:
        return []
    tf, length = cache.counts(rows, query)
    statistics = index.statistics
    unit = statistics.units["argument"]
    df, cf = (get("argument", query).astype(float) for get in (statistics.df, statistics.cf))
    scores = dirichlet(tf, length, cf, unit.tokens, 2500), bm25(tf, length, df, unit, 4.0, 0.15)
    # Scores that differ in their last bits alone are equal.
    orders = [np.argsort(-np.round(score, 9), kind="stable") for score in scores]
    fused = sum(1 / (60 + np.argsort(order)) for order in orders)
    best = np.argsort(-fused, kind="stable")[: config.arguments]
    return [rows[i] for i in best]


def rank_premises(index: Index, query: Sequence[str], cache: TermCache, arguments: Sequence[int]) -> Premises:
    """The premises of arguments: by their topic words, then by length, then in reading order."""
    lengths, sentence, place = cache.matches(arguments, query)
    # A term counts once a sentence. In order of first appearance: sums of another order differ in their last bits.
    first = np.sort(np.unique(sentence * len(query) + place, return_index=True)[1])
    match = np.bincount(sentence[first], index.statistics.idf("sentence", query)[place[first]], len(lengths))
    scores = np.round(match + 4 * np.minimum(lengths, 12) / 12, 9)
    spans = list(map(index.sentence_rows, arguments))
    rows = np.array(list(chain.from_iterable(spans)), np.int64)
    owner = np.repeat(np.arange(len(spans)), list(map(len, spans)))
    premises = np.flatnonzero((index.column("number")[rows] >= 0) & (lengths > 0))
    order = premises[np.lexsort((-scores[premises], owner[premises]))]
    ranked, ends = rows[order].tolist(), np.searchsorted(owner[order], np.arange(len(spans)), side="right").tolist()
    return {row: ranked[start:end] for row, start, end in zip(arguments, [0, *ends], ends, strict=False)}
