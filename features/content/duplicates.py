"""Copies: boilerplate, and arguments under one conclusion."""

from __future__ import annotations

import numpy as np

from features.core.feature import OF_ARGUMENTS, feature
from features.core.statistics import FloatArray
from features.core.tables import Context

BOILERPLATE_COPIES = 5
"""A premise that stands this often in a corpus is a phrase of the portal, not of an argument."""


@feature("sentence", group="duplicates", measured_in="flag", range=(0, 1), lift=("max",))
def is_boilerplate(c: Context) -> FloatArray:
    """Boilerplate: a premise with 5 or more copies in the corpus.

    Conclusions are shared by a debate's arguments, and are not boilerplate.
    """
    return (c.sentences.near_count >= BOILERPLATE_COPIES) & ~c.sentences.is_conclusion


@feature(
    "argument",
    group="duplicates",
    measured_in="ln(1 + arguments)",
    range=(0, np.inf),
    lift=("min",),
    units=OF_ARGUMENTS,
)
def debate_arguments(c: Context) -> FloatArray:
    """Arguments of the corpus with the same conclusion, logarithmic."""
    return np.log1p(c.arguments.debate_size)
