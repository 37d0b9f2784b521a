"""Team Bilbo Baggins, the best of 2020: relevance, support and credibility added up.

Abye, Sager & Triebel 2020, https://ceur-ws.org/Vol-2696/. Theirs sends ChatNoir four queries, with synonyms and
antonyms of what is compared, and reads whole documents: relevance from ChatNoir, credibility from page rank and spam
rank, support from comparative sentences (CAM) and arguments (TARGER). Ours takes the list that it is given, words that
compare and the learned argumentativeness; what a source does not know (page rank, spam rank) counts for nothing.
"""

from __future__ import annotations

import numpy as np

from features.core.feature import Unit
from models.base import Rows, Scores, ranker, standardise
from models.comparative.source import SOURCE_COLUMNS, source_scores

SUPPORT = ("comparative_sentences", "mean_argumentative")
CREDIBILITY = ("page_rank", "spam_rank")


@ranker("bilbo", "source + support by comparisons and arguments + credibility (2020)", units=("document",))
class Bilbo:
    """The sum of three standard scores within the topic."""

    def __init__(self, unit: Unit = "document") -> None:
        self.columns = [*SUPPORT, *CREDIBILITY, *SOURCE_COLUMNS]

    def score(self, matrix: Rows) -> Scores:
        """(n_rows,)"""
        support, credibility = (
            sum((standardise(matrix.features[column], matrix.groups) for column in columns), np.zeros(1)) / len(columns)
            for columns in (SUPPORT, CREDIBILITY)
        )
        return np.asarray(standardise(source_scores(matrix), matrix.groups) + support + credibility)
