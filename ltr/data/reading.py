"""A user's file as a whole, no larger than it may be."""

from __future__ import annotations

import gzip
import io
from pathlib import Path
from typing import IO

from ltr.errors import InputError

LARGEST = 128 << 20
"""Bytes of a file of judgments, a run or a model: a run of a million lines has less."""


def read_whole(path: Path, largest: int | None = None) -> bytes:
    """The bytes of a file, a pipe or a device: at most ``largest``, or `LARGEST`.

    Raises OSError, and InputError where there are more.
    """
    with path.open("rb") as file:
        return _read(path, file, largest)


def unpacked(path: Path, raw: bytes, largest: int | None = None) -> bytes:
    """Unpack gzipped bytes. Raises InputError where there are more than `read_whole` reads, and what gzip raises."""
    with gzip.GzipFile(fileobj=io.BytesIO(raw)) as file:
        return _read(path, file, largest)


def _read(path: Path, file: IO[bytes] | gzip.GzipFile, largest: int | None) -> bytes:
    largest = largest or LARGEST
    raw = file.read(largest + 1)
    if len(raw) > largest:
        raise InputError(path, f"holds more than {largest >> 20} MB", "name the right file, or a part of it")
    return raw
