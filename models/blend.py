"""The dimensions of the task in one score, in one step or in two.

In two steps, the rankers of the first order all candidates of a topic. The best of them are its *head*: they are
described by the columns of an encoder too, which are NaN for all others, and ordered by rankers of their own. Nothing
outside passes the head.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from features.core.feature import all_columns
from models.base import Ranker, Rows, Scores
from models.inputs import input_values
from models.learned import LearnedRanker

WEIGHTS = {"relevance": 1.0, "quality": 0.7, "coherence": 0.4}
"""Chosen by people's judgments of arguments and by cross-validation over graded topics; see docs/results.md."""


@dataclass(frozen=True)
class Blend:
    """A weighted sum of rankers, one a dimension. Their scores are expected grades, so they add up as they are."""

    rankers: Mapping[str, Ranker]
    weights: Mapping[str, float] = field(default_factory=lambda: WEIGHTS)
    head: Mapping[str, LearnedRanker] = field(default_factory=dict)
    """Dimension -> the ranker of the second step; a dimension without one keeps that of the first."""
    expected_grades: bool = False
    """Relevance was learned from graded pairs: its scores say how relevant a pair is."""

    def __post_init__(self) -> None:
        weights = {name: float(self.weights.get(name, 0)) for name in self.rankers}
        object.__setattr__(self, "weights", weights)

    @property
    def used(self) -> dict[str, Ranker]:
        """The rankers of the first step that count."""
        return {name: ranker for name, ranker in self.rankers.items() if self.weights[name]}

    @property
    def columns(self) -> list[str]:
        """The feature columns of all candidates that it looks at, each once."""
        head = [ranker for name, ranker in self.head.items() if self.weights[name]]
        every = dict.fromkeys(column for ranker in (*self.used.values(), *head) for column in ranker.columns)
        dear = of_head(every)
        return [column for column in every if column not in dear]

    @property
    def head_columns(self) -> list[str]:
        """The feature columns of the head alone that rankers of the second step look at, each once.

        They are the same for any weights: questions are described once, and weighed anew.
        """
        return of_head(dict.fromkeys(column for ranker in self.head.values() for column in ranker.columns))

    def in_head(self, matrix: Rows) -> npt.NDArray[np.bool_]:
        """(n_rows,) rows that the second step orders; none where the matrix has nothing of an encoder."""
        columns = self.head_columns
        if not columns or columns[0] not in matrix.features:
            return np.zeros(len(matrix.features), bool)
        return np.asarray(matrix.features[columns[0]].notna())

    def score(self, matrix: Rows) -> Scores:
        """(n_rows,) higher is better."""
        return below(self.combine(self.dimension_scores(matrix)), self.in_head(matrix), matrix.groups)

    def dimension_scores(self, matrix: Rows, rough: Mapping[str, Scores] = MappingProxyType({})) -> dict[str, Scores]:
        """(n_rows,) by dimension, of those that count: in the head by the second step.

        ``rough``: what is known of its `models.cascade.rough_scores` of these rows.
        """
        grades, head = {}, self.in_head(matrix)
        for name, ranker in self.used.items():
            known = name in rough and isinstance(ranker, LearnedRanker) and ranker.exact_at_first
            grades[name] = rough[name].copy() if known else ranker.score(matrix)
        for name in grades.keys() & self.head.keys() if head.any() else ():
            grades[name][head] = self.head_scores(name, matrix, head)
        return grades

    def head_scores(self, dimension: str, matrix: Rows, rows: npt.NDArray[np.bool_]) -> Scores:
        """(n_chosen,) scores of the chosen ``rows`` by the dimension's ranker of the second step."""
        ranker = self.head[dimension]
        return ranker.score_values(input_values(matrix, ranker.inputs)[rows])

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
        return replace(self, weights=weights)

    def first_step(self) -> Blend:
        """The first step alone: needs no encoder."""
        return replace(self, head={})


def of_head(columns: Iterable[str]) -> list[str]:
    """Those of some feature columns that describe the head alone."""
    known = all_columns()
    return [column for column in columns if column in known and known[column].needs_encoder]


def below(scores: Scores, head: npt.NDArray[np.bool_], groups: npt.NDArray[np.int64]) -> Scores:
    """(n_rows,) ``scores``; in each group those outside the ``head`` lowered together until none exceeds one in it."""
    lowered = scores.copy()
    for rows in np.split(np.arange(len(scores)), np.cumsum(groups)[:-1]):
        top, rest = rows[head[rows]], rows[~head[rows]]
        if len(top) and len(rest):
            lowered[rest] -= max(0.0, float(scores[rest].max() - scores[top].min()))
    return lowered
