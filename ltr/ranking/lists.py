"""A ranking of several topics as a DataFrame."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Self

import pandas as pd

from ltr.data.runs import RunRow, write_run

COLUMNS = {"qid": str, "docno": str, "rank": int, "score": float, "stance": str, "name": str}
"""Columns of a `Run`."""


class Run(pd.DataFrame):
    """Ranked items: ``qid, docno, rank, score, stance, name``, topic by topic, ranks from 1.

    ``attrs["expected"]`` has the expected relevance of each topic's five best items where the model estimates it,
    ``attrs["unmatched"]`` the topics without any result, which share no word with the corpus.
    """

    @property
    def _constructor(self) -> type[Run]:
        return Run

    @classmethod
    def of(cls, lists: Sequence[pd.DataFrame], tag: str) -> Self:
        """The run of tables whose items are in the order of their lists, with rank and score; ``tag`` is its name."""
        columns = {name: [value for listed in lists for value in listed[name]] for name in [*COLUMNS][:-1]}
        run = cls(columns | {"name": tag}).astype(COLUMNS)
        run.attrs |= {"expected": {}, "unmatched": []}
        return run

    def rows(self) -> list[RunRow]:
        """The rows as a run file has them."""
        columns = [self[name].tolist() for name in ("qid", "stance", "docno", "rank", "score", "name")]
        return [RunRow(*row) for row in zip(*columns, strict=True)]

    def to_trec(self, path: str | Path) -> None:
        """Write the run as trec_eval reads it, compressed where the name ends in .gz. Raises InputError."""
        write_run(Path(path), self.rows())
