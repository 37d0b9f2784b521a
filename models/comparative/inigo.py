"""Team Inigo Montoya (2020): what matches the query are the claims and premises of a document, not all of it.

As the lab's overview tells it, https://ceur-ws.org/Vol-2696/: argument units are tagged with TARGER and matched with
the query. Ours takes BM25 of the document by its share in argument units: TARGER's of words where `ltr.collect` asked
it, else the mean learned argumentativeness of the sentences. Where in the document its terms stand is left out.
"""

from __future__ import annotations

import numpy as np

from features.core.feature import Unit
from models.base import Rows, Scores, ranker
from models.comparative.source import SOURCE_COLUMNS

TAGGED = ["tagged_claims", "tagged_premises"]


@ranker("inigo", "BM25 x the share of claims and premises (2020)", units=("document",))
class Inigo:
    """A product: neither an argument about something else nor a match that does not argue is worth anything."""

    def __init__(self, unit: Unit = "document") -> None:
        self.columns = [*TAGGED, "mean_argumentative", SOURCE_COLUMNS[1]]

    def score(self, matrix: Rows) -> Scores:
        """(n_rows,)"""
        one, two, learned, match = (np.asarray(matrix.features[column], np.float64) for column in self.columns)
        tagged = one + two
        return match * (tagged if tagged.any() else learned)
