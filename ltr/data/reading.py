"""A user's file as a whole: no larger than it may be, and no wait for what never comes."""

from __future__ import annotations

import errno
import gzip
import io
import os
import select
import stat
from pathlib import Path
from typing import IO

from ltr.errors import InputError

LARGEST = 128 << 20
"""Bytes of a file of judgments, a run or a model: a run of a million lines has less."""

PATIENCE = 5.0
"""Seconds in which somebody has to open the other end of a pipe."""

_BLOCK = 1 << 20


def read_whole(path: Path, largest: int | None = None) -> bytes:
    """The bytes of a file, a pipe or a device: at most ``largest``, or `LARGEST`.

    Raises OSError, and InputError where they are too many, or nobody writes into the pipe.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with open(handle, "rb", buffering=0) as file:
        kind = os.fstat(handle).st_mode
        if stat.S_ISDIR(kind):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        first = _first_of_pipe(path, handle) if stat.S_ISFIFO(kind) else b""
        os.set_blocking(handle, True)
        return first + _read(path, file, largest)


def unpacked(path: Path, raw: bytes, largest: int | None = None) -> bytes:
    """What gzip packed. Raises InputError where it is too much, and what gzip raises."""
    with gzip.GzipFile(fileobj=io.BytesIO(raw)) as file:
        return _read(path, file, largest)


def _first_of_pipe(path: Path, handle: int) -> bytes:
    """The first byte, or none where a writer is there and takes its time."""
    waiting = select.poll()
    waiting.register(handle, select.POLLIN)
    waiting.poll(PATIENCE * 1000)
    try:
        first = os.read(handle, 1)
    except BlockingIOError:
        return b""
    if not first:
        raise InputError(path, "nobody writes into this pipe", "start its writer first, or name a file")
    return first


def _read(path: Path, file: IO[bytes] | gzip.GzipFile, largest: int | None) -> bytes:
    blocks, size, largest = [], 0, largest or LARGEST
    while block := file.read(_BLOCK):
        blocks.append(block)
        size += len(block)
        if size > largest:
            raise InputError(path, f"holds more than {largest >> 20} MB", "name the right file, or a part of it")
    return b"".join(blocks)
