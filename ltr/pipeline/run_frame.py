"""A run as a DataFrame, for notebooks."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from ltr.data.runs import RunRow, write_run
from ltr.pipeline.lists import RankedLists

COLUMNS = {"qid": str, "docno": str, "rank": int, "score": float, "stance": str, "name": str}


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
