"""What a ranker is, and the one registry of them."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd

Scores = npt.NDArray[np.float64]


class PairMatrix(Protocol):
    """What rankers see of the candidate pairs."""

    @property
    def features(self) -> pd.DataFrame:
        """(n_rows, n_columns) float32"""
        ...

    @property
    def groups(self) -> npt.NDArray[np.int64]:
        """Rows of each topic, in order."""
        ...

    @property
    def units(self) -> npt.NDArray[np.int64]:
        """(n_rows,) number of the topic and pair of arguments that a row belongs to."""
        ...


@dataclass(frozen=True)
class UnitTable:
    """One row a unit: a topic and two arguments, or one argument whose sentences stand together.

    What is known of whole arguments is the same for all their pairs, and so is what judgments of
    arguments can teach: learning on units says everything once.
    """

    values: Scores
    """(n_units, n_columns) z-scores within the topic: topics become comparable."""
    groups: npt.NDArray[np.int64]
    """Units of each topic, in order."""
    unit_of_row: npt.NDArray[np.int64]
    """(n_rows,) position in this table."""


def unit_table(matrix: PairMatrix, columns: Sequence[str]) -> UnitTable:
    """The units of a matrix with the mean of each column over their pairs."""
    numbers, unit_of_row = np.unique(matrix.units, return_inverse=True)
    size = np.bincount(unit_of_row, minlength=len(numbers))
    topic_of_row = np.repeat(np.arange(len(matrix.groups)), matrix.groups)
    topic = np.zeros(len(numbers), np.int64)
    topic[unit_of_row] = topic_of_row
    groups = np.bincount(topic, minlength=len(matrix.groups))
    values = np.empty((len(numbers), len(columns)))
    for place, column in enumerate(columns):
        sums = np.bincount(unit_of_row, matrix.features[column], minlength=len(numbers))
        # Means of equal float32 values differ in the last bits with the number of pairs; those are no differences.
        values[:, place] = standardise(np.round(sums / size, 9), groups)
    return UnitTable(values, groups, unit_of_row)


@dataclass(frozen=True)
class TrainingSet:
    """Weakly labelled units. Rows of a topic stand together; ``groups`` are their numbers, in order."""

    values: Scores
    """(n_units, n_columns) as in `UnitTable`"""
    labels: Scores
    """(n_units,) in [0, 1]"""
    weights: Scores
    """(n_units,) above 0"""
    groups: npt.NDArray[np.int64]


class Ranker(Protocol):
    """Scores pairs from named features. A trained one also writes itself as text and reads itself back."""

    @property
    def columns(self) -> list[str]:
        """The feature columns that it looks at, in order."""
        ...

    def score(self, matrix: PairMatrix) -> Scores:
        """(n_rows,) higher is better."""
        ...


R = TypeVar("R", bound=Callable[..., Any])
_RANKERS: dict[str, tuple[Callable[..., Ranker], str]] = {}
_TEACHERS: set[str] = set()


def ranker(name: str, description: str, *, teacher: bool = True) -> Callable[[R], R]:
    """Register a ranker (its class, or a function that makes one); a ``teacher`` stands beside every model."""

    def register(maker: R) -> R:
        if name in _RANKERS:
            raise ValueError(f"ranker {name!r} is registered twice")
        _RANKERS[name] = (maker, description)
        if teacher:
            _TEACHERS.add(name)
        return maker

    return register


def rankers() -> dict[str, str]:
    """Name -> description of every ranker."""
    _import_families()
    return {name: description for name, (_, description) in _RANKERS.items()}


def baselines() -> list[str]:
    """Names of the teachers: rankers that learn nothing, and stand beside every model."""
    return sorted(name for name in rankers() if name in _TEACHERS)


def make_ranker(name: str, **options: Any) -> Any:
    """A new ranker of that name. Raises KeyError with the known names."""
    _import_families()
    if name not in _RANKERS:
        raise KeyError(f"no ranker {name!r}; known: {', '.join(sorted(_RANKERS))}")
    return _RANKERS[name][0](**options)


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


def percentile(values: npt.ArrayLike, units: npt.NDArray[np.int64]) -> Scores:
    """(n_rows,) mid-rank within the unit, scaled to [0, 1]; .5 for a row alone or tied with all."""
    numbers = np.asarray(values, np.float64)
    order = np.lexsort((numbers, units))
    size = np.bincount(units)
    start = np.concatenate([[0], np.cumsum(size)])[:-1]
    rank = np.empty(len(numbers))
    rank[order] = np.arange(len(numbers)) - start[units[order]]
    fresh = np.concatenate([[True], (np.diff(numbers[order]) != 0) | (np.diff(units[order]) != 0)])
    run = np.cumsum(fresh[: len(numbers)]) - 1
    mean = np.bincount(run, rank[order]) / np.maximum(np.bincount(run), 1)
    rank[order] = mean[run]
    return np.where(size[units] > 1, rank / np.maximum(size[units] - 1, 1), 0.5)


def _import_families() -> None:
    import models

    for module in sorted(module.name for module in pkgutil.iter_modules(models.__path__)):
        importlib.import_module(f"models.{module}")
