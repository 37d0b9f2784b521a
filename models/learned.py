"""What rankers that learn have in common: inputs made from feature columns, and scores that are expected grades."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from features.core.plugins import ComponentError
from models.base import Parameters, Rows, Scores, TrainingSet, checked_scores, learner
from models.inputs import column_of, columns_of, input_values


class LearnedRanker(ABC):
    """One dimension's ranker, as a model folder stores it: `settings` for its manifest, and files by `dump`."""

    def __init__(self, inputs: Sequence[str], parameters: Any = None, *, threads: int = 1) -> None:
        self.inputs, self.parameters, self.threads = list(inputs), parameters, threads

    @property
    def columns(self) -> list[str]:
        """The feature columns behind the inputs."""
        return columns_of(self.inputs)

    @abstractmethod
    def fit(self, data: TrainingSet) -> None:
        """Learn from (n_rows, n_inputs) values."""

    @abstractmethod
    def gains(self) -> dict[str, float]:
        """Feature column -> its importance, the higher the better."""

    def score(self, matrix: Rows) -> Scores:
        """(n_rows,) expected grades."""
        return self.score_values(input_values(matrix, self.inputs))

    @abstractmethod
    def score_values(self, values: npt.NDArray[np.float32]) -> Scores:
        """(n_rows,) expected grades of (n_rows, n_inputs) values."""

    @abstractmethod
    def terms(self, values: npt.NDArray[np.float32]) -> Scores:
        """(n_rows, n_columns) share of each column in the score of (n_rows, n_inputs) values.

        A row's sum differs from its score by a constant.
        """

    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """JSON for the manifest; ``ranker`` (the registered name), ``parameters`` and ``inputs`` are in it."""

    def dump(self) -> dict[str, str]:
        """File name -> text; a ranker that has all in its settings has none."""
        return {}

    @classmethod
    @abstractmethod
    def load(cls, settings: dict[str, Any], files: dict[str, str], *, threads: int = 1) -> Self:
        """Read back what `settings` and `dump` gave. Raises ValueError when the two do not fit."""


def fit_selected(data: TrainingSet, inputs: Sequence[str], parameters: Parameters, threads: int = 1) -> LearnedRanker:
    """Train on the best ``parameters.columns`` feature columns. ``data.values`` are those of all ``inputs``.

    The choice is made from the training data alone, so every fold of a cross-validation makes its own. Raises KeyError
    for an unknown objective.
    """
    make = learner(parameters.objective).make
    kept = list(inputs)
    columns = list(dict.fromkeys(map(column_of, inputs)))
    if 0 < parameters.columns < len(columns):
        first = make(inputs, parameters.for_selection(), threads=threads)
        first.fit(data)
        gains = first.gains()
        if missing := [column for column in columns if column not in gains]:
            what = f"gave no gain of the column {missing[0]!r}"
            raise ComponentError(f"ranker {parameters.objective!r}", what, "let gains return a number for each column")
        best = set(sorted(columns, key=lambda column: (-gains[column], column))[: parameters.columns])
        kept = [name for name in inputs if column_of(name) in best]
    positions = [position for position, name in enumerate(inputs) if name in set(kept)]
    model: LearnedRanker = make(kept, parameters, threads=threads)
    values = np.ascontiguousarray(data.values[:, positions])
    model.fit(replace(data, values=values))
    checked_scores(parameters.objective, model.score_values(values[:2]), len(values[:2]))
    return model
