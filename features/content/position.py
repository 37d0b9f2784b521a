"""Copies in the corpus, and where sentences stand in their arguments and to each other."""

from __future__ import annotations

from functools import partial

import numpy as np

from features.core.feature import OF_ARGUMENTS, feature
from features.core.statistics import FloatArray
from features.core.tables import Context

BOILERPLATE_COPIES = 5
"""A premise that stands this often in a corpus is a phrase of the portal, not of an argument."""


_copies = partial(feature, group="duplicates")


@_copies("sentence", measured_in="flag", range=(0, 1), lift=("max",))
def is_boilerplate(c: Context) -> FloatArray:
    """Boilerplate: a premise with 5 or more copies in the corpus.

    Conclusions are shared by a debate's arguments, and are not boilerplate.
    """
    return (c.sentences.near_count >= BOILERPLATE_COPIES) & ~c.sentences.is_conclusion


@_copies("argument", measured_in="ln(1 + arguments)", range=(0, np.inf), lift=("min",), kinds=OF_ARGUMENTS)
def debate_arguments(c: Context) -> FloatArray:
    """Arguments of the corpus with the same conclusion, logarithmic."""
    return np.log1p(c.arguments.conclusion_count)


_feature = partial(feature, group="position")
_place = partial(_feature, "sentence", range=(0, np.inf))


def _lengths(c: Context) -> FloatArray:
    return c.arguments.length[c.sentences.argument]


@_place(measured_in="sentences", lift=("second",))
def index_from_start(c: Context) -> FloatArray:
    """Sentences before this one in its argument."""
    return c.sentences.index


@_place(measured_in="sentences", lift=("first",))
def index_from_end(c: Context) -> FloatArray:
    """Sentences after this one in its argument."""
    return _lengths(c) - 1 - c.sentences.index


@_place(measured_in="share", range=(0, 1), lift=("first", "second"))
def relative_position(c: Context) -> FloatArray:
    """Relative position in the argument: 0 first, 1 last."""
    return c.sentences.index / np.maximum(_lengths(c) - 1, 1)


@_feature("pair", measured_in="flag", range=(0, 1))
def same_argument(c: Context) -> FloatArray:
    """Both sentences come from one argument."""
    argument = c.sentences.argument
    return np.asarray(c.of_first(argument) == c.of_second(argument))


@_feature("pair", measured_in="sentences", range=(-1, np.inf))
def distance(c: Context) -> FloatArray:
    """Sentences from one to the other in their argument; -1 across arguments."""
    index = c.sentences.index
    return np.where(same_argument(c), np.abs(c.of_first(index) - c.of_second(index)), -1)


@_feature("pair", measured_in="flag", range=(0, 1))
def adjacent(c: Context) -> FloatArray:
    """Neighbours in one argument."""
    return distance(c) == 1


@_feature("argument", measured_in="sentences", range=(0, np.inf), lift=("max",))
def argument_sentences(c: Context) -> FloatArray:
    """Sentences of the argument."""
    return c.arguments.length


@_feature("argument", measured_in="ln(1 + terms)", range=(0, np.inf))
def argument_terms(c: Context) -> FloatArray:
    """Length of the argument in index terms, logarithmic."""
    return np.log1p([len(terms) for terms in c.arguments.terms])
