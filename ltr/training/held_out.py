"""Figures of held-out scores beside the baselines', by graded pairs or by judgments of arguments."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from ltr.data.ids import argument_of, pair_key
from ltr.data.qrels import Grades, Qrels
from ltr.evaluation.measures import judged_share, lab_ndcg
from ltr.evaluation.output import RANDOM
from ltr.evaluation.significance import MeanCI, PairedTest, mean_ci, paired_tests
from ltr.ranking.final_list import ranked_rows
from ltr.ranking.matrix import Matrix
from ltr.supervision.judgments import JudgedSet, Judgments, fold_units
from models.base import Scores, baselines, make_ranker
from models.blend import Blend
from models.defaults import DIVERSIFY

MEASURES = ("full", "judged", "condensed")
"""Lab nDCG@5, the judged share of the top five, and lab nDCG@5 of the list of judged candidates alone."""

BLEND = "blend"
"""Name of the blend of all dimensions, in figures."""

DENSE = "dense"
"""The baseline of an encoder: the cosine of its vectors of the question and of the unit, and nothing else."""
DENSE_COLUMN = {"pair": "meaning_pair", "argument": "meaning_text", "document": "meaning_text"}

Table = dict[str, dict[str, MeanCI]]
"""Ranker -> measure -> figure."""

Values = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Board:
    """How well rankers do by one set of judgments."""

    topics: Sequence[str]
    values: dict[str, Values]
    """Ranker -> (n_topics, n_measures)"""
    baselines: Sequence[str]
    """Rankers that learn nothing."""
    relevant: int
    """Number of units, over all topics, with a grade above 0."""
    missed: int
    """Those of them that the first stage did not propose."""

    @cached_property
    def figures(self) -> Table:
        """The means over topics."""
        return {
            ranker: {name: mean_ci(column) for name, column in zip(MEASURES, values.T, strict=True)}
            for ranker, values in self.values.items()
        }

    @cached_property
    def differences(self) -> dict[str, PairedTest]:
        """Baseline -> the full figures of the blend less its own, best baseline first; a random order is no rival.

        These tests are one family for the correction of their p.
        """
        rivals = [name for name in self.baselines if name != RANDOM]
        rivals.sort(key=lambda name: -self.figures[name]["full"].mean)
        values = {
            name: {"": {"full": dict(zip(self.topics, self.values[name][:, 0].tolist(), strict=True))}}
            for name in (BLEND, *rivals)
        }
        return {test.baseline: test for test in paired_tests(values, [(BLEND, name) for name in rivals], ["full"])}


class Evaluator(ABC):
    """Lab nDCG@5 of the lists that scores give, over the topics that have a candidate of a grade above 0."""

    def __init__(self, matrix: Matrix, judged: Grades, names: npt.NDArray[Any], *, candidates_alone: bool) -> None:
        """``names`` (n_rows, n_names) are what the grades name; with ``candidates_alone`` others do not count."""
        found = {topic: set(names[rows][matrix.proposed[rows]].flat) for topic, rows in matrix}
        relevant = [(topic, name) for topic, grades in judged.items() for name, grade in grades.items() if grade > 0]
        self.relevant = len(relevant)
        self.missed = sum(name not in found.get(topic, ()) for topic, name in relevant)
        self.topics: list[str] = []
        """The topics that can be scored."""
        self._topics: list[tuple[slice, dict[str, float]]] = []
        for topic, rows in matrix:
            listed = set(names[rows].flat) if candidates_alone else judged.get(topic, {})
            grades = {name: grade for name, grade in judged.get(topic, {}).items() if name in listed}
            if max(grades.values(), default=0) > 0:
                self.topics.append(topic)
                self._topics.append((rows, grades))

    @abstractmethod
    def ranking(self, rows: slice, scores: Scores, only: Container[str] | None = None) -> list[str]:
        """The ids of a topic's list; with ``only``, as if there were no other candidates."""

    def values(self, scores: Scores) -> Values:
        """(n_topics, n_measures)"""
        values = []
        for rows, grades in self._topics:
            full, condensed = self.ranking(rows, scores), self.ranking(rows, scores, grades)
            values.append((lab_ndcg(full, grades), judged_share(full, grades), lab_ndcg(condensed, grades)))
        return np.array(values).reshape(-1, len(MEASURES))


