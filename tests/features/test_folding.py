"""Texts are compared by what they say, not by how they were typed."""

from __future__ import annotations

import time
from unicodedata import normalize

import pytest

from features.core.folding import composed, folded
from features.core.text import words


@pytest.mark.parametrize(
    "typed",
    [
        "Café of\ufb01ce",
        "Cafe\u0301 office",
        "ca\u00adfé of\u00adfice",
        "ca\u200bfé o\ufb03ce",
        "ｃａｆé \uff4fffice\ufeff",
    ],
)
def test_words_are_the_same_however_they_were_typed(typed):
    assert words(typed) == ["café", "office"]


@pytest.mark.parametrize("worst", ["a" + "\u0301\u0316" * 20_000, "\u00ad" * 40_000 + "é", "か\u3099" * 20_000])
def test_time_is_linear(worst):
    """Python's own normalisation of the first one takes two seconds."""
    began = time.perf_counter()
    folded(worst)
    composed(worst)
    assert time.perf_counter() - began < 0.5


@pytest.mark.parametrize("form", ["NFD", "NFKD"])
def test_long_texts_are_composed_like_short_ones(form):
    text = "Zürich's cafés are naïve – “really”. " * 100
    assert composed(normalize(form, text)) == composed(text) == text
