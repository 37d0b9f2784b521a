"""Strings laid end to end in a file."""

from __future__ import annotations

import os
import weakref
import zlib
from collections.abc import Iterator
from functools import lru_cache, partial
from pathlib import Path
from typing import IO

import numpy as np

from ltr.errors import InputError
from ltr.index.folder import damaged
from ltr.index.vocabulary import Array

BLOCK = 1 << 11
"""Bytes that are compressed together: reading one string decompresses half of that in vain."""

KEPT = 512
"""Blocks of a file that are kept in memory."""


class Blocks:
    """Compresses what is written to a file, block by block: any of them can be read without the others.

    Huffman codes alone (RFC 1951): they take three fifths of a text's bytes, and half of the time that looking for
    repetitions would.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._left = b""
        self._sizes: list[int] = []

    def write(self, raw: bytes) -> None:
        """Add bytes; what does not fill a block waits for more."""
        raw = self._left + raw
        whole = len(raw) - len(raw) % BLOCK
        for start in range(0, whole, BLOCK):
            self._add(raw[start : start + BLOCK])
        self._left = raw[whole:]

    def finish(self) -> Array:
        """Write what waits. Returns (n_blocks,) int64: where each block ends in the file."""
        if self._left:
            self._add(self._left)
        return np.cumsum(self._sizes, dtype=np.int64)

    def _add(self, raw: bytes) -> None:
        deflate = zlib.compressobj(1, zlib.DEFLATED, 11, 6, zlib.Z_HUFFMAN_ONLY)  # of a window as large as a block
        self._sizes.append(self._file.write(deflate.compress(raw) + deflate.flush()))


class Strings:
    """Strings that are read, not mapped: a mapped page brings fifteen others, which add up to the whole file."""

    def __init__(self, file: Path, ends: Array, blocks: Array | None = None) -> None:
        """With ``blocks``, as `Blocks` gives them, each block is checked when it is read."""
        self._ends = ends
        self._path = file
        self._handle = os.open(file, os.O_RDONLY)
        weakref.finalize(self, os.close, self._handle)
        # One topic reads most of its texts twice or more. A method would keep this object, and its file open.
        self._block = None if blocks is None else lru_cache(KEPT)(partial(_read_block, self._handle, blocks))

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
        if self._block is None or start == stop:
            return os.pread(self._handle, stop - start, start)  # less at the end of the file
        first = start // BLOCK
        try:
            raw = b"".join(map(self._block, range(first, -(-stop // BLOCK))))
        except zlib.error:
            raise self._damaged() from None
        if len(raw) < stop - first * BLOCK:
            raise self._damaged()
        return raw[start - first * BLOCK : stop - first * BLOCK]

    def _damaged(self) -> InputError:
        return damaged(self._path.parent, self._path, "is damaged: its bytes are not those that were written")


def _read_block(handle: int, ends: Array, number: int) -> bytes:
    """The bytes of a block. Raises zlib.error where its check sum is another one."""
    begin, end = int(ends[number - 1]) if number else 0, int(ends[number])
    return zlib.decompress(os.pread(handle, end - begin, begin), bufsize=BLOCK)
