"""Rankers that learn: inputs made from feature columns, and scores that are expected grades.

Inputs are values as they are, and standard scores within the topic. Scores that grow with the size of the collection
(BM25, DirichletLM, DPH) are comparable within a topic only: they are standardised there, so that a model works on
another collection too. Cosines, shares, flags and counts enter as they are: a cosine of .9 says more than that nothing
better was found. What depends on the question enters both ways. Each feature declares its own way
(`features.core.feature.Feature.standardise`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pandas as pd

from features.core.feature import all_columns
from features.core.registry import ComponentError
from models.base import Parameters, Scores, TrainingSet, checked_scores, group_sizes, learner, standardise

IN_TOPIC = "@topic"
"""Suffix of the names of inputs that are standardised within the topic."""


def inputs_of(columns: Sequence[str]) -> list[str]:
    """The inputs of feature columns, in order: one or two each."""
    known = all_columns()
    inputs = []
    for column in columns:
        standardise = known[column].standardise
        if standardise != "topic":
            inputs.append(column)
        if standardise != "no":
            inputs.append(column + IN_TOPIC)
    return inputs


def column_of(name: str) -> str:
    """The feature column behind an input."""
    return name.removesuffix(IN_TOPIC)


def columns_of(inputs: Sequence[str]) -> list[str]:
    """The feature columns behind inputs, each once."""
    return list(dict.fromkeys(map(column_of, inputs)))


def input_values(table: pd.DataFrame, inputs: Sequence[str]) -> npt.NDArray[np.float32]:
    """(n_rows, n_inputs) of all rows of a table: standard scores are within its topics."""
    place = {name: position for position, name in enumerate(columns_of(inputs))}
    columns = [place[column_of(name)] for name in inputs]
    features = table[list(place)].to_numpy()[:, columns]
    values = features.astype(np.float32)
    within = np.array([name.endswith(IN_TOPIC) for name in inputs], bool)
    # Rounded: the last digits of a mean depend on the order of adding up.
    values[:, within] = standardise(features[:, within], group_sizes(table)).round(5)
    return values


def by_column(inputs: Sequence[str], values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """(n_rows, n_columns) sums of (n_rows, n_inputs) values over the inputs of each feature column."""
    positions = {column: position for position, column in enumerate(columns_of(inputs))}
    sums = np.zeros((len(values), len(positions)))
    for name, column in zip(inputs, values.T, strict=True):
        sums[:, positions[column_of(name)]] += column
    return sums


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

    def score(self, table: pd.DataFrame) -> Scores:
        """(n_rows,) expected grades."""
        return self.score_values(input_values(table, self.inputs))

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
    kept = columns = columns_of(inputs)
    if 0 < parameters.columns < len(columns):
        first = make(inputs, parameters.for_selection(), threads=threads)
        first.fit(data)
        gains = first.gains()
        if missing := [column for column in columns if column not in gains]:
            what = f"gave no gain of the column {missing[0]!r}"
            raise ComponentError(f"ranker {parameters.objective!r}", what, "let gains return a number for each column")
        kept = sorted(columns, key=lambda column: (-gains[column], column))[: parameters.columns]
    positions = [position for position, name in enumerate(inputs) if column_of(name) in kept]
    model: LearnedRanker = make([inputs[position] for position in positions], parameters, threads=threads)
    values = np.ascontiguousarray(data.values[:, positions])
    model.fit(replace(data, values=values))
    checked_scores(parameters.objective, model.score_values(values[:2]), len(values[:2]))
    return model
