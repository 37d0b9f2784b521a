"""A reader that is wrong in every way a reader can be, by a word in its input."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from fuzz import campaign
from fuzz.reader import Read, Reader

from ltr.errors import InputError


def _read(content: bytes) -> None:
    if b"RAISE" in content:
        raise ValueError("an error of another kind")
    if b"LEAVE" in content:
        raise SystemExit(3)
    if b"NO HINT" in content:
        raise InputError("file", "is wrong")
    if b"TELL ALL" in content:
        raise InputError("file " * 5000, "is wrong " * 5000, "mend it " * 5000)
    if b"LOOP" in content:
        while True:
            pass
    if b"FILL" in content:
        bytes(2 * campaign.MEMORY)
    if b"DIE" in content:
        os.kill(os.getpid(), signal.SIGSEGV)
    if b"!" in content:
        raise InputError("file", "is wrong", "mend it")


def _start(_: Path) -> Read:
    return _read


def broken(*words: bytes) -> Reader:
    """The reader, and inputs with these words."""
    return Reader("broken", _start, lambda: [b"x" * 9, b"!" * 9, *(9 * (word + b" ") for word in words)])


fatal = broken(b"DIE", b"FILL")
