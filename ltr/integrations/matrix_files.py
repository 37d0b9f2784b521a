"""Feature matrices in the formats of other tools: LETOR (SVMlight with qid) for rankers, Parquet and CSV for tables.

Weak labels are fractions. With ``grades`` labels are whole numbers, and rows without a label are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TextIO, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from features.core.feature import all_columns
from ltr.errors import InputError
from ltr.files import atomic_text
from ltr.learning.labels import Labels
from ltr.ranking.candidates import Candidates, topic_order

FORMATS = {".svm": "letor", ".letor": "letor", ".txt": "letor", ".parquet": "parquet", ".csv": "csv"}
"""Suffix -> format."""

FEATURES = ".features.tsv"
"""Suffix of the file next to a LETOR file, with the names of its columns and topics."""

PARTS = {"pair": ("first", "second"), "argument": ("argument",), "document": ("document",)}
"""Kind of item -> the columns with the ids of its parts."""


def check_output(path: Path) -> str:
    """The format of the suffix of ``path``. Raises InputError when it cannot be written."""
    kind = FORMATS.get(path.suffix)
    if kind is None:
        raise InputError(path, f"no format has the suffix {path.suffix!r}", f"use one of {' '.join(FORMATS)}")
    if kind == "parquet" and find_spec("pyarrow") is None:
        hint = "pip install 'riposte-ltr[parquet]', or name a .csv file"
        raise InputError(path, "writing Parquet needs the package pyarrow", hint)
    if path.is_dir():
        raise InputError(path, "is a directory", "name a file")
    return kind


def files_written(path: Path) -> list[Path]:
    """The files that `write_matrix` writes. Raises InputError."""
    return [path, path.with_name(path.name + FEATURES)] if check_output(path) == "letor" else [path]


def write_matrix(path: Path, table: Candidates, labels: Labels | None = None, *, grades: bool = False) -> int:
    """Write ``table`` in the format of the suffix of ``path``; returns the number of rows. Raises InputError.

    LETOR files have the rows with a label, or all rows without ``labels``; tables: see `matrix_frame`.
    """
    kind = check_output(path)
    if kind == "letor":
        qids, rows = topic_ids(table.topics), _labelled_rows(table, labels)
        with atomic_text(path) as out, atomic_text(path.with_name(path.name + FEATURES)) as names:
            names.writelines(_feature_lines(qids, table.feature_columns))
            out.writelines(_row_lines(table, rows, labels, grades, qids))
        return len(rows)
    frame = matrix_frame(table, labels, grades=grades)
    with atomic_text(path) as out:
        if kind == "csv":
            frame.to_csv(out, index=False, lineterminator="\n")
        else:
            cast("TextIO", out).buffer.write(frame.to_parquet(engine="pyarrow", index=False))
    return len(frame)


def matrix_frame(table: Candidates, labels: Labels | None = None, *, grades: bool = False) -> pd.DataFrame:
    """Candidates as a plain frame: topic, ids of the parts, stance, label, weight, used, then the features in float32.

    A pair without a label has the label NaN and the weight 0, and is not ``used``; without ``labels`` weights are NaN.

    With ``grades`` such pairs are left out, ``label`` is a whole number, and ``qid``, in place of ``used``, a number
    that sorts like the topics. Without ``labels`` all pairs have the label 0 and the weight 1.
    """
    rows = _labelled_rows(table, labels if grades else None)
    nothing = np.full(len(rows), np.nan)
    topic = np.array(table.topics, object)[table.topic_of_row[rows]]
    known = {
        "topic": topic,
        **dict(zip(PARTS[table.kind], table.parts[rows].T, strict=True)),
        "stance": table["stance"].to_numpy()[rows],
    }
    if grades:
        qids = topic_ids(table.topics)
        known |= {
            "qid": np.array([qids[one] for one in topic], np.int64),
            "label": whole_grades(labels, rows),
            "weight": np.ones(len(rows)) if labels is None else labels.weight[rows],
        }
    else:
        known |= {
            "label": nothing if labels is None else labels.label,
            "weight": nothing if labels is None else np.where(labels.used, labels.weight, 0.0),
            "used": np.zeros(len(table), bool) if labels is None else labels.used,
        }
    return pd.concat([pd.DataFrame(known), table.features.iloc[rows].reset_index(drop=True)], axis=1)


def _labelled_rows(table: Candidates, labels: Labels | None) -> npt.NDArray[np.int64]:
    return np.arange(len(table)) if labels is None else np.flatnonzero(labels.used)


def whole_grades(labels: Labels | None, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """(n_rows,) labels as whole grades, a half rounded up; 0 without labels."""
    label = np.zeros(len(rows)) if labels is None else labels.label[rows]
    return np.floor(label + 0.5).astype(np.int64)


def topic_ids(topics: list[str]) -> dict[str, int]:
    """Topic -> its ``qid``: its number, or 1, 2, ... if a topic is not a number."""
    numbers = [number for named, number, _ in map(topic_order, topics) if not named]
    if len(set(numbers)) != len(topics):
        numbers = list(range(1, len(topics) + 1))
    return dict(zip(topics, numbers, strict=True))


def _row_lines(
    table: Candidates, rows: npt.NDArray[np.int64], labels: Labels | None, grades: bool, qids: dict[str, int]
) -> Iterator[str]:
    """``label qid:1 1:value 2:value ... # id weight = w``. numpy writes the shortest text of a float32."""
    values, whole = table.features.to_numpy(), whole_grades(labels, rows).tolist()
    topics, ids = table.topics, table.ids
    for grade, row, topic in zip(whole, rows.tolist(), table.topic_of_row[rows].tolist(), strict=True):
        label = str(grade) if labels is None or grades else repr(float(labels.label[row]))
        weight = "" if labels is None else f" weight = {float(labels.weight[row])!r}"
        features = " ".join(f"{number}:{value!s}" for number, value in enumerate(values[row], 1))
        yield f"{label} qid:{qids[topics[topic]]} {features} # {ids[row]}{weight}\n"


def _feature_lines(qids: dict[str, int], columns: list[str]) -> Iterator[str]:
    known = all_columns()
    for topic, qid in qids.items():
        if topic != str(qid):
            yield f"# qid {qid} is topic {topic}\n"
    yield "number\tcolumn\tgroup\n"
    for number, column in enumerate(columns, 1):
        yield f"{number}\t{column}\t{known[column].group if column in known else ''}\n"
