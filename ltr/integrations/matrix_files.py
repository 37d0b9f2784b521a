"""Feature matrices in the formats of other tools: LETOR and SVMlight for rankers, Parquet and CSV for data frames.

Weak labels are fractions. With ``grades`` labels are whole numbers, rows without a label are left out, and files for
LightGBM are written next to the matrix: see `write_matrix`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TextIO, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from features.core.feature import all_columns
from ltr.data.files import atomic_text
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.ranking.matrix import Matrix, topic_order
from ltr.supervision.labels import Labels

FORMATS = {".svm": "svm", ".letor": "letor", ".txt": "letor", ".parquet": "parquet", ".csv": "csv"}
"""Suffix -> format. Without ``grades`` .svm is LETOR as well."""

FEATURES, KEY, QUERY, WEIGHT = ".features.tsv", ".key.tsv", ".query", ".weight"
"""Suffixes of the files next to a matrix. LightGBM reads the last two."""

PARTS = {"pair": ("first", "second"), "argument": ("argument",), "document": ("document",)}
"""Unit -> the columns with the ids of its parts."""


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


def files_written(path: Path, *, grades: bool = False) -> list[Path]:
    """The files that `write_matrix` writes. Raises InputError, also where an earlier export left files of its rows."""
    suffixes = (FEATURES, *((KEY, QUERY, WEIGHT) if grades else ())) if check_output(path) in ("svm", "letor") else ()
    for suffix in (QUERY, WEIGHT):
        if suffix not in suffixes and (left := path.with_name(path.name + suffix)).exists():
            what = f"LightGBM would read it with {path.name}, of which it is not"
            raise InputError(left, what, "remove it, or name another file")
    return [path, *(path.with_name(path.name + suffix) for suffix in suffixes)]


def write_matrix(path: Path, matrix: Matrix, labels: Labels | None = None, *, grades: bool = False) -> int:
    """Write ``matrix`` in the format of the suffix of ``path``; returns the number of rows. Raises InputError.

    With ``grades``, three files stand next to LETOR and SVMlight files: the number of rows per topic (``.query``), a
    weight per row (``.weight``), and the topic and ids of each row (``.key.tsv``). LightGBM does not read ``qid``, so
    ``.svm`` has none.
    """
    kind = check_output(path)
    with ExitStack() as files:
        out = files.enter_context(atomic_text(path))  # the last that is put in its place
        if kind in ("csv", "parquet"):
            frame = matrix_frame(matrix, labels, grades=grades)
            if kind == "csv":
                frame.to_csv(out, index=False, lineterminator="\n")
            else:
                cast("TextIO", out).buffer.write(frame.to_parquet(engine="pyarrow", index=False))
            return len(frame)

        def beside(suffix: str) -> IO[str]:
            return files.enter_context(atomic_text(path.with_name(path.name + suffix)))

        qids = topic_ids(matrix.topics)
        rows = rows_in_file(path, matrix, labels)
        beside(FEATURES).writelines(_feature_lines(qids, list(matrix.features.columns)))
        if grades:
            topics = matrix.topic_of_row[rows]
            beside(KEY).writelines(_key_lines(matrix, rows, qids))
            beside(QUERY).writelines(f"{size}\n" for size in np.bincount(topics).tolist() if size)
            weights = np.ones(len(rows)) if labels is None else labels.weight[rows]
            beside(WEIGHT).writelines(f"{weight!r}\n" for weight in weights.tolist())
        out.writelines(_row_lines(matrix, rows, labels, grades, None if grades and kind == "svm" else qids))
    return len(rows)


def matrix_frame(matrix: Matrix, labels: Labels | None = None, *, grades: bool = False) -> pd.DataFrame:
    """The matrix as a table: topic, the ids of the parts, stance, label, weight, used, then the features in float32.

    A pair without a label has the label NaN and the weight 0, and is not ``used``; without ``labels`` weights are NaN.

    With ``grades`` such pairs are left out, ``label`` is a whole number, and ``qid``, in place of ``used``, a number
    that sorts like the topics. Without ``labels`` all pairs have the label 0 and the weight 1.
    """
    rows = rows_in_file(None, matrix, labels, grades=grades)
    nothing = np.full(len(rows), np.nan)
    topic = np.array(matrix.topics, object)[matrix.topic_of_row[rows]]
    known = {
        "topic": topic,
        **dict(zip(PARTS[matrix.unit], matrix.parts[rows].T, strict=True)),
        "stance": matrix.stance[rows],
    }
    if grades:
        qids = topic_ids(matrix.topics)
        known |= {
            "qid": np.array([qids[one] for one in topic], np.int64),
            "label": whole_grades(labels, rows),
            "weight": np.ones(len(rows)) if labels is None else labels.weight[rows],
        }
    else:
        known |= {
            "label": nothing if labels is None else labels.label,
            "weight": nothing if labels is None else np.where(labels.used, labels.weight, 0.0),
            "used": np.zeros(len(matrix), bool) if labels is None else labels.used,
        }
    return pd.concat([pd.DataFrame(known), matrix.features.iloc[rows].reset_index(drop=True)], axis=1)


def rows_in_file(
    path: Path | None, matrix: Matrix, labels: Labels | None = None, *, grades: bool = False
) -> npt.NDArray[np.int64]:
    """Numbers of the rows that `write_matrix` writes to ``path``, or a frame has, in order.

    Frames have rows without a label, unless labels are ``grades``; LETOR and SVMlight files have none.
    """
    labelled = grades or (path is not None and check_output(path) in ("svm", "letor"))
    return np.flatnonzero(labels.used) if labelled and labels is not None else np.arange(len(matrix))


def write_texts(
    path: Path, matrix: Matrix, rows: npt.NDArray[np.int64], topics: Sequence[Topic], text: Callable[[str], str]
) -> None:
    """Write the texts of rows, a line of JSON each: topic, query, unit (the item's id) and text. Raises InputError."""
    query = {topic.number: topic.title for topic in topics}
    with atomic_text(path) as out:
        for row in rows.tolist():
            topic, unit = matrix.topics[matrix.topic_of_row[row]], str(matrix.ids[row])
            fields = {"topic": topic, "query": query[topic], "unit": unit, "text": text(unit)}
            out.write(json.dumps(fields) + "\n")


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
    matrix: Matrix, rows: npt.NDArray[np.int64], labels: Labels | None, grades: bool, qids: dict[str, int] | None
) -> Iterator[str]:
    """``label qid:1 1:value 2:value ... # id``. numpy writes the shortest text of a float32."""
    values, whole = matrix.features.to_numpy(), whole_grades(labels, rows).tolist()
    for grade, row, topic in zip(whole, rows.tolist(), matrix.topic_of_row[rows].tolist(), strict=True):
        label, note = str(grade), ""
        if labels is not None and not grades:
            label, note = repr(float(labels.label[row])), f" weight = {float(labels.weight[row])!r}"
        features = " ".join(f"{number}:{value!s}" for number, value in enumerate(values[row], 1))
        qid = "" if qids is None else f" qid:{qids[matrix.topics[topic]]}"
        yield f"{label}{qid} {features}" + (f" # {matrix.ids[row]}{note}\n" if qid else "\n")


def _key_lines(matrix: Matrix, rows: npt.NDArray[np.int64], qids: dict[str, int]) -> Iterator[str]:
    yield "row\tqid\ttopic\tunit\n"
    for number, row in enumerate(rows.tolist(), 1):
        topic = matrix.topics[matrix.topic_of_row[row]]
        yield f"{number}\t{qids[topic]}\t{topic}\t{matrix.ids[row]}\n"


def _feature_lines(qids: dict[str, int], columns: list[str]) -> Iterator[str]:
    known = all_columns()
    for topic, qid in qids.items():
        if topic != str(qid):
            yield f"# qid {qid} is topic {topic}\n"
    yield "number\tcolumn\tgroup\n"
    for number, column in enumerate(columns, 1):
        yield f"{number}\t{column}\t{known[column].group if column in known else ''}\n"
