"""Folders that one process at a time may work on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(folder: Path, busy: Callable[[], None]) -> Iterator[None]:
    """Have ``folder`` alone until the block ends, however the process ends.

    While another process has it ``busy`` is called, once, and then waited, unless it raises. The lock lies beside the
    folder: somebody may delete the folder meanwhile.
    """
    from filelock import FileLock, Timeout  # noqa: PLC0415 only those who build need it

    folder.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder.parent / f".{folder.name.lstrip('.')}.lock")
    try:
        lock.acquire(blocking=False)
    except Timeout:
        busy()
        lock.acquire()
    try:
        yield
    finally:
        lock.release()
