"""Parts of files and folders: what is being written lies beside its place, under a name of its own, until it is whole.

A part is locked as long as its writer lives. One that is not was left by a writer that was killed, and goes when
the next one begins, or whoever opens the index that it is a part of.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import glob
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from ltr.interrupts import interrupts_held, unfinished

_HERE, _EXCHANGE = -100, 2
"""AT_FDCWD and RENAME_EXCHANGE of Linux."""


def remove_left(place: Path) -> None:
    """Remove the parts of ``place`` that killed writers left, as far as one may."""
    for left in place.parent.glob(f".{glob.escape(place.name)}.????????.part"):  # as many as tempfile draws
        with suppress(OSError):
            held = os.open(left, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(left) if left.is_dir() else left.unlink()
            finally:
                os.close(held)


def begin_part(place: Path, make: Callable[..., tuple[int, str]]) -> tuple[int, str]:
    """Make a part of ``place``, open and locked, with its name, as `tempfile.mkstemp` makes it. Raises OSError."""
    remove_left(place)
    while True:
        handle, name = make(**_beside(place))
        with suppress(OSError):  # not every file system can
            fcntl.flock(handle, fcntl.LOCK_EX)
        if os.path.lexists(name):
            return handle, name
        os.close(handle)  # another process took it for one that was left


def _beside(place: Path) -> dict[str, Any]:
    return {"prefix": f".{place.name}.", "suffix": ".part", "dir": place.parent}


@contextmanager
def part_folder(place: Path) -> Iterator[Path]:
    """Yield an empty folder beside ``place``, which has to be renamed before the block ends: what is left goes."""
    with interrupts_held():
        handle, name = begin_part(place, _make_folder)
        part = Path(name)
        unfinished[name] = partial(remove_folder, part)
    try:
        yield part
    finally:
        os.close(handle)
        if os.path.lexists(part):
            remove_folder(part)
        del unfinished[name]


def _make_folder(**where: Any) -> tuple[int, str]:
    while True:
        name = tempfile.mkdtemp(**where)
        with suppress(FileNotFoundError):  # taken for one that was left
            return os.open(name, os.O_RDONLY), name


def remove_folder(path: Path) -> None:
    """Remove a folder into which a thread may still be writing; nothing happens when it cannot be removed."""
    for _ in range(100):
        shutil.rmtree(path, ignore_errors=True)
        if not os.path.lexists(path):
            return
        time.sleep(0.01)


def swap_in(part: Path, path: Path) -> None:
    """Put the folder ``part`` in the place of ``path``; an older folder there is removed."""
    while True:
        try:
            os.rename(part, path)  # succeeds when path is absent or an empty folder
            return
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
        if _exchanged(part, path):
            shutil.rmtree(part, ignore_errors=True)
            return
        if _replaced(part, path):
            return


def _exchanged(part: Path, path: Path) -> bool:
    """Exchange two folders in one step, so that there is no moment without one; False where the system cannot."""
    exchange = getattr(ctypes.CDLL(None), "renameat2", None)
    return exchange is not None and not exchange(_HERE, os.fsencode(part), _HERE, os.fsencode(path), _EXCHANGE)


def _replaced(part: Path, path: Path) -> bool:
    """Move one folder away and the other one in; False when another process was faster."""
    try:
        held = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return False
    old = tempfile.mkdtemp(**_beside(path))
    try:
        with suppress(OSError):
            fcntl.flock(held, fcntl.LOCK_EX)  # moved away, it is no part that was left
        os.rename(path, old)
        try:
            os.rename(part, path)
        except OSError as error:
            if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
                return False
            os.rename(old, path)
            raise
        return True
    except FileNotFoundError:
        return False
    finally:
        os.close(held)
        shutil.rmtree(old, ignore_errors=True)
