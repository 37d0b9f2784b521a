"""Weights of a blend as users write them, ``1,.35,.4``."""

from __future__ import annotations

from collections.abc import Sequence

WEIGHT_RANGE = (0.001, 1000)
"""Smallest and largest weight but 0: scores are written with six decimals."""


def parse_weights(text: str, lengths: Sequence[int]) -> list[float] | None:
    """As many weights as one of ``lengths``, each 0 or in `WEIGHT_RANGE` and not all 0; None for any other text."""
    low, high = WEIGHT_RANGE
    try:
        weights = [float(part) for part in text.split(",")]
    except ValueError:
        return None
    valid = len(weights) in lengths and any(weights) and all(w == 0 or low <= w <= high for w in weights)
    return weights if valid else None
