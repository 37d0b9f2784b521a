"""Scores in steps: rough ones for all rows of a topic, exact ones for the best of them.

Nobody reads most of a list, and trees are slow: below the rows that all trees score, the first set of trees decides
the order. Where a model has a second step, its rankers score the rows of the head in place of the first step's.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from types import MappingProxyType

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
    return _first_scores(model, matrix, _inputs(matrix, _learned(model)), {})


def _learned(model: Blend) -> dict[str, LearnedRanker]:
    return {name: ranker for name, ranker in model.used.items() if isinstance(ranker, LearnedRanker)}


def _inputs(matrix: Rows, rankers: Mapping[str, LearnedRanker]) -> dict[str, npt.NDArray[np.float32]]:
    """Dimension -> (n_rows, n_inputs) of its ranker; what several rankers read is computed once."""
    place = {name: at for at, name in enumerate(dict.fromkeys(chain(*(one.inputs for one in rankers.values()))))}
    values = input_values(matrix, list(place))
    return {name: values[:, [place[one] for one in ranker.inputs]] for name, ranker in rankers.items()}


def _first_scores(
    model: Blend, matrix: Rows, inputs: Mapping[str, npt.NDArray[np.float32]], rough: Mapping[str, Scores]
) -> dict[str, Scores]:
    """Of rankers that learned, from ``rough`` where they are there, else from their ``inputs``."""
    grades = {}
    for name, ranker in model.used.items():
        if not isinstance(ranker, LearnedRanker):
            grades[name] = ranker.score(matrix)
        else:
            grades[name] = rough[name].copy() if name in rough else ranker.first_scores(inputs[name])
    return grades


def best_rows(scores: Scores, groups: npt.NDArray[np.int64], depth: int) -> npt.NDArray[np.bool_]:
    """(n_rows,) the ``depth`` best rows of each group, all where it is 0; of equal ones those that stand first."""
    best = np.zeros(len(scores), bool)
    for rows in np.split(np.arange(len(scores)), np.cumsum(groups)[:-1]):
        best[rows[np.argsort(-scores[rows], kind="stable")][: depth or None]] = True
    return best


def cascade(
    model: Blend, matrix: Rows, depth: int = HEAD, rough: Mapping[str, Scores] = MappingProxyType({})
) -> tuple[Scores, dict[str, Scores]]:
    """(n_rows,) scores, and what each dimension gives: exact for ``depth`` rows of a topic, or for all where it is 0.

    Where the matrix has a head that is described for the second step, that is exact, whatever the ``depth``.
    Rows of equal rough scores keep their order. A topic with no more rows is scored exactly. ``rough``: the model's
    `rough_scores` of the rows, where they are known.
    """
    head, learned = model.in_head(matrix), _learned(model)
    if not head.any() and (not depth or len(learned) < len(model.used)):
        grades = model.dimension_scores(matrix, rough)
        return model.combine(grades), grades
    second = model.head.keys() if head.any() else set()
    exact_later = {name: one for name, one in learned.items() if name not in second and not one.exact_at_first}
    inputs = _inputs(matrix, {name: one for name, one in learned.items() if name in exact_later or name not in rough})
    grades = _first_scores(model, matrix, inputs, rough)
    exact = head if head.any() else best_rows(model.combine(grades), matrix.groups, depth)
    for name in learned.keys() & second:
        grades[name][exact] = model.head_scores(name, matrix, exact)
    for name, ranker in exact_later.items():
        grades[name][exact] = ranker.score_values(inputs[name][exact])
    return below(model.combine(grades), exact, matrix.groups), grades
