"""What a ranker is, and the one registry of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np
import numpy.typing as npt
import pandas as pd

from features.core.feature import UNITS, Unit
from features.core.registry import Registry

Scores = npt.NDArray[np.float64]

DIMENSIONS = ("relevance", "quality", "coherence")
"""What a pair is graded in."""

TOP_GRADE = 2.0
"""Grades of a pair are from 0 to this in every dimension, and so are the scores of a learned ranker."""

LARGEST = 1e9
"""Of a number in a model: beyond, sums of scores would not stay finite."""


class Rows(Protocol):
    """What rankers see of the candidates."""

    @property
    def features(self) -> pd.DataFrame:
        """(n_rows, n_columns) float32"""
        ...

    @property
    def groups(self) -> npt.NDArray[np.int64]:
        """Rows of each topic, in order."""
        ...


@dataclass(frozen=True)
class TrainingSet:
    """Labelled pairs. Rows of a topic stand together; ``groups`` are their numbers, in order."""

    values: npt.NDArray[np.float32]
    """(n_rows, n_inputs), see `models.inputs`"""
    labels: Scores
    """(n_rows,) in [0, TOP_GRADE]"""
    weights: Scores
    """(n_rows,) above 0"""
    groups: npt.NDArray[np.int64]


class Ranker(Protocol):
    """Scores pairs from named features."""

    @property
    def columns(self) -> list[str]:
        """The feature columns that it looks at, in order."""
        ...

    def score(self, matrix: Rows) -> Scores:
        """(n_rows,) higher is better."""
        ...


@runtime_checkable
class TrainedRanker(Ranker, Protocol):
    """What a model folder keeps: one dimension's ranker, `models.lambdamart` or `models.linear`."""

    inputs: list[str]

    def score_values(self, values: npt.NDArray[np.float32]) -> Scores:
        """(n_rows,) expected grades of (n_rows, n_inputs) values."""
        ...

    def terms(self, matrix: Rows) -> Scores:
        """(n_rows, n_columns) what each column adds to the score."""
        ...

    def settings(self) -> dict[str, Any]:
        """For the manifest."""
        ...

    def dump(self) -> dict[str, str]:
        """Files by name."""
        ...


R = TypeVar("R", bound=Callable[..., Any])


class RankerMaker(NamedTuple):
    """How a registered ranker is made."""

    make: Callable[..., Any]
    description: str
    units: tuple[Unit, ...]
    """What it ranks as a baseline; none where it has to learn first."""


RANKERS: Registry[RankerMaker] = Registry("ranker", "models")


def ranker(name: str, description: str, *, baseline: bool = True, units: tuple[Unit, ...] = UNITS) -> Callable[[R], R]:
    """Register a ranker (its class, or a function that makes one); a ``baseline`` stands beside every model.

    ``units`` are those that a baseline can rank.
    """

    def register(maker: R) -> R:
        RANKERS.add(name, RankerMaker(maker, description, units if baseline else ()))
        return maker

    return register


def rankers() -> dict[str, str]:
    """Name -> description of every ranker."""
    return {name: found.description for name, found in RANKERS.search().items()}


def baselines(unit: Unit = "pair") -> list[str]:
    """Names of the rankers of such units that learn nothing, and stand beside every model."""
    return sorted(name for name, found in RANKERS.search().items() if unit in found.units)


def make_ranker(name: str, **options: Any) -> Any:
    """A new ranker of that name. Raises KeyError with the known names."""
    return RANKERS.find(name).make(**options)


def grade_line(scores: Scores, data: TrainingSet) -> tuple[float, float]:
    """Slope and intercept of the weighted least-squares line from scores to labels; it always rises."""
    mean, label = (float(np.average(values, weights=data.weights)) for values in (scores, data.labels))
    spread = float(np.average((scores - mean) ** 2, weights=data.weights))
    slope = float(np.average((scores - mean) * (data.labels - label), weights=data.weights)) / max(spread, 1e-9)
    slope = round(max(slope, 1e-6), 9)
    return slope, round(label - slope * mean, 9)


def standardise(values: npt.ArrayLike, groups: Sequence[int] | npt.NDArray[np.int64]) -> Scores:
    """(n_rows,) z-scores within each group, 0 where a group is constant: topics become comparable."""
    scores = np.asarray(values, np.float64)
    topic = np.repeat(np.arange(len(groups)), groups)
    size = np.maximum(np.asarray(groups), 1)
    mean = np.bincount(topic, scores, minlength=len(groups)) / size
    centred = scores - mean[topic]
    deviation = np.sqrt(np.bincount(topic, centred**2, minlength=len(groups)) / size)
    spread = deviation[topic]
    return np.divide(centred, spread, out=np.zeros_like(centred), where=spread > 1e-9)


def percentile(values: npt.ArrayLike, groups: npt.NDArray[np.int64]) -> Scores:
    """(n_rows,) mid-rank among the rows of the same group number, scaled to [0, 1]; .5 for a row tied with all."""
    grouped = pd.Series(np.asarray(values, np.float64)).groupby(groups)
    others = grouped.transform("size").to_numpy() - 1
    return np.where(others > 0, (grouped.rank().to_numpy() - 1) / np.maximum(others, 1), 0.5)
