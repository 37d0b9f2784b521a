"""The baselines: orders of the same candidates by one lexical score or by length, with nothing learned."""

from __future__ import annotations

import numpy as np

from models.base import PairMatrix, Scores, ranker, standardise

PAIR_SHARE = 0.01
"""Small enough that arguments are ordered by their own score: the pair's text decides inside them."""


class LexicalOrder:
    """Whole arguments by a lexical score (the weaker one of a pair counts), then pairs by their own text."""

    def __init__(self, model: str) -> None:
        self._argument, self._pair = f"{model}_argument_min", f"{model}_pair"
        self.columns = [self._argument, self._pair]

    def score(self, matrix: PairMatrix) -> Scores:
        """(n_rows,)"""
        argument = standardise(matrix.features[self._argument], matrix.groups)
        return np.asarray(argument + PAIR_SHARE * standardise(matrix.features[self._pair], matrix.groups))


@ranker("bm25", "BM25 (k1=1.2, b=.75) over whole arguments, then over the pair's text")
def bm25_order() -> LexicalOrder:
    """The first stage's own order."""
    return LexicalOrder("bm25_k1.2_b0.75")


@ranker("bm25-tuned", "BM25 (k1=4, b=.15) over whole arguments, then over the pair's text")
def tuned_bm25_order() -> LexicalOrder:
    """BM25 as it works best on this kind of corpus."""
    return LexicalOrder("bm25_k4_b0.15")


@ranker("dirichlet", "DirichletLM (mu=2500) over whole arguments, then over the pair's text")
def dirichlet_order() -> LexicalOrder:
    """The strongest lexical baseline."""
    return LexicalOrder("dirichlet_2500")


class Longest:
    """Whole arguments by their length in index terms, then pairs by theirs: what judges of quality are fond of."""

    def __init__(self) -> None:
        self.columns = ["argument_terms_min", "n_words_pair"]

    def score(self, matrix: PairMatrix) -> Scores:
        """(n_rows,)"""
        argument, pair = (standardise(matrix.features[column], matrix.groups) for column in self.columns)
        return np.asarray(argument + PAIR_SHARE * pair)


@ranker("length", "the longest argument that matches, then the longest pair")
def longest() -> Longest:
    """The baseline that knows nothing of the topic."""
    return Longest()


class Shuffled:
    """No order at all: what judgments look like to a ranker that knows nothing."""

    def __init__(self, seed: int = 0) -> None:
        self.columns = ["same_argument"]  # a matrix has at least one
        self._seed = seed

    def score(self, matrix: PairMatrix) -> Scores:
        """(n_rows,)"""
        return np.random.default_rng(self._seed).random(len(matrix.features))


@ranker("random", "a random order of the candidates, the same each time")
def shuffled() -> Shuffled:
    """The floor of every table."""
    return Shuffled()
