"""Scores of all texts at once against the sum of each text's signs, and sums against sums by hand."""

from __future__ import annotations

import re
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from features.core.text import WORD, split_words
from features.learned import argumentative, convincing
from features.learned.argumentative import log_odds
from features.learned.ngrams import NGrams, Words

TEXTS = st.lists(
    st.one_of(
        st.lists(
            st.sampled_from(
                "The the study shows that, because of it [3] [ref] I i you're U r dumb!! always may it’s 1999 12 LOUD "
                "soooo becuase wich? http://x.org www.y.z , . word.Word a.b.c.d Mr. Smith of 50% - “so” must".split()
            ),
            max_size=15,
        ).map(" ".join),
        st.text(max_size=30),
    ),
    max_size=6,
)


@pytest.mark.parametrize("module", [argumentative, convincing], ids=lambda m: m.__name__)
@settings(deadline=None)  # the first one waits for dictionaries
@given(texts=TEXTS)
def test_all_texts_at_once_have_the_log_odds_of_their_signs(module: ModuleType, texts: list[str]):
    model = module.shipped()
    odds = np.array([log_odds(module.signs(text), model) for text in texts], float)
    np.testing.assert_allclose(module.score(texts, model), 0.5 * (1 + np.tanh(odds / 2)), rtol=0, atol=1e-12)


@settings(deadline=None)  # the first one waits for dictionaries
@given(st.one_of(st.text(max_size=60), st.text(alphabet="ab_1'’ -.\n", max_size=30)))
def test_words_are_split_as_the_pattern_says(text: str):
    assert split_words(text) == WORD.findall(text)


@settings(deadline=None)  # the first one waits for dictionaries
@given(st.one_of(st.text(max_size=40), st.text(alphabet="aAbZ ,.;!?:htpsw/", max_size=40)))
def test_marks_are_sought_where_they_can_be(text: str):
    plain = {
        "=name": r"(?<=[a-z,;] )[A-Z][a-z]+",
        "=tight mark": r"[a-z][,.;:!?][a-zA-Z]",
        "=loose mark": r"\w +[,.;:!?]",
        "=many marks": r"[!?]{2,}|\.{2,}",
        "=link": r"https?:|www\.",
    }
    for name, pattern in plain.items():
        assert convincing._places(name, text) == len(re.findall(pattern, text)), name


def test_words_and_neighbours_count_once_a_text():
    # "a b a b c": a, b, c once each, so 1 + 2 + 0; neighbours a b and b a, so 10 + 0; none across texts.
    grams = NGrams({"a": 1.0, "b": 2.0, "=has a": 50.0, "~a": 7.0, "a b": 10.0, "b b": 20.0, "c a": 99.0})
    words = Words.of([["a", "b", "a", "b", "c"], [], ["a"], ["b", "b", "B"]])
    assert grams.of_words(words).tolist() == [3, 0, 1, 2]
    assert grams.of_words(words, "~").tolist() == [7, 0, 7, 0]
    assert grams.of_neighbours(words).tolist() == [10, 0, 0, 20]
    assert words.sizes.tolist() == [5, 0, 1, 3]
    lower = words.renamed(word.lower() for word in words.distinct)
    assert lower.once().sizes.tolist() == [3, 0, 1, 1]
    assert words.once().sizes.tolist() == [3, 0, 1, 2]


def test_no_weights_weigh_nothing():
    words = Words.of([["a", "b"], []])
    assert NGrams({}).of_neighbours(words).tolist() == NGrams({}).of_words(words).tolist() == [0, 0]
    assert NGrams({"a b": 1.0}).of_neighbours(Words.of([])).tolist() == []
