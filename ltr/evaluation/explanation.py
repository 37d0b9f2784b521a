"""Why a pair stands where it does: contributions of feature families, with the features behind them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from features.core.registry import all_columns
from models.contributions import family_of


@dataclass(frozen=True)
class Reason:
    """A feature, and what it adds to the score."""

    dimension: str
    family: str
    feature: str
    """The column."""
    description: str
    adds: float
    """Of the score; between two pairs, the difference."""
    value: float
    percentile: float
    """Share of the topic's candidates with a lower value, ties counting half, in [0, 1]."""
    other: float | None = None
    """The value of the pair that this one is held against."""


@dataclass(frozen=True)
class Family:
    """Features of one family in one dimension, the weightiest first."""

    dimension: str
    family: str
    adds: float
    reasons: list[Reason]


def explain_pair(features: pd.DataFrame, parts: pd.DataFrame, row: int, against: int | None = None) -> list[Family]:
    """Families by how much they move the pair, up or down.

    ``features`` and ``parts`` (n_candidates, ...) are of one topic. What families add sums to the pair's score less
    the topic's mean, or to its lead over the pair ``against``.
    """
    adds = parts.iloc[row] if against is None else parts.iloc[row] - parts.iloc[against]
    reasons: dict[tuple[str, str], list[Reason]] = {}
    labels = [(str(label[0]), str(label[1])) for label in parts.columns]
    for (dimension, name), value in zip(labels, adds.tolist(), strict=True):
        family = family_of(name)
        values = features[name].to_numpy(np.float64)
        reasons.setdefault((dimension, family), []).append(
            Reason(
                dimension,
                family,
                name,
                describe(name),
                value,
                float(values[row]),
                float((values < values[row]).mean() + ((values == values[row]).mean() / 2)),
                None if against is None else float(values[against]),
            )
        )
    families = [
        Family(
            dimension,
            family,
            float(sum(reason.adds for reason in found)),
            sorted(found, key=lambda reason: (-abs(reason.adds), reason.feature)),
        )
        for (dimension, family), found in reasons.items()
    ]
    return sorted(families, key=lambda family: (-abs(family.adds), family.dimension, family.family))


def describe(name: str) -> str:
    """What the registry says of a column."""
    feature = all_columns()[name]
    lift = name.removeprefix(f"{feature.name}_") if name != feature.name else ""
    # All pairs of one argument have the same value, so which of two it is says nothing there.
    words = {"min": "the lower of the two", "max": "the higher of the two", "mean": "mean of the two"}
    return f"{feature.description} ({words.get(lift, f'{lift} sentence')})" if lift else feature.description
