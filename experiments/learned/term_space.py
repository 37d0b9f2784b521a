"""Vectors of terms from the company that they keep within arguments, and not just within debates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, diags
from scipy.sparse.linalg import eigsh

from features.core.statistics import FloatArray, IntArray
from features.core.tables import Context
from features.learned.pair_features import Space

FOLDS = 5
TERMS = 6000
DIMENSIONS = 96
RIDGE = 30.0
"""Mass added to each term's own, so that rare terms do not lead."""
CUT = 0.01
"""Share of the numbers in the vectors that are cut to the largest of the others."""


class TermSpaces:
    """Spaces of terms learned from some folds."""

    def __init__(self, context: Context, places: Sequence[tuple[int, int, int]]) -> None:
        """``places`` are argument, debate and fold of the first sentences of the context; the others are not read."""
        names = np.array(list(context.vocabulary))
        used = np.bincount(context.sentence_counts.indices, minlength=len(names))
        # Ties by name, so that the choice does not depend on the order of the corpus.
        self.columns = np.lexsort((names, -used))[:TERMS]
        self.terms = names[self.columns].tolist()
        rows = context.tfidf[: len(places)][:, self.columns].astype(np.float32)
        argument, debate, fold = np.array(places).T
        self.parts = [co_occurrence(rows[fold == k], argument[fold == k], debate[fold == k]) for k in range(FOLDS)]
        self._spaces: dict[frozenset[int], Space] = {}

    def without(self, *hidden: int) -> Space:
        """The space of the debates outside the ``hidden`` folds."""
        key = frozenset(hidden)
        if key not in self._spaces:
            seen = [part for k, part in enumerate(self.parts) if k not in key]
            matrix = sum((part for part, _ in seen[1:]), start=seen[0][0])
            mass = sum((part for _, part in seen[1:]), start=seen[0][1])
            self._spaces[key] = Space(self.terms, decompose(matrix, mass))
        return self._spaces[key]


def co_occurrence(rows: Any, argument: IntArray, debate: IntArray) -> tuple[Any, FloatArray]:
    """How much more two terms meet in sentences of one argument than in those of different arguments of the debate.

    Each sentence has the same mass in both: one in all. Returns (n_terms, n_terms) and the (n_terms,) mass.
    """

    def gather(owner: IntArray) -> Any:
        _, place = np.unique(owner, return_inverse=True)
        return csr_matrix((np.ones(len(owner), np.float32), (place, np.arange(len(owner)))))

    of_argument, of_debate = gather(argument), gather(debate)
    size = np.asarray(of_argument.sum(axis=1)).ravel()
    together = 1 / np.maximum(size - 1, 1)
    paired = of_debate @ (of_argument.T @ (size > 1).astype(np.float32))
    others = np.asarray(of_debate.sum(axis=1)).ravel() ** 2 - of_debate @ (of_argument.T @ size)
    apart = paired / np.maximum(others, 1)
    inner = of_argument.T @ together
    within = (of_argument @ (of_debate.T @ apart)) / size
    by_argument, by_debate = of_argument @ rows, of_debate @ rows
    matrix = by_argument.T @ diags(together + within) @ by_argument - rows.T @ diags(inner) @ rows
    dense = by_debate.toarray()
    found = np.asarray(matrix.todense(), np.float32) - dense.T @ (apart[:, None].astype(np.float32) * dense)
    return found, np.asarray(rows.multiply(rows).sum(axis=0)).ravel()


def decompose(matrix: Any, mass: FloatArray) -> FloatArray:
    """(n_terms, n_dimensions) leading eigenvectors of the matrix scaled by the terms' mass, in steps of one byte.

    Every direction counts the same, and the largest numbers are cut: both make the kinship tell more on unseen debates.
    """
    scale = 1 / np.sqrt(mass + RIDGE)
    scaled = matrix * scale[:, None].astype(np.float32) * scale.astype(np.float32)
    if len(scale) > 1000:
        values, directions = eigsh(scaled, DIMENSIONS, which="LA", tol=1e-2, v0=np.ones(len(scale), np.float32))
    else:  # too small for an iterative method
        values, directions = (found[..., -DIMENSIONS:] for found in np.linalg.eigh(scaled))
    vectors = directions * scale[:, None] * (values > 0)
    step = max(float(np.quantile(abs(vectors), 1 - CUT)) / 127, 1e-12)
    return np.clip(np.rint(vectors / step), -127, 127).astype(np.float32)
