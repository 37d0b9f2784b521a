from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from support.tables import Source, compute, make_context

from features.core.statistics import FloatArray
from features.core.tables import Context

NAMES = ["meaning_best", "meaning_text"]
ALONG, ACROSS, HALF = (1.0, 0.0), (0.0, 1.0), (0.6, 0.8)


@dataclass
class Vectors:
    """Vectors of two numbers; the question's is `ALONG`."""

    sentences: FloatArray
    titles: FloatArray
    conclusions: FloatArray
    question: FloatArray
    objects: FloatArray


def described(sources: list[Source], vectors: list[tuple[float, float]]) -> Context:
    """The sources' sentences in order, conclusions last, with their vectors."""
    context = make_context(sources, "tea")
    rows = len(context.sentences)
    assert rows == len(vectors)
    none = np.zeros((len(context.arguments), 2))
    return replace(context, encoded=Vectors(np.array(vectors), none, none, np.array(ALONG), none))


def values(context: Context) -> list[list[float]]:
    return [compute(name, context).tolist() for name in NAMES]


def test_the_best_and_the_mean_of_the_sentences():
    # The mean of (1, 0), (.6, .8) and (0, 1) points to (1.6, 1.8): 1.6 / sqrt(1.6 ** 2 + 1.8 ** 2) = .664.
    context = described([Source("S1-A1", "PRO", "", ("One.", "Two.", "Three."))], [HALF, ACROSS, ALONG])
    assert values(context) == [[1.0], [0.664]]


def test_a_conclusion_is_not_a_sentence_of_the_text():
    context = described([Source("S1-A1", "PRO", "Tea helps.", ("One.",))], [HALF, ALONG])
    assert values(context) == [[0.6], [0.6]]


def test_arguments_do_not_mix_and_one_without_sentences_has_zeros():
    sources = [
        Source("S1-A1", "PRO", "", ("One.",)),
        Source("S1-A2", "CON", "Tea harms.", ()),
        Source("S2-A3", "CON", "", ("Two.", "Three.")),
    ]
    context = described(sources, [HALF, ALONG, ACROSS, ALONG])
    assert values(context) == [[0.6, 0.0, 1.0], [0.6, 0.0, pytest.approx(0.707)]]
