"""Team Zorro of the University of Amsterdam (2020): argumentative pages first, by page rank.

Shahshahani & Kamps 2020, https://ceur-ws.org/Vol-2696/paper_207.pdf: documents of ChatNoir re-ranked by page rank, web
domain and argumentativeness, which a support vector machine judged. Ours takes the learned argumentativeness of the
best sentence, and page rank where the source knows it, else the source's own score; domains are left out.
"""

from __future__ import annotations

import numpy as np

from features.core.feature import Unit
from models.base import Rows, Scores, ranker, standardise
from models.comparative.source import SOURCE_COLUMNS, source_scores

ARGUMENTATIVE = 0.5
"""Probability from which on a page argues."""


@ranker("zorro", "pages that argue first, in the order of their page rank (2020)", units=("document",))
class Zorro:
    """Two classes, and an order in each."""

    def __init__(self, unit: Unit = "document") -> None:
        self.columns = ["best_argumentative", "page_rank", *SOURCE_COLUMNS]

    def score(self, matrix: Rows) -> Scores:
        """(n_rows,)"""
        argues = np.asarray(matrix.features["best_argumentative"], np.float64) >= ARGUMENTATIVE
        rank = standardise(matrix.features["page_rank"], matrix.groups)
        # Standard scores of a topic are bounded by the root of its rows, and the source only breaks ties.
        return np.asarray(1_000 * argues + rank + 1e-3 * source_scores(matrix))
