"""Pairs in order of how well their two sentences go together."""

from __future__ import annotations

import numpy as np

from models.base import PairMatrix, Scores, ranker


class Coherence:
    """The learned pair feature `coherence`, as it is: it was learned without judgments, and from far more data."""

    def __init__(self) -> None:
        self.columns = ["coherence"]

    def score(self, matrix: PairMatrix) -> Scores:
        """(n_rows,) log-odds that the two sentences belong together."""
        share = np.clip(np.asarray(matrix.features["coherence"], np.float64), 1e-6, 1 - 1e-6)
        return np.asarray(np.log(share / (1 - share)))


@ranker("coherence", "how well the two sentences of a pair go together, learned from neighbours", teacher=False)
def coherence_order() -> Coherence:
    """The ranker of the third dimension; it needs no training here."""
    return Coherence()
