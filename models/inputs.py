"""Inputs of learned rankers, made from feature columns: values as they are, and standard scores within the topic.

Scores that grow with the size of the collection (BM25, DirichletLM, DPH) are comparable within a topic only: they are
standardised there, so that a model works on another collection too. Cosines, shares, flags and counts enter as they
are: a cosine of .9 says more than that nothing better was found. What depends on the question enters both ways. Each
feature declares its own way (`features.core.feature.Feature.standardise`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from features.core.feature import all_columns, is_given
from models.base import Rows, standardise

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


def input_values(matrix: Rows, inputs: Sequence[str]) -> npt.NDArray[np.float32]:
    """(n_rows, n_inputs) of all rows of a matrix: standard scores are within its topics.

    Somebody else's score of an item may be missing: then it counts as the mean of its topic.
    """
    place = {name: position for position, name in enumerate(matrix.features.columns)}
    columns = [place[column_of(name)] for name in inputs]
    table = matrix.features.to_numpy()[:, columns]
    values = table.astype(np.float32)
    within = np.array([name.endswith(IN_TOPIC) for name in inputs], bool)
    # Rounded: the last digits of a mean depend on the order of adding up.
    values[:, within] = standardise(table[:, within], matrix.groups).round(5)
    given = np.array([is_given(name) for name in inputs], bool)
    values[:, given] = np.nan_to_num(values[:, given])
    return values


def by_column(inputs: Sequence[str], values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """(n_rows, n_columns) sums of (n_rows, n_inputs) values over the inputs of each feature column."""
    positions = {column: position for position, column in enumerate(columns_of(inputs))}
    sums = np.zeros((len(values), len(positions)))
    for name, column in zip(inputs, values.T, strict=True):
        sums[:, positions[column_of(name)]] += column
    return sums
