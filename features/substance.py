"""What an argument is made of: values of its sentences, summed, averaged, or the best of them.

Judgments are of whole arguments, so what sentences say of themselves has to be said of their argument too
before it can be learned from. Counts are over all of it; markers are looked up in its candidate sentences.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from features.readability import COUNTS, count
from features.registry import feature
from features.statistics import FloatArray
from features.tables import Context

_feature = partial(feature, "argument", group="substance", lift=("min",))

COUNTED: dict[str, tuple[str, int]] = {
    "words": (COUNTS["words"], 1),
    "polysyllables": (COUNTS["polysyllables"], 1),
    "hard_words": (COUNTS["hard_words"], 1),
}
"""Counts over all of the argument's text -> what is counted, and which way it pulls."""

TOTALS: dict[str, tuple[str, int]] = {
    "contrast": ("contrast markers", 1),
    "causal": ("causal markers", 1),
    "evidence": ("evidence markers", 1),
    "modal": ("modal verbs", 1),
    "hedge": ("hedges", 1),
    "negation": ("negations", 1),
    "meta_talk": ("places of talk about the debate", -1),
    "second_person": ("second persons", -1),
}
"""Text feature -> what is counted (estimated from the candidate sentences). One line here is one more feature."""

MEANS: dict[str, tuple[str, int]] = {
    "argumentative": ("probability of being a claim or evidence", 1),
    "convincing": ("learned quality of the sentences", 1),
    "n_words": ("words a sentence", 1),
    "contrast": ("contrast markers a sentence", 1),
    "shouting": ("share of words in capitals", -1),
    "question": ("question marks a sentence", -1),
    "exclamation": ("exclamation marks a sentence", -1),
    "url": ("links a sentence", -1),
}

BEST: dict[str, tuple[str, int]] = {
    "argumentative": ("probability of being a claim or evidence", 1),
    "convincing": ("learned quality of the sentence", 1),
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


def _total(name: str) -> Callable[[Context], FloatArray]:
    return lambda c: np.log1p(np.maximum(mean_value(c, name), 0) * c.arguments.length)


def _mean(name: str) -> Callable[[Context], FloatArray]:
    return lambda c: mean_value(c, name)


def _best(name: str) -> Callable[[Context], FloatArray]:
    def compute(c: Context) -> FloatArray:
        found = np.full(len(c.arguments), -np.inf)
        np.maximum.at(found, c.sentences.argument, c.text_values[name])
        return np.where(np.isfinite(found), found, 0)

    return compute


for _name, (_what, _sign) in COUNTED.items():
    _feature(
        name=f"total_{_name}",
        unit="ln(1 + count)",
        range=(0, np.inf),
        description=f"{_what} in the whole argument, logarithmic",
        source="textstat 0.7.8",
        sign=_sign,
    )(_counted(_name))
for _name, (_what, _sign) in TOTALS.items():
    _feature(
        name=f"total_{_name}",
        unit="ln(1 + count)",
        range=(0, np.inf),
        description=f"{_what} in the whole argument, logarithmic",
        sign=_sign,
    )(_total(_name))
for _name, (_what, _sign) in MEANS.items():
    _feature(
        name=f"mean_{_name}",
        unit="mean",
        range=(0, np.inf),
        description=f"{_what}, mean over the argument",
        sign=_sign,
    )(_mean(_name))
for _name, (_what, _sign) in BEST.items():
    _feature(
        name=f"best_{_name}",
        unit="maximum",
        range=(0, np.inf),
        description=f"{_what}, the best sentence of the argument",
        sign=_sign,
    )(_best(_name))


@_feature(
    unit="ln(1 + terms)",
    range=(0, np.inf),
    description="different index terms of the argument, logarithmic",
    sign=1,
)
def distinct_terms(c: Context) -> FloatArray:
    """Length without repetition."""
    return np.log1p([len(set(terms)) for terms in c.arguments.terms])
