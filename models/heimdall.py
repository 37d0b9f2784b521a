"""The recipe of the best system of 2021 in quality: DirichletLM, times subject, times quality.

Team Heimdall (Bondarenko et al. 2021, https://ceur-ws.org/Vol-2936/paper-205.pdf). Theirs finds 300 clusters of
conclusions in the space of the Universal Sentence Encoder, and learned quality by regression on Webis-ArgQuality-20.
Ours finds the clusters in the latent space of the index, and takes our own learned quality, of other data.
"""

from __future__ import annotations

import numpy as np

from features.core.feature import Unit
from models.base import Rows, Scores, ranker

WEIGHT = 1.0
"""Of subject and of quality."""


@ranker("heimdall", "DirichletLM x cluster of the conclusion x learned quality (2021)", units=("argument",))
class Heimdall:
    """A product: an argument has to be good in all three."""

    def __init__(self, unit: Unit = "argument") -> None:
        self.columns = ["dirichlet_2500_argument", "cluster_cosine", "convincing_argument"]

    def score(self, matrix: Rows) -> Scores:
        """(n_rows,)"""
        match, cosine, quality = (np.asarray(matrix.features[column], np.float64) for column in self.columns)
        return np.asarray(match * (1 + WEIGHT * (cosine + 1)) * (1 + WEIGHT * quality))
