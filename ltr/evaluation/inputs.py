"""Runs and judgments as a user has them: files, data frames, dictionaries or rows; and judgments by dimension."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ltr.data.columns import frame_column
from ltr.data.qrels import FRAME, Grades, Level, Qrels, grades_of, read_pair_qrels, read_qrels
from ltr.data.runs import NO_SIDE, RunRow, read_run
from ltr.errors import InputError, SettingError

if TYPE_CHECKING:
    import pandas as pd

    Run = str | Path | pd.DataFrame | Mapping[str, Mapping[str, float]] | Iterable[RunRow | tuple[str, str, float]]
    """A TREC file; columns qid, docno, score[, rank, stance]; topic -> id -> score; or rows."""
    Judged = str | Path | Sequence[str | Path] | pd.DataFrame | Grades
    """One or more qrels files; columns qid, docno, grade (or label); or topic -> id -> grade."""

QRELS = "qrels"
"""The name of judgments that are of no dimension."""


def run_rows(run: Run) -> list[RunRow]:
    """The rows of a run. Without ranks, a topic's ids are ranked by score, ties by id descending. Raises InputError."""
    if isinstance(run, str | Path):
        return read_run(Path(run))
    given: Any = _frame_rows(run) if hasattr(run, "columns") else run
    if isinstance(run, Mapping):
        given = [(topic, id_, score) for topic, scored in run.items() for id_, score in scored.items()]
    rows = [row if isinstance(row, RunRow) else _row(row[0], NO_SIDE, row[1], -1, row[2]) for row in given]
    for row in rows:
        if not math.isfinite(row.score):
            raise InputError("run", f"topic {row.topic}, id {row.pair}: the score is not finite", "leave the row out")
    if any(row.rank < 0 for row in rows):
        by_score = sorted(rows, key=attrgetter("score", "pair"), reverse=True)
        rows = [row._replace(rank=rank) for rank, row in enumerate(by_score, 1)]
    return rows


def _row(topic: Any, stance: Any, id_: Any, rank: Any, score: Any) -> RunRow:
    return RunRow(str(topic), str(stance), str(id_), int(rank), float(score), "run")


def _frame_rows(frame: Any) -> list[RunRow]:
    topics, ids, scores = (frame_column(frame, "run", names) for names in (*FRAME[:2], ("score",)))
    stances = frame["stance"] if "stance" in frame.columns else [NO_SIDE] * len(frame)
    ranks = frame["rank"] if "rank" in frame.columns else [-1] * len(frame)
    return [_row(*parts) for parts in zip(topics, stances, ids, ranks, scores, strict=True)]


def qrels_of(source: Judged) -> Qrels:
    """Judgments and what they judge. Raises InputError."""
    if isinstance(source, Mapping):
        return Qrels.of(source)
    if isinstance(source, str | Path):
        return read_qrels(Path(source))
    if not hasattr(source, "columns"):
        return read_qrels(*map(Path, source))
    return grades_of(source)


Entries = Sequence[tuple[str, Path]]
"""Dimension and file; files of one dimension merge."""


@dataclass(frozen=True)
class JudgmentFiles:
    """The files of judgments, and the level that they must have if it is given."""

    qrels: Sequence[Path] = ()
    pair_qrels: Entries = ()
    argument_qrels: Entries = ()
    level: Level | None = None

    @property
    def guessed(self) -> bool:
        """Whether the level is read off the ids."""
        return bool(self.qrels) and self.level is None

    def read(self) -> dict[str, Qrels]:
        """The sets of judgments: `QRELS`, then every dimension that has a file of its own. Raises InputError."""
        sets = {QRELS: read_qrels(*self.qrels)} if self.qrels else {}
        sets |= read_pair_qrels(self.pair_qrels)
        for dimension, paths in by_dimension(self.argument_qrels).items():
            sets[dimension] = read_qrels(*paths)
            if sets[dimension].level == "pair":
                where = " ".join(map(str, paths))
                raise InputError(where, "judges pairs, not arguments", f"name it as grades of pairs in {dimension}")
        if not sets:
            raise InputError("judgments", "no judgments are named", "name a file of them")
        judged = next(iter(sets.values())).level
        if self.level not in (None, judged):
            raise SettingError("level", f"{self.level} does not fit qrels that judge {judged}s", f"try {judged}")
        return sets


def by_dimension(entries: Entries) -> dict[str, list[Path]]:
    """Dimension -> its files."""
    return {dimension: [path for name, path in entries if name == dimension] for dimension, _ in entries}


def path_text(path: str | Path) -> str:
    """A path as text: a file name may hold bytes that are none."""
    return os.fsencode(path).decode("utf-8", "replace")
