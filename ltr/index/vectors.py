"""Vectors of sentences and titles, kept in the folder of the index for the next run.

A file for each encoder, ``vectors-DIGEST.bin``: the record of a sentence is at its row (for sentences of the same words
in the same order: at the row of the first one), so the file has holes where nothing was encoded yet. A record is a
check sum of encoder, text and vector, and the vector in eight bits a number. ``titles-DIGEST.bin`` keeps titles and
questions, each at a place that its text gives.

The files save time and decide nothing: a vector is always the one of eight bits, kept or not, and what is missing,
damaged or out of reach is encoded. Several processes may write at once: they write the same bytes.
``RIPOSTE_VALUES=0`` leaves the files alone.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterable, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from features.core.statistics import IntArray, text_hash
from ltr.encoders.base import Encoder
from ltr.errors import InputError
from ltr.index.folder import VECTORS
from ltr.index.reader import Index, worker_index
from ltr.index.records import PLAIN, mapped_records
from ltr.parallel import Call, Workers
from ltr.progress import Progress

Vectors32 = npt.NDArray[np.float32]
Codes = npt.NDArray[np.int8]

SENTENCES, TITLES = VECTORS

PLACES = 1 << 20
"""Places for titles and questions; of two with the same place, the later one is kept."""

ROWS = 1000
"""Sentences that a worker encodes in a call: some seconds of work, lost when it is stopped."""

_DIGEST = re.compile("[0-9A-Za-z]{1,64}")


class Vectors:
    """Vectors of an index's texts by an encoder: (n, encoder.size) float32 of unit length, zeros for blank texts."""

    def __init__(self, index: Index, encoder: Encoder) -> None:
        """Raises ValueError for an encoder whose digest cannot be part of the name of a file."""
        if not _DIGEST.fullmatch(encoder.digest):
            raise ValueError(f"the digest of {encoder.name} is not 1 to 64 letters and digits")
        self.index, self.encoder = index, encoder
        self._record = np.dtype([("sum", "<u8"), ("codes", "i1", encoder.size)])

    def of_sentences(self, rows: Sequence[int] | IntArray) -> Vectors32:
        """(n_rows, size) the vectors of sentences by row. Sentences of the same words in the same order share one.

        Raises InputError where the encoder fails.
        """
        first = self.index.column("canonical")[np.asarray(rows, np.int64)].astype(np.int64)
        distinct, place = np.unique(first, return_inverse=True)
        codes, _ = self._encoded(self.path(SENTENCES), distinct, [self.index.text(row) for row in distinct.tolist()])
        return unit_vectors(codes)[place]

    def of_titles(self, arguments: Sequence[int] | IntArray) -> Vectors32:
        """(n_arguments, size) the vectors of arguments' titles by argument row. Raises InputError as `of_sentences`."""
        return self.of_texts([self.index.title(int(row)) for row in arguments])

    def of_texts(self, texts: Sequence[str]) -> Vectors32:
        """(n_texts, size) the vectors of titles, questions and the like. Raises InputError as `of_sentences`."""
        vectors, _ = self._titles(list(texts))
        return np.array([vectors[text] for text in texts], np.float32).reshape(len(texts), self.encoder.size)

    def knows(self, text: str) -> bool:
        """Whether the vector of a title or question is kept: it was asked for before."""
        records = self._kept(self.path(TITLES), np.array([text_hash(text) % PLACES], np.int64))
        return bool(records["sum"][0] == self._sum(records["codes"][0], text))

    def keep_sentences(self, rows: IntArray) -> int:
        """Encode the sentences ``rows`` that are not kept yet, and return their number.

        Each must be the first one of its words. Raises InputError, also where they cannot be kept.
        """
        texts = [self.index.text(row) for row in rows.tolist()]
        return self._encoded(self.path(SENTENCES), rows, texts, strict=True)[1]

    def keep_titles(self, arguments: Iterable[int]) -> int:
        """The same for the titles of arguments."""
        return self._titles([self.index.title(row) for row in arguments], strict=True)[1]

    def path(self, name: str) -> Path:
        """The file for `SENTENCES` or for `TITLES`."""
        return self.index.folder / f"{name}-{self.encoder.digest}.bin"

    def _titles(self, titles: list[str], *, strict: bool = False) -> tuple[dict[str, Vectors32], int]:
        distinct = list(dict.fromkeys(titles))
        places = np.array([text_hash(title) % PLACES for title in distinct], np.int64)
        codes, new = self._encoded(self.path(TITLES), places, distinct, strict=strict)
        return dict(zip(distinct, unit_vectors(codes), strict=True)), new

    def _encoded(self, path: Path, places: IntArray, texts: list[str], *, strict: bool = False) -> tuple[Codes, int]:
        """(n_texts, size) int8, and how many were encoded now. Strict: raises InputError where they cannot be kept."""
        records = self._kept(path, places)
        missing = [at for at, text in enumerate(texts) if records["sum"][at] != self._sum(records["codes"][at], text)]
        if missing:
            records["codes"][missing] = eight_bits(self.encoder.encode([texts[at] for at in missing]))
            records["sum"][missing] = [self._sum(records["codes"][at], texts[at]) for at in missing]
            try:
                if _use():
                    _write(path, places[missing], records[missing])
            except OSError as error:
                if strict:
                    what = f"vectors cannot be kept ({error.strerror})"
                    raise InputError(path, what, "free some space there, or name another --index") from None
        return records["codes"], len(missing)

    def _kept(self, path: Path, places: IntArray) -> np.ndarray[Any, Any]:
        """(n_places,) the records that are kept, zeros for others."""
        records = np.zeros(len(places), self._record)
        if _use():
            with suppress(OSError):
                _read(path, places, records)
        return records

    def _sum(self, codes: Codes, text: str) -> int:
        """Of a vector, its text and its encoder. It is never 0, which a hole in a file would have."""
        content = codes.tobytes() + text.encode("utf-8", "replace")
        digest = blake2b(content, digest_size=8, key=self.encoder.digest.encode()).digest()
        return int.from_bytes(digest, "little") or 1


