"""Rankers: the protocols that they follow, and their registry."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Protocol, Self, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from features.core.feature import ALL_KINDS, ItemKind, all_columns, checked_numbers
from features.core.registry import ComponentError, Registry
from models import defaults

Scores = npt.NDArray[np.float64]

DIMENSIONS, TOP_GRADE = defaults.DIMENSIONS, defaults.TOP_GRADE

LARGEST = 1e9
"""Largest absolute value of a number in a model, so that sums of scores stay finite."""

DECIMALS = 6
"""Scores are rounded: sums differ in their last digits from processor to processor."""


def group_sizes(table: pd.DataFrame) -> npt.NDArray[np.int64]:
    """Rows of each topic, in order: runs of equal ``qid``."""
    qid = table["qid"].to_numpy()
    if not len(qid):
        return np.zeros(0, np.int64)
    starts = np.flatnonzero(np.concatenate([[True], qid[1:] != qid[:-1]]))
    return np.diff(np.append(starts, len(qid)))


def head_rows(table: pd.DataFrame) -> npt.NDArray[np.bool_]:
    """(n_rows,) rows that a second step orders, by the column ``head``; none where there is one step."""
    return table["head"].to_numpy(bool) if "head" in table else np.zeros(len(table), bool)


@dataclass(frozen=True)
class TrainingSet:
    """Labelled pairs. Rows of a topic stand together; ``groups`` are their numbers, in order."""

    values: npt.NDArray[np.float32]
    """(n_rows, n_inputs), see `models.learned`"""
    labels: Scores
    """(n_rows,) in [0, TOP_GRADE]"""
    weights: Scores
    """(n_rows,) above 0"""
    groups: npt.NDArray[np.int64]


@dataclass(kw_only=True)
class Parameters:
    """Settings that every learned ranker has; a ranker adds its own in a subclass."""

    objective: str
    """The name that ``riposte train --objective`` takes."""
    seed: int = 0
    columns: int = defaults.COLUMNS
    """Number of feature columns that a ranker keeps: those of the highest gain in a first fit on all. 0 keeps all."""

    def for_selection(self) -> Self:
        """Settings of the first fit, which only chooses the columns."""
        return self

    def for_weak_labels(self) -> Self:
        """Settings for labels without a graded one among them."""
        return self


class Ranker(Protocol):
    """Scores candidates from named features.

    They are a table with a row an item, ``qid``, the rows of a topic together, and a float32 column a feature.
    """

    @property
    def columns(self) -> list[str]:
        """The feature columns that it reads, in order."""

    def score(self, table: pd.DataFrame) -> Scores:
        """(n_rows,) higher is better."""


R = TypeVar("R", bound=Callable[..., Any])


@dataclass(frozen=True)
class RankerKind:
    """How a registered ranker is made."""

    make: Callable[..., Any]
    description: str
    kinds: tuple[ItemKind, ...] = ()
    """Items that it ranks as a baseline of every table; empty for a ranker that learns, and for an encoder's."""
    parameters: type[Parameters] = Parameters
    objectives: tuple[str, ...] = ()
    """Objectives that a learned ranker can minimise; empty for a baseline."""


RANKERS: Registry[RankerKind] = Registry("ranker", "models", lambda kind: kind.make)


def ranker(name: str, description: str, *, kinds: tuple[ItemKind, ...] = ALL_KINDS) -> Callable[[R], R]:
    """Register a baseline (its class, or a function that makes one), which every table of such ``items`` shows."""

    def register(maker: R) -> R:
        RANKERS.add(name, RankerKind(maker, description, kinds))
        return maker

    return register


def learned_ranker(
    name: str, description: str, *, parameters: type[Parameters] = Parameters, objectives: Sequence[str] = ()
) -> Callable[[R], R]:
    """Register a `models.learned.LearnedRanker`; ``train --objective`` takes its ``objectives``, or its name."""

    def register(maker: R) -> R:
        kind = RankerKind(maker, description, parameters=parameters, objectives=tuple(objectives) or (name,))
        if taken := set(_learners()) & set(kind.objectives):
            raise ValueError(f"the objective {min(taken)!r} is registered twice")
        RANKERS.add(name, kind)
        return maker

    return register


def rankers() -> dict[str, str]:
    """Name -> description of every ranker."""
    return {name: kind.description for name, kind in RANKERS.search().items()}


