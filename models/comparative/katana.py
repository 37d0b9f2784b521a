"""Team Katana's re-ranking by comparative sentences and objects (2020, run Baseline_CAM_OBJ).

Chekalina & Panchenko 2020, https://ceur-ws.org/Vol-2696/: the score of ChatNoir is multiplied by half the number of
comparative sentences plus a score of the objects, for the first 20 documents. Theirs classifies sentences with CAM;
ours counts those with both objects and a word that compares, and its score of the objects is the share of their terms.
"""

from __future__ import annotations

import numpy as np

from features.core.feature import Unit
from models.base import Rows, Scores, percentile, ranker
from models.comparative.source import SOURCE_COLUMNS, source_scores

DEPTH = 20
"""Documents that are re-ranked; the rest stays below them as it was."""


@ranker("katana-2020", "source x (.5 x comparative sentences + objects), of the first 20 (2020)", units=("document",))
class Katana:
    """A product: what the source puts low stays low."""

    def __init__(self, unit: Unit = "document") -> None:
        self.columns = ["compared_sentences", "objects_held", *SOURCE_COLUMNS]

    def score(self, matrix: Rows) -> Scores:
        """(n_rows,)"""
        sentences = np.expm1(np.asarray(matrix.features["compared_sentences"], np.float64))
        source = source_scores(matrix)
        found = source * (0.5 * sentences + np.asarray(matrix.features["objects_held"], np.float64))
        topic = np.repeat(np.arange(len(matrix.groups)), matrix.groups)
        above = (1 - percentile(source, topic)) * (np.asarray(matrix.groups)[topic] - 1)
        # The source orders what is equal, and all of a question without objects.
        return np.where(above < DEPTH, 1 + found + 1e-3 * source, source)