def encode_sentences(index: Index, encoder: Encoder, workers: Workers, progress: Progress) -> dict[str, int]:
    """Encode all sentences and titles ahead, as far as they are not kept yet; a run that was stopped is resumed.

    Returns the numbers of "distinct" sentences, of sentences and titles that were "encoded", and of "bytes" on the
    disk. Raises InputError, also where vectors cannot be kept.
    """
    if not _use():
        raise InputError("RIPOSTE_VALUES=0", "no vectors are kept", "unset this variable")
    rows = np.unique(index.column("canonical")).astype(np.int64)
    where = str(index.folder), index.identity, encoder
    calls: list[Call[tuple[int, int]]] = [
        (_keep_in_worker, (*where, SENTENCES, rows[start : start + ROWS])) for start in range(0, len(rows), ROWS)
    ]
    calls += [
        (_keep_in_worker, (*where, TITLES, np.arange(start, min(start + ROWS, index.arguments))))
        for start in range(0, index.arguments, ROWS)
    ]
    encoded = 0
    with progress.stage("encode", unit="texts", total=len(rows) + index.arguments) as tick:
        for n_texts, new in workers.map(calls):
            encoded += new
            tick(n_texts)
    vectors = Vectors(index, encoder)
    sizes = [_bytes_on_disk(vectors.path(name)) for name in (SENTENCES, TITLES)]
    return {"distinct": len(rows), "encoded": encoded, "bytes": sum(sizes)}


def _use() -> bool:
    return os.environ.get("RIPOSTE_VALUES") != "0"


def _keep_in_worker(folder: str, identity: str, encoder: Encoder, name: str, rows: IntArray) -> tuple[int, int]:
    vectors = Vectors(worker_index(folder, identity), encoder)
    return len(rows), vectors.keep_sentences(rows) if name == SENTENCES else vectors.keep_titles(rows.tolist())


def _bytes_on_disk(path: Path) -> int:
    """Without the holes of the file, where the system counts them."""
    try:
        status = path.stat()
    except OSError:
        return 0
    return min(getattr(status, "st_blocks", status.st_size) * 512, status.st_size)


def eight_bits(vectors: Vectors32) -> Codes:
    """(n, size) int8: each vector by its largest number, which becomes 127 or -127; zeros stay zeros."""
    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0)
    return np.rint(vectors * (127 / np.where(largest > 0, largest, 1))).astype(np.int8)


def unit_vectors(codes: Codes) -> Vectors32:
    """(n, size) float32 of unit length from eight bits a number; zeros stay zeros."""
    whole = codes.astype(np.float64)
    lengths = np.sqrt((whole * whole).sum(axis=1, keepdims=True))  # sums of whole numbers are exact everywhere
    return (whole / np.maximum(lengths, 1)).astype(np.float32)


def _read(path: Path, places: IntArray, records: np.ndarray[Any, Any]) -> None:
    """Fill in the records at ``places``, as far as the file reaches. Raises OSError."""
    mapped = mapped_records(path, records.dtype)
    there = places < len(mapped)
    records[there] = mapped[places[there]]


def _write(path: Path, places: IntArray, records: np.ndarray[Any, Any]) -> None:
    """Write records at their places, those side by side at once. Raises OSError."""
    order = np.argsort(places, kind="stable")
    places, records = places[order], records[order]
    handle = os.open(path, os.O_RDWR | os.O_CREAT | PLAIN, 0o644)
    with os.fdopen(handle, "r+b", buffering=0) as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
        for run in np.split(np.arange(len(places)), np.flatnonzero(np.diff(places) != 1) + 1):
            file.seek(int(places[run[0]]) * records.itemsize)
            rest = memoryview(records[run].tobytes())
            while rest:
                rest = rest[file.write(rest) :]
