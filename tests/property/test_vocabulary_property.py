"""Words of many texts at once are those of :mod:`features.core.text`, text by text."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from support.references import assert_terms

from features.core.statistics import text_hash
from features.core.text import Analyzer, words
from ltr.index.vocabulary import Vocabulary, _distinct, byte_lengths, sequence_keys, set_keys

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


@given(TEXTS, st.integers(0, 8))
def test_keys_are_equal_for_the_same_words_in_the_same_order(texts: list[str], cut: int) -> None:
    whole = Vocabulary(Analyzer()).read([*texts, *texts]).keys
    other = Vocabulary(Analyzer())
    assert (
        np.concatenate([other.read(texts[:cut]).keys, other.read(texts[cut:]).keys]).tolist()
        == whole[: len(texts)].tolist()
    )
    forms = [tuple(words(text)) or text for text in [*texts, *texts]]
    assert len(set(whole.tolist())) == len(set(forms))
    assert [whole[i] == whole[j] for i in range(len(forms)) for j in range(i)] == [
        forms[i] == forms[j] for i in range(len(forms)) for j in range(i)
    ]


@given(st.lists(st.lists(st.integers(0, 3), max_size=4), min_size=1, max_size=8))
def test_keys_of_sequences_and_of_sets(groups: list[list[int]]) -> None:
    flat = np.array([value for group in groups for value in group], np.uint64)
    keys = sequence_keys(flat, np.cumsum([len(group) for group in groups]))
    assert len(set(keys.tolist())) == len({tuple(group) for group in groups})
    distinct = [sorted(set(group)) for group in groups]
    hashes = np.array([text_hash(str(value)) for group in distinct for value in group], np.uint64)
    owner = np.array([number for number, group in enumerate(distinct) for _ in group], np.int64)
    of_sets = set_keys(hashes, owner, len(groups))
    assert len(set(of_sets.tolist())) == len(set(map(tuple, distinct)))
    assert [key == 0 for key in of_sets] == [not group for group in distinct]


@given(st.lists(WILD.filter(lambda text: not any("\ud800" <= c <= "\udfff" for c in text)), max_size=5))
def test_lengths_in_bytes(texts: list[str]) -> None:
    assert byte_lengths(texts).tolist() == [len(text.encode()) for text in texts]


def test_very_long_words() -> None:
    texts = ["x" * 100_000, "x" * 100_001, "y" + "x" * 99_999, "x" * 100_000 + " tail"]
    analyzer = Analyzer(stem=False)
    vocabulary = Vocabulary(analyzer)
    terms = vocabulary.read(texts)
    assert len(set(terms.keys.tolist())) == 4
    assert vocabulary.strings(terms.flat) == [term for text in texts for term in analyzer.terms(text)]


@given(st.lists(st.sampled_from([0, 1, 2, 1 << 62, (1 << 62) + 1, 1 << 63, (1 << 64) - 1]), max_size=30))
def test_distinct_hashes_are_those_of_numpy(hashes: list[int]) -> None:
    values = np.array(hashes, np.uint64)  # of several, the first bits are the same
    rows, codes = _distinct(values)
    assert sorted(values[rows].tolist()) == np.unique(values).tolist()
    assert values[rows][codes].tolist() == hashes
