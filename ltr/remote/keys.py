"""The key to a search API: from a file or the environment, never from a command line, where others could read it."""

from __future__ import annotations

import os
import re
from pathlib import Path

from ltr.data.columns import read_bytes
from ltr.errors import InputError

_KEY = re.compile(rb"[A-Za-z0-9._~+/=-]+")  # what may follow "Bearer": RFC 6750, 2.1
_SHORTEST = 8
"""Characters of a key that is hidden: a shorter one may be part of any word."""


def read_key(file: Path | None, variable: str) -> str:
    """The key in ``file``, else in the environment's ``variable``, else "". Raises InputError, which never shows it."""
    raw = read_bytes(file) if file else os.environ.get(variable, "").encode("utf-8", "surrogateescape")
    key = raw.strip()
    if key and not _KEY.fullmatch(key):
        what = "is not a key: one word of letters, digits and the marks . _ ~ + / = -"
        raise InputError(file or variable, what, "put the key there and nothing else")
    return key.decode("ascii")


def hide_key(text: str, key: str) -> str:
    """``text`` with [key] wherever the key stands, in upper or lower case: a server may repeat it."""
    return re.sub(re.escape(key), "[key]", text, flags=re.IGNORECASE) if len(key) >= _SHORTEST else text
