"""Scores of a list in two steps: the first set of trees orders all rows of a topic, all trees order the best of them.

Most of a list is never looked at, and trees take their time. Below the rows that all trees score stands the order of
the first set; the scores there are moved down together, as far as it takes.
"""

from __future__ import annotations

import numpy as np

from models.base import Rows, Scores
from models.blend import Blend
from models.lambdamart import LambdaMart

HEAD = 300
"""Rows of a topic that all trees score: three times as deep as the first set ever put one of the best 20, and more."""


def cascade(model: Blend, matrix: Rows, head: int = HEAD) -> tuple[Scores, dict[str, Scores]]:
    """(n_rows,) scores, and what each dimension gives: exact for ``head`` rows of a topic, or for all where it is 0.

    Rows of equal first scores keep their order. A topic with no more rows, and a ranker of one set, is scored exactly.
    """
    used = {name: ranker for name, ranker in model.rankers.items() if model.weights[name]}
    if not head or not all(isinstance(ranker, LambdaMart) for ranker in used.values()):
        found = model.dimension_scores(matrix)
        return model.combine(found), found
    trees = {name: ranker for name, ranker in used.items() if isinstance(ranker, LambdaMart)}
    values = {name: ranker.values(matrix) for name, ranker in trees.items()}
    found = {name: ranker.score_values(values[name], sets=1) for name, ranker in trees.items()}
    first = model.combine(found)
    spans = np.split(np.arange(len(first)), np.cumsum(matrix.groups)[:-1])
    orders = [span[np.argsort(-first[span], kind="stable")] for span in spans]
    best = np.concatenate([order[:head] for order in orders])
    for name, ranker in trees.items():
        found[name][best] = ranker.score_values(values[name][best])
    scores = model.combine(found)
    for order in orders:
        top, rest = order[:head], order[head:]
        if len(rest):
            scores[rest] -= max(0.0, float(scores[rest].max() - scores[top].min()))
    return scores, found
