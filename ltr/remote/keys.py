"""The key to a source: from a file or the environment, never from a command line, where others could read it."""

from __future__ import annotations

import os
import re
from pathlib import Path

from ltr.data.columns import read_bytes
from ltr.errors import InputError

_KEY = re.compile(rb"[A-Za-z0-9._~+/=-]+")  # what may stand after "Bearer": RFC 6750, 2.1


def read_key(file: Path | None, variable: str) -> str:
    """The key in ``file``, else in the environment's ``variable``, else "". Raises InputError, which never shows it."""
    raw = read_bytes(file) if file else os.environ.get(variable, "").encode("utf-8", "surrogateescape")
    key = raw.strip()
    if key and not _KEY.fullmatch(key):
        what = "holds no key: one word of letters, digits and the marks . _ ~ + / = -"
        raise InputError(file or variable, what, "put the key there and nothing else")
    return key.decode("ascii")
