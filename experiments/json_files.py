"""JSON that studies write: results, and records of what is done, so that a stopped study can go on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ltr.data.files import atomic_text
from ltr.errors import InputError

Record = dict[str, Any]


def write_json(path: Path, results: Any) -> None:
    """Results as JSON, whole or absent. Raises ValueError for numbers that JSON lacks."""
    with atomic_text(path) as out:
        json.dump(results, out, indent=1, allow_nan=False)
        out.write("\n")


class JsonLines:
    """Records by name in a file that only grows; of two records with one name the last one counts."""

    def __init__(self, path: Path, name: Callable[[Record], str], hint: str) -> None:
        """Read the records; a last line that was cut short by a kill is removed.

        Raises InputError, with the ``hint``, for a line that is not a record with a name.
        """
        self.path, self._name = path, name
        self.records: dict[str, Record] = {}
        *lines, cut = path.read_bytes().split(b"\n") if path.exists() else [b""]
        for number, line in enumerate(lines, 1):
            try:
                record = json.loads(line)
                self.records[name(record)] = record
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
                raise InputError(f"{path} line {number}", "this is no record of a study", hint) from None
        if cut:
            with path.open("r+b") as out:
                out.truncate(path.stat().st_size - len(cut))

    def add(self, record: Record) -> Record:
        """Append a record to the file at once."""
        line = json.dumps(record, allow_nan=False)
        with self.path.open("a", encoding="utf-8", newline="\n") as out:
            out.write(line + "\n")
        self.records[self._name(record)] = record
        return record
