"""Rows of numbers that were computed before, kept in the folder of an index for the next run.

A file has one kind of row: values of text features (`ltr.ranking.text_values`), or vectors and scores of text models
(`ltr.text_models`). A row lies at a place that its caller chooses, with a check sum of its key, its numbers and the
state of whatever computed them; the rest of the file is holes. The files save time and never change a result: a row
that is missing, damaged, out of reach or replaced by another one is computed again. Several processes may write at
once. ``RIPOSTE_VALUES=0`` leaves the files alone.
"""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

import numpy as np
import numpy.typing as npt

from features.core.statistics import IntArray
from ltr.files import open_own
from ltr.index.vocabulary import Array, sequence_keys

ROWS = 1000
"""Rows per call of a worker that computes a whole corpus: some seconds of work, lost when it is stopped."""


def uses_kept_rows() -> bool:
    """Whether files of kept rows may be read and written."""
    return os.environ.get("RIPOSTE_VALUES") != "0"


class KeptRows:
    """One file of rows, each of ``width`` numbers of the same type."""

    def __init__(self, path: Path, state: str, kind: type[np.generic], width: int = 1) -> None:
        """``state`` describes whatever computed the rows: a row that another state wrote is not found."""
        self.path = path
        self._kind, self._width = kind, width
        digest = blake2b(state.encode("utf-8", "replace"), digest_size=8).digest()
        self._state = np.uint64(int.from_bytes(digest, "little"))
        self._words = -(-np.dtype(kind).itemsize * width // 8) + 1

    def read(self, keys: Array, places: IntArray) -> tuple[Array, npt.NDArray[np.bool_]]:
        """(n_keys, width) numbers, and (n_keys,) whether each row was found; the numbers of other rows mean nothing.

        ``keys`` (n_keys,) are uint64, ``places`` (n_keys,) are row numbers in the file.
        """
        words = np.zeros((len(keys), self._words), np.uint64)
        with suppress(OSError), open_own(self.path, os.O_RDONLY) as file:  # it may not be there
            rows = os.fstat(file.fileno()).st_size // (words.itemsize * self._words)
            if rows and uses_kept_rows():
                there = places < rows
                words[there] = np.memmap(file, np.uint64, "r", shape=(rows, self._words))[places[there]]
        return self._numbers(words), words[:, -1] == self._checks(keys, words)

    def write(self, keys: Array, places: IntArray, numbers: Array) -> None:
        """Write rows at their places, neighbours at once. Raises OSError."""
        if not uses_kept_rows() or not len(keys):
            return
        words = np.zeros((len(keys), self._words), np.uint64)
        self._numbers(words)[:] = numbers
        words[:, -1] = self._checks(keys, words)
        order = np.argsort(places, kind="stable")
        places, words = places[order], words[order]
        with open_own(self.path, os.O_RDWR | os.O_CREAT) as file:
            for run in np.split(np.arange(len(places)), np.flatnonzero(np.diff(places) != 1) + 1):
                file.seek(int(places[run[0]]) * words.itemsize * self._words)
                rest = memoryview(words[run].tobytes())
                while rest:
                    rest = rest[file.write(rest) :]

    def _numbers(self, words: Array) -> Array:
        return words[:, :-1].view(self._kind)[:, : self._width]

    def _checks(self, keys: Array, words: Array) -> Array:
        checked = words ^ self._state
        checked[:, -1] = keys ^ self._state
        return sequence_keys(checked.ravel(), np.arange(1, len(keys) + 1) * self._words)
