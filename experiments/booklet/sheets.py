"""Sheets to type grades into, and people's grades as they come back."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import Path

from experiments.pool.files import read_text
from ltr.errors import InputError
from models.base import DIMENSIONS

SHAPE = "number r q c"
HEAD = ("number", *DIMENSIONS)
_GRADES = {"0": 0, "1": 1, "2": 2, "": None, "-": None}

Sheet = dict[int, tuple[int | None, ...]]
"""Number of a pair -> its grades in the order of `DIMENSIONS`, None where one is missing."""


def sheet_text(count: int, booklet: str) -> str:
    """A CSV sheet without grades for the pairs 1 to ``count``; its first line names the booklet."""
    rows = [(f"# pool {booklet}", "", "", ""), HEAD, *((str(n), "", "", "") for n in range(1, count + 1))]
    return "".join(",".join(row) + "\n" for row in rows)


def read_sheet(path: Path, numbers: Collection[int], booklet: str) -> Sheet:
    """One person's grades. Raises InputError for anything that is not a grade of a pair of this booklet.

    Cells are separated by commas, semicolons or tabs, as a spreadsheet writes them, or by blanks. A cell that is empty
    or ``-`` is a missing grade; a pair may be missing, too.
    """
    grades: Sheet = {}
    rows: dict[int, int] = {}
    hint = f"save the sheet as CSV in UTF-8, or write lines `{SHAPE}`"
    for row, line in enumerate(read_text(path, hint).splitlines(), 1):
        where, cells = f"{path} line {row}", cells_of(line)
        if cells[0].startswith("# pool ") and cells[0].split()[2:] != [booklet]:
            raise InputError(where, "the grades are of another booklet", "name the key.tsv they belong to")
        if not any(cells) or cells[0].startswith("#") or tuple(map(str.lower, cells[:4])) == HEAD:
            continue
        if len(cells) < 4 or any(cells[4:]):
            raise InputError(where, f"has {len(cells)} columns, not 4", f"write it as `{SHAPE}`, - for no grade")
        number = int(cells[0]) if re.fullmatch("[0-9]{1,9}", cells[0]) else 0
        if number not in numbers:
            raise InputError(where, f"number {cells[0][:40]!r} is not in the key", f"use 1 to {len(numbers)}")
        if number in grades:
            raise InputError(where, f"number {number} has grades in line {rows[number]} already", "keep one line")
        if wrong := [cell for cell in cells[1:4] if cell not in _GRADES]:
            what = f"grade {wrong[0][:40]!r} of number {number} is not valid"
            raise InputError(where, what, "write 0, 1 or 2, or leave it empty")
        rows[number] = row
        grades[number] = tuple(_GRADES[cell] for cell in cells[1:4])
    if all(grade is None for given in grades.values() for grade in given):
        raise InputError(path, "holds no grades", f"fill in the sheet, or write lines `{SHAPE}`")
    return grades


def cells_of(line: str) -> Sequence[str]:
    """The cells of a line, without blanks and quotes around them.

    >>> cells_of('"7";1; ;2'), cells_of("7 1 - 2")
    (['7', '1', '', '2'], ['7', '1', '-', '2'])
    """
    if line.startswith("#"):
        return [re.split(r"[,;\t]", line)[0].strip()]
    if separator := re.search(r"[,;\t]", line):
        return [cell.strip(' "') for cell in line.split(separator[0])]
    return line.split() or [""]
