from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from support.tables import Source, compute, make_context, make_pairs

from features.content import aggregates
from features.core.tables import Context, SentenceTable

CORPUS = (
    Source("S1-A1", "PRO", "Tea", ("The university educates, however slowly.", "Cats and dogs and cats.")),
    Source("S1-A2", "CON", "", ("Why not?",)),
    Source("S2-A3", "CON", "", ("",)),
)


def only(context: Context, kept: Sequence[int]) -> Context:
    """The same arguments with some of their sentences as candidates."""
    rows = np.array(kept, np.int64)
    columns = {
        name: column[rows] if isinstance(column, np.ndarray) else [column[i] for i in kept]
        for name, column in vars(context.sentences).items()
    }
    values = {name: value[rows] for name, value in context.text_values.items()}
    return replace(context, sentences=SentenceTable(**columns), pairs=make_pairs([]), text_values=values)


@pytest.fixture(scope="module")
def context() -> Context:
    return make_context(CORPUS, "tea")


# ---- counts over all of the text


def test_words_of_the_whole_argument(context: Context):
    # 5 + 5 + 1, 2, 0
    np.testing.assert_allclose(compute("total_words", context), np.log1p([11, 2, 0]))


def test_long_words_of_the_whole_argument(context: Context):
    # "university", "educates" and "however"; the last one is on the Dale-Chall list.
    np.testing.assert_allclose(compute("total_polysyllables", context), np.log1p([3, 0, 0]))
    np.testing.assert_allclose(compute("total_hard_words", context), np.log1p([2, 0, 0]))


def test_different_terms_of_the_argument(context: Context):
    # university, educate, however, slowly, cat, dog, tea; "why" and "not" are stop words.
    np.testing.assert_allclose(compute("distinct_terms", context), np.log1p([7, 0, 0]))
    cats = make_context([Source("S1-A1", "PRO", "Cat!", ("Cats and dogs and cats.", "A cat."))], "tea")
    np.testing.assert_allclose(compute("distinct_terms", cats), np.log1p([2]))


# ---- values of sentences

# Sentences of the corpus: three of the first argument (its conclusion last), one of each of the others.
VALUES = (1, 0.5, 3, 2, 0)


@pytest.mark.parametrize(
    ("name", "whole", "some"),
    [
        *((f"mean_{name}", [1.5, 2, 0], [[2, 0, 0], [0.75, 0, 0]]) for name in aggregates.MEANS),
        *((f"best_{name}", [3, 2, 0], [[3, 0, 0], [1, 0, 0]]) for name in aggregates.BEST),
    ],
)
def test_means_and_the_best(context: Context, name: str, whole: list[float], some: list[list[float]]):
    valued = replace(context, text_values={name.partition("_")[2]: np.array(VALUES, np.float32)})
    np.testing.assert_allclose(compute(name, valued), whole)
    for kept, expected in zip(([0, 2, 4], [0, 1, 4]), some, strict=True):
        np.testing.assert_allclose(compute(name, only(valued, kept)), expected)
