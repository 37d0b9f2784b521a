"""What labelling functions say beside each other, and beside grades."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ltr.data.qrels import Qrels
from ltr.pipeline.matrix import Matrix
from ltr.supervision.functions import Evidence, Values, labelling_functions
from ltr.supervision.judgments import Judgments
from ltr.supervision.labels import collect_votes, graded_labels, mean_vote


@dataclass(frozen=True)
class Agreement:
    """What a labelling function says beside the others, and beside graded pairs."""

    name: str
    coverage: float
    """Share of the pairs that it votes on."""
    with_others: float
    """Correlation of its votes with the mean vote of the others; NaN where one of the two is constant."""
    with_grades: float
    """Correlation of its votes with the grades of graded pairs; NaN without any."""


def agreement(matrix: Matrix, judgments: Judgments, dimension: str) -> list[Agreement]:
    """How every labelling function of a dimension votes."""
    functions = list(labelling_functions(dimension, matrix.unit).values())
    votes = collect_votes(Evidence.of(matrix, judgments, dimension), functions)
    grades = graded_labels(matrix, judgments.graded.get(dimension, Qrels()), judgments.graded_top(dimension))
    found = []
    for place, function in enumerate(functions):
        others = mean_vote(np.delete(votes, place, axis=1), [f for f in functions if f is not function])
        own = votes[:, place]
        cover = float((~np.isnan(own)).mean()) if len(own) else 0.0
        found.append(Agreement(function.name, cover, _correlation(own, others), _correlation(own, grades)))
    return found


def _correlation(one: Values, other: Values) -> float:
    return float(pd.Series(one).corr(pd.Series(other), min_periods=3))
