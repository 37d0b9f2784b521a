"""Figures of held-out scores by dimension, row and topic, as a report takes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import rankdata

from features.core.feature import KINDS
from ltr.data.qrels import Qrels
from ltr.evaluation.evaluator import MEAN
from ltr.evaluation.rankings import RANDOM, RunOrder, random_orders
from ltr.evaluation.significance import CORRELATION
from ltr.learning.held_out import final_rows, ids_of, list_values
from ltr.learning.labels import graded_labels
from ltr.learning.votes import of_topics
from ltr.ranking.candidates import Candidates
from models.base import DIMENSIONS, Scores

MEASURES = ("nDCG@5", "judged@5", "condensed_nDCG@5", CORRELATION)
"""nDCG@5 of whole lists, their judged share, nDCG@5 of their graded items alone, and how far the scores of a topic's
graded items rise with their grades (Spearman): of all of them, so less is left to luck than in the top five."""

Values = npt.NDArray[np.float64]
Draws = Mapping[str, Sequence[Scores]]
"""Row -> (n_rows,) scores for each draw of the folds."""
Boards = dict[str, dict[str, Values]]
"""Row -> dimension, or set of judgments -> (n_topics, n_measures) of `MEASURES`."""


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

        A topic whose grades are all 0 has no correlation, and judgments of arguments have none of pairs.
        ``shuffled``: the mean over random orders of the lists that the scores give.
        """
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

    def of_row(self, draws: Iterable[Scores | Mapping[str, Scores]], *, shuffled: bool = False) -> dict[str, Values]:
        """Dimension -> the mean of `values` over draws of scores, of one ranker or by dimension.

        Of several dimensions there is `MEAN`, too, of topics that have a value in each.
        """
        found: dict[str, list[Values]] = {name: [] for name in self.dimensions}
        for scores in draws:
            of = scores if isinstance(scores, Mapping) else dict.fromkeys(found, scores)
            for name, values in found.items():
                values.append(self.values(of[name], name, shuffled=shuffled))
        means = {name: np.asarray(np.mean(values, axis=0)) for name, values in found.items()}
        return means | ({MEAN: np.asarray(np.mean([*means.values()], axis=0))} if len(means) > 1 else {})

    def of_rows(self, rows: Draws) -> Boards:
        """The figures of each row; the row `RANDOM` is shuffled."""
        return {name: self.of_row(draws, shuffled=name == RANDOM) for name, draws in rows.items()}


def rank_correlation(scores: Scores, grades: Scores) -> float:
    """Spearman's rho, ties at their mean rank; 0 where either is constant.

    >>> round(rank_correlation(np.array([1.0, 2.0, 3.0]), np.array([0.0, 0.0, 2.0])), 3)
    0.866
    """
    if len(scores) < 2 or np.ptp(scores) == 0 or np.ptp(grades) == 0:
        return 0.0
    return float(np.corrcoef(rankdata(scores), rankdata(grades))[0, 1].round(9))


def report_values(boards: Boards, topics: Sequence[str]) -> pd.DataFrame:
    """The values of a report, see `Report.of_values`."""
    frames = {
        row: {name: pd.DataFrame(of, pd.Index(topics), MEASURES[: of.shape[1]]) for name, of in by_set.items()}
        for row, by_set in boards.items()
    }
    return pd.concat({row: pd.concat(by_set) for row, by_set in frames.items()}, axis="columns")
