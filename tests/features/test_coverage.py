from __future__ import annotations

from math import log, log1p

import numpy as np
import pytest
from support.tables import Source, compute, of_arguments

from features.core.tables import Context

ARGUMENTS = (
    Source("S1-A1", "PRO", "", ("Cats chase dogs.", "Cats sleep.", "Birds sing.")),
    Source("S1-A2", "CON", "", ("Loud dogs bark.", "Birds, dogs, dogs.")),
    Source("S2-A3", "CON", "Fish swim", ("Is it?",)),
)
REST = Source("S9-A9", "PRO", "", ("water " * 90,))
TITLE = "Cats or dogs?"


def argument(*premises: str) -> Source:
    return Source("S1-A1", "PRO", "", premises)


@pytest.fixture(scope="module")
def context() -> Context:
    return of_arguments(ARGUMENTS, TITLE, REST)


# Eight sentences in all, of which two speak of cats and three of dogs.
CAT, DOG = log(1 + 6.5 / 2.5), log(1 + 5.5 / 3.5)
W_CAT, W_DOG = CAT / (CAT + DOG), DOG / (CAT + DOG)


def test_sentences_on_the_topic_by_hand(context: Context):
    # All of the topic, cats, nothing; dogs twice; nothing.
    expected = np.log1p([1 + W_CAT, 2 * W_DOG, 0])
    np.testing.assert_allclose(compute("topic_sentences", context), expected, rtol=1e-12)
    expected = np.log1p([1 + W_CAT**2, 2 * W_DOG**2, 0])
    np.testing.assert_allclose(compute("topic_sentences_squared", context), expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("premises", "expected"),
    [
        (("Cats chase.",), 1),
        (("Loud cats chase birds.",), 3 / 4),
        (("Is it?", "Birds sing.", "Cats, dogs."), 2 / 4),  # stop words are no words here
        (("Birds sing on the dogs.",), 1 / 3),
        (("Birds sing.", "Fish swim."), 0),
        (("",), 0),
        (("Is it?",), 0),
    ],
)
def test_how_soon_the_topic_comes(premises: tuple[str, ...], expected: float):
    np.testing.assert_allclose(compute("topic_start", of_arguments([argument(*premises)], TITLE)), [expected])


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
    context = of_arguments([argument(*premises)], "Should cats chase dogs?")
    np.testing.assert_allclose(compute("bigram_places", context), [log1p(expected)])
