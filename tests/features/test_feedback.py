from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import log, log1p, sqrt

import numpy as np
import pytest
from support.tables import Source, compute, make_context, make_statistics, of_arguments

from features.core.statistics import CollectionStatistics, term_hash
from features.core.tables import Context
from features.query import feedback
from features.query.feedback import MU, best_arguments, key_weights

ARGUMENTS = (
    Source("S1-A1", "PRO", "", ("Cats chase dogs.", "Cats sleep.")),
    Source("S1-A2", "CON", "", ("Dogs bark.", "Birds sing.")),
    Source("S2-A3", "CON", "", ("Swim, fish.",)),
)
REST = Source("S9-A9", "PRO", "", ("water " * 87 + "dogs dogs",))
"""Never a candidate: it fills the collection up to 100 terms, of which 2 are cats and 4 are dogs."""
TITLE = "Cats or dogs?"


@pytest.fixture(scope="module")
def context() -> Context:
    return of_arguments(ARGUMENTS, TITLE, REST)


# ---- the best arguments


def test_best_arguments_in_order(context: Context):
    # Two words of the topic, one, none.
    assert best_arguments(context, 5).tolist() == [0, 1, 2]
    assert best_arguments(of_arguments(ARGUMENTS[::-1], TITLE, REST), 5).tolist() == [2, 1, 0]
    assert best_arguments(context, 1).tolist() == [0]
    same = [Source(f"S1-A{n}", "PRO", "", ("Cats purr.",)) for n in range(5)]
    assert best_arguments(of_arguments(same, TITLE, REST), 3).tolist() == [0, 1, 2]


# ---- what the topic is about

# The mean share of the three arguments' terms, and the divergence from the share in the collection.
CAT = 2 / 15 * log(2 / 15 * 101 / 3)
DOG = (1 / 5 + 1 / 4) / 3 * log((1 / 5 + 1 / 4) / 3 * 101 / 5)
W_CAT, W_DOG = CAT / (CAT + DOG), DOG / (CAT + DOG)


def test_weights_of_the_words_by_hand(context: Context):
    np.testing.assert_allclose(key_weights(context), [W_CAT, W_DOG])


def test_a_word_that_no_argument_holds_is_decoration():
    context = of_arguments(ARGUMENTS, "Is it water, cats, xyzzy or dogs?", REST)
    weights = dict(zip(context.query, key_weights(context), strict=True))
    assert weights["cat"] == pytest.approx(W_CAT, rel=1e-6)
    assert weights["dog"] == pytest.approx(W_DOG, rel=1e-6)
    assert weights["water"] < 1e-6
    assert weights["xyzzi"] < 1e-6
    assert sum(weights.values()) == pytest.approx(1)


def test_key_terms_by_hand(context: Context):
    expected = [W_CAT * log(3) + W_DOG * log(2), W_DOG * log(2), 0]
    np.testing.assert_allclose(compute("key_terms", context), expected, rtol=1e-12)


def test_key_likelihood_by_hand(context: Context):
    def seen(count: int, frequency: int) -> float:
        return log1p(count / (MU * (frequency + 1) / 101))

    expected = [
        W_CAT * seen(2, 2) + W_DOG * seen(1, 4) + log(MU / (MU + 5)) / 2,
        W_DOG * seen(1, 4) + log(MU / (MU + 4)) / 2,
        log(MU / (MU + 2)) / 2,
    ]
    np.testing.assert_allclose(compute("key_likelihood", context), expected, rtol=1e-10)


def test_key_pair_by_hand(context: Context):
    np.testing.assert_allclose(compute("key_pair", context), [sqrt(log(3) * log(2)), 0, 0])
    # Words that are not the point do not matter; a topic of one word has no other.
    more = of_arguments(ARGUMENTS, "Water, dogs and cats?", REST)
    np.testing.assert_allclose(compute("key_pair", more), [sqrt(log(3) * log(2)), 0, 0])
    np.testing.assert_allclose(compute("key_pair", of_arguments(ARGUMENTS, "Dogs?", REST)), [log(2), log(2), 0])


# ---- words and places that feedback lends


def gains() -> dict[str, float]:
    """Share of the three arguments' language times its divergence; the number is the word's in the collection."""
    shares: Mapping[str, tuple[float, int]] = {
        "cat": (2 / 5 / 3, 2),
        "dog": ((1 / 5 + 1 / 4) / 3, 4),
        "chase": (1 / 5 / 3, 1),
        "sleep": (1 / 5 / 3, 1),
        "bark": (1 / 4 / 3, 1),
        "bird": (1 / 4 / 3, 1),
        "sing": (1 / 4 / 3, 1),
        "fish": (1 / 2 / 3, 1),
        "swim": (1 / 2 / 3, 1),
    }
    return {word: share * log(share * 101 / (number + 1)) for word, (share, number) in shares.items()}


HELD = (("cat", "chase", "dog", "sleep"), ("dog", "bark", "bird", "sing"), ("fish", "swim"))


def test_feedback_terms_by_hand(context: Context):
    gain = gains()
    assert len(gain) <= feedback.TERMS
    expected = [sum(gain[word] for word in held) / sum(gain.values()) for held in HELD]
    np.testing.assert_allclose(compute("feedback_terms", context), expected, rtol=1e-10)


def with_vectors(statistics: CollectionStatistics, vectors: Mapping[str, Sequence[float]]) -> CollectionStatistics:
    """The same counts with a latent space made by hand."""
    words = sorted(vectors, key=term_hash)
    return replace(
        statistics,
        lsa_terms=np.array([term_hash(word) for word in words], np.uint64),
        lsa_vectors=np.array([vectors[word] for word in words], np.float32),
    )


def flat(arguments: Sequence[Source], title: str) -> Context:
    """A latent space in which cats and dogs are at right angles, and nothing else is anywhere."""
    statistics = with_vectors(make_statistics(arguments), {"cat": (2, 0), "dog": (0, 2)})
    return make_context(arguments, title, [], statistics)


def test_nearness_to_the_best_by_hand():
    arguments = [
        Source("S1-A1", "PRO", "", ("Cats purr.",)),
        Source("S1-A2", "PRO", "", ("Dogs bark.",)),
        Source("S1-A3", "PRO", "", ("Cats, dogs.",)),
        Source("S1-A4", "PRO", "", ("Fish swim.",)),
    ]
    # Directions (1, 0), (0, 1), (1, 1) / sqrt 2 and none; their sum points to (1, 1).
    for name in ("feedback_nearness_20", "feedback_nearness_80"):
        found = compute(name, flat(arguments, TITLE))
        np.testing.assert_allclose(found, [sqrt(0.5), sqrt(0.5), 1, 0], atol=1e-6)
