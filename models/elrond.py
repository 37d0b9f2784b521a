"""The recipe of the best system of 2021 in relevance: the body has to match, the debate's title may.

Team Elrond (Bondarenko et al. 2021, https://ceur-ws.org/Vol-2936/paper-205.pdf): a Boolean query of Lucene with
DirichletLM over both fields. Ours differs in stems (Snowball for Krovetz), stop words, mu (2500 for 2000) and in the
statistics of titles, which are those of conclusions.
"""

from __future__ import annotations

import numpy as np

from features.core.feature import Unit
from models.base import Rows, Scores, ranker


@ranker(
    "elrond", "DirichletLM of the argument and, where it matches, of the debate's title (2021)", units=("argument",)
)
class Elrond:
    """The sum of a required and an optional clause."""

    def __init__(self, unit: Unit = "argument") -> None:
        self.columns = ["dirichlet_2500_argument", "dirichlet_2500_title"]

    def score(self, matrix: Rows) -> Scores:
        """(n_rows,)"""
        body, title = (np.asarray(matrix.features[column], np.float64) for column in self.columns)
        return np.where(body > 0, body + title, 0.0)
