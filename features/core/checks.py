"""The check of numbers that a component returns."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from features.core.plugins import ComponentError


def checked_numbers(where: str, values: Any, size: int, hint: str, *, abstains: bool = False) -> npt.NDArray[Any]:
    """(size,) numbers, finite, or NaN where the component ``abstains``. Raises ComponentError for anything else."""
    try:
        array = np.asarray(values)
        narrow = array.astype(np.float32)
    except (TypeError, ValueError):
        raise ComponentError(where, f"gave no array of numbers where shape ({size},) was due", hint) from None
    if narrow.shape != (size,):
        raise ComponentError(where, f"gave shape {narrow.shape} where ({size},) was due", hint)
    if not (np.isfinite(narrow) | (abstains & np.isnan(narrow))).all():
        raise ComponentError(where, "gave values that are not finite", hint)
    return array
