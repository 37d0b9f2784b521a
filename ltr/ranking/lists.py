"""A ranking of several topics as a DataFrame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
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
    def of_rows(
        cls,
        rows: Sequence[RunRow],
        expected: Mapping[str, float] = MappingProxyType({}),
        unmatched: Sequence[str] = (),
    ) -> Self:
        """The frame of the rows of a run."""
        run = cls([(row.topic, row.pair, row.rank, row.score, row.stance, row.tag) for row in rows], columns=[*COLUMNS])
        run = run.astype(COLUMNS)
        run.attrs |= {"expected": dict(expected), "unmatched": list(unmatched)}
        return run

    def rows(self) -> list[RunRow]:
        """The rows as a run file has them."""
        columns = [self[name].tolist() for name in ("qid", "stance", "docno", "rank", "score", "name")]
        return [RunRow(*row) for row in zip(*columns, strict=True)]

    def to_trec(self, path: str | Path) -> None:
        """Write the run as trec_eval reads it, compressed where the name ends in .gz. Raises InputError."""
        write_run(Path(path), self.rows())
