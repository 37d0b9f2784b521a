"""Copies: of the sentence in the corpus, of the argument, and of one sentence in the other."""

from __future__ import annotations

import numpy as np

from features.core.registry import feature
from features.core.statistics import FloatArray
from features.core.tables import Context

BOILERPLATE_COPIES = 5
"""A premise that stands this often in a corpus is a phrase of the portal, not of an argument."""


@feature(
    "sentence",
    group="duplicates",
    unit="ln copies",
    range=(0, np.inf),
    description="sentences of the corpus with the same words, logarithmic",
)
def exact_copies(c: Context) -> FloatArray:
    """0 for a unique sentence."""
    return np.log(c.sentences.exact_count)


@feature(
    "sentence",
    group="duplicates",
    unit="ln copies",
    range=(0, np.inf),
    description="sentences of the corpus with the same set of content words, logarithmic",
)
def near_copies(c: Context) -> FloatArray:
    """0 for a unique sentence; function words, order and inflection are ignored."""
    return np.log(c.sentences.near_count)


@feature(
    "sentence",
    group="duplicates",
    unit="flag",
    range=(0, 1),
    description="is the first copy of the sentence in the corpus",
)
def is_canonical(c: Context) -> FloatArray:
    """Canonical copy."""
    return c.sentences.is_canonical


@feature(
    "sentence",
    group="duplicates",
    unit="flag",
    range=(0, 1),
    description=f"boilerplate: a premise with {BOILERPLATE_COPIES} or more copies in the corpus",
)
def is_boilerplate(c: Context) -> FloatArray:
    """Conclusions are shared by a debate's arguments, and are no boilerplate."""
    return (c.sentences.near_count >= BOILERPLATE_COPIES) & ~c.sentences.is_conclusion


@feature(
    "argument",
    group="duplicates",
    unit="ln copies",
    range=(0, np.inf),
    description="arguments of the corpus with the same premises, logarithmic",
)
def argument_copies(c: Context) -> FloatArray:
    """0 for a unique argument."""
    return np.log(c.arguments.body_count)


@feature(
    "argument",
    group="duplicates",
    unit="ln(1 + arguments)",
    range=(0, np.inf),
    description="arguments of the corpus with the same conclusion, logarithmic",
)
def debate_arguments(c: Context) -> FloatArray:
    """Size of the debate under one conclusion."""
    return np.log1p(c.arguments.debate_size)


@feature(
    "pair",
    group="duplicates",
    unit="flag",
    range=(0, 1),
    description="the two sentences have the same words",
)
def same_words(c: Context) -> FloatArray:
    """A pair that says one thing twice."""
    return np.asarray(c.of_first(c.sentences.exact_key) == c.of_second(c.sentences.exact_key))


@feature(
    "pair",
    group="duplicates",
    unit="flag",
    range=(0, 1),
    description="the two sentences have the same set of content words",
)
def same_content_words(c: Context) -> FloatArray:
    """A pair that says nearly one thing twice."""
    return np.asarray(c.of_first(c.sentences.near_key) == c.of_second(c.sentences.near_key))
