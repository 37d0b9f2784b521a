"""The dimensions of the task, and baselines beside them, in one score, in one step or in two.

In two steps, the rankers of the first order all candidates of a topic. The best of them are its *head*, a bool column:
they are described by an encoder too, and ordered by rankers of their own. No other candidate passes them. The first of
the head may be read as well: what the reader expects, which is never below 0, is added to their grades.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain

import numpy as np
import numpy.typing as npt
import pandas as pd

from features.core.feature import all_columns
from features.core.registry import ComponentError
from models.base import DIMENSIONS, Ranker, Scores, group_sizes, head_rows
from models.defaults import BLENDS
from models.learned import LearnedRanker, input_values

WEIGHTS = {**BLENDS["balanced"], "words": 0.75, "argues": 0.5}
"""Of dimensions, and of baselines. Chosen on questions that train nothing, and by people: docs/laboratory.md."""


READER, READ = "reader", 20
"""Group of the reader's columns, and candidates of a topic that are read: 30 were no better, docs/laboratory.md."""


@dataclass(frozen=True)
class Blend:
    """A weighted sum of rankers: of dimensions, whose scores are expected grades and add up, and of baselines."""

    rankers: Mapping[str, Ranker]
    weights: Mapping[str, float] = field(default_factory=lambda: WEIGHTS)
    head: Mapping[str, LearnedRanker] = field(default_factory=dict)
    """Dimension -> the ranker of the second step; a dimension without one keeps that of the first."""
    expected_grades: bool = False
    """Relevance was learned from graded pairs: its scores say how relevant a pair is."""
    reading: float = 0.0
    """Weight of the grades that the reader expects of the first candidates, in each dimension; 0: none is read."""

    def __post_init__(self) -> None:
        weights = {name: float(self.weights.get(name, 0)) for name in self.rankers}
        object.__setattr__(self, "weights", weights)

    @property
    def used(self) -> dict[str, Ranker]:
        """The rankers of the first step that count."""
        return {name: ranker for name, ranker in self.rankers.items() if self.weights[name]}

    @classmethod
    def of_one(cls, name: str, ranker: Ranker) -> Blend:
        """A ranker alone, such as a baseline."""
        return cls({name: ranker}, {name: 1.0})

    @property
    def dimensions(self) -> list[str]:
        """The dimensions that it grades; none for a baseline."""
        return [name for name in self.rankers if name in DIMENSIONS]

    @property
    def columns(self) -> list[str]:
        """The feature columns of all candidates that it looks at, each once."""
        first = [column for ranker in self.used.values() for column in ranker.columns]
        second = [column for name, ranker in self.head.items() if self.weights[name] for column in ranker.columns]
        head_only = head_only_columns(second)
        return list(dict.fromkeys([*first, *(column for column in second if column not in head_only)]))

    @property
    def head_columns(self) -> list[str]:
        """The feature columns of the head alone that rankers of the second step look at, each once.

        They are the same for any weights: questions are described once, and weighted again.
        """
        return head_only_columns(dict.fromkeys(column for ranker in self.head.values() for column in ranker.columns))

    @property
    def two_steps(self) -> bool:
        """Whether a second step changes scores."""
        return bool(self.used.keys() & self.head.keys()) and bool(self.head_columns)

    @property
    def needs_encoder(self) -> bool:
        """Whether scores depend on an encoder: in a second step, or where a baseline reads its columns."""
        return self.two_steps or bool(head_only_columns(self.columns))

    def score(self, table: pd.DataFrame) -> Scores:
        """(n_rows,) higher is better. Raises ComponentError where a second step finds no head in the table."""
        return push_below_head(self.combine(self.grades(table)), head_rows(table), group_sizes(table))

    def first_grades(self, table: pd.DataFrame) -> dict[str, Scores]:
        """Dimension -> (n_rows,) expected grades by the first step; baseline -> its scores."""
        learned = {name: ranker for name, ranker in self.used.items() if isinstance(ranker, LearnedRanker)}
        place = {name: at for at, name in enumerate(dict.fromkeys(chain(*(one.inputs for one in learned.values()))))}
        values = input_values(table, list(place))  # inputs that several rankers read are computed once
        return {
            name: ranker.score_values(values[:, [place[one] for one in ranker.inputs]])
            if isinstance(ranker, LearnedRanker)
            else ranker.score(table)
            for name, ranker in self.used.items()
        }

    def grades(self, table: pd.DataFrame, first: Mapping[str, Scores] | None = None) -> dict[str, Scores]:
        """Dimension -> (n_rows,) expected grades, in the head by the second step; baseline -> its scores.

        So are the reader's columns, where the table has them.

        ``first`` are the `first_grades` of these rows, where they are known. Raises ComponentError as `score`.
        """
        if self.two_steps and "head" not in table:
            what = "the model has a second step, and these candidates have no head to be ranked by it"
            raise ComponentError("candidates", what, "grade them: Searcher.grade")
        grades = dict(self.first_grades(table) if first is None else first)
        in_head = head_rows(table)
        for name in grades.keys() & self.head.keys() if in_head.any() else ():
            inputs = self.head[name].inputs
            grades[name] = grades[name].copy()
            grades[name][in_head] = self.head[name].score_values(input_values(table, inputs)[in_head])
        return grades | {name: table[name].to_numpy(np.float64) for name in self.reader_weights if name in table}

    def combine(self, scores: Mapping[str, Scores]) -> Scores:
        """(n_rows,) from the rows' scores by each ranker that counts."""
        total = np.zeros(len(next(iter(scores.values()))))
        for name in sorted(self.weights):
            if self.weights[name]:
                total += self.weights[name] * scores[name]
        for column, weight in self.reader_weights.items():
            total += weight * scores.get(column, 0)
        return total

    @property
    def reader_weights(self) -> dict[str, float]:
        """Column of the reader -> its weight, where it has one, by its dimension's; none without a second step."""
        reading = self.reading if self.two_steps else 0.0
        weights = {f"{READER}_{name}": reading * self.weights[name] for name in self.dimensions}
        return {column: weight for column, weight in weights.items() if weight}

    def reweighted(self, weights: Mapping[str, float]) -> Blend:
        """The same rankers with other weights; baselines that are not named keep theirs, dimensions have none.

        Raises KeyError for a dimension that was not trained.
        """
        for name, weight in weights.items():
            if weight and name not in self.rankers:
                raise KeyError(name)
        kept = {name: weight for name, weight in self.weights.items() if name not in DIMENSIONS}
        return replace(self, weights=kept | dict(weights))

    def first_step(self) -> Blend:
        """The first step alone: needs no encoder."""
        return replace(self, head={})


def head_only_columns(columns: Iterable[str]) -> list[str]:
    """The feature columns among these that describe the head alone."""
    known = all_columns()
    return [column for column in columns if column in known and known[column].needs_encoder]


def best_rows(scores: Scores, groups: npt.NDArray[np.int64], depth: int) -> npt.NDArray[np.bool_]:
    """(n_rows,) the ``depth`` best rows of each group, all where it is 0; among equal ones the first."""
    best = np.zeros(len(scores), bool)
    for rows in np.split(np.arange(len(scores)), np.cumsum(groups)[:-1]):
        best[rows[np.argsort(-scores[rows], kind="stable")][: depth or None]] = True
    return best


def push_below_head(scores: Scores, head: npt.NDArray[np.bool_], groups: npt.NDArray[np.int64]) -> Scores:
    """(n_rows,) ``scores``; in each group those outside the ``head`` lowered together until none exceeds one in it."""
    lowered = scores.copy()
    for rows in np.split(np.arange(len(scores)), np.cumsum(groups)[:-1]):
        top, rest = rows[head[rows]], rows[~head[rows]]
        if len(top) and len(rest):
            lowered[rest] -= max(0.0, float(scores[rest].max() - scores[top].min()))
    return lowered
