"""Conclusion or premise: the roles of the two sentences."""

from __future__ import annotations

from functools import partial

import numpy as np

from features.core.feature import feature
from features.core.statistics import FloatArray
from features.core.tables import Context
from features.core.words import Numbers

_feature = partial(feature, group="role")


@_feature("pair", measured_in="conclusions", range=(0, 2))
def conclusions(c: Context) -> FloatArray:
    """Kind of the pair: 0 two premises, 1 conclusion and premise, 2 two conclusions."""
    roles = c.sentences.is_conclusion.astype(int)
    return np.asarray(c.of_first(roles) + c.of_second(roles))


@_feature("argument", measured_in="side", range=(-1, 1), lift=("min",), kinds=("pair",))
def stance(c: Context) -> FloatArray:
    """Stance of the premises toward the conclusion: 1 PRO, -1 CON, 0 unknown."""
    return np.array([{"PRO": 1, "CON": -1}.get(side, 0) for side in c.arguments.stance])


@_feature("pair", measured_in="flag", range=(0, 1))
def stance_conflict(c: Context) -> FloatArray:
    """The two sentences take opposite sides of one conclusion: a conclusion with a CON premise of its own, or PRO
    and CON premises under the same conclusion.

    A conclusion is on its own side; a premise on that of its argument.
    """
    argument = c.sentences.argument
    known = stance(c)[argument]
    sides = np.where(c.sentences.is_conclusion, np.abs(known), known)
    numbers = Numbers()
    # Arguments without a conclusion, a negative number each, share none.
    numbered = [numbers[" ".join(terms)] if terms else -1 - i for i, terms in enumerate(c.arguments.conclusion)]
    debate = np.array(numbered)[argument]
    return np.asarray((c.of_first(debate) == c.of_second(debate)) & (c.of_first(sides) * c.of_second(sides) < 0))
