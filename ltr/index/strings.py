"""Strings laid end to end in a file."""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from ltr.errors import InputError
from ltr.index.folder import damaged

BLOCK = 1 << 12


def block_sums(file: Path) -> np.ndarray[Any, Any]:
    """(n_blocks,) uint32 CRC-32 of the blocks of a file."""
    with file.open("rb") as blocks:
        return np.array([crc32(block) for block in iter(partial(blocks.read, BLOCK), b"")], np.uint32)


class Strings:
    """Strings that are read, not mapped: a mapped page brings fifteen others, which add up to the whole file."""

    def __init__(self, file: Path, ends: np.ndarray[Any, Any], sums: np.ndarray[Any, Any] | None = None) -> None:
        """With ``sums``, as `block_sums` gives them, each block is checked when it is first read."""
        self._ends = ends
        self._path = file
        self._handle = os.open(file, os.O_RDONLY)
        weakref.finalize(self, os.close, self._handle)
        self._sums = sums
        self._checked = bytearray(0 if sums is None else len(sums))

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
        raw = self._read(start, ends[-1])
        bounds = zip([start, *ends], ends, strict=False)
        if raw.isascii():  # decoded at once
            text = raw.decode("ascii")
            return [text[begin - start : stop - start] for begin, stop in bounds]
        try:
            return [raw[begin - start : stop - start].decode("utf-8") for begin, stop in bounds]
        except UnicodeDecodeError:
            raise self._damaged() from None

    def _read(self, start: int, stop: int) -> bytes:
        first, last = start // BLOCK, -(-stop // BLOCK)
        if self._sums is None or all(self._checked[first:last]):
            return self._bytes(start, stop - start)
        raw = self._bytes(first * BLOCK, (last - first) * BLOCK)
        if [crc32(raw[at : at + BLOCK]) for at in range(0, len(raw), BLOCK)] != self._sums[first:last].tolist():
            raise self._damaged()
        self._checked[first:last] = b"\1" * (last - first)
        return raw[start - first * BLOCK : stop - first * BLOCK]

    def _damaged(self) -> InputError:
        return damaged(self._path.parent, self._path, "is damaged: its bytes are not those that were written")

    def _bytes(self, start: int, size: int) -> bytes:
        """``size`` bytes, or all to the end of the file; one system call may return fewer."""
        raw = os.pread(self._handle, size, start)
        while len(raw) < size and (more := os.pread(self._handle, size - len(raw), start + len(raw))):
            raw += more
        return raw
