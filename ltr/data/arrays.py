"""Arrays in files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np


def save_array(path: Path, values: np.ndarray[Any, Any]) -> None:
    """Write an ``.npy`` file. ``np.save`` does too, but its error does not say that the disk is full."""
    with path.open("wb") as out:
        np.lib.format.write_array_header_1_0(out, np.lib.format.header_data_from_array_1_0(values))
        out.write(np.ascontiguousarray(values).data)
