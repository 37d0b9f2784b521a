"""Errors of the system keep their numbers, though the engine has one exception for all."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from ltr.index.engine import system_errors

FULL = 'Os { code: 28, kind: StorageFull, message: "No space left on device" }'


@pytest.mark.parametrize(
    ("said", "number"),
    [
        ("An error occurred: 'No space left on device (os error 28)'", errno.ENOSPC),
        (f"Failed to open file for write: 'IoError {{ io_error: {FULL}, filepath: \"38746e.pos\" }}'", errno.ENOSPC),
        (f'Failed to acquire Lockfile: IoError({FULL}). Some("Failed to acquire index lock.")', errno.ENOSPC),
        ("An error occurred in a thread: 'An index writer was killed.. A worker thread met an error'", errno.EIO),
        ("System error.'Failed to spawn segment merging thread'", errno.ENOMEM),
        ("Failed to open file for read: 'FileDoesNotExist(\"meta.json\")'", errno.ENOENT),
    ],
)
def test_an_error_of_the_system_has_its_number(said: str, number: int) -> None:
    with pytest.raises(OSError, match=r"space|Input|memory|No such file") as caught, system_errors(Path("index")):
        raise ValueError(said)
    assert (caught.value.errno, caught.value.filename) == (number, "index")


def test_other_errors_are_left_alone() -> None:
    with pytest.raises(ValueError, match="schema"), system_errors(Path("index")):
        raise ValueError("the schema does not fit")
