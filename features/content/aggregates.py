"""Values of an argument's sentences: summed, averaged, or the best of them.

A pair of a rich argument is better than the same words in a poor one. Counts are over all of the argument; means
and maxima over its candidate sentences.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from features.content.readability import COUNTS, count, count_words
from features.core.feature import ALL_KINDS, OF_ARGUMENTS, ItemKind, feature
from features.core.statistics import FloatArray
from features.core.tables import Context, once

_feature = partial(feature, "argument", group="aggregates", range=(0, np.inf), lift=("min",))
OF_TEXTS: tuple[ItemKind, ...] = ("argument", "document")

COUNTED: dict[str, tuple[ItemKind, ...]] = {
    "words": OF_TEXTS,
    "polysyllables": ("argument",),
    "hard_words": ("argument",),
}
"""Count -> the items that have its sum over the argument."""
MEANS = {
    "argumentative": ("probability of being a claim or evidence", OF_TEXTS),
    "convincing": ("learned quality of the sentences", ALL_KINDS),
    "n_words": ("words a sentence", OF_ARGUMENTS),
}
BEST: dict[str, tuple[str, tuple[ItemKind, ...]]] = {
    "argumentative": ("probability of being a claim or evidence", OF_TEXTS),
    "convincing": ("learned quality of the sentence", ("argument",)),
}
"""Text feature -> its meaning, and the items that have its mean or its best value."""


@once
def _counts(c: Context) -> dict[str, FloatArray]:
    return count(c.arguments.text)


def _total(name: str) -> Callable[[Context], FloatArray]:
    if name == "words":  # the one that documents have: syllables of all words would take long
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


_count = partial(_feature, measured_in="ln(1 + count)", source="textstat 0.7.8")
for _name, _kinds in COUNTED.items():
    _description = f"{COUNTS[_name]} in the whole argument, logarithmic"
    _count(name=f"total_{_name}", kinds=_kinds, description=_description)(_total(_name))
for _name, (_what, _kinds) in MEANS.items():
    _description = f"{_what}, mean over the argument"
    _feature(name=f"mean_{_name}", measured_in="mean", kinds=_kinds, description=_description)(_mean(_name))
for _name, (_what, _kinds) in BEST.items():
    _description = f"{_what}, the best sentence of the argument"
    _feature(name=f"best_{_name}", measured_in="maximum", kinds=_kinds, description=_description)(_best(_name))


@_feature(measured_in="ln(1 + terms)", kinds=OF_ARGUMENTS)
def distinct_terms(c: Context) -> FloatArray:
    """Different index terms of the argument, logarithmic."""
    return np.log1p([len(set(terms)) for terms in c.arguments.terms])
