"""Values of text features, computed ahead for a whole corpus: a new question then needs neither lexicons nor spaCy."""

from __future__ import annotations

import numpy as np

from features.core.describe import TextValues
from features.core.statistics import IntArray
from ltr.index.reader import Index, worker_index
from ltr.index.values import known_values
from ltr.index.vectors import ROWS
from ltr.parallel import Call, Workers
from ltr.progress import Progress

MOST = 500_000
"""Sentences whose values are computed ahead: half of what is kept at all."""


def keep_values(index: Index, workers: Workers, progress: Progress) -> None:
    """Compute the values that are not kept yet; a run that was stopped is resumed."""
    rows = np.arange(min(index.sentences, MOST))
    calls: list[Call[int]] = [
        (_keep_in_worker, (str(index.folder), index.identity, rows[start : start + ROWS]))
        for start in range(0, len(rows), ROWS)
    ]
    with progress.stage("features", unit="sentences", total=len(rows)) as tick:
        for count in workers.map(calls):
            tick(count)


def _keep_in_worker(folder: str, identity: str, rows: IntArray) -> int:
    index = worker_index(folder, identity)
    with known_values(index, rows) as known:
        values = TextValues([index.text(row) for row in rows.tolist()], known)
        for name in known:
            values[name]
    return len(rows)
