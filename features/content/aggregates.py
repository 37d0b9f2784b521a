"""What an argument is made of: values of its sentences, summed, averaged, or the best of them.

A pair of a rich argument is better than the same words in a poor one. Counts are over all of the argument; means
and maxima over its candidate sentences.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from features.content.readability import COUNTS, count
from features.core.registry import feature
from features.core.statistics import FloatArray
from features.core.tables import Context

_feature = partial(feature, "argument", group="aggregates", lift=("min",))

COUNTED: dict[str, str] = {
    "words": COUNTS["words"],
    "polysyllables": COUNTS["polysyllables"],
    "hard_words": COUNTS["hard_words"],
}
"""Counts over all of the argument's text -> what is counted."""

MEANS: dict[str, str] = {
    "argumentative": "probability of being a claim or evidence",
    "convincing": "learned quality of the sentences",
    "n_words": "words a sentence",
}

BEST: dict[str, str] = {
    "argumentative": "probability of being a claim or evidence",
    "convincing": "learned quality of the sentence",
}


def mean_value(c: Context, name: str) -> FloatArray:
    """(n_arguments,) mean of a text feature over the candidate sentences of each argument."""
    owner = c.sentences.argument
    number = np.bincount(owner, minlength=len(c.arguments))
    return np.asarray(np.bincount(owner, c.text_values[name], len(c.arguments)) / np.maximum(number, 1))


def _counts(c: Context) -> dict[str, FloatArray]:
    return count(c.arguments.text)


def _counted(name: str) -> Callable[[Context], FloatArray]:
    return lambda c: np.log1p(c.shared("readability counts", _counts)[name])


def _mean(name: str) -> Callable[[Context], FloatArray]:
    return lambda c: mean_value(c, name)


def _best(name: str) -> Callable[[Context], FloatArray]:
    def compute(c: Context) -> FloatArray:
        found = np.full(len(c.arguments), -np.inf)
        np.maximum.at(found, c.sentences.argument, c.text_values[name])
        return np.where(np.isfinite(found), found, 0)

    return compute


for _name, _what in COUNTED.items():
    _feature(
        name=f"total_{_name}",
        unit="ln(1 + count)",
        range=(0, np.inf),
        description=f"{_what} in the whole argument, logarithmic",
        source="textstat 0.7.8",
    )(_counted(_name))
for _name, _what in MEANS.items():
    _feature(
        name=f"mean_{_name}",
        unit="mean",
        range=(0, np.inf),
        description=f"{_what}, mean over the argument",
    )(_mean(_name))
for _name, _what in BEST.items():
    _feature(
        name=f"best_{_name}",
        unit="maximum",
        range=(0, np.inf),
        description=f"{_what}, the best sentence of the argument",
    )(_best(_name))


@_feature(
    unit="ln(1 + terms)",
    range=(0, np.inf),
    description="different index terms of the argument, logarithmic",
)
def distinct_terms(c: Context) -> FloatArray:
    """Length without repetition."""
    return np.log1p([len(set(terms)) for terms in c.arguments.terms])
