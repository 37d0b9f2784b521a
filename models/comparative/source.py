"""Floors of the task: the order in which documents came, and the number of words that compare."""

from __future__ import annotations

import numpy as np

from features.core.feature import Unit
from models.base import Rows, Scores, ranker

FUSION = 60
"""Ranks over which the first places of a list differ little."""

SOURCE_COLUMNS = ["source_strength", "bm25_k1.2_b0.75_argument"]


def source_scores(matrix: Rows) -> Scores:
    """(n_rows,) in [0, 1]: the source's score as a share of its best; where no source ranked a topic, BM25's."""
    given, searched = (np.asarray(matrix.features[column], np.float64) for column in SOURCE_COLUMNS)
    topic = np.repeat(np.arange(len(matrix.groups)), matrix.groups)
    best = np.zeros((2, len(matrix.groups)))
    for row, values in enumerate((given, searched)):
        np.maximum.at(best[row], topic, values)
    shares = searched / np.where(best[1] > 0, best[1], 1)[topic]
    return np.where(best[0][topic] > 0, given, shares)


@ranker("source", "the order in which the source gave the documents; BM25's where there was none", units=("document",))
class SourceOrder:
    """ChatNoir's, where the list is ChatNoir's: the baseline of the lab.

    60 / (60 + rank) as in reciprocal rank fusion (Cormack et al. 2009), or a share of the best score.
    """

    def __init__(self, unit: Unit = "document") -> None:
        self.columns = ["source_reciprocal_rank", *SOURCE_COLUMNS]

    def score(self, matrix: Rows) -> Scores:
        """(n_rows,)"""
        rank = np.asarray(matrix.features["source_reciprocal_rank"], np.float64)
        return np.where(rank > 0, FUSION / (FUSION + 1 / np.where(rank > 0, rank, 1)), source_scores(matrix))


@ranker("cues", "the number of comparatives, superlatives and words of contrast", units=("document",))
class Cues:
    """Whatever the topic is."""

    def __init__(self, unit: Unit = "document") -> None:
        self.columns = ["comparative_cues"]

    def score(self, matrix: Rows) -> Scores:
        """(n_rows,)"""
        return np.asarray(matrix.features["comparative_cues"], np.float64)
