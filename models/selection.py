"""Train a ranker on few feature columns: those with the highest gain in a first fit on all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from models.base import Parameters, TrainingSet, learner
from models.inputs import column_of
from models.learned import LearnedRanker


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
        best = set(sorted(columns, key=lambda column: (-gains[column], column))[: parameters.columns])
        kept = [name for name in inputs if column_of(name) in best]
    positions = [position for position, name in enumerate(inputs) if name in set(kept)]
    model: LearnedRanker = make(kept, parameters, threads=threads)
    model.fit(replace(data, values=np.ascontiguousarray(data.values[:, positions])))
    return model
