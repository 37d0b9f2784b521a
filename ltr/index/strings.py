"""Strings laid end to end in a file."""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np


class Strings:
    """Strings laid end to end in a memory-mapped file."""

    def __init__(self, file: Path, ends: np.ndarray[Any, Any]) -> None:
        self._ends = ends
        with file.open("rb") as handle:
            size = os.fstat(handle.fileno()).st_size
            self._bytes: Any = mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ) if size else b""

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, row: int) -> str:
        return self.between(row, row + 1)[0]

    def _read(self, start: int, end: int) -> bytes:
        found: bytes = self._bytes[start:end]
        return found

    def between(self, first: int, end: int) -> list[str]:
        """The strings of the rows from ``first`` to before ``end``."""
        ends = self._ends[first:end].tolist()
        start = int(self._ends[first - 1]) if first else 0
        found = self._read(start, ends[-1])
        return [
            found[begin - start : stop - start].decode("utf-8")
            for begin, stop in zip([start, *ends], ends, strict=False)
        ]

    def __iter__(self) -> Iterator[str]:
        start = 0
        for end in self._ends.tolist():
            yield bytes(self._bytes[start:end]).decode("utf-8")
            start = end


class Texts(Strings):
    """Strings that are read, not mapped: a mapped page brings fifteen others, which add up to the whole file."""

    def __init__(self, file: Path, ends: np.ndarray[Any, Any]) -> None:
        self._ends = ends
        self._file = file.open("rb", buffering=0)

    def _read(self, start: int, end: int) -> bytes:
        return os.pread(self._file.fileno(), end - start, start)
