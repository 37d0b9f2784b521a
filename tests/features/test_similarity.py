from __future__ import annotations

import math
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.tables import Source, compute, make_context

from features.pair.similarity import NEAR_DUPLICATE, near_duplicate_clusters


def one_each(*texts: str) -> tuple[Source, ...]:
    """Every text the only premise of an argument."""
    return tuple(Source(f"S{n}-A{n}", "PRO", "", (text,)) for n, text in enumerate(texts))


def pairwise(name: str, *texts: str) -> list[float]:
    context = make_context(one_each(*texts), pairs=list(combinations(range(len(texts)), 2)))
    return compute(name, context).tolist()


def clusters(*texts: str) -> list[int]:
    context = make_context(one_each(*texts), pairs=[])
    found = near_duplicate_clusters(context.sentence_counts, context.sentences.exact_key).tolist()
    return [found.index(number) for number in found]


# ---- of two sentences -----------------------------------------------------------------------------


def test_jaccard_by_hand():
    # {wind, power, coal} and {coal, power, gas, sun} share 2 of 5; function words, order, inflection and
    # repetition are nothing; a sentence without content words shares nothing, not even with itself.
    assert pairwise("jaccard", "Wind power, coal, coal", "the coal powers gas and sun", "It is") == [2 / 5, 0, 0]
    assert pairwise("jaccard", "Coals burn", "Burning coal", "Tea") == [1, 0, 0]
    assert pairwise("jaccard", "It is", "It is") == [0]


def test_tfidf_similarity_by_hand():
    # idf in 3 sentences: coal (2 of 3) ln(1 + 1.5/2.5), gas and tea (1 of 3) ln(1 + 2.5/1.5).
    often, rare = math.log(1.6), math.log(1 + 2.5 / 1.5)
    found = pairwise("tfidf_similarity", "coal gas", "coal", "tea")
    assert found == pytest.approx([often / math.hypot(often, rare), 0, 0])


# ---- of a sentence and its argument ---------------------------------------------------------------


def test_conclusion_similarity():
    corpus = (Source("S1-A1", "PRO", "Coal burns", ("Burning coal", "Tea")), Source("S2-A2", "PRO", "", ("Coal",)))
    found = compute("conclusion_similarity", make_context(corpus, pairs=[(0, 1)]))
    assert found.tolist() == pytest.approx([1, 0, 1, 0])


def test_conclusions_similarity():
    corpus = (
        Source("S1-A1", "PRO", "Coal burns", ("One",)),
        Source("S2-A2", "PRO", "Burning coals", ("Two",)),
        Source("S3-A3", "PRO", "", ("Three",)),
    )
    # Rows: 0 One, 1 its conclusion, 2 Two, 3 its conclusion, 4 Three, which has none but stands in one argument.
    found = compute("conclusions_similarity", make_context(corpus, pairs=[(0, 2), (0, 1), (0, 4), (4, 4)]))
    assert found.tolist() == pytest.approx([1, 1, 0, 1])


# ---- clusters -------------------------------------------------------------------------------------


def test_clusters_are_transitive():
    # 0-1 and 1-2 share 4 of 5 words, 0-2 only 4 of 6: one cluster all the same.
    a, b, c = "coal gas wind sun tide", "coal gas wind sun", "coal gas wind sun wood"
    assert pairwise("jaccard", a, b, c) == pytest.approx([0.8, 4 / 6, 0.8])
    assert clusters(a, b, c) == [0, 0, 0]
    assert clusters(a, c) == [0, 1]


words = st.lists(st.sampled_from("coal gas wind sun tide wood the".split()), max_size=7).map(" ".join)


@settings(max_examples=60, deadline=None)
@given(st.lists(words, min_size=1, max_size=7))
def test_clusters_are_what_a_search_by_hand_finds(texts: list[str]):
    sets = [set(text.split()) - {"the"} for text in texts]

    def alike(i: int, j: int) -> bool:
        union = sets[i] | sets[j]
        return (bool(union) and len(sets[i] & sets[j]) / len(union) >= NEAR_DUPLICATE) or texts[i] == texts[j]

    expected = list(range(len(texts)))
    for _ in texts:
        for i, j in combinations(range(len(texts)), 2):
            if alike(i, j):
                expected[i] = expected[j] = min(expected[i], expected[j])
    assert clusters(*texts) == expected
