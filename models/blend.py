"""The three dimensions of the task in one score."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from models.base import Ranker, Rows, Scores

WEIGHTS = {"relevance": 1.0, "quality": 0.7, "coherence": 0.4}
"""Chosen by people's judgments of arguments and by cross-validation over graded topics; see docs/results.md."""


class Blend:
    """A weighted sum of rankers, one a dimension. Their scores are expected grades, so they add up as they are."""

    def __init__(
        self, rankers: Mapping[str, Ranker], weights: Mapping[str, float] = WEIGHTS, *, expected_grades: bool = False
    ) -> None:
        self.rankers = dict(rankers)
        self.expected_grades = expected_grades
        """Relevance was learned from graded pairs: its scores say how relevant a pair is."""
        self.weights = {name: float(weights.get(name, 0)) for name in self.rankers}

    @property
    def columns(self) -> list[str]:
        """The feature columns that it looks at, each once."""
        used = [ranker for name, ranker in self.rankers.items() if self.weights[name]]
        return list(dict.fromkeys(column for ranker in used for column in ranker.columns))

    def score(self, matrix: Rows) -> Scores:
        """(n_rows,) higher is better."""
        return self.combine(self.dimension_scores(matrix))

    def dimension_scores(self, matrix: Rows) -> dict[str, Scores]:
        """(n_rows,) by dimension, of those that count."""
        return {name: ranker.score(matrix) for name, ranker in self.rankers.items() if self.weights[name]}

    def combine(self, scores: Mapping[str, Scores]) -> Scores:
        """(n_rows,) from the rows' scores in each dimension that counts."""
        total = np.zeros(len(next(iter(scores.values()))))
        for name in sorted(self.weights):
            if self.weights[name]:
                total += self.weights[name] * scores[name]
        return total

    def reweighted(self, weights: Mapping[str, float]) -> Blend:
        """The same rankers with other weights. Raises KeyError for a dimension that was not trained."""
        for name, weight in weights.items():
            if weight and name not in self.rankers:
                raise KeyError(name)
        return Blend(self.rankers, weights, expected_grades=self.expected_grades)
