"""Which pair stands for its arguments: the signs that the weak labels and the blend's choice of pairs share."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

import numpy as np
import numpy.typing as npt
import pandas as pd

from features.registry import find
from models.base import Scores, percentile

WEIGHTS = Path(__file__).with_name("choice.json")


def read_signs(path: Path) -> dict[str, float]:
    """Weights as ``experiments.choice`` writes them: feature -> how much it counts, below 0 where less is better."""
    return {str(name): float(weight) for name, weight in json.loads(path.read_text("utf-8"))["weights"].items()}


SIGNS: dict[str, float] = read_signs(WEIGHTS)
"""What makes a sentence stand for its argument, and how much each sign counts; ``choice.json`` says where from."""


def representativeness(
    features: pd.DataFrame, units: npt.NDArray[np.int64], signs: Mapping[str, float] = MappingProxyType(SIGNS)
) -> Scores:
    """(n_rows,) in [0, 1]: weighted mean percentile of the signs among the pairs of the same two arguments.

    A negative weight turns a sign round.
    """
    total = np.zeros(len(features))
    for name, weight in sorted(signs.items()):  # one order of summing, however the signs were stored
        place = places(features, units, name)
        total += weight * place if weight > 0 else -weight * (1 - place)
    return total / sum(abs(weight) for _, weight in sorted(signs.items()))


def places(features: pd.DataFrame, units: npt.NDArray[np.int64], name: str) -> Scores:
    """(n_rows,) percentile of a sign among the pairs of the same two arguments.

    The sign of a pair is that of its pair feature, or the sum over its two sentences.
    """
    both = sum(features[column].to_numpy(np.float64) for column in sign_columns(name))
    return percentile(np.round(both, 6), units)


def sign_columns(name: str) -> list[str]:
    """The columns whose sum over a pair is its sign: two of a sentence's feature, one of a pair's."""
    return list(_columns(name))


@cache
def _columns(name: str) -> tuple[str, ...]:
    columns = find(name).columns
    # A third one (the mean) would count a sentence twice, a lone minimum would leave one out.
    if len(columns) != (1 if find(name).scope == "pair" else 2):
        raise ValueError(f"feature {name!r} can be no sign: a pair has it as {', '.join(columns)}")
    return columns
