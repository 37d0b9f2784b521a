"""Read and write text files of words in columns."""

from __future__ import annotations

import codecs
import gzip
import io
import json
import math
import re
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeGuard

from ltr.data.ids import clean_id, is_word
from ltr.errors import InputError
from ltr.files import read_bounded, read_whole

_ODD = re.compile(r"[^ -~\s]")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def read_bytes(path: Path, largest: int | None = None) -> bytes:
    """A file's bytes, unpacked where gzip packed them, without a byte order mark; ``largest`` as for `read_whole`.

    Raises InputError, also for an empty file.
    """
    try:
        raw = read_whole(path, largest)
        if raw.startswith(b"\x1f\x8b"):
            with gzip.open(io.BytesIO(raw)) as file:
                raw = read_bounded(path, file, largest)
        raw = raw.removeprefix(codecs.BOM_UTF8)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise InputError(path, "is not a complete gzip file", "make it again") from None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InputError(path, f"cannot be read ({reason})", "check the path and its permissions") from None
    if not raw.strip():
        raise InputError(path, "is empty", "name the right file or make it again")
    return raw


def decode(path: Path, raw: bytes, first: int = 1) -> str:
    """The text of ``path`` from its line ``first`` on. Raises InputError with the line that is not UTF-8.

    Nor may it hold a NUL: trec_eval, which is C, would see an id as ended there.
    """
    try:
        text, wrong, what = raw.decode("utf-8"), raw.find(b"\0"), "holds a NUL byte"
    except UnicodeDecodeError as error:
        text, wrong, what = "", error.start, "is not UTF-8"
    if wrong >= 0:
        line = raw.count(b"\n", 0, wrong) + first
        raise InputError(f"{path} line {line}", what, "save the file as UTF-8")
    return text


def read_columns(path: Path, shape: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the place and the words of every line that is not blank; ``shape`` names the columns.

    Quotes hold the words of a last column together. Words are clean, as `clean_id` makes them.
    """
    wanted = len(shape.split())
    for where, line in _lines(path):
        words = line.split()
        if _ODD.search(line):
            words = [clean_word(where, word) for word in words if word != "\ufeff"]
        if len(words) > wanted and (last := _quoted(line.split(None, wanted - 1)[-1])):
            words[wanted - 1 :] = [last]
        if len(words) != wanted:
            raise InputError(where, f"has {len(words)} columns, not {wanted}", f"write it as `{shape}`")
        yield where, words


def read_objects(path: Path, form: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The JSON objects of a file, one a line, each with the line for messages; blank lines are left out.

    Raises InputError, with ``form`` as its hint.
    """
    for where, line in _lines(path):
        try:
            fields = json_object(line)
        except ValueError as error:
            raise InputError(where, str(error), form) from None
        yield where, fields


def json_object(line: str | bytes) -> dict[str, Any]:
    """The object of a line. Raises ValueError with the reason, and UnicodeDecodeError."""
    try:
        fields = json.loads(line)
    except UnicodeDecodeError:
        raise
    except (ValueError, RecursionError) as error:
        raise ValueError(f"is not JSON ({error})") from None
    if not isinstance(fields, dict):
        raise ValueError("is not a JSON object")
    return fields


def _lines(path: Path) -> Iterator[tuple[str, str]]:
    """The lines that are not blank, each with its place for messages. Raises InputError, also where there are none."""
    empty = True
    for number, raw in enumerate(io.BytesIO(read_bytes(path)), 1):
        line = decode(path, raw, number)
        if line.strip():
            empty = False
            yield f"{path} line {number}", line
    if empty:
        raise InputError(path, "is empty", "name the right file or make it again")


def _quoted(text: str) -> str:
    """The text between quotes; "" where no quotes are around the text, or others in it."""
    text, quote = text.strip(), text[0]
    inside = text[1:-1].strip()
    return inside if quote in "\"'" and text[-1] == quote and quote not in inside else ""


def line_of(path: Path, *words: str) -> str:
    """A line of columns. Raises InputError for a word that could not be read back."""
    for word in words:
        if not is_word(word):
            raise InputError(path, f"{quote(word)} cannot be written as one column", "make it one word")
    return " ".join(words) + "\n"


def clean_word(where: object, word: str) -> str:
    """The word, as `clean_id` makes it. Raises InputError."""
    try:
        return clean_id(word)
    except ValueError as error:
        raise InputError(where, f"{quote(word)} {error}", "write ids in characters that can be seen") from None


def parse_number(where: object, what: str, text: str, limit: float = math.inf) -> float:
    """A finite number of at most ``limit``, whatever its sign. Raises InputError."""
    # float() alone would also take nan, 1_000 and the digits of other scripts.
    value = float(text) if _NUMBER.fullmatch(text) else math.nan
    if not math.isfinite(value):
        raise InputError(where, f"{what} {quote(text)} is not a finite number", "write one, such as 2")
    if abs(value) > limit:
        raise InputError(where, f"{what} {quote(text)} is off the scale", f"stay within {limit:g}")
    return value


def is_number(value: object) -> TypeGuard[float]:
    """Whether what JSON had is a finite number; whole ones that no float can hold are none."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def quote(text: str) -> str:
    """``text`` in a message, cut where it is long."""
    return repr(text if len(text) <= 80 else text[:77] + "...")
