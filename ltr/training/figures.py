"""Figures of held-out scores beside the baselines', by every set of judgments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ltr.evaluation.significance import MeanCI
from ltr.pipeline.matrix import Matrix
from ltr.supervision.judgments import Judgments
from ltr.training.held_out import ArgumentEvaluator, Evaluator, UnitEvaluator
from models.base import Scores, baselines, make_ranker
from models.blend import Blend

BLEND = "blend"
"""Name of the blend of all dimensions, in figures."""

Table = dict[str, dict[str, MeanCI]]
"""Ranker -> measure -> figure."""


class TopEstimate(NamedTuple):
    """The relevance of the top five on held-out topics."""

    expected: float
    """By the model, mean over topics."""
    graded: float
    """By the graded pairs among them."""
    correlation: float | None
    """Of the two over topics; None where one of them is constant."""
    topics: int


def held_out_figures(
    matrix: Matrix, judgments: Judgments, blend: Blend, scores: Mapping[str, Scores]
) -> tuple[dict[str, Table], TopEstimate | None]:
    """Figures of held-out scores beside the baselines', and the expected and graded relevance of the top five."""
    together = blend.combine({name: scores[name] for name in scores if blend.weights.get(name)})
    plain = {name: make_ranker(name, unit=matrix.unit).score(matrix) for name in baselines(matrix.unit)}
    figures: dict[str, Table] = {}
    expected = None
    evaluators: list[tuple[str, str, Evaluator]] = [
        *((f"{matrix.unit}s", name, UnitEvaluator(matrix, qrels)) for name, qrels in judgments.graded.items()),
        *(("arguments", name, ArgumentEvaluator(matrix, qrels)) for name, qrels in judgments.distant.items()),
    ]
    for judged, name, evaluator in evaluators:
        if evaluator.topics:
            rows = {BLEND: together, **({name: scores[name]} if name in scores else {}), **plain}
            figures[f"{judged}, {name}"] = {ranker: evaluator.figures(found) for ranker, found in rows.items()}
            if name == "relevance" and name in scores and isinstance(evaluator, UnitEvaluator):
                expected = top_estimate(evaluator, together, scores[name])
    return figures, expected


def top_estimate(pairs: UnitEvaluator, scores: Scores, relevance: Scores) -> TopEstimate | None:
    """How relevant the top five are as expected, beside their grades; None where none is graded."""
    found = pairs.top_by_topic(scores, relevance)
    if not len(found):
        return None
    varied = len(found) > 2 and min(np.ptp(column) for column in found.T) > 0
    expected, graded = found.T
    correlation = float(np.corrcoef(expected, graded)[0, 1]) if varied else None
    return TopEstimate(float(expected.mean()), float(graded.mean()), correlation, len(found))
