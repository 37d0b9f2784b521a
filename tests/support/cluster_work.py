"""Work for the processes of a cluster, which have to be able to import it."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path
from typing import Any

import numpy as np

from ltr.errors import InputError


def slowly(number: int, folder: str) -> int:
    """Write down who works, and take a while."""
    Path(folder, f"{number}-{os.getpid()}").touch()
    time.sleep(0.3)
    return number


def size_of(values: np.ndarray[Any, Any]) -> int:
    return values.nbytes


def fail(_: int) -> int:
    raise InputError("corpus.csv", "row 7: is not a row", "correct it")


def fill_the_disk(place: str) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), place)
