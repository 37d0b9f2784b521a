"""Defaults that help texts show as well, and weights as users write them: ``1,.35,.4``.

Imports nothing, so that ``--help`` is quick.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from numbers import Real
from typing import Any

TREES = 200
"""Trees of a ranker, for each objective and seed."""

DIMENSIONS = ("relevance", "quality", "coherence")
"""Dimensions that items are graded in."""

TOP_GRADE = 2.0
"""Grades are from 0 to this in every dimension, and so are the scores of a learned ranker."""

COLUMNS = 33
"""Feature columns that a ranker keeps."""

RECIPES: dict[str, dict[str, Any]] = {"weak": {"sources": ("distant", "weak"), "objective": "regression"}}
"""Training recipe -> the options that it sets."""

NO_ENCODER, SHIPPED_ENCODER = "none", "shipped"
"""Names of no encoder at all, and of the one that ships."""

BLENDS: dict[str, dict[str, float]] = {
    "relevant": {"relevance": 1.0, "quality": 0.7, "coherence": 0.4},
    "balanced": {"relevance": 1.0, "quality": 1.2, "coherence": 0.7},
    "readable": {"relevance": 1.0, "quality": 1.7, "coherence": 1.0},
}
"""Points on the line of relevance against quality and coherence: *balanced* is the default of pairs, *relevant* that of
other tasks. docs/laboratory.md."""

DIVERSIFY = 0.1
"""Penalty for a pair whose arguments were already shown, relative to the spread of scores."""

WEIGHT_RANGE = (0.001, 1000)
"""Smallest and largest weight but 0: scores are written with six decimals."""


def parse_weights(text: str, lengths: Sequence[int]) -> list[float] | None:
    """As many weights as one of ``lengths`` says, each 0 or in `WEIGHT_RANGE`, not all 0; None for any other text."""
    try:
        weights = [float(part) for part in text.split(",")]
    except ValueError:
        return None
    return weights if len(weights) in lengths and valid_weights(weights) else None


def valid_weights(weights: Collection[float]) -> bool:
    """Whether each is 0 or in `WEIGHT_RANGE`, and not all are 0."""
    low, high = WEIGHT_RANGE
    numbers = all(isinstance(weight, Real) for weight in weights)
    return numbers and any(weights) and all(weight == 0 or low <= weight <= high for weight in weights)
