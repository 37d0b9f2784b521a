"""Readers of the files in which data sets are published: tables, lines and JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ltr.data.columns import decode, read_bytes
from ltr.errors import InputError

AGAIN = "download the file again"


def read_text(path: Path) -> str:
    """The text of a file. Raises InputError where it is missing, empty or not UTF-8."""
    return decode(path, read_bytes(path))


def read_lines(path: Path) -> list[str]:
    """Lines of a file; unlike str.splitlines not split at the odd separators inside sentences."""
    return [line.rstrip("\r") for line in read_text(path).removesuffix("\n").split("\n")]


def read_json(path: Path) -> Any:
    """A JSON file. Raises InputError."""
    try:
        return json.loads(read_text(path))
    except (ValueError, RecursionError):
        raise InputError(path, "is not JSON", AGAIN) from None


def one_of(where: object, value: str, choices: Iterable[str]) -> str:
    """The value. Raises InputError where it is none of the choices."""
    if value not in choices:
        raise InputError(where, f"has {value[:40]!r} where one of {', '.join(choices)} is due", AGAIN)
    return value


def read_table(path: Path, columns: Sequence[str]) -> list[list[str]]:
    """Some columns of a table with a header: CSV, or .tsv, which has no quotes. Raises InputError."""
    file = io.StringIO(read_text(path), newline="")
    dialect: dict[str, Any] = {"delimiter": "\t", "quoting": csv.QUOTE_NONE} if path.suffix == ".tsv" else {}
    try:
        rows = list(csv.reader(file, strict=not dialect, **dialect))
    except csv.Error as error:
        raise InputError(path, f"not CSV ({error})", AGAIN) from None
    header = [name.strip() for name in rows[0]]  # some carry a blank after the name
    if missing := [name for name in columns if name not in header]:
        raise InputError(path, f"no column {missing[0]!r}", AGAIN)
    places = [header.index(name) for name in columns]
    rows = [row for row in rows if row]
    for number, row in enumerate(rows, 1):
        if len(row) <= max(places):
            raise InputError(path, f"record {number} has only {len(row)} fields", AGAIN)
    return [[row[place] for place in places] for row in rows[1:]]
