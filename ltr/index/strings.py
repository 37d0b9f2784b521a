"""Strings laid end to end in a file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np


class Strings:
    """Strings that are read, not mapped: a mapped page brings fifteen others, which add up to the whole file."""

    def __init__(self, file: Path, ends: np.ndarray[Any, Any]) -> None:
        self._ends = ends
        self._file = file.open("rb", buffering=0)

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
        found = os.pread(self._file.fileno(), ends[-1] - start, start)
        bounds = zip([start, *ends], ends, strict=False)
        return [found[begin - start : stop - start].decode("utf-8") for begin, stop in bounds]
