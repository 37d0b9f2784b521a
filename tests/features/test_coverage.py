from __future__ import annotations

from collections.abc import Sequence
from math import log, log1p

import numpy as np
import pytest
from support.tables import Source, make_context, make_statistics

from features.core.feature import find
from features.core.tables import Context

NAMES = ["topic_sentences", "topic_sentences_squared", "key_sentences", "topic_start", "bigram_places"]
ARGUMENTS = (
    Source("S1-A1", "PRO", "", ("Cats chase dogs.", "Cats sleep.", "Birds sing.")),
    Source("S1-A2", "CON", "", ("Loud dogs bark.", "Birds, dogs, dogs.")),
    Source("S2-A3", "CON", "Fish swim", ("Is it?",)),
)
REST = Source("S9-A9", "PRO", "", ("water " * 90,))
TITLE = "Cats or dogs?"


def compute(name: str, context: Context) -> np.ndarray:
    return np.asarray(find(name).compute(context), np.float64)


def of(arguments: Sequence[Source], title: str = TITLE, *rest: Source) -> Context:
    return make_context(arguments, title, [], make_statistics([*arguments, *rest]))


def argument(*premises: str) -> Source:
    return Source("S1-A1", "PRO", "", premises)


@pytest.fixture(scope="module")
def context() -> Context:
    return of(ARGUMENTS, TITLE, REST)


# Eight sentences in all, of which two speak of cats and three of dogs.
CAT, DOG = log(1 + 6.5 / 2.5), log(1 + 5.5 / 3.5)
W_CAT, W_DOG = CAT / (CAT + DOG), DOG / (CAT + DOG)


def test_sentences_on_the_topic_by_hand(context: Context):
    # All of the topic, cats, nothing; dogs twice; nothing.
    expected = np.log1p([1 + W_CAT, 2 * W_DOG, 0])
    np.testing.assert_allclose(compute("topic_sentences", context), expected, rtol=1e-12)


def test_squared_shares_by_hand(context: Context):
    expected = np.log1p([1 + W_CAT**2, 2 * W_DOG**2, 0])
    np.testing.assert_allclose(compute("topic_sentences_squared", context), expected, rtol=1e-12)


def test_one_sentence_on_all_of_the_topic_beats_two_on_half_of_it():
    one, two = argument("Cats, dogs.", "Birds."), argument("Cats, birds.", "Dogs.")
    context = of([one, two])
    together, apart = compute("topic_sentences", context)
    assert together == pytest.approx(apart)
    together, apart = compute("topic_sentences_squared", context)
    assert together > apart


def test_both_words_in_one_sentence(context: Context):
    np.testing.assert_allclose(compute("key_sentences", context), [log(2), 0, 0])
    twice = argument("Cats, dogs.", "Dogs bark.", "Dogs, cats, dogs!")
    np.testing.assert_allclose(compute("key_sentences", of([twice], TITLE, REST)), [log(3)])


def test_both_words_are_those_that_are_the_point():
    # No argument speaks of the others.
    found = compute("key_sentences", of(ARGUMENTS, "Water, xyzzy, dogs and cats?", REST))
    np.testing.assert_allclose(found, [log(2), 0, 0])


def test_a_topic_of_one_word_needs_no_other():
    np.testing.assert_allclose(compute("key_sentences", of(ARGUMENTS, "Dogs?", REST)), [log(2), log(3), 0])


@pytest.mark.parametrize(
    ("premises", "expected"),
    [
        (("Cats chase.",), 1),
        (("Loud cats chase birds.",), 3 / 4),
        (("Is it?", "Birds sing.", "Cats, dogs."), 2 / 4),  # stop words are no words here
        (("Birds sing on the dogs.",), 1 / 3),
        (("Birds sing.", "Fish swim."), 0),
    ],
)
def test_how_soon_the_topic_comes(premises: tuple[str, ...], expected: float):
    np.testing.assert_allclose(compute("topic_start", of([argument(*premises)])), [expected])


@pytest.mark.parametrize("premises", [("",), ("Is it?",)])
def test_an_argument_without_words_never_comes_to_the_topic(premises: tuple[str, ...]):
    np.testing.assert_allclose(compute("topic_start", of([argument(*premises)])), [0])


@pytest.mark.parametrize(
    ("premises", "expected"),
    [
        (("Cats chase dogs.",), 2),
        (("Cats chase cats, chase cats, chase.",), 3),
        (("Dogs chase cats.",), 0),
        (("The cats will chase the dogs.",), 2),  # stop words do not part neighbours
        (("Cats quickly chase.",), 0),
        (("Cats.", "Chase dogs."), 1),  # sentences do
        (("Cats dogs.",), 0),
        (("",), 0),
    ],
)
def test_places_of_neighbours(premises: tuple[str, ...], expected: int):
    context = of([argument(*premises)], "Should cats chase dogs?")
    np.testing.assert_allclose(compute("bigram_places", context), [log1p(expected)])


def test_a_topic_of_one_word_has_no_neighbours(context: Context):
    assert (compute("bigram_places", of(ARGUMENTS, "Dogs?")) == 0).all()


def test_conclusions_are_sentences_too():
    concluded = Source("S1-A1", "PRO", "Cats chase dogs", ("Birds sing.",))
    context = of([concluded], "Cats chase dogs?")
    np.testing.assert_allclose(compute("topic_sentences", context), [log(2)])
    np.testing.assert_allclose(compute("bigram_places", context), [log(3)])
    np.testing.assert_allclose(compute("topic_start", context), [3 / 5])


# ---- what they owe


@pytest.mark.parametrize("name", NAMES)
def test_order_of_candidates_changes_nothing(name: str, context: Context):
    for order in ((2, 0, 1), (1, 2, 0)):
        other = of([ARGUMENTS[i] for i in order], TITLE, REST)
        np.testing.assert_allclose(compute(name, other), compute(name, context)[list(order)], rtol=1e-9)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "topic_start"])
def test_order_of_sentences_changes_nothing(name: str, context: Context):
    turned = [Source(a.id, a.stance, a.conclusion, a.premises[::-1]) for a in ARGUMENTS]
    np.testing.assert_allclose(compute(name, of(turned, TITLE, REST)), compute(name, context), rtol=1e-9)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("title", ["Xyzzy plugh?", "Xyzzy?"])
def test_topics_that_the_corpus_does_not_know(name: str, title: str):
    for arguments in (ARGUMENTS[:2], ARGUMENTS[:1]):
        np.testing.assert_array_equal(compute(name, of(arguments, title)), np.zeros(len(arguments)))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("title", ["", "Should it be?"])
def test_a_topic_without_words_is_nowhere(name: str, title: str):
    np.testing.assert_array_equal(compute(name, of(ARGUMENTS[:2], title)), [0, 0])


@pytest.mark.parametrize("name", NAMES)
def test_no_argument_at_all(name: str):
    assert compute(name, of([], TITLE, REST)).shape == (0,)


def test_facts():
    for name in NAMES:
        found = find(name)
        assert (found.scope, found.group, found.columns()) == ("argument", "lexical", (f"{name}_min",))
