"""The weights files that ship."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def about(path: Path) -> Any:
    """What a weights file says of its training and figures."""
    return json.loads(path.read_text("utf-8"))["about"]
