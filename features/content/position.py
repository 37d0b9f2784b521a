"""Where the sentences stand in their arguments and to each other."""

from __future__ import annotations

from functools import partial

import numpy as np

from features.core.feature import feature
from features.core.statistics import FloatArray
from features.core.tables import Context

_feature = partial(feature, group="position")
_place = partial(_feature, "sentence", range=(0, np.inf), lift=("first", "second"))


def _lengths(c: Context) -> FloatArray:
    return c.arguments.length[c.sentences.argument]


def _same(c: Context) -> FloatArray:
    argument = c.sentences.argument
    return np.asarray(c.of_first(argument) == c.of_second(argument))


@_place(measured_in="sentences", description="sentences before this one in its argument")
def index_from_start(c: Context) -> FloatArray:
    """0 for the first sentence."""
    return c.sentences.index


@_place(measured_in="sentences", description="sentences after this one in its argument")
def index_from_end(c: Context) -> FloatArray:
    """0 for the last sentence."""
    return _lengths(c) - 1 - c.sentences.index


@_place(measured_in="share", range=(0, 1), description="relative position in the argument: 0 first, 1 last")
def relative_position(c: Context) -> FloatArray:
    """Position over length."""
    return c.sentences.index / np.maximum(_lengths(c) - 1, 1)


@_feature("pair", measured_in="flag", range=(0, 1), description="both sentences come from one argument")
def same_argument(c: Context) -> FloatArray:
    """Within or across arguments."""
    return _same(c)


@_feature(
    "pair",
    measured_in="sentences",
    range=(-1, np.inf),
    description="sentences from one to the other in their argument; -1 across arguments",
)
def distance(c: Context) -> FloatArray:
    """Distance in reading order."""
    index = c.sentences.index
    return np.where(_same(c), np.abs(c.of_first(index) - c.of_second(index)), -1)


@_feature("pair", measured_in="flag", range=(0, 1), description="neighbours in one argument")
def adjacent(c: Context) -> FloatArray:
    """One follows the other."""
    return distance(c) == 1


@_feature("argument", measured_in="sentences", range=(0, np.inf), description="sentences of the argument")
def argument_sentences(c: Context) -> FloatArray:
    """Length in sentences."""
    return c.arguments.length


@_feature(
    "argument",
    measured_in="ln(1 + terms)",
    range=(0, np.inf),
    description="length of the argument in index terms, logarithmic",
)
def argument_terms(c: Context) -> FloatArray:
    """Length in index terms."""
    return np.log1p([len(terms) for terms in c.arguments.terms])
