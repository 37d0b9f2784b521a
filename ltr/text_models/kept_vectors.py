"""Vectors of sentences and titles, kept in the folder of the index (`ltr.index.kept_rows`).

Each encoder has two files. In ``vectors-DIGEST.bin`` the place of a sentence is its row, or for sentences of the same
words in the same order the row of the first one; ``titles-DIGEST.bin`` keeps titles and questions, at places that their
texts give. A vector always has eight bits a number, kept or not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from features.core.statistics import IntArray, text_hash
from ltr.errors import InputError
from ltr.index.kept_rows import ROWS, KeptRows, uses_kept_rows
from ltr.index.reader import Index, worker_index
from ltr.parallel import Call, Workers
from ltr.progress import Progress
from ltr.text_models.encoders import Encoder

Vectors32 = npt.NDArray[np.float32]
Codes = npt.NDArray[np.int8]

PLACES = 1 << 20
"""Places for titles and questions; of two with the same place, the later one is kept."""

_DIGEST = re.compile("[0-9A-Za-z]{1,64}")


class Vectors:
    """Vectors of an index's texts by an encoder: (n, encoder.size) float32 of unit length, zeros for blank texts."""

    def __init__(self, index: Index, encoder: Encoder) -> None:
        """Raises ValueError for an encoder whose digest cannot be part of the name of a file."""
        if not _DIGEST.fullmatch(encoder.digest):
            raise ValueError(f"the digest of {encoder.name} is not 1 to 64 letters and digits")
        self.index, self.encoder = index, encoder
        self.sentences, self.titles = (
            KeptRows(index.folder / f"{name}-{encoder.digest}.bin", encoder.digest, np.int8, encoder.size)
            for name in ("vectors", "titles")
        )

    def of_sentences(self, rows: Sequence[int] | IntArray) -> Vectors32:
        """(n_rows, size) the vectors of sentences by row. Sentences of the same words in the same order share one.

        Raises InputError where the encoder fails.
        """
        first = self.index.column("canonical")[np.asarray(rows, np.int64)].astype(np.int64)
        distinct, place = np.unique(first, return_inverse=True)
        codes, _ = self._encoded(self.sentences, distinct, [self.index.text(row) for row in distinct.tolist()])
        return unit_vectors(codes)[place]

    def of_texts(self, texts: Sequence[str]) -> Vectors32:
        """(n_texts, size) the vectors of titles, questions and the like. Raises InputError as `of_sentences`."""
        distinct = list(dict.fromkeys(texts))
        codes, _ = self._encoded(self.titles, _places(distinct), distinct)
        vectors = dict(zip(distinct, unit_vectors(codes), strict=True))
        return np.array([vectors[text] for text in texts], np.float32).reshape(len(texts), self.encoder.size)

    def knows(self, text: str) -> bool:
        """Whether the vector of a title or question is kept: it was asked for before."""
        return bool(self.titles.read(_keys([text]), _places([text]))[1][0])

    def keep(self, what: str, rows: IntArray) -> int:
        """Encode "sentences" by row, or "titles" of arguments by row, that are not kept yet, and return their number.

        Sentences must be the first ones of their words. Raises InputError, also where they cannot be kept.
        """
        if what == "sentences":
            return self._encoded(self.sentences, rows, [self.index.text(row) for row in rows.tolist()], strict=True)[1]
        titles = list(dict.fromkeys(map(self.index.title, rows.tolist())))
        return self._encoded(self.titles, _places(titles), titles, strict=True)[1]

    def _encoded(
        self, kept: KeptRows, places: IntArray, texts: list[str], *, strict: bool = False
    ) -> tuple[Codes, int]:
        """(n_texts, size) int8, and how many were encoded now. Strict: raises InputError where they cannot be kept."""
        keys = _keys(texts)
        codes, found = kept.read(keys, places)
        missing = np.flatnonzero(~found)
        if len(missing):
            codes[missing] = eight_bits(self.encoder.encode([texts[at] for at in missing.tolist()]))
            try:
                kept.write(keys[missing], places[missing], codes[missing])
            except OSError as error:
                if strict:
                    what = f"vectors cannot be kept ({error.strerror})"
                    raise InputError(kept.path, what, "free some space there, or name another folder") from None
        return codes, len(missing)


def _keys(texts: Sequence[str]) -> npt.NDArray[np.uint64]:
    return np.fromiter(map(text_hash, texts), np.uint64, len(texts))


def _places(texts: Sequence[str]) -> IntArray:
    return (_keys(texts) % np.uint64(PLACES)).astype(np.int64)


def encode_sentences(index: Index, encoder: Encoder, workers: Workers, progress: Progress) -> dict[str, int]:
    """Encode all sentences and titles that are not kept yet.

    Returns the numbers of "distinct" sentences, of sentences and titles that were "encoded", and of "bytes" on the
    disk. Raises InputError, also where vectors cannot be kept.
    """
    if not uses_kept_rows():
        raise InputError("RIPOSTE_VALUES=0", "no vectors are kept", "unset this variable")
    rows = np.unique(index.column("canonical")).astype(np.int64)
    where = str(index.folder), index.corpus_fingerprint, encoder
    calls: list[Call[tuple[int, int]]] = [
        (_keep, (*where, what, some))
        for what, every in (("sentences", rows), ("titles", np.arange(index.arguments)))
        for some in np.split(every, range(ROWS, len(every), ROWS))
    ]
    encoded = 0
    with progress.stage("encode", unit="texts", total=len(rows) + index.arguments) as tick:
        for n_texts, new in workers.map(calls):
            encoded += new
            tick(n_texts)
    vectors = Vectors(index, encoder)
    sizes = [_bytes_on_disk(kept.path) for kept in (vectors.sentences, vectors.titles)]
    return {"distinct": len(rows), "encoded": encoded, "bytes": sum(sizes)}


def _keep(folder: str, fingerprint: str, encoder: Encoder, what: str, rows: IntArray) -> tuple[int, int]:
    return len(rows), Vectors(worker_index(folder, fingerprint), encoder).keep(what, rows)


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
