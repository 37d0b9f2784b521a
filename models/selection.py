"""A ranker that looks at few features: those that a first fit on all of them gains most by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from models.base import TrainingSet
from models.inputs import column_of
from models.lambdamart import LambdaMart, Parameters
from models.linear import LinearRanker


def fit_selected(
    data: TrainingSet, inputs: Sequence[str], parameters: Parameters, threads: int = 1
) -> LambdaMart | LinearRanker:
    """Train on the best ``parameters.columns`` feature columns. ``data.values`` are those of all ``inputs``.

    The choice is made from the training data alone, so in a cross-validation it is made anew in every fold.
    """
    kind = LinearRanker if parameters.objective == "linear" else LambdaMart
    kept = list(inputs)
    columns = list(dict.fromkeys(map(column_of, inputs)))
    if 0 < parameters.columns < len(columns):
        # Quicker steps and one seed: what matters is found early.
        quick = replace(parameters, trees=max(parameters.trees // 2, 1), learning_rate=0.06, seeds=1)
        first = kind(inputs, quick, threads=threads)
        first.fit(data)
        gains = first.gains()
        best = set(sorted(columns, key=lambda column: (-gains[column], column))[: parameters.columns])
        kept = [name for name in inputs if column_of(name) in best]
    places = [place for place, name in enumerate(inputs) if name in set(kept)]
    model = kind(kept, parameters, threads=threads)
    model.fit(replace(data, values=np.ascontiguousarray(data.values[:, places])))
    return model
