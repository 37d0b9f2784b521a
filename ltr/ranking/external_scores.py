"""External scores of exported rows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from ltr.data.columns import parse_number, quote, read_columns
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.ranking.matrix import Matrix
from models.base import LARGEST, Scores

_SHAPE = "row qid topic unit"


class KeyRow(NamedTuple):
    """The topic and item of a row of an exported file."""

    where: str
    """The line of the key that says so."""
    topic: str
    unit: str


def read_scores(path: Path) -> Scores:
    """(n_rows,) numbers, one a line, so small that six decimals can be told apart. Raises InputError."""
    rows = read_columns(path, "score")
    return np.array([parse_number(where, "score", score, LARGEST) for where, (score,) in rows])


def read_key(path: Path) -> list[KeyRow]:
    """The rows of a key, which begins with the names of its columns. Raises InputError."""
    rows = list(read_columns(path, _SHAPE))
    if rows[0][1] != _SHAPE.split():
        raise InputError(rows[0][0], f"does not name the columns {_SHAPE}", "begin with the first line of the export")
    return [KeyRow(where, topic, unit) for where, (_, _, topic, unit) in rows[1:]]


def check_topics(path: Path, key: Sequence[KeyRow], topics: Sequence[Topic]) -> list[Topic]:
    """The ``topics`` that the key has rows of. Raises InputError for others in it."""
    named = {row.topic: row.where for row in reversed(key)}
    for number, where in named.items():
        if number not in {topic.number for topic in topics}:
            raise InputError(where, f"there is no topic {quote(number)}", "name the topics of the export by --topics")
    if not named:
        raise InputError(path, "names no rows", "name the key of an export")
    return [topic for topic in topics if topic.number in named]


def units_of_key(key: Sequence[KeyRow]) -> dict[str, list[str]]:
    """Topic -> its units."""
    units: dict[str, list[str]] = {}
    for row in key:
        units.setdefault(row.topic, []).append(row.unit)
    return units


def scored_rows(
    matrix: Matrix, scores: Scores, path: Path, key: Sequence[KeyRow] | None, key_path: Path | None
) -> tuple[Matrix, Scores]:
    """The rows of ``matrix`` that have scores, and these in their order. Without a ``key`` all rows have one.

    Raises InputError where there are not as many scores as rows, for a row that is no unit of its topic in this
    corpus, and for one that comes twice.
    """
    wanted, hint = len(matrix) if key is None else len(key), "score every row once, in the order of the rows"
    if len(scores) != wanted:
        what = f"has {len(scores):,} scores for {wanted:,} rows"
        raise InputError(path, f"{what} of {key_path}" if key_path else f"{what} of riposte export", hint)
    if key is None:
        return matrix, scores
    rows = pd.MultiIndex.from_arrays([matrix.features.index, matrix.ids])
    positions = rows.get_indexer(pd.MultiIndex.from_tuples([(row.topic, row.unit) for row in key]))
    known: set[int] = set()
    for row, position in zip(key, positions.tolist(), strict=True):
        if position < 0:
            hint = "name the corpus, the topics and the task of the export"
            raise InputError(row.where, f"topic {row.topic} has no unit {quote(row.unit)} in this corpus", hint)
        if position in known:
            raise InputError(row.where, f"{quote(row.unit)} of topic {row.topic} is there already", "keep one of them")
        known.add(position)
    order = np.argsort(positions)
    return matrix.only(np.isin(np.arange(len(matrix)), positions)), scores[order]