class UnitEvaluator(Evaluator):
    """Figures of scored units by graded ones, over the final lists that the scores give."""

    def __init__(self, matrix: Matrix, qrels: Grades, diversify: float = DIVERSIFY) -> None:
        self._matrix, self._diversify = matrix, diversify
        self._keys = np.array(list(map(pair_key, matrix.ids)), object)
        super().__init__(matrix, fold_units(qrels), self._keys[:, None], candidates_alone=False)

    def ranking(self, rows: slice, scores: Scores, only: Container[str] | None = None) -> list[str]:
        """Keys of the top five."""
        kept = np.arange(rows.start, rows.stop)
        if only is not None:
            kept = kept[[key in only for key in self._keys[rows]]]
        return list(self._keys[self._top(kept, scores)])

    def top_by_topic(self, scores: Scores, expected: Scores) -> Values:
        """(n_topics, 2) the top five's mean of ``expected``, and of their grades, of topics where some are graded."""
        pairs = []
        for rows, grades in self._topics:
            top = self._top(np.arange(rows.start, rows.stop), scores)
            known = [grades[key] for key in self._keys[top] if key in grades]
            if known:
                pairs.append((float(expected[top].mean()), float(np.mean(known))))
        return np.array(pairs).reshape(-1, 2)

    def _top(self, rows: npt.NDArray[np.int64], scores: Scores) -> npt.NDArray[np.int64]:
        return rows[ranked_rows(self._matrix, rows, scores, depth=5, min_units=5, diversify=self._diversify)]


class ArgumentEvaluator(Evaluator):
    """Figures of arguments in the order of their best pair, by judgments of arguments.

    A relevant argument that the first stage missed costs nothing.
    """

    def __init__(self, matrix: Matrix, qrels: Grades) -> None:
        self._owners = np.array([[argument_of(part) for part in parts] for parts in matrix.parts.tolist()], object)
        super().__init__(matrix, qrels, self._owners, candidates_alone=True)

    def ranking(self, rows: slice, scores: Scores, only: Container[str] | None = None) -> list[str]:
        """All arguments of the topic, equal ones in the order of ids."""
        owners = self._owners[rows]
        best = pd.Series(np.repeat(scores[rows], owners.shape[1])).groupby(owners.ravel()).max()
        order = best.sort_values(ascending=False, kind="stable").index
        return [name for name in order if only is None or name in only]


class TopEstimate(NamedTuple):
    """The relevance of the top five on held-out topics."""

    expected: float
    """By the model, mean over topics."""
    graded: float
    """By the graded pairs among them."""
    correlation: float | None
    """Correlation of the two over topics; None where one of them is constant."""
    topics: int


def held_out_figures(
    matrix: Matrix,
    judgments: Judgments,
    blend: Blend,
    scores: Mapping[str, Scores],
    votes: Mapping[str, Qrels] = MappingProxyType({}),
    further: Mapping[str, Scores] = MappingProxyType({}),
) -> tuple[dict[JudgedSet, Board], TopEstimate | None]:
    """Boards of held-out scores beside the baselines', and the expected and graded relevance of the top five.

    ``votes`` stand in for grades in dimensions where there are none; ``further`` baselines are shown as well.
    """
    together = blend.combine({name: scores[name] for name in scores if blend.weights.get(name)})
    plain = {name: make_ranker(name, unit=matrix.unit).score(matrix) for name in baselines(matrix.unit)}
    plain |= further
    boards: dict[JudgedSet, Board] = {}
    expected = None
    items = f"{matrix.unit}s"
    evaluators: list[tuple[JudgedSet, Evaluator]] = [
        *((JudgedSet(items, name), UnitEvaluator(matrix, qrels)) for name, qrels in judgments.graded.items()),
        *(
            (JudgedSet("arguments", name), ArgumentEvaluator(matrix, qrels))
            for name, qrels in judgments.distant.items()
        ),
        *((JudgedSet(items, name, "votes"), UnitEvaluator(matrix, qrels)) for name, qrels in votes.items()),
    ]
    for judged, evaluator in evaluators:
        name = judged.dimension
        if evaluator.topics:
            rows = {BLEND: together, **({name: scores[name]} if name in scores else {}), **plain}
            values = {ranker: evaluator.values(of) for ranker, of in rows.items()}
            boards[judged] = Board(evaluator.topics, values, list(plain), evaluator.relevant, evaluator.missed)
            if name == "relevance" and not judged.source and name in scores and isinstance(evaluator, UnitEvaluator):
                expected = top_estimate(evaluator.top_by_topic(together, scores[name]))
    return boards, expected


def top_estimate(top: Values) -> TopEstimate | None:
    """Means of (n_topics, 2) expected and graded relevance; None where no topic has a grade."""
    if not len(top):
        return None
    expected, graded = top.T
    varied = len(top) > 2 and min(np.ptp(expected), np.ptp(graded)) > 0
    correlation = float(np.corrcoef(expected, graded)[0, 1]) if varied else None
    return TopEstimate(float(expected.mean()), float(graded.mean()), correlation, len(top))
