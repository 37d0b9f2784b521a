"""Files of records of one length beside an index, which several processes may read and append to at once."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import numpy as np

Records = np.ndarray[Any, np.dtype[np.void]]

PLAIN = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Open no file of others through a link, and wait for no pipe."""


def mapped_records(path: Path, record: np.dtype[np.void], limit: float = float("inf")) -> Records:
    """All whole records of a file, as they lie on the disk. Raises OSError.

    A file of more than ``limit`` bytes is removed: it begins anew.
    """
    with os.fdopen(os.open(path, os.O_RDONLY | PLAIN), "rb") as file:
        status = os.fstat(file.fileno())
        whole = status.st_size // record.itemsize
        if not stat.S_ISREG(status.st_mode) or not whole:
            return np.zeros(0, record)
        if status.st_size > limit:
            path.unlink()
            return np.zeros(0, record)
        return np.memmap(file, record, "r", shape=(whole,))


def append_records(path: Path, records: Records) -> None:
    """Append in one write, after filling up a record that a killed process wrote half of. Raises OSError."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | PLAIN, 0o644)
    try:
        status = os.fstat(handle)
        if stat.S_ISREG(status.st_mode):
            os.write(handle, bytes(-status.st_size % records.itemsize) + records.tobytes())
    finally:
        os.close(handle)
