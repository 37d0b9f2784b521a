"""What an argument is made of: values of its sentences, summed, averaged, or the best of them.

A pair of a rich argument is better than the same words in a poor one. Counts are over all of the argument; means
and maxima over its candidate sentences.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from features.content.readability import COUNTS, count, count_words
from features.core.feature import feature
from features.core.statistics import FloatArray
from features.core.tables import Context, once

_feature = partial(feature, "argument", group="aggregates", range=(0, np.inf), lift=("min",))

COUNTED = ("words", "polysyllables", "hard_words")
MEANS = {
    "argumentative": "probability of being a claim or evidence",
    "convincing": "learned quality of the sentences",
    "n_words": "words a sentence",
}
BEST = {"argumentative": MEANS["argumentative"], "convincing": "learned quality of the sentence"}


@once
def _counts(c: Context) -> dict[str, FloatArray]:
    return count(c.arguments.text)


def _total(name: str) -> Callable[[Context], FloatArray]:
    if name == "words":  # the one that pairs are ranked by: syllables of all words would take long
        return lambda c: np.log1p(count_words(c.arguments.text))
    return lambda c: np.log1p(_counts(c)[name])


def _mean(name: str) -> Callable[[Context], FloatArray]:
    def compute(c: Context) -> FloatArray:
        owner, size = c.sentences.argument, len(c.arguments)
        sums = np.bincount(owner, c.text_values[name], size)
        return np.asarray(sums / np.maximum(np.bincount(owner, minlength=size), 1))

    return compute


def _best(name: str) -> Callable[[Context], FloatArray]:
    def compute(c: Context) -> FloatArray:
        best = np.full(len(c.arguments), -np.inf)
        np.maximum.at(best, c.sentences.argument, c.text_values[name])
        return np.where(np.isfinite(best), best, 0)

    return compute


for _name in COUNTED:
    _feature(
        name=f"total_{_name}",
        measured_in="ln(1 + count)",
        description=f"{COUNTS[_name]} in the whole argument, logarithmic",
        source="textstat 0.7.8",
    )(_total(_name))
for _name, _what in MEANS.items():
    _feature(name=f"mean_{_name}", measured_in="mean", description=f"{_what}, mean over the argument")(_mean(_name))
for _name, _what in BEST.items():
    _feature(name=f"best_{_name}", measured_in="maximum", description=f"{_what}, the best sentence of the argument")(
        _best(_name)
    )


@_feature(measured_in="ln(1 + terms)")
def distinct_terms(c: Context) -> FloatArray:
    """Different index terms of the argument, logarithmic."""
    return np.log1p([len(set(terms)) for terms in c.arguments.terms])
