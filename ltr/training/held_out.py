"""Figures of held-out scores beside the baselines', by graded pairs or by judgments of arguments."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ltr.data.ids import argument_of, pair_key
from ltr.data.qrels import Qrels
from ltr.evaluation.measures import condensed_ndcg, judged_share, lab_ndcg
from ltr.evaluation.significance import MeanCI, mean_ci
from ltr.pipeline.matrix import Matrix
from ltr.pipeline.rerank import RowsOfTopic, ranked_rows
from ltr.supervision.judgments import Judgments, fold_units
from models.base import Scores, baselines, make_ranker
from models.blend import Blend
from models.defaults import DIVERSIFY

MEASURES = ("full", "judged", "condensed")
"""Lab nDCG@5, the judged share of the top five, and lab nDCG@5 of the list of judged candidates alone."""

BLEND = "blend"
"""Name of the blend of all dimensions, in figures."""

Table = dict[str, dict[str, MeanCI]]
"""Ranker -> measure -> figure."""

Values = npt.NDArray[np.float64]


class Evaluator(ABC):
    """Evaluates scores over the topics that can be scored."""

    _topics: list[Any]

    @property
    def topics(self) -> int:
        """Number of topics with a judged candidate of a grade above 0."""
        return len(self._topics)

    @abstractmethod
    def values(self, scores: Scores) -> Values:
        """(n_topics, n_measures)"""

    def figures(self, scores: Scores) -> dict[str, MeanCI]:
        """Measure -> mean over the topics."""
        columns = self.values(scores).T
        return {name: mean_ci(column) for name, column in zip(MEASURES, columns, strict=True)}


class UnitEvaluator(Evaluator):
    """Lab nDCG@5 of scored units against graded ones, over the final lists that the scores give."""

    def __init__(self, matrix: Matrix, qrels: Qrels, diversify: float = DIVERSIFY) -> None:
        self._matrix, self._diversify = matrix, diversify
        self._keys = np.array(list(map(pair_key, matrix.ids)), object)
        folded = fold_units(qrels)
        judged = [(rows, folded.get(topic, {})) for topic, rows in matrix]
        self._topics = [(rows, grades) for rows, grades in judged if max(grades.values(), default=0) > 0]

    def values(self, scores: Scores) -> Values:
        """(n_topics, n_measures)"""
        found = []
        for rows, grades in self._topics:
            keys = self._ranking(rows, scores)
            graded = rows.start + np.flatnonzero([key in grades for key in self._keys[rows]])
            condensed = self._ranking(graded, scores)  # as if there were no other candidates
            found.append((lab_ndcg(keys, grades), judged_share(keys, grades), lab_ndcg(condensed, grades)))
        return np.array(found).reshape(-1, len(MEASURES))

    def top_by_topic(self, scores: Scores, expected: Scores) -> Values:
        """(n_topics, 2) the top five's mean of ``expected``, and of their grades, of topics where some are graded."""
        pairs = []
        for rows, grades in self._topics:
            top = ranked_rows(self._matrix, rows, scores, depth=5, min_units=5, diversify=self._diversify)
            known = [grades[key] for key in self._keys[rows][top] if key in grades]
            if known:
                pairs.append((float(expected[rows][top].mean()), float(np.mean(known))))
        return np.array(pairs).reshape(-1, 2)

    def _ranking(self, rows: RowsOfTopic, scores: Scores) -> list[str]:
        top = ranked_rows(self._matrix, rows, scores, depth=5, min_units=5, diversify=self._diversify)
        return list(self._keys[rows][top])


class ArgumentEvaluator(Evaluator):
    """Lab nDCG@5 of arguments in the order of their best pair, against judgments of arguments.

    Topics without a relevant argument among the candidates cannot be scored, and a relevant argument that the first
    stage missed costs nothing.
    """

    def __init__(self, matrix: Matrix, qrels: Qrels) -> None:
        self._topics = []
        owners = np.array([[argument_of(part) for part in parts] for parts in matrix.parts.tolist()], object)
        for topic, rows in matrix:
            grades = qrels.get(topic, {})
            names, places = np.unique(owners[rows], return_inverse=True)
            seen = {argument: grades[argument] for argument in names if argument in grades}
            if max(seen.values(), default=0) > 0:
                self._topics.append((rows, places.reshape(-1, owners.shape[1]).T, names.tolist(), seen))

    def values(self, scores: Scores) -> Values:
        """(n_topics, n_measures)"""
        found = []
        for rows, sides, names, grades in self._topics:
            best = np.full(len(names), -np.inf)
            for places in sides:
                np.maximum.at(best, places, scores[rows])
            order = [names[i] for i in np.lexsort((np.arange(len(names)), -best))]
            found.append((lab_ndcg(order, grades), judged_share(order, grades), condensed_ndcg(order, grades)))
        return np.array(found).reshape(-1, len(MEASURES))


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
