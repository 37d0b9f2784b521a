"""Files of JSON lines, plain or gzipped: one object a line."""

from __future__ import annotations

import gzip
import json
import math
import zlib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, Final

from ltr.corpora.argument import RowError
from ltr.corpora.base import Corpus, FileCorpus

SUFFIXES: Final = (".jsonl", ".jsonl.gz")

LONGEST_LINE: Final = 1 << 25
"""Bytes; what JSON makes of them may take twenty-five times as many."""


class LinesCorpus(FileCorpus):
    """A file of JSON lines."""

    form: ClassVar[str]
    """What a line should be, as a hint."""

    def parts(self) -> list[Corpus]:
        """Spans of whole lines. An archive cannot be cut."""
        if self._span or self.path.suffix != ".jsonl":
            return [self]
        borders = {0, self.size_hint()}
        with self.path.open("rb") as file:
            for cut in self._cuts():
                file.seek(cut)
                file.readline(LONGEST_LINE)
                borders.add(file.tell())
        return [type(self)(self.path, span) for span in pairwise(sorted(borders))]

    def _lines(self) -> Iterator[bytes]:
        """Lines that are not blank. Raises RowError, and InputError for a damaged archive."""
        at, end = self._span or (0, math.inf)
        with self._opened() as file:
            if at:
                file.seek(at)
            while at < end and (line := file.readline(LONGEST_LINE)):
                if len(line) == LONGEST_LINE:
                    raise RowError(f"has {LONGEST_LINE:,} bytes or more", self.form)
                at += len(line)
                if line.strip():
                    yield line


def first_object(path: Path) -> dict[str, Any]:
    """The object of the first line that is not blank; empty where it cannot be read: reading the corpus says why."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            lines = iter(lambda: file.readline(LONGEST_LINE), b"")
            return parsed(next((line for line in lines if line.strip()), b""), "")
    except (OSError, EOFError, zlib.error, RowError):
        return {}


def parsed(line: bytes, form: str) -> dict[str, Any]:
    """The object of a line. Raises RowError with ``form`` as its hint."""
    try:
        fields = json.loads(line.removeprefix(b"\xef\xbb\xbf"))
    except UnicodeDecodeError as error:
        raise RowError(f"is not UTF-8 (byte 0x{error.object[error.start]:02x})", "save the file as UTF-8") from None
    except (ValueError, RecursionError) as error:
        raise RowError(f"is not JSON ({error})", form) from None
    if not isinstance(fields, dict):
        raise RowError("is not a JSON object", form)
    return fields
