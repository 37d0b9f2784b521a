"""Which pair stands for its arguments: the signs that the weak labels and the ranker's prior share."""

from __future__ import annotations

from collections.abc import Mapping
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
    "meta_talk": -1.0,
    "url": -1.0,
    "reference": -0.5,
}
"""What makes a sentence stand for its argument, and how much each sign counts."""

_LIFTS = {"relative_position": ("first", "second")}
"""How a sign is lifted to pairs, where it is not by min and max."""


def representativeness(
    features: pd.DataFrame, units: npt.NDArray[np.int64], signs: Mapping[str, float] = MappingProxyType(SIGNS)
) -> Scores:
    """(n_rows,) in [0, 1]: weighted mean percentile of the signs among the pairs of the same two arguments.

    Each sign is the sum over the two sentences; a negative weight turns it round.
    """
    total = np.zeros(len(features))
    for name, weight in sorted(signs.items()):  # one order of summing, however the signs were stored
        both = sum(features[column].to_numpy(np.float64) for column in sign_columns(name))
        place = percentile(np.round(both, 6), units)
        total += weight * place if weight > 0 else -weight * (1 - place)
    return total / sum(map(abs, signs.values()))


def sign_columns(name: str) -> list[str]:
    """The two columns whose sum over a pair is that of the sentence values."""
    return [f"{name}_{lift}" for lift in _LIFTS.get(name, ("min", "max"))]
