"""The baselines: orders of the same candidates by one lexical score or by length, with nothing learned."""

from __future__ import annotations

import numpy as np

from features.core.registry import Unit
from models.base import Rows, Scores, ranker, standardise

PAIR_SHARE = 0.01
"""Small enough that arguments are ordered by their own score: the pair's text decides inside them."""


class ColumnOrder:
    """Whole arguments by a column (of a pair's two, the lower value counts), then pairs by one of their own text."""

    def __init__(self, argument: str, pair: str, unit: Unit) -> None:
        self.columns = [f"{argument}_min", pair] if unit == "pair" else [argument]

    def score(self, matrix: Rows) -> Scores:
        """(n_rows,)"""
        first, *rest = (standardise(matrix.features[column], matrix.groups) for column in self.columns)
        return np.asarray(first + sum(PAIR_SHARE * values for values in rest))


def lexical_order(model: str, unit: Unit) -> ColumnOrder:
    """By one of the scores of `features.query.lexical`."""
    return ColumnOrder(f"{model}_argument", f"{model}_pair", unit)


@ranker("bm25", "BM25 (k1=1.2, b=.75) over whole arguments, then over the pair's text")
def bm25_order(unit: Unit = "pair") -> ColumnOrder:
    """The first stage's own order."""
    return lexical_order("bm25_k1.2_b0.75", unit)


@ranker("bm25-tuned", "BM25 (k1=4, b=.15) over whole arguments, then over the pair's text")
def tuned_bm25_order(unit: Unit = "pair") -> ColumnOrder:
    """BM25 as it works best on this kind of corpus."""
    return lexical_order("bm25_k4_b0.15", unit)


@ranker("dirichlet", "DirichletLM (mu=2500) over whole arguments, then over the pair's text")
def dirichlet_order(unit: Unit = "pair") -> ColumnOrder:
    """The strongest lexical baseline."""
    return lexical_order("dirichlet_2500", unit)


@ranker("dph", "DPH over whole arguments, free of parameters (Amati et al. 2007)", units=("argument",))
def dph_order(unit: Unit = "argument") -> ColumnOrder:
    """Divergence from randomness, which some of the best runs of 2021 began with."""
    return lexical_order("dph", unit)


@ranker("length", "the longest argument that matches, then the longest pair")
def longest(unit: Unit = "pair") -> ColumnOrder:
    """By index terms: what judges of quality are fond of, whatever the topic."""
    return ColumnOrder("argument_terms", "n_words_pair", unit)


class Shuffled:
    """No order at all: what judgments look like to a ranker that knows nothing."""

    def __init__(self, unit: Unit, seed: int = 0) -> None:
        self.columns = ["same_argument" if unit == "pair" else "argument_terms"]  # a matrix has at least one
        self._seed = seed

    def score(self, matrix: Rows) -> Scores:
        """(n_rows,)"""
        return np.random.default_rng(self._seed).random(len(matrix.features))


@ranker("random", "a random order of the candidates, the same each time")
def shuffled(unit: Unit = "pair") -> Shuffled:
    """The floor of every table."""
    return Shuffled(unit)
