"""Scores in steps: rough ones for all rows of a topic, exact ones for the best of them.

Nobody reads most of a list, and trees are slow: below the rows that all trees score, the first set of trees decides
the order. Where a model has a second step, its rankers score the rows of the head in place of the first step's.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from models.base import Rows, Scores
from models.blend import Blend, below
from models.defaults import CASCADE
from models.inputs import input_values
from models.learned import LearnedRanker

HEAD = CASCADE


def rough_scores(model: Blend, matrix: Rows) -> dict[str, Scores]:
    """Dimension -> (n_rows,) scores of the first step, by the first set of trees where a ranker has several."""
    return _first_scores(model, matrix, _inputs(model, matrix))


def _inputs(model: Blend, matrix: Rows) -> dict[str, npt.NDArray[np.float32]]:
    """Dimension -> (n_rows, n_inputs) of the rankers that learned."""
    learned = {name: ranker for name, ranker in model.used.items() if isinstance(ranker, LearnedRanker)}
    return {name: input_values(matrix, ranker.inputs) for name, ranker in learned.items()}


def _first_scores(model: Blend, matrix: Rows, inputs: Mapping[str, npt.NDArray[np.float32]]) -> dict[str, Scores]:
    return {
        name: ranker.first_scores(inputs[name]) if isinstance(ranker, LearnedRanker) else ranker.score(matrix)
        for name, ranker in model.used.items()
    }


def best_rows(scores: Scores, groups: npt.NDArray[np.int64], depth: int) -> npt.NDArray[np.bool_]:
    """(n_rows,) the ``depth`` best rows of each group, all where it is 0; of equal ones those that stand first."""
    best = np.zeros(len(scores), bool)
    for rows in np.split(np.arange(len(scores)), np.cumsum(groups)[:-1]):
        best[rows[np.argsort(-scores[rows], kind="stable")][: depth or None]] = True
    return best


def cascade(model: Blend, matrix: Rows, depth: int = HEAD) -> tuple[Scores, dict[str, Scores]]:
    """(n_rows,) scores, and what each dimension gives: exact for ``depth`` rows of a topic, or for all where it is 0.

    Where the matrix has a head that is described for the second step, that is exact, whatever the ``depth``.
    Rows of equal rough scores keep their order. A topic with no more rows is scored exactly.
    """
    head, inputs = model.in_head(matrix), _inputs(model, matrix)
    if not head.any() and (not depth or len(inputs) < len(model.used)):
        grades = model.dimension_scores(matrix)
        return model.combine(grades), grades
    grades = _first_scores(model, matrix, inputs)
    exact = head if head.any() else best_rows(model.combine(grades), matrix.groups, depth)
    for name, values in inputs.items():
        if name in model.head and head.any():
            grades[name][exact] = model.head_scores(name, matrix, exact)
        else:
            grades[name][exact] = model.rankers[name].score_values(values[exact])  # type: ignore[attr-defined]
    return below(model.combine(grades), exact, matrix.groups), grades
