"""The three dimensions of the task in one score, and which pair stands for its arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from models.base import PairMatrix, Ranker, Scores, standardise
from models.choice import SIGNS, representativeness, sign_columns

DIMENSIONS = ("relevance", "quality", "coherence")
CONFLICT = "stance_conflict"
WEIGHTS = {"relevance": 0.78, "quality": 0.2, "coherence": 0.02}
"""Chosen by cross-validation over training topics; see the README. More coherence costs in all that was measured."""


@dataclass(frozen=True)
class Choice:
    """How a pair is chosen among those of the same two arguments."""

    signs: dict[str, float] = field(default_factory=lambda: dict(SIGNS))
    price: float = 2.0
    """What the least representative pair of two arguments pays, in z-scores."""
    conflict: float = 5.0
    """What a pair pays whose sentences take opposite sides of one conclusion: enough to leave the top."""


class Blend:
    """A weighted sum of the rankers' scores, each a z-score within its topic."""

    def __init__(
        self, rankers: Mapping[str, Ranker], weights: Mapping[str, float] = WEIGHTS, choice: Choice | None = None
    ) -> None:
        self.rankers = dict(rankers)
        self.weights = {name: float(weights.get(name, 0)) for name in self.rankers}
        self.choice = choice or Choice()

    @property
    def columns(self) -> list[str]:
        """The feature columns that it looks at, each once."""
        names = [column for ranker in self.rankers.values() for column in ranker.columns]
        if self.choice.conflict:
            names.append(CONFLICT)
        if self.choice.price:
            names += [column for sign in self.choice.signs for column in sign_columns(sign)]
        return list(dict.fromkeys(names))

    def score(self, matrix: PairMatrix) -> Scores:
        """(n_rows,) higher is better."""
        return self.combine(
            matrix, {name: ranker.score(matrix) for name, ranker in self.rankers.items() if self.weights[name]}
        )

    def combine(self, matrix: PairMatrix, scores: Mapping[str, Scores]) -> Scores:
        """(n_rows,) from the rows' scores in each dimension that counts.

        The most representative pair of two arguments pays nothing, so choosing pairs does not change the
        order in which rankers of arguments put them.
        """
        total = np.zeros(len(matrix.features))
        for name in sorted(self.weights):
            if self.weights[name]:
                total += self.weights[name] * standardise(scores[name], matrix.groups)
        if self.choice.price > 0:
            fit = representativeness(matrix.features, matrix.units, self.choice.signs)
            best = np.full(int(matrix.units.max(initial=-1)) + 1, -np.inf)
            # A pair that a conflict takes out of the top stands for nothing.
            free = np.ones(len(fit), bool)
            if self.choice.conflict > 0:
                free = np.asarray(matrix.features[CONFLICT]) == 0
            np.maximum.at(best, matrix.units[free], fit[free])
            distance = np.maximum(best[matrix.units] - fit, 0)
            total -= self.choice.price * sum(self.weights.values()) * distance
        if self.choice.conflict > 0:
            total -= (
                self.choice.conflict * sum(self.weights.values()) * np.asarray(matrix.features[CONFLICT], np.float64)
            )
        return total

    def reweighted(self, weights: Mapping[str, float]) -> Blend:
        """The same rankers with other weights. Raises KeyError for a dimension that was not trained."""
        for name, weight in weights.items():
            if weight and name not in self.rankers:
                raise KeyError(name)
        return Blend(self.rankers, weights, self.choice)

    def settings(self) -> dict[str, Any]:
        """For the manifest: everything but the rankers."""
        return {"weights": self.weights, "choice": asdict(self.choice)}


def target_weights(target: str) -> dict[str, float]:
    """Weights of one dimension alone."""
    return {name: float(name == target) for name in DIMENSIONS}
