"""Agreement of labelling functions with each other, and with grades."""

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
    """Agreement of one labelling function with the others, and with graded pairs."""

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
    votes = collect_votes(Evidence(matrix, judgments.distant.get(dimension, Qrels())), functions)
    grades = graded_labels(matrix, judgments.graded.get(dimension, {}))
    rows = []
    for position, function in enumerate(functions):
        others = mean_vote(np.delete(votes, position, axis=1), [f for f in functions if f is not function])
        mine = votes[:, position]
        cover = float((~np.isnan(mine)).mean()) if len(mine) else 0.0
        rows.append(Agreement(function.name, cover, _correlation(mine, others), _correlation(mine, grades)))
    return rows


def _correlation(one: Values, other: Values) -> float:
    return float(pd.Series(one).corr(pd.Series(other), min_periods=3))
