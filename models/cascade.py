"""Scores in two steps: the first set of trees orders all rows of a topic, all trees order the best of them.

Nobody reads most of a list, and trees are slow. Below the rows that all trees score, the first set decides the order;
the scores there are lowered together until none exceeds a score above.
"""

from __future__ import annotations

import numpy as np

from models.base import Rows, Scores, StagedRanker
from models.blend import Blend
from models.inputs import input_values

HEAD = 300
"""Rows of each topic that all trees score. The first set never put one of the best 20 below rank 100."""


def cascade(model: Blend, matrix: Rows, depth: int = HEAD) -> tuple[Scores, dict[str, Scores]]:
    """(n_rows,) scores, and what each dimension gives: exact for ``depth`` rows of a topic, or for all where it is 0.

    Rows of equal first scores keep their order. A topic with no more rows, and a ranker of one set, is scored exactly.
    """
    used = {name: ranker for name, ranker in model.rankers.items() if model.weights[name]}
    staged = {name: ranker for name, ranker in used.items() if isinstance(ranker, StagedRanker)}
    if not depth or len(staged) < len(used):
        found = model.dimension_scores(matrix)
        return model.combine(found), found
    values = {name: input_values(matrix, ranker.inputs) for name, ranker in staged.items()}
    found = {name: ranker.first_scores(values[name]) for name, ranker in staged.items()}
    first = model.combine(found)
    spans = np.split(np.arange(len(first)), np.cumsum(matrix.groups)[:-1])
    orders = [span[np.argsort(-first[span], kind="stable")] for span in spans]
    best = np.concatenate([order[:depth] for order in orders])
    for name, ranker in staged.items():
        found[name][best] = ranker.score_values(values[name][best])
    scores = model.combine(found)
    for order in orders:
        top, rest = order[:depth], order[depth:]
        if len(rest):
            scores[rest] -= max(0.0, float(scores[rest].max() - scores[top].min()))
    return scores, found
