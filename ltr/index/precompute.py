"""Fill the files of kept rows (`ltr.index.kept_rows`) for a whole corpus, so that questions need no encoder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from features.core.describe import TextValues
from features.core.statistics import IntArray
from ltr.encoders.base import Encoder
from ltr.errors import InputError
from ltr.index.kept_rows import uses_kept_rows
from ltr.index.reader import Index, worker_index
from ltr.index.values import PLACES, known_values
from ltr.index.vectors import Vectors
from ltr.parallel import Call, Workers
from ltr.progress import Progress

ROWS = 1000
"""Texts per call of a worker: some seconds of work, lost when it is stopped."""


def keep_values(index: Index, workers: Workers, progress: Progress) -> None:
    """Compute the values of text features that are not kept yet, for as many sentences as have a place."""
    rows = np.arange(min(index.sentences, PLACES))
    calls: list[Call[int]] = [(_keep_values, (str(index.folder), index.identity, some)) for some in _cut(rows)]
    with progress.stage("features", unit="sentences", total=len(rows)) as tick:
        for count in workers.map(calls):
            tick(count)


def _keep_values(folder: str, identity: str, rows: IntArray) -> int:
    index = worker_index(folder, identity)
    with known_values(index, rows) as known:
        values = TextValues([index.text(row) for row in rows.tolist()], known)
        for name in known:
            values[name]
    return len(rows)


def encode_sentences(index: Index, encoder: Encoder, workers: Workers, progress: Progress) -> dict[str, int]:
    """Encode all sentences and titles that are not kept yet.

    Returns the numbers of "distinct" sentences, of sentences and titles that were "encoded", and of "bytes" on the
    disk. Raises InputError, also where vectors cannot be kept.
    """
    if not uses_kept_rows():
        raise InputError("RIPOSTE_VALUES=0", "no vectors are kept", "unset this variable")
    rows = np.unique(index.column("canonical")).astype(np.int64)
    where = str(index.folder), index.identity, encoder
    calls: list[Call[tuple[int, int]]] = [(_keep_sentences, (*where, some)) for some in _cut(rows)]
    calls += [(_keep_titles, (*where, some)) for some in _cut(np.arange(index.arguments))]
    encoded = 0
    with progress.stage("encode", unit="texts", total=len(rows) + index.arguments) as tick:
        for n_texts, new in workers.map(calls):
            encoded += new
            tick(n_texts)
    vectors = Vectors(index, encoder)
    sizes = [_bytes_on_disk(kept.path) for kept in (vectors.sentences, vectors.titles)]
    return {"distinct": len(rows), "encoded": encoded, "bytes": sum(sizes)}


def _keep_sentences(folder: str, identity: str, encoder: Encoder, rows: IntArray) -> tuple[int, int]:
    return len(rows), Vectors(worker_index(folder, identity), encoder).keep_sentences(rows)


def _keep_titles(folder: str, identity: str, encoder: Encoder, arguments: IntArray) -> tuple[int, int]:
    return len(arguments), Vectors(worker_index(folder, identity), encoder).keep_titles(arguments.tolist())


def _cut(rows: IntArray) -> Iterator[IntArray]:
    return (rows[start : start + ROWS] for start in range(0, len(rows), ROWS))


def _bytes_on_disk(path: Path) -> int:
    """Without the holes of the file, where the system counts them."""
    try:
        status = path.stat()
    except OSError:
        return 0
    return min(getattr(status, "st_blocks", status.st_size) * 512, status.st_size)
