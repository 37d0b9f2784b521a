"""Team Mercutio's simplest and best ranking: counts of the query's terms beside the source's score (2021).

Helmrich et al. 2021, https://ceur-ws.org/Vol-2936/paper-214.pdf. Theirs expands the query and reads whole documents;
ours counts the terms of the question alone. Both parts are shares of the topic's best, and weigh the same.
"""

from __future__ import annotations

import numpy as np

from features.core.feature import Unit
from models.base import Rows, Scores, ranker
from models.comparative.source import SOURCE_COLUMNS, source_scores


@ranker("mercutio", "how often the question's terms come + the source's score (2021)", units=("document",))
class Mercutio:
    """A sum of two shares."""

    def __init__(self, unit: Unit = "document") -> None:
        self.columns = ["query_term_count", *SOURCE_COLUMNS]

    def score(self, matrix: Rows) -> Scores:
        """(n_rows,)"""
        count = np.expm1(np.asarray(matrix.features["query_term_count"], np.float64))
        topic = np.repeat(np.arange(len(matrix.groups)), matrix.groups)
        best = np.zeros(len(matrix.groups))
        np.maximum.at(best, topic, count)
        return count / np.where(best > 0, best, 1)[topic] + source_scores(matrix)
