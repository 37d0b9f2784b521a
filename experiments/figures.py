"""Figures of held-out scores: by topic, as means with intervals, and as differences with tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import rankdata

from features.core.feature import KINDS
from ltr.data.qrels import Qrels
from ltr.evaluation.evaluator import CORRELATION, MEAN, Evaluation, figures_of
from ltr.evaluation.evaluator import Figures as Evaluations
from ltr.evaluation.rankings import RANDOM, RunOrder, random_orders
from ltr.evaluation.significance import ALPHA, PairedTest, least_p
from ltr.learning import held_out
from ltr.learning.held_out import final_rows, ids_of, list_values
from ltr.learning.labels import graded_labels
from ltr.learning.votes import of_topics
from ltr.ranking.candidates import Candidates
from models.base import DIMENSIONS, Scores

MEASURES = (*held_out.MEASURES, "correlation")
"""nDCG@5 of whole lists, their judged share, nDCG@5 of their graded items alone, and how far the scores of a topic's
graded items rise with their grades (Spearman): of all of them, so less is left to luck than in the top five."""

TITLES = dict(zip(MEASURES, ("nDCG@5", "judged@5", "condensed_nDCG@5", CORRELATION), strict=True))
"""Names of the measures in reports."""

INTERVAL = ("mean", "low", "high")
"""Keys of a figure with its interval in JSON."""

Values = npt.NDArray[np.float64]
Draws = Mapping[str, Sequence[Scores]]
"""Row -> (n_rows,) scores for each draw of the folds."""


class Figures:
    """Figures of scored items by dimension, of topics in the order of the table."""

    def __init__(self, table: Candidates, graded: Mapping[str, Qrels], min_items: int = 0) -> None:
        """``graded``: judgments of items, or of the arguments that they are parts of; ``min_items`` as in a task."""
        self._table, self._min_items = table, min_items
        judged = {name: of_topics(Qrels.of(graded[name]), table.topics) for name in DIMENSIONS if graded.get(name)}
        self._graded = {name: (qrels, graded_labels(table, qrels)) for name, qrels in judged.items()}
        self.topics = table.topics
        self.dimensions = list(judged)
        """The dimensions with grades."""

    def values(self, scores: Scores, dimension: str, *, shuffled: bool = False) -> Values:
        """(n_topics, n_measures) of `MEASURES`, NaN for topics without a judgment.

        A topic whose grades are all 0 has no correlation, and judgments of arguments have none of pairs. `MEAN` is the
        mean of all dimensions, of topics that have a value in each. ``shuffled``: the mean over random orders of the
        lists that the scores give.
        """
        if dimension == MEAN:
            every = [self.values(scores, name, shuffled=shuffled) for name in self._graded]
            return np.asarray(np.mean(every, axis=0))
        qrels, grades = self._graded[dimension]
        lists = ids_of(self._table, final_rows(self._table, scores, min_items=self._min_items))
        orders = random_orders(lists) if shuffled else [RunOrder(lists, lists)]
        measured = dict(zip(qrels, list_values(qrels, orders), strict=True))
        figures = np.full((len(self._table.topics), len(MEASURES)), np.nan)
        for place, (topic, rows) in enumerate(self._table.spans.items()):
            if topic in measured:
                figures[place, :-1] = measured[topic]
                graded = ~np.isnan(grades[rows])
                if max(qrels[topic].values()) > 0:
                    figures[place, -1] = rank_correlation(scores[rows][graded], grades[rows][graded])
        of_parts = qrels.level == "argument" and KINDS[self._table.kind].parts > 1
        return figures[:, :-1] if of_parts else figures

    def of_rows(self, rows: Draws, dimension: str) -> dict[str, Values]:
        """Row -> the mean of `values` over its draws; the row `RANDOM` is shuffled."""
        return {
            name: mean_over(self.values(scores, dimension, shuffled=name == RANDOM) for scores in draws)
            for name, draws in rows.items()
        }


def rank_correlation(scores: Scores, grades: Scores) -> float:
    """Spearman's rho, ties at their mean rank; 0 where either is constant.

    >>> round(rank_correlation(np.array([1.0, 2.0, 3.0]), np.array([0.0, 0.0, 2.0])), 3)
    0.866
    """
    if len(scores) < 2 or np.ptp(scores) == 0 or np.ptp(grades) == 0:
        return 0.0
    return float(np.corrcoef(rankdata(scores), rankdata(grades))[0, 1].round(9))


def mean_over(draws: Iterable[Values]) -> Values:
    """The mean over draws of the folds, topic by topic."""
    return np.asarray(np.mean(list(draws), axis=0))


def evaluation_of(values: Values, topics: Sequence[str]) -> Evaluation:
    """(n_topics, n_measures) of `MEASURES`, NaN for topics that cannot be scored, as figures of a report."""
    named = list(TITLES.values())[: values.shape[1]]
    keys = pd.MultiIndex.from_product([["row"], named])
    frame = pd.concat({"set": pd.DataFrame(values, list(topics), keys)})
    return figures_of(frame)["row"]["set"]


def evaluations(boards: Mapping[str, Mapping[str, Values]], topics: Sequence[str]) -> Evaluations:
    """The figures of a report from those of `Figures.of_rows` by set of judgments."""
    found: dict[str, dict[str, Evaluation]] = {}
    for title, rows in boards.items():
        for row, values in rows.items():
            found.setdefault(row, {})[title] = evaluation_of(values, topics)
    return found


def as_data(evaluation: Evaluation, measure: str, topics: Sequence[str]) -> dict[str, Any]:
    """Mean with its interval and the values of ``topics``, None where one cannot be scored, as plain data."""
    name = TITLES[measure]
    values = evaluation.values[name]
    return {**evaluation.summary[name]._asdict(), "values": [values.get(topic) for topic in topics]}


def tested(test: PairedTest, family: Sequence[PairedTest]) -> dict[str, Any]:
    """A test as plain data; the adjusted p of a test of the family, see `corrected`."""
    d = test.difference
    data = {"mean": d.mean, "low": d.low, "high": d.high, "p": d.p, "effect": d.effect}
    return data | (corrected(test, family) if test in family else {})


def corrected(test: PairedTest, family: Sequence[PairedTest]) -> dict[str, float]:
    """The adjusted p, and the least that the family could give where that is above `ALPHA`."""
    least = least_p([one.difference for one in family])
    return {"p_holm": test.adjusted_p} | ({"p_holm_least": least} if least > ALPHA else {})
