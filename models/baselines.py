"""The baselines: orders of the same candidates by one lexical score or by length, with nothing learned."""

from __future__ import annotations

from functools import partial

import numpy as np

from features.core.feature import Unit
from models.base import Rows, Scores, ranker, standardise

PAIR_SHARE = 0.01
"""Small enough that arguments are ordered by their own score: the pair's text decides inside them."""


class ColumnOrder:
    """Whole arguments by a column (of a pair's two, the lower value counts), then pairs by one of their own text."""

    def __init__(self, argument: str, pair: str, unit: Unit = "pair") -> None:
        self.columns = [f"{argument}_min", pair] if unit == "pair" else [argument]

    def score(self, matrix: Rows) -> Scores:
        """(n_rows,)"""
        first, *rest = (standardise(matrix.features[column], matrix.groups) for column in self.columns)
        return np.asarray(first + sum(PAIR_SHARE * values for values in rest))


for _name, _column, _model in (
    ("bm25", "bm25_k1.2_b0.75", "BM25 (k1=1.2, b=.75)"),  # the first stage's own order
    ("bm25-tuned", "bm25_k4_b0.15", "BM25 (k1=4, b=.15)"),  # as it works best on this kind of corpus
    ("dirichlet", "dirichlet_2500", "DirichletLM (mu=2500)"),  # the strongest of the three
):
    _description = f"{_model} over whole arguments, then over the pair's text"
    ranker(_name, _description)(partial(ColumnOrder, f"{_column}_argument", f"{_column}_pair"))

# Some of the best runs of 2021 began with divergence from randomness; judges of quality are fond of length.
_description = "DPH over whole arguments, free of parameters (Amati et al. 2007)"
ranker("dph", _description, units=("argument",))(partial(ColumnOrder, "dph_argument", "dph_pair"))
_description = "the longest argument that matches, then the longest pair"
ranker("length", _description)(partial(ColumnOrder, "argument_terms", "n_words_pair"))


@ranker("random", "a random order of the candidates, the same each time")
class Shuffled:
    """No order at all: the floor of every table."""

    def __init__(self, unit: Unit = "pair", seed: int = 0) -> None:
        self.columns = ["same_argument" if unit == "pair" else "argument_terms"]  # a matrix has at least one
        self._seed = seed

    def score(self, matrix: Rows) -> Scores:
        """(n_rows,)"""
        return np.random.default_rng(self._seed).random(len(matrix.features))
