"""JSON lines, plain or gzipped, whatever they hold; and the sentences of running text by rule."""

from __future__ import annotations

import math
import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Final

from ltr.corpora.argument import RowError
from ltr.corpora.base import BLANK, MOST_BLANK, FileCorpus
from ltr.data.columns import json_object
from ltr.errors import InputError

SUFFIXES: Final = (".jsonl", ".jsonl.gz")

LONGEST_LINE: Final = 1 << 25
"""Bytes; what JSON makes of them may take twenty-five times as many."""

_GAP = re.compile(r"((?<=[.!?…])[\"'”’)\]]*+\s++|(?<!\s)[^\S\n]*+\n[^\S\n]*+\n\s*+)")
"""White space after a mark, or with an empty line; matched only where white space begins."""
_GAP_IN_LINE = re.compile(r"[.!?…]([\"'”’)\]]*+\s++)")
"""The same in a text of one line, in a seventh of the time: only marks, which are rare, are searched for."""
_NO_END = re.compile(r"(?i)(?:^|[\s(])(?:[a-z]|[ei]\.[eg]|mr|mrs|ms|dr|st|vs|no|fig|approx|inc|ltd|u\.s|\d+)\.$")


def split_sentences(text: str) -> list[str]:
    """Sentences by rule: they end with a mark before white space, not after an abbreviation or a list's number.

    >>> split_sentences("Use a knife, e.g. of steel. It costs 3.5 dollars! ok?")
    ['Use a knife, e.g. of steel.', 'It costs 3.5 dollars!', 'ok?']
    """
    starts = [0]
    gaps = [gap.span(1) for gap in (_GAP if "\n" in text else _GAP_IN_LINE).finditer(text)]
    for gap, end in gaps:
        if not _NO_END.search(text[max(starts[-1], gap - 9) : gap]):
            starts.append(end)
    parts = (" ".join(text[start:end].split()) for start, end in pairwise([*starts, len(text)]))
    return [part for part in parts if part]


class LinesCorpus(FileCorpus):
    """A file of JSON lines, whatever they hold."""

    def _starts(self, cuts: Sequence[int]) -> Iterator[int]:
        """The lines after the ``cuts``."""
        with self.path.open("rb") as file:
            for cut in cuts:
                file.seek(cut)
                file.readline(LONGEST_LINE)
                yield file.tell()

    def _lines(self) -> Iterator[bytes]:
        """Lines that are not blank. Raises RowError, and InputError for a damaged archive."""
        at, end = self._span or (0, math.inf)
        blank = 0
        with self._opened() as file:
            if at:
                file.seek(at)
            while at < end and (line := file.readline(LONGEST_LINE)):
                if len(line) == LONGEST_LINE:
                    raise RowError(f"has {LONGEST_LINE:,} bytes or more")
                at += len(line)
                if line.strip():
                    yield line
                    continue
                blank += 1
                if blank > MOST_BLANK:
                    raise RowError(*BLANK)

    def first_object(self) -> dict[str, Any]:
        """The object of the first line that is not blank; empty where reading the corpus will say what is wrong."""
        try:
            return parsed(next(self._lines(), b""))  # archives as in reading
        except (OSError, InputError, RowError):
            return {}


def parsed(line: bytes) -> dict[str, Any]:
    """The object of a line. Raises RowError."""
    try:
        return json_object(line.removeprefix(BOM_UTF8))
    except UnicodeDecodeError as error:
        raise RowError(f"is not UTF-8 (byte 0x{error.object[error.start]:02x})", "save the file as UTF-8") from None
    except ValueError as error:
        raise RowError(str(error)) from None


def first_of(fields: dict[str, Any], names: tuple[str, ...]) -> Any:
    """The first of these fields that has a value; None where none has."""
    return next((fields[name] for name in names if fields.get(name) is not None), None)


def text_of(fields: dict[str, Any], field: str, where: str) -> str:
    """The text in a field, empty without one. Raises RowError, which names ``where``."""
    value = fields.get(field)
    if not isinstance(value, str | None):
        raise RowError(f"the {field} of {where} is not a string")
    return value or ""


def object_of(value: object, subject: str) -> dict[str, Any]:
    """``value``, a JSON object. Raises RowError, which says what the ``subject`` is not."""
    if not isinstance(value, dict):
        raise RowError(f"{subject} not a JSON object")
    return value


def word_of(fields: dict[str, Any], names: tuple[str, ...]) -> str:
    """The name in the first of these fields, which may be a number. Raises RowError."""
    value = first_of(fields, names)
    if isinstance(value, bool) or not isinstance(value, str | int) or not str(value).strip():
        raise RowError(f"has no {names[0]}" if value is None else f"its {names[0]} is neither word nor number")
    return str(value).strip()
