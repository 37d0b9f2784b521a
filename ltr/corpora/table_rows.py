"""The rows of a plain CSV file, cut at its quotes: several times as fast as ``csv``, which looks at each character.

What is not well-formed, and what is written in another way than tables usually are, is left to ``csv``, from the row on
where a block begins: rows and errors are those of ``csv``.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import IO, Final

BLOCK: Final = 1 << 20
"""Bytes that are cut at once."""

LONGEST_ROW: Final = 4 << 20
"""Bytes: a longer one, and what comes after it, is csv's business."""

LONGEST_CELL: Final = 1 << 27
"""Characters of a cell, and bytes of a line."""

Row = list[str]


def read_rows(file: IO[bytes], left: float) -> Iterator[Row]:
    """The rows that begin in the next ``left`` bytes. Raises csv.Error and UnicodeDecodeError."""
    held = b""
    while left > 0 and (block := file.read(int(min(left, BLOCK)))):
        left -= len(block)
        held += block
        cut = _cut(held)
        if cut is None or len(held) - cut[1] > LONGEST_ROW:
            break
        rows, end = cut
        yield from rows
        held = held[end:]
    if held:  # what csv has to decide, or the last row without a line end
        file.seek(-len(held), 1)
        yield from csv_rows(lines(file, left + len(held)))


def csv_rows(lines: Iterable[bytes]) -> Iterator[Row]:
    """The rows in these lines, by ``csv`` itself. Raises csv.Error and UnicodeDecodeError."""
    csv.field_size_limit(LONGEST_CELL)  # stays raised: another corpus may be half read
    # Lines are cut as bytes and decoded one by one: half the time of a text file's, and the row is known.
    return csv.reader(map(bytes.decode, lines), strict=True)


def lines(file: IO[bytes], left: float) -> Iterator[bytes]:
    """The lines that begin in the next ``left`` bytes of a file."""
    while left > 0 and (line := file.readline(LONGEST_CELL + 1)):
        if len(line) > LONGEST_CELL:
            raise csv.Error(f"a line longer than {LONGEST_CELL:,} bytes")
        left -= len(line)
        yield line


def _cut(raw: bytes) -> tuple[list[Row], int] | None:
    """The rows that end in ``raw``, which begins with one, and where the last of them ends; None for csv's business."""
    pieces = raw.split(b'"')  # outside and inside of quotes by turns; of two quotes in a cell, nothing is outside
    outside, inside = pieces[0::2], pieces[1::2]
    last = next((n for n in reversed(range(len(outside))) if b"\n" in outside[n]), None)
    if last is None:
        return [], 0
    whole = outside[last].rfind(b"\n") + 1
    rest = len(outside[last]) - whole + sum(len(piece) + 1 for piece in chain(outside[last + 1 :], inside[last:]))
    outside[last] = outside[last][:whole]
    rows: list[Row] = []
    cell: list[bytes] = []
    try:
        row = _between(b"\n" + outside[0], [], rows)
        for text, gap in zip(inside[:last], outside[1 : last + 1], strict=True):
            if row is None:
                return None
            cell.append(text)
            if gap:
                row.append((b'"'.join(cell) if len(cell) > 1 else text).decode())
                cell = []
                if gap != b",":
                    row = _between(gap, row, rows)
    except UnicodeDecodeError:
        return None
    return None if row is None else (rows[1:], len(raw) - rest)


def _between(gap: bytes, row: Row, rows: list[Row]) -> Row | None:
    """The row that is open after a gap between two quoted cells; those that end in the gap go to ``rows``."""
    text = gap.decode().replace("\r\n", "\n")
    if "\r" in text:
        return None
    ended = text.split("\n")
    for number, line in enumerate(ended):
        cells = line.split(",") if line else []
        if number == 0 and cells and cells.pop(0):  # text behind a closing quote
            return None
        if number == len(ended) - 1 and cells and cells.pop():  # text before an opening one
            return None
        row = row + cells if number == 0 else cells
        if number < len(ended) - 1:
            rows.append(row)
    return row