def baselines(kind: ItemKind = "pair") -> list[str]:
    """Names of the rankers of such items that learn nothing, and stand beside every model."""
    return sorted(name for name, made in RANKERS.search().items() if kind in made.kinds)


def _learners() -> dict[str, RankerKind]:
    """Objective -> the registered ranker that learns it, of what is imported."""
    return {objective: RANKERS[name] for name in sorted(RANKERS) for objective in RANKERS[name].objectives}


def objectives() -> list[str]:
    """The objectives of all learned rankers."""
    RANKERS.search()
    return list(_learners())


def learner(objective: str) -> RankerKind:
    """The learned ranker of an objective. Raises KeyError, which lists the known ones."""
    if objective not in _learners() and objective not in objectives():
        raise KeyError(f"no objective {objective!r}; known: {', '.join(objectives())}")
    return _learners()[objective]


def make_parameters(objective: str, given: Mapping[str, Any] = MappingProxyType({})) -> Parameters:
    """Parameters of the ranker that learns ``objective``. Raises TypeError for one that this ranker does not have."""
    return learner(objective).parameters(objective=objective, **given)


@dataclass(frozen=True)
class CheckedRanker:
    """A baseline of a user. Raises ComponentError for unknown columns and invalid scores."""

    name: str
    made: Ranker

    @property
    def columns(self) -> list[str]:
        """See `Ranker`."""
        columns = list(self.made.columns)
        for column in columns:
            if column not in all_columns():
                what = f"reads the column {column!r}, which no feature fills"
                raise ComponentError(f"ranker {self.name!r}", what, "name columns that docs/features.md lists")
        return columns

    def score(self, table: pd.DataFrame) -> Scores:
        """See `Ranker`."""
        return checked_scores(self.name, self.made.score(table), len(table))


def make_ranker(name: str, kind: ItemKind = "pair") -> Ranker:
    """A new baseline of that name. Raises KeyError, which lists the known names."""
    made: Ranker = RANKERS.find(name).make(kind=kind)
    return made if RANKERS.ships(name) else CheckedRanker(name, made)


def checked_scores(name: str, scores: Any, size: int) -> Scores:
    """(size,) ``scores`` of a ranker. Raises ComponentError where they have another shape or are not finite."""
    return checked_numbers(f"ranker {name!r}", scores, size, "return one finite number for each row").astype(np.float64)


def grade_line(scores: Scores, data: TrainingSet) -> tuple[float, float]:
    """Slope and intercept of the weighted least-squares line from scores to labels; it always rises."""
    mean, label = (float(np.average(values, weights=data.weights)) for values in (scores, data.labels))
    spread = float(np.average((scores - mean) ** 2, weights=data.weights))
    slope = float(np.average((scores - mean) * (data.labels - label), weights=data.weights)) / max(spread, 1e-9)
    slope = round(max(slope, 1e-6), 9)
    return slope, round(label - slope * mean, 9)


def standardise(values: npt.ArrayLike, groups: Sequence[int] | npt.NDArray[np.int64]) -> Scores:
    """(n_rows,) or (n_rows, n_columns) z-scores within each group, 0 where it is constant: topics become comparable.

    Of the values that are there: NaN stays.
    """
    scores = np.asarray(values, np.float64)
    topics = np.split(scores, np.cumsum(groups, dtype=np.int64)[:-1])
    return np.concatenate([_standard_scores(topic) for topic in topics])


def _standard_scores(values: Scores) -> Scores:
    there = ~np.isnan(values)
    size = np.maximum(there.sum(axis=0), 1)
    centred = values - np.where(there, values, 0).sum(axis=0) / size
    deviation = np.sqrt((np.where(there, centred, 0) ** 2).sum(axis=0) / size)
    scores = np.divide(centred, deviation, out=np.zeros_like(centred), where=deviation > 1e-9)
    return np.where(there, scores, np.nan)


def percentile(values: npt.ArrayLike, groups: npt.NDArray[np.int64]) -> Scores:
    """(n_rows,) mid-rank among the rows of the same group number, scaled to [0, 1]; .5 for a row tied with all."""
    grouped = pd.Series(np.asarray(values, np.float64)).groupby(groups)
    others = grouped.transform("size").to_numpy() - 1
    return np.where(others > 0, (grouped.rank().to_numpy() - 1) / np.maximum(others, 1), 0.5)
