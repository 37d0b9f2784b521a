from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from support.tables import Source, compute, make_context

ALONG, ACROSS, HALF = (1.0, 0.0), (0.0, 1.0), (0.6, 0.8)
MIXED = [
    Source("S1-A1", "PRO", "", ("One.",)),
    Source("S1-A2", "CON", "Tea harms.", ()),
    Source("S2-A3", "CON", "", ("Two.", "Three.")),
]


@pytest.mark.parametrize(
    ("sources", "vectors", "best", "text"),
    [
        # The mean of (1, 0), (.6, .8) and (0, 1) points to (1.6, 1.8): 1.6 / sqrt(1.6 ** 2 + 1.8 ** 2) = .664.
        ([Source("S1-A1", "PRO", "", ("One.", "Two.", "Three."))], [HALF, ACROSS, ALONG], [1.0], [0.664]),
        # A conclusion is not a sentence of the text.
        ([Source("S1-A1", "PRO", "Tea helps.", ("One.",))], [HALF, ALONG], [0.6], [0.6]),
        # Arguments do not mix, and one without sentences has zeros.
        (MIXED, [HALF, ALONG, ACROSS, ALONG], [0.6, 0.0, 1.0], [0.6, 0.0, 0.707]),
    ],
)
def test_the_best_and_the_mean_of_the_sentences(sources, vectors, best, text):
    context = make_context(sources, "tea")
    assert len(context.sentences) == len(vectors)
    context = replace(context, encoded=SimpleNamespace(sentences=np.array(vectors), question=np.array(ALONG)))
    assert compute("meaning_best", context).tolist() == best
    assert compute("meaning_text", context).tolist() == pytest.approx(text)
