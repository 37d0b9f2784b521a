"""Scores in two steps: the first set of trees orders all rows of a topic, all trees order the best of them.

Nobody reads most of a list, and trees are slow. Below the rows that all trees score, the first set decides the order;
the scores there are lowered together until none exceeds a score above.
"""

from __future__ import annotations

import numpy as np

from models.base import Rows, Scores
from models.blend import Blend
from models.defaults import CASCADE
from models.inputs import input_values
from models.learned import LearnedRanker

HEAD = CASCADE


def cascade(model: Blend, matrix: Rows, depth: int = HEAD) -> tuple[Scores, dict[str, Scores]]:
    """(n_rows,) scores, and what each dimension gives: exact for ``depth`` rows of a topic, or for all where it is 0.

    Rows of equal first scores keep their order. A topic with no more rows, a ranker of one set
    and a blend with a ranker that learns nothing are scored exactly.
    """
    used = {name: ranker for name, ranker in model.rankers.items() if model.weights[name]}
    learned = {name: ranker for name, ranker in used.items() if isinstance(ranker, LearnedRanker)}
    if not depth or len(learned) < len(used):
        grades = model.dimension_scores(matrix)
        return model.combine(grades), grades
    values = {name: input_values(matrix, ranker.inputs) for name, ranker in learned.items()}
    grades = {name: ranker.first_scores(values[name]) for name, ranker in learned.items()}
    first = model.combine(grades)
    spans = np.split(np.arange(len(first)), np.cumsum(matrix.groups)[:-1])
    orders = [span[np.argsort(-first[span], kind="stable")] for span in spans]
    best = np.concatenate([order[:depth] for order in orders])
    for name, ranker in learned.items():
        grades[name][best] = ranker.score_values(values[name][best])
    scores = model.combine(grades)
    for order in orders:
        top, rest = order[:depth], order[depth:]
        if len(rest):
            scores[rest] -= max(0.0, float(scores[rest].max() - scores[top].min()))
    return scores, grades
