"""Agreement of graders, each a file of qrels or votes: shares, a kappa and an order, with intervals over topics."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import cohen_kappa_score

from ltr.data.grade_lines import VOTE, is_grade_lines, read_grade_lines
from ltr.data.ids import pair_key
from ltr.data.qrels import Level, Qrels, fold_grades, read_pair_qrels, read_qrels
from ltr.errors import InputError
from ltr.evaluation.significance import FloatArray, percentile_interval
from ltr.evaluation.tables import Table
from ltr.files import refuse_twice
from ltr.learning.agreement import share_in_order
from models.base import DIMENSIONS

IntArray = NDArray[np.int64]

DRAWS = 1000
"""Bootstrap samples of topics."""
MOST_LEVELS = 50
"""Largest number of levels of a scale."""


class GradeTable(NamedTuple):
    """The grades of several graders side by side."""

    values: pd.DataFrame
    """(n_items, n_graders) float64, indexed by topic and id; NaN where a grader has no grade."""
    level: Level


def read_table(files: Mapping[str, Path]) -> GradeTable:
    """Read the files of graders by name. Grades below 0 count as 0; the two orders of a pair are the same pair.

    Raises InputError for a file named twice, files of different items, and graders without a common item.
    """
    refuse_twice(list(files.values()))
    columns: dict[str, pd.Series[float]] = {}
    level: Level = "argument"
    for name, path in files.items():
        qrels = read_grades(path)
        level = level if columns else qrels.level
        if qrels.level != level:
            what = f"has grades of {qrels.level}s, and {next(iter(columns))} of {level}s"
            raise InputError(path, what, "name grades of the same items")
        folded = fold_grades(qrels, pair_key if level == "pair" else str)
        grades = {(topic, id_): grade for topic, of in folded.items() for id_, grade in of.items()}
        columns[name] = pd.Series(grades, dtype=float)
    values = pd.DataFrame(columns).rename_axis(["topic", "id"]).clip(lower=0)
    if (highest := float(values.max().max())) >= MOST_LEVELS:
        what = f"have more than {MOST_LEVELS} levels, up to {highest:g}"
        raise InputError("the grades", what, "write grades of one small scale")
    if not (values.count(axis="columns") > 1).any():
        raise InputError(" and ".join(columns), f"grade no {level} in common", "name grades of the same topics and ids")
    return GradeTable(values, level)


def read_grades(path: Path) -> Qrels:
    """The grades of a file on their own scale; of votes the mean of each item. Raises InputError."""
    if not is_grade_lines(path):
        qrels = read_qrels(path)
        # A pair with another grade in its other order is refused.
        return read_pair_qrels([(DIMENSIONS[0], path)])[DIMENSIONS[0]] if qrels.level == "pair" else qrels
    given: dict[str, dict[str, list[float]]] = {}
    for vote in read_grade_lines(path, VOTE):
        given.setdefault(vote.topic, {}).setdefault(vote.id, []).append(vote.grade)
    return Qrels({topic: {id_: fmean(grades) for id_, grades in of.items()} for topic, of in given.items()})


class Estimate(NamedTuple):
    """A figure with its 95% percentile interval over topics; None where it is not defined."""

    value: float | None
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        interval = "" if self.low is None else f" [{self.low:.3f}, {self.high:.3f}]"
        return "-" if self.value is None else f"{self.value:.3f}{interval}"


def draw_topics(topics: int, draws: int, seed: int = 0) -> FloatArray:
    """Bootstrap samples, (n_draws + 1, n_topics) times that each topic was drawn; the first row is every topic once.

    A single topic has no samples.
    """
    if topics < 2:
        return np.ones((1, topics))
    drawn = np.random.default_rng(seed).multinomial(topics, np.full(topics, 1 / topics), size=draws)
    return np.vstack([np.ones(topics), drawn])


def estimate(values: Sequence[float]) -> Estimate:
    """The first value, and an interval from the others where at least half of them are defined."""
    first, drawn = values[0], np.array(values[1:])
    defined = np.count_nonzero(~np.isnan(drawn))
    interval = percentile_interval(drawn) if defined and 2 * defined >= len(drawn) else ()
    return Estimate(None) if np.isnan(first) else Estimate(float(first), *interval)


def levels_of(grades: FloatArray) -> IntArray:
    """Whole levels of grades, rounded half up: the categories of a kappa.

    >>> levels_of(np.array([0.5, 1.4])).tolist()
    [1, 1]
    """
    return np.floor(grades + 0.5).astype(np.int64)


def quadratic_kappa(first: IntArray, second: IntArray, times: FloatArray) -> float:
    """Cohen's kappa with quadratic weights (Cohen 1968) of whole levels, (n_items,) each; NaN where all are equal.

    ``times``: how often each item counts.
    """
    first, second, times = first[times > 0], second[times > 0], times[times > 0]
    levels = np.union1d(first, second)
    if len(levels) < 2:
        return math.nan
    labels = np.arange(levels[0], levels[-1] + 1)
    return float(cohen_kappa_score(first, second, labels=labels, weights="quadratic", sample_weight=times))


def figures(first: FloatArray, second: FloatArray, topics: IntArray, draws: FloatArray) -> dict[str, Estimate]:
    """Figures of items that both graded, (n_items,) each, with ``topics`` numbered from 0; ``order`` is over topics."""
    one, other = levels_of(first), levels_of(second)
    within = [topics == topic for topic in range(draws.shape[1])]
    orders = np.array([share_in_order(first[rows], second[rows]) for rows in within])
    times = [drawn[topics] for drawn in draws]
    return {
        "equal": estimate([_mean(one == other, of) for of in times]),
        "quadratic kappa": estimate([quadratic_kappa(one, other, of) for of in times]),
        "difference": estimate([_mean(second - first, of) for of in times]),
        "order": estimate([_mean(orders, drawn) for drawn in draws]),
    }


def _mean(values: NDArray[Any], times: FloatArray) -> float:
    """The weighted mean of the values that are defined, NaN without any."""
    times = np.where(np.isnan(values), 0, times)
    return float(np.nansum(values * times) / times.sum()) if times.any() else math.nan


class Figures(NamedTuple):
    """A table under a caption; ``key`` is its name in JSON."""

    key: str
    caption: str
    rows: pd.DataFrame

    def shown(self) -> Table:
        """The rows for people."""
        rows = self.rows.to_numpy(object).tolist()
        cells = [[f"{value:.3f}" if isinstance(value, float) else str(value) for value in row] for row in rows]
        return Table(self.caption, [[*map(str, self.rows)], *cells])


def agreement(table: GradeTable, seed: int, draws: int = DRAWS) -> list[Figures]:
    """The graders, the figures of every two of them, and their levels."""
    grades = table.values
    topics = grades.notna().groupby("topic").any().sum()
    counts = {"items": grades.count(), "topics": topics, "lowest": grades.min(), "mean": grades.mean()}
    graders = pd.DataFrame({**counts, "highest": grades.max()}).reset_index(names="grader")
    rows, levels = [], []
    for one, other in combinations(grades, 2):
        both = grades[[one, other]].dropna()
        numbers, names = pd.factorize(both.index.get_level_values("topic"))
        first, second = both.to_numpy().T
        found = figures(first, second, numbers, draw_topics(len(names), draws, seed))
        rows.append({"graders": f"{one} / {other}", "items": len(both), "topics": len(names), **found})
        if len(both):
            whole = levels_of(both.to_numpy())
            every = range(whole.min(), whole.max() + 1)
            confusion = pd.crosstab(whole[:, 0], whole[:, 1]).reindex(index=every, columns=every, fill_value=0)
            caption = f"{table.level}s by level of {one} (rows) and {other}"
            named = confusion.rename(index=str, columns=str).reset_index(names="")
            levels.append(Figures(f"levels: {one} / {other}", caption, named))
    agreed = Figures("agreement", "agreement [95% interval over topics]", pd.DataFrame(rows))
    return [Figures("graders", f"graders of {table.level}s", graders), agreed, *levels]


def notes(table: GradeTable) -> Iterator[str]:
    """Explanations below the tables, a line each."""
    yield "difference: mean of second minus first grade. order: share of item pairs of a topic with different first"
    yield "grades that the second grader puts in the same order, ties a half; mean over topics."
    for name, grades in table.values.items():
        if fractions := int((grades % 1 > 0).sum()):
            yield f"Equal shares and kappas round {fractions} fractional grades of {name} half up."
    highest = table.values.max()
    if highest.nunique() > 1:
        yield f"The highest grades differ ({', '.join(f'{name} {grade:g}' for name, grade in highest.items())})."
