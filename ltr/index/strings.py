"""Strings laid end to end in a file."""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator
from pathlib import Path

from ltr.index.vocabulary import Array


class Strings:
    """Strings that are read, not mapped: a mapped page brings fifteen others, which add up to the whole file."""

    def __init__(self, file: Path, ends: Array) -> None:
        """``ends`` (n_strings,) are where each string ends in the file."""
        self._ends = ends
        self._handle = os.open(file, os.O_RDONLY)
        weakref.finalize(self, os.close, self._handle)

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, row: int) -> str:
        return self.between(row, row + 1)[0]

    def __iter__(self) -> Iterator[str]:
        for first in range(0, len(self), 10_000):
            yield from self.between(first, first + 10_000)

    def between(self, first: int, end: int) -> list[str]:
        """The strings of the rows from ``first`` to before ``end``, or the last one."""
        ends = self._ends[first:end].tolist()
        start = int(self._ends[first - 1]) if first else 0
        raw = os.pread(self._handle, ends[-1] - start, start)
        bounds = zip([start, *ends], ends, strict=False)
        if raw.isascii():  # decoded at once
            text = raw.decode("ascii")
            return [text[begin - start : stop - start] for begin, stop in bounds]
        return [raw[begin - start : stop - start].decode("utf-8") for begin, stop in bounds]
