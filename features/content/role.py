"""Conclusion or premise: the roles of the two sentences."""

from __future__ import annotations

import numpy as np

from features.core.registry import feature
from features.core.statistics import FloatArray
from features.core.tables import Context


@feature(
    "sentence",
    group="role",
    unit="flag",
    range=(0, 1),
    lift=("first", "second"),
    description="the sentence is a conclusion",
)
def is_conclusion(c: Context) -> FloatArray:
    """CONC against PREMISE."""
    return c.sentences.is_conclusion


@feature(
    "pair",
    group="role",
    unit="conclusions",
    range=(0, 2),
    description="kind of the pair: 0 two premises, 1 conclusion and premise, 2 two conclusions",
)
def conclusions(c: Context) -> FloatArray:
    """How many of the two are conclusions."""
    roles = c.sentences.is_conclusion.astype(int)
    return np.asarray(c.of_first(roles) + c.of_second(roles))


@feature(
    "pair",
    group="role",
    unit="flag",
    range=(0, 1),
    description="a conclusion with a premise of its own argument",
)
def own_support(c: Context) -> FloatArray:
    """Claim and its own ground."""
    same = c.of_first(c.sentences.argument) == c.of_second(c.sentences.argument)
    return np.asarray(same & (conclusions(c) == 1))


@feature(
    "pair",
    group="role",
    unit="flag",
    range=(0, 1),
    description="the second sentence stands before the first in their argument",
)
def reversed_order(c: Context) -> FloatArray:
    """Who comes first in the text."""
    same = c.of_first(c.sentences.argument) == c.of_second(c.sentences.argument)
    return np.asarray(same & (c.of_first(c.sentences.index) > c.of_second(c.sentences.index)))


@feature("argument", group="role", unit="flag", range=(0, 1), description="the argument has a conclusion")
def has_conclusion(c: Context) -> FloatArray:
    """1,717 arguments of the open collection have none."""
    return np.array([bool(text.strip()) for text in c.arguments.conclusion_text])


@feature(
    "argument",
    group="role",
    unit="side",
    range=(-1, 1),
    description="stance of the premises toward the conclusion: 1 PRO, -1 CON, 0 unknown",
)
def stance(c: Context) -> FloatArray:
    """PRO or CON."""
    return np.array([{"PRO": 1, "CON": -1}.get(side, 0) for side in c.arguments.stance])


@feature(
    "pair",
    group="role",
    unit="flag",
    range=(0, 1),
    description="the arguments of both sentences have the same known stance",
)
def same_stance(c: Context) -> FloatArray:
    """Agreement of stances."""
    sides = stance(c)[c.sentences.argument]
    return np.asarray((c.of_first(sides) == c.of_second(sides)) & (c.of_first(sides) != 0))


@feature(
    "pair",
    group="role",
    unit="flag",
    range=(0, 1),
    description="the two sentences take opposite sides of one conclusion: a conclusion with a CON premise of its "
    "own, or PRO and CON premises under the same conclusion",
)
def stance_conflict(c: Context) -> FloatArray:
    """A conclusion is on its own side; a premise on that of its argument."""
    argument = c.sentences.argument
    known = stance(c)[argument]
    sides = np.where(c.sentences.is_conclusion, np.abs(known), known)
    numbers: dict[tuple[str, ...], int] = {}
    # Arguments without a conclusion, a negative number each, share none.
    debate = np.array(
        [
            numbers.setdefault(tuple(terms), len(numbers)) if terms else -1 - i
            for i, terms in enumerate(c.arguments.conclusion)
        ]
    )[argument]
    return np.asarray((c.of_first(debate) == c.of_second(debate)) & (c.of_first(sides) * c.of_second(sides) < 0))
