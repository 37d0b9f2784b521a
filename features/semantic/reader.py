"""Grades that a cross-encoder expects, which reads the question and both sentences of a pair together.

It learned from pairs that were graded, so no ranker may learn from them together with it: they join the score of the
first candidates of a topic as they are (`models.blend`), and describe no others.
"""

from __future__ import annotations

from functools import partial

from features.core.feature import feature
from features.core.statistics import FloatArray
from features.core.tables import Context, once

_feature = partial(
    feature,
    "pair",
    group="reader",
    measured_in="grade",
    range=(0, 2),
    needs_encoder=True,
    needs_reader=True,
    kinds=("pair",),
)


@once
def _grades(c: Context) -> FloatArray:
    text = c.sentences.text
    return c.meaning.grades([(text[a], text[b]) for a, b in zip(c.pairs.first, c.pairs.second, strict=True)])


@_feature()
def reader_relevance(c: Context) -> FloatArray:
    """How relevant the pair is, as a cross-encoder reads it; 0 unless it is read."""
    return _grades(c)[:, 0]


@_feature()
def reader_quality(c: Context) -> FloatArray:
    """How well the pair is written, as a cross-encoder reads it; 0 unless it is read."""
    return _grades(c)[:, 1]


@_feature()
def reader_coherence(c: Context) -> FloatArray:
    """How well the sentences of the pair belong together, as a cross-encoder reads them; 0 unless they are."""
    return _grades(c)[:, 2]
