"""Features of texts: what one text has alone and among others, in training and in scoring, and sums by hand."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.weights import about

from features.core.words import Words
from features.learned import argumentative, convincing
from features.learned.linear_model import LinearModel, TextFeatures

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
def test_training_and_scoring_see_the_same(module: ModuleType, texts: list[str]):
    model = module.shipped()
    found = module.features(texts)
    names = sorted(found.names)
    weights = np.array([model.plain.get(name, 0) for name in names])
    odds = model.intercept[0] + found.matrix(names) @ weights
    np.testing.assert_allclose(module.score(texts, model), 0.5 * (1 + np.tanh(odds / 2)), rtol=0, atol=1e-12)


@pytest.mark.parametrize("module", [argumentative, convincing], ids=lambda m: m.__name__)
def test_scores_are_probabilities_and_the_same_in_every_process(module: ModuleType):
    texts = ["", "?!", "\x00", "A study of 2,000 patients found it.", "u r so stupid!!", "word " * 5000]
    found = module.score(texts, module.shipped())
    assert ((found > 0) & (found < 1)).all()
    assert module.score([], module.shipped()).shape == (0,)
    assert module.score(["so so"], LinearModel.binary(1e6, {})).tolist() == [1.0]
    np.testing.assert_array_equal(module.score(texts[::-1], module.shipped()), found[::-1])
    code = f"from {module.__name__} import *; print(score({texts[::-1]!r}, shipped())[::-1].tobytes().hex())"
    for seed in ("1", "2"):
        call = [sys.executable, "-c", code]
        done = subprocess.run(call, env={"PYTHONHASHSEED": seed}, capture_output=True, check=True, text=True)
        assert done.stdout.strip() == found.tobytes().hex()


@pytest.mark.parametrize(("module", "size"), [(argumentative, 600_000), (convincing, 500_000)])
def test_the_weights_are_small_plain_numbers(module: ModuleType, size: int):
    assert module.WEIGHTS.stat().st_size < size
    names = module.shipped().weights
    assert all(name.startswith("=") or len(name.split()) <= 2 for name in names)
    assert not any(name.startswith(("=words", "=distinct")) for name in names)


def test_the_weights_are_better_than_their_references():
    figures = about(argumentative.WEIGHTS)["figures"]
    assert figures["claims-test, AUC"] > figures["claims-test, AUC, reference: TF-IDF learned on claims-dev"]
    figures = about(convincing.WEIGHTS)["figures"]
    for source in ("argq-pairs", "eviconv-test"):
        assert figures[source]["score"][0] > figures[source]["longer text"][0] + 0.05


def test_words_and_neighbours_count_once_a_text():
    words = Words.of([["a", "b", "a", "b", "c"], [], ["a"], ["b", "b", "B"]])
    found = TextFeatures(4)
    found.add_words(words, np.array([1.0, 1.0, 2.0, 1.0]))
    found.add_words(words.neighbours(), np.ones(4))
    # Neighbours "b a" twice and "b c" once in the first text; none across texts.
    names = ["a", "b", "c", "B", "a b", "b a", "b c", "b b", "b B"]
    assert sorted(found.names) == sorted(names)
    assert found.matrix(names).toarray().tolist() == [
        [1, 1, 1, 0, 1, 1, 1, 0, 0],
        [0] * 9,
        [2, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 1, 0, 1, 0, 0, 0, 1, 1],
    ]
    # a + b and the two pairs; 2 * a; b and b b.
    assert found.weighted_sums({"a": 1, "b": 2, "a b": 10, "b b": 20, "elsewhere": 99}).tolist() == [13, 0, 2, 22]
    assert words.sizes.tolist() == [5, 0, 1, 3]
    lower = words.renamed(word.lower() for word in words.distinct)
    assert lower.once.sizes.tolist() == [3, 0, 1, 1]
    assert words.once.sizes.tolist() == [3, 0, 1, 2]
    values = np.array([[1.0, 0], [10, 0], [100, 1], [1000, 0]])  # of a, b, c, B
    assert words.sums(values).tolist() == [[122, 1], [0, 0], [1, 0], [1020, 0]]
    assert words.sums(np.zeros((4, 0))).shape == (4, 0)
