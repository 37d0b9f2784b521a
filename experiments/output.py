"""Files that studies write."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from ltr.files import atomic_text


def json_text(results: Any) -> str:
    """Results as JSON. Raises ValueError for numbers that JSON lacks."""
    return json.dumps(results, indent=1, allow_nan=False) + "\n"


def write_all(texts: Mapping[Path, str]) -> None:
    """Write every text or, where one of the files cannot be written, none."""
    with ExitStack() as stack:
        for out, text in [(stack.enter_context(atomic_text(path)), text) for path, text in texts.items()]:
            out.write(text)
            out.flush()
