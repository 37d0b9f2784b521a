"""Words of many texts at once are those of :mod:`features.core.text`, text by text."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from support.references import assert_terms

from features.core.statistics import text_hash
from features.core.text import Analyzer
from ltr.index.vocabulary import Vocabulary

WILD = st.text(max_size=40)
PLAIN = st.lists(
    st.sampled_from(["The", "don't", "a'b'c", "''", "it's'", "internationalisation", "1st", " ", "-", "_", "’", "é"]),
    max_size=12,
)
TEXTS = st.lists(
    st.one_of(WILD, PLAIN.map("".join), PLAIN.map(" ".join)).filter(
        lambda text: not any("\ud800" <= c <= "\udfff" for c in text)
    ),
    max_size=8,
)


@given(TEXTS, TEXTS, st.booleans(), st.booleans())
@example(["İstanbul", "ﬁn", "x\n'y", "Straße ẞ", "٣ ²", "e\u0301a"], ["'", ""], True, True)
def test_terms_are_those_of_each_text(first: list[str], second: list[str], stem: bool, stop: bool) -> None:
    analyzer = Analyzer(stem=stem, stop=stop)
    vocabulary = Vocabulary(analyzer)
    for texts in (first, second):
        assert_terms(vocabulary, analyzer, texts)
    every = vocabulary.strings(np.arange(len(vocabulary)))
    assert len(set(every)) == len(every)
    assert vocabulary.hashes.tolist() == [text_hash(term) for term in every]


def test_very_long_words() -> None:
    texts = ["x" * 100_000, "x" * 100_001, "y" + "x" * 99_999, "x" * 100_000 + " tail"]
    analyzer = Analyzer(stem=False)
    vocabulary = Vocabulary(analyzer)
    terms = vocabulary.read(texts)
    assert len(set(terms.keys.tolist())) == 4
    assert vocabulary.strings(terms.flat) == [term for text in texts for term in analyzer.terms(text)]
