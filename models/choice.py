"""Which pair stands for its arguments: the signs that the weak labels and the ranker's prior share."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType

import numpy as np
import numpy.typing as npt
import pandas as pd

from models.base import Scores, percentile

SIGNS: dict[str, float] = {
    "centrality": 1.0,
    "latent_centrality": 1.0,
    "conclusion_similarity": 1.0,
    "n_letters": 1.0,
    "relative_position": -0.5,
}
"""What makes a sentence stand for its argument, and how much each sign counts."""


def representativeness(
    features: pd.DataFrame, units: npt.NDArray[np.int64], signs: Mapping[str, float] = MappingProxyType(SIGNS)
) -> Scores:
    """(n_rows,) in [0, 1]: weighted mean percentile of the signs among the pairs of the same two arguments.

    Each sign is the sum over the two sentences; a negative weight turns it round.
    """
    total = np.zeros(len(features))
    for name, weight in sorted(signs.items()):  # one order of summing, however the signs were stored
        both = sum(features[column].to_numpy(np.float64) for column in sign_columns(list(features.columns), name))
        place = percentile(np.round(both, 6), units)
        total += weight * place if weight > 0 else -weight * (1 - place)
    return total / sum(map(abs, signs.values()))


def sign_columns(columns: Collection[str], name: str) -> list[str]:
    """The two columns whose sum over a pair is that of the sentence values, however they were lifted."""
    known = set(columns)
    for lifts in (("min", "max"), ("first", "second")):
        found = [f"{name}_{lift}" for lift in lifts]
        if known.issuperset(found):
            return found
    raise KeyError(f"{name} is not lifted as min and max, or first and second")
