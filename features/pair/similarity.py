"""Likeness of the two sentences, and of each with its argument and its conclusion."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from features.core.feature import feature
from features.core.statistics import FloatArray
from features.core.tables import Context, row_dot

NEAR_DUPLICATE = 0.8
"""Jaccard similarity of content words from which two sentences count as near-duplicates."""

_feature = partial(feature, group="similarity", range=(0, 1))


@_feature("pair", measured_in="cosine")
def tfidf_similarity(c: Context) -> FloatArray:
    """TF-IDF cosine of the two sentences."""
    return np.clip(row_dot(c.of_first(c.tfidf), c.of_second(c.tfidf)), 0, 1)


@_feature("pair", measured_in="share", source="Jaccard 1912")
def jaccard(c: Context) -> FloatArray:
    """Shared share of the content words of both sentences."""
    held, sizes = c.sentence_counts.sign(), np.diff(c.sentence_counts.indptr)
    shared = row_dot(c.of_first(held), c.of_second(held))
    return np.asarray(shared / np.maximum(c.of_first(sizes) + c.of_second(sizes) - shared, 1))


@_feature("sentence", measured_in="cosine")
def conclusion_similarity(c: Context) -> FloatArray:
    """TF-IDF cosine of a sentence with the conclusion of its argument; 1 for the conclusion itself."""
    rows = c.conclusion_tfidf
    return np.clip(row_dot(c.tfidf, rows[c.sentences.argument]), 0, 1)


@_feature("pair", measured_in="cosine")
def conclusions_similarity(c: Context) -> FloatArray:
    """TF-IDF cosine of the conclusions of both arguments; 1 within one argument."""
    rows = c.conclusion_tfidf
    first, second = c.of_first(c.sentences.argument), c.of_second(c.sentences.argument)
    return np.where(first == second, 1, np.clip(row_dot(rows[first], rows[second]), 0, 1))


def near_duplicate_clusters(counts: csr_matrix, exact_key: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """(n_texts,) equal numbers for texts that are near-duplicates, directly or through others.

    Jaccard similarity of content words (``counts``, (n_texts, n_terms)) of `NEAR_DUPLICATE` or more, or the same
    ``exact_key``.
    """
    binary, sizes = counts.sign(), np.diff(counts.indptr)
    shared = (binary @ binary.T).tocoo()
    union = sizes[shared.row] + sizes[shared.col] - shared.data
    alike = shared.data / np.maximum(union, 1) >= NEAR_DUPLICATE
    row, column = shared.row[alike], shared.col[alike]
    _, first, same = np.unique(exact_key, return_index=True, return_inverse=True)
    row, column = np.concatenate([row, np.arange(len(same))]), np.concatenate([column, first[same]])
    return _components(row, column, len(same))


def _components(row: npt.NDArray[Any], column: npt.NDArray[Any], size: int) -> npt.NDArray[np.int64]:
    """(size,) number of each node's connected component, in a graph with edges from ``row`` to ``column``.

    Components of few near-duplicates need few steps; those of SciPy take .25 s to import, and a question 3 s.
    """
    least, before = np.arange(size), np.zeros(0, np.int64)
    while not np.array_equal(least, before):
        before = least.copy()
        np.minimum.at(least, row, before[column])
        np.minimum.at(least, column, before[row])
        least = least[least]
    return np.asarray(np.unique(least, return_inverse=True)[1], np.int64)
