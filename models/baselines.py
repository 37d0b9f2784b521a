"""Baselines of all tasks: orders by one score; and the formula over feature columns, for the systems of each task.

Nothing is learned.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from features.core.docstring import first_paragraph
from features.core.feature import KINDS, ItemKind
from models.base import DECIMALS, Scores, group_sizes, ranker, standardise

PAIR_SHARE = 0.01
"""Small enough that arguments are ordered by their own score: the pair's text decides inside them."""


class ColumnOrder:
    """Whole arguments by a column (of a pair's two, the lower value counts), then pairs by one of their own text."""

    def __init__(self, argument: str, pair: str, kind: ItemKind = "pair") -> None:
        self.columns = [f"{argument}_min", pair] if KINDS[kind].parts > 1 else [argument]

    def score(self, table: pd.DataFrame) -> Scores:
        """(n_rows,)"""
        first, *rest = (standardise(table[column], group_sizes(table)) for column in self.columns)
        return np.asarray(first + sum(PAIR_SHARE * values for values in rest))


for _name, _column, _model in (
    ("bm25", "bm25_k1.2_b0.75", "BM25 (k1=1.2, b=.75)"),  # the first stage's own order
    ("bm25-tuned", "bm25_k4_b0.15", "BM25 (k1=4, b=.15)"),  # as it works best on this kind of corpus
    ("dirichlet", "dirichlet_2500", "DirichletLM (mu=2500)"),  # the strongest of the three
):
    _description = f"{_model} over whole arguments, then over the pair's text"
    ranker(_name, _description)(partial(ColumnOrder, f"{_column}_argument", f"{_column}_pair"))

_description = "the longest argument that matches, then the longest pair"
ranker("length", _description)(partial(ColumnOrder, "argument_terms", "n_words_pair"))


@ranker("random", "a random order of the candidates, the same each time")
class Shuffled:
    """No order at all: the floor of every table."""

    def __init__(self, kind: ItemKind = "pair") -> None:
        self.columns = ["same_argument" if KINDS[kind].parts > 1 else "argument_terms"]  # a table has at least one

    def score(self, table: pd.DataFrame) -> Scores:
        """(n_rows,)"""
        return np.random.default_rng(0).random(len(table))


DENSE = "dense"
DENSE_COLUMN: dict[ItemKind, str] = {"pair": "meaning_pair", "argument": "meaning_text", "document": "meaning_text"}


@dataclass(frozen=True)
class Formula:
    """A ranker that is a formula over feature columns."""

    columns: list[str]
    terms: Callable[[pd.DataFrame], Scores]
    """(n_rows,) scores; or (n_rows, n_columns) what each column adds, which explanations show."""

    def score(self, table: pd.DataFrame) -> Scores:
        """(n_rows,) the scores, rounded: they do not depend on the processor."""
        terms = self.terms(table).round(DECIMALS)
        return terms if terms.ndim == 1 else np.asarray(terms.sum(axis=1).round(DECIMALS))


def formula(
    *columns: str, name: str = "", kind: ItemKind = "document"
) -> Callable[..., Callable[[pd.DataFrame], Scores]]:
    """Register the decorated function of ``columns`` as a baseline, described by its docstring's first paragraph.

    The name, where left out, is that of the function.
    """

    def register(score: Callable[[pd.DataFrame], Scores]) -> Callable[[pd.DataFrame], Scores]:
        make = ranker(name or score.__name__, first_paragraph(score), kinds=(kind,))
        make(lambda kind: Formula(list(columns), score))
        return score

    return register


def values_of(table: pd.DataFrame, column: str) -> Scores:
    """(n_rows,) a feature column."""
    return table[column].to_numpy(np.float64)


@ranker(DENSE, "the cosine of an encoder's vectors of the question and of the item, and nothing else", kinds=())
def dense(kind: ItemKind = "pair") -> Formula:
    """The baseline of an encoder; tables show it where they have one."""
    return Formula([DENSE_COLUMN[kind]], partial(values_of, column=DENSE_COLUMN[kind]))
