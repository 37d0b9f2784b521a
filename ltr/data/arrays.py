"""Arrays in files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np


def save_array(path: Path, values: np.ndarray[Any, Any]) -> None:
    """Write an ``.npy`` file. ``np.save`` does too, but its error does not say that the disk is full."""
    with path.open("wb") as out:
        np.lib.format.write_array_header_1_0(out, np.lib.format.header_data_from_array_1_0(values))
        out.write(np.ascontiguousarray(values).data)


def save_pieces(path: Path, pieces: Iterable[np.ndarray[Any, Any]], dtype: Any, shape: tuple[int, ...]) -> None:
    """Write the ``.npy`` file of an array that is larger than memory, given as pieces of its rows."""
    with path.open("wb") as out:
        np.lib.format.write_array_header_1_0(
            out, {"descr": np.lib.format.dtype_to_descr(np.dtype(dtype)), "fortran_order": False, "shape": shape}
        )
        for piece in pieces:
            out.write(np.ascontiguousarray(piece, dtype).data)
