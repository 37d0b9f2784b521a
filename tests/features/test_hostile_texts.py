"""Texts that are made to take long: features of texts take a time that grows with the text, not with its square."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest

from features.content.matching import LONGEST
from features.core.describe import TextValues
from features.core.feature import all_features

NAMES = [feature.name for feature in all_features() if feature.scope == "text"]
HOSTILE: dict[str, Callable[[int], str]] = {
    "brackets": lambda size: "(" * size,
    "quotes": lambda size: '"' * size,
    "apostrophes": lambda size: "'" * size,
    "addresses": lambda size: "http://a." * (size // 9),
    "a word": lambda size: "anticonstitution" * (size // 16),
    "authors": lambda size: "(" + "Tom " * (size // 4),
    "marks between letters": lambda size: "a-b.c/d@" * (size // 8),
    "no English": lambda size: "語" * size,
}


def seconds(text: str) -> float:
    """Of the processor, the least of two."""
    times = []
    for place in "ab":  # another text, since pieces are remembered
        values = TextValues([place + text])
        start = time.process_time()
        for name in NAMES:
            assert np.isfinite(values[name]).all()
        times.append(time.process_time() - start)
    return min(times)


@pytest.mark.parametrize("what", HOSTILE)
def test_four_times_the_text_takes_no_sixteen_times_as_long(what: str):
    seconds("to start with")
    short, long = (seconds(HOSTILE[what](size)) for size in (15_000, 60_000))
    assert long < 8 * max(short, 0.02)


def test_what_comes_after_the_longest_piece_is_not_looked_at():
    # Of ten marks behind 399 letters one is within the bound; behind a blank all are.
    piece = "x" * (LONGEST - 1)
    values = TextValues([f"{piece}??????????", f"{piece} ??????????"])
    assert values["question"].tolist() == [1, 10]


def test_authors_and_a_year_are_seen_as_far_as_there_are_few():
    values = TextValues(["(Stab and Tom, 1999)", f"({'Tom ' * 41}1999)"])
    assert values["reference"].tolist() == [1, 0]
