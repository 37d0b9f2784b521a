"""Ranked lists of many topics, as rows and as a DataFrame. A topic is listed while workers describe the next ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from ltr.data.runs import RunRow, write_run
from ltr.data.topics import Topic
from ltr.ranking.confidence import expected_relevance
from ltr.ranking.describe import FirstStage, Resources
from ltr.ranking.final_list import ListOptions, make_run
from ltr.ranking.matrix import Matrix
from ltr.ranking.two_steps import grade_topics, relevance_of, scores_of
from models.base import Scores
from models.blend import Blend

Rescore = Callable[[Matrix, Sequence[Topic], Scores, ListOptions], Scores]
"""``(matrix, topics, scores, options) -> (n_rows,) scores`` after a re-ranker."""

COLUMNS = {"qid": str, "docno": str, "rank": int, "score": float, "stance": str, "name": str}
"""Columns of a `Run`."""


@dataclass
class RankedLists:
    """The results of several topics."""

    rows: list[RunRow] = field(default_factory=list)
    """Topic by topic, in the order of a run."""
    expected: dict[str, float] = field(default_factory=dict)
    """Topic -> mean expected relevance of its five best items, where the model estimates it."""
    unmatched: list[str] = field(default_factory=list)
    """Topics that share no word with the corpus: they have no rows."""


def ranked_lists(
    first_stage: FirstStage,
    topics: Sequence[Topic],
    model: Blend,
    options: ListOptions,
    resources: Resources,
    rescore: Rescore = lambda _matrix, _topics, scores, _options: scores,
) -> RankedLists:
    """Rank the candidates of every topic; ``rescore`` changes their scores."""
    lists = RankedLists()
    first_stage = first_stage.with_head(options.second_step_depth)
    with closing(grade_topics(first_stage, topics, resources, model, model.columns)) as blocks:
        for block in blocks:
            matrix = Matrix([block], first_stage.task.unit)
            lists.unmatched += matrix.unmatched
            if matrix.topics:
                with resources.progress.stage("rank"):
                    scores = rescore(matrix, topics, scores_of(model, matrix), options)
                    rows = make_run(first_stage.task, matrix, scores, options)
                    lists.rows += rows
                    lists.expected |= expected_relevance(matrix, rows, relevance_of(model, matrix))
    return lists


class Run(pd.DataFrame):
    """Ranked items: ``qid, docno, rank, score, stance, name``, topic by topic, ranks from 1.

    ``attrs["expected"]`` has the expected relevance of each topic's five best items where the model estimates it,
    ``attrs["unmatched"]`` the topics without any result.
    """

    @property
    def _constructor(self) -> type[Run]:
        return Run

    @classmethod
    def of_lists(cls, lists: RankedLists) -> Run:
        """The frame of these lists."""
        rows = [(row.topic, row.pair, row.rank, row.score, row.stance, row.tag) for row in lists.rows]
        run = cls(rows, columns=list(COLUMNS)).astype(COLUMNS)
        run.attrs |= {"expected": lists.expected, "unmatched": lists.unmatched}
        return run

    def rows(self) -> list[RunRow]:
        """The rows as a run file has them."""
        columns = [self[name].tolist() for name in ("qid", "stance", "docno", "rank", "score", "name")]
        return [RunRow(*row) for row in zip(*columns, strict=True)]

    def to_trec(self, path: str | Path) -> None:
        """Write the run as trec_eval reads it, compressed where the name ends in .gz. Raises InputError."""
        write_run(Path(path), self.rows())
