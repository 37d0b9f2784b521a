"""Runs and judgments as a user has them: files, data frames, dictionaries or rows; and judgments by dimension."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ltr.data.frames import find_column, frame_ids, frame_numbers, frame_texts, numbered
from ltr.data.qrels import FRAME, Grades, Level, Qrels, grades_of, read_pair_qrels, read_qrels
from ltr.data.runs import NO_SIDE, RunRow, read_run, trec_order
from ltr.errors import InputError, SettingError

if TYPE_CHECKING:
    import pandas as pd

    Run = str | Path | pd.DataFrame | Mapping[str, Mapping[str, float]] | Iterable[RunRow | tuple[str, str, float]]
    """A TREC file; columns qid, docno, score[, rank, stance]; topic -> id -> score; or rows."""
    Judged = str | Path | Iterable[str | Path] | pd.DataFrame | Grades | Iterable[tuple[Any, ...]]
    """One or more qrels files; columns qid, docno, grade (or label); topic -> id -> grade; or rows."""

QRELS = "qrels"
"""The name of judgments that are of no dimension."""


def run_rows(run: Run) -> list[RunRow]:
    """The rows of a run. Without ranks, a topic's ids are ranked by score, ties by id descending. Raises InputError."""
    if isinstance(run, str | Path):
        return read_run(Path(run))
    if hasattr(run, "columns"):
        return _frame_rows(run)
    given: Any = run if isinstance(run, Mapping) or not isinstance(run, Iterable) else list(run)
    if isinstance(given, list) and given and all(isinstance(row, RunRow) for row in given):
        numbers = numbered([(row.topic, row.pair, row.score) for row in given], "run", "score")
        given = [row._replace(topic=of[0], pair=of[1], score=of[2]) for row, of in zip(given, numbers, strict=True)]
        return _ranked(given) if any(row.rank < 0 for row in given) else given
    triples = numbered(given, "run", "score")
    return _ranked([RunRow(topic, NO_SIDE, id_, -1, score, "run") for topic, id_, score in triples])


def _ranked(rows: list[RunRow]) -> list[RunRow]:
    by_score = sorted(rows, key=trec_order, reverse=True)
    return [row._replace(rank=rank) for rank, row in enumerate(by_score, 1)]


def _frame_rows(frame: Any) -> list[RunRow]:
    topics, ids, scores = (find_column(frame, names, "run") for names in (*FRAME[:2], ("score",)))
    stances = frame_texts(frame, "stance", "run") if "stance" in frame.columns else [NO_SIDE] * len(frame)
    ranks = frame_numbers(frame, "rank", "run") if "rank" in frame.columns else []
    for label, rank in zip(frame.index, ranks, strict=False):
        if rank < 0 or rank % 1:
            raise SettingError("run", f"column rank, row {label}: {rank:g} is not a rank", "count from 1")
    columns = frame_ids(frame, topics, "run"), stances, frame_ids(frame, ids, "run")
    every = zip(*columns, map(int, ranks) if ranks else repeat(-1), frame_numbers(frame, scores, "run"), strict=False)
    rows = [RunRow(*parts, "run") for parts in every]
    return rows if ranks else _ranked(rows)


def qrels_of(source: Judged) -> Qrels:
    """Judgments and what they judge. Raises InputError."""
    if isinstance(source, Qrels):
        return source
    if isinstance(source, str | Path):
        return read_qrels(Path(source))
    given: Any = source
    if not hasattr(source, "columns") and not isinstance(source, Mapping) and isinstance(source, Iterable):
        given = list(source)
        if given and all(isinstance(path, str | Path) for path in given):
            return read_qrels(*map(Path, given))
    return grades_of(given)


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
