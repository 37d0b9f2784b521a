"""Labels from three sources: grades of units, judgments of arguments (distant), labelling functions (weak).

A weak label is the weighted mean of the votes of a dimension's labelling functions, judgments of arguments included.
Where items are graded, the grades are the labels, and weak labels describe the ungraded rest: the graded items show
which grade a mean vote stands for, and each weak label weighs little.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from features.core.checks import checked_numbers
from features.core.feature import Unit
from features.core.plugins import ComponentError
from ltr.data.ids import pair_key
from ltr.data.qrels import Grades, Qrels
from ltr.errors import InputError
from ltr.pipeline.matrix import Matrix
from ltr.supervision.functions import Evidence, LabellingFunction, Values, labelling_functions
from ltr.supervision.judgments import Judgments, fold_units
from models.base import TOP_GRADE

SOURCES = ("distant", "weak", "graded")

WEAK_WEIGHT = 0.1
"""Weight of a weak label; a graded item weighs 1."""

ENOUGH_GRADED = 200
"""Graded items from which they may train a dimension alone: those of some ten topics."""

WEAK_ROWS = 150
"""Number of weakly labelled items per topic, drawn at random; as many again from judged arguments."""


@dataclass(frozen=True)
class Sources:
    """Which supervision is used, and which labelling functions."""

    distant: bool = True
    weak: bool = True
    graded: bool = True
    functions: tuple[str, ...] = ()
    """Empty: all."""
    grades_alone: tuple[str, ...] = ()
    """Dimensions in which graded items, where there are `ENOUGH_GRADED`, are the only labels."""

    @classmethod
    def parse(
        cls, names: str | None = None, functions: str | None = None, grades_alone: tuple[str, ...] = ()
    ) -> Sources:
        """From comma-separated names of sources, and of labelling functions; None: all. Raises InputError.

        ``grades_alone`` holds where neither is named.
        """
        chosen = SOURCES if names is None else names.split(",")
        if unknown := [name for name in chosen if name not in SOURCES]:
            raise InputError("--sources", f"{unknown[0][:80]!r} is none of {', '.join(SOURCES)}")
        voting, known = functions.split(",") if functions else [], labelling_functions()
        if unknown := [name for name in voting if name not in known]:
            raise InputError("--labels", f"no labelling function {unknown[0]!r}", f"known: {', '.join(known)}")
        alone = grades_alone if names is None and functions is None else ()
        return cls("distant" in chosen, "weak" in chosen, "graded" in chosen, tuple(voting), alone)

    def chosen(self, dimension: str, unit: Unit = "pair") -> list[LabellingFunction]:
        """The labelling functions of a dimension that these sources allow."""
        return [
            function
            for function in labelling_functions(dimension, unit).values()
            if (self.distant if function.uses_qrels else self.weak)
            and (not self.functions or function.name in self.functions)
        ]


@dataclass(frozen=True)
class Labels:
    """Labels of one dimension."""

    label: Values
    """(n_rows,) in [0, TOP_GRADE], NaN for items that are not trained on."""
    weight: Values
    """(n_rows,)"""
    counts: dict[str, int]
    """Number of labels by source."""

    @property
    def used(self) -> npt.NDArray[np.bool_]:
        """(n_rows,) rows that train."""
        return ~np.isnan(self.label)

    def only(self, rows: npt.NDArray[np.bool_]) -> Labels:
        """The labels of some rows."""
        return replace(self, label=np.where(rows, self.label, np.nan))


def graded_labels(matrix: Matrix, qrels: Grades) -> Values:
    """(n_rows,) grades of graded items in [0, TOP_GRADE], NaN for others; either order of two sentences."""
    folded = fold_units(qrels)
    rows = zip(matrix.features.index, matrix.ids, strict=True)
    grades = [folded[topic].get(pair_key(unit), np.nan) if topic in folded else np.nan for topic, unit in rows]
    return np.array(grades, np.float64)


def make_labels(
    matrix: Matrix, judgments: Judgments, dimension: str, sources: Sources | None = None, *, seed: int = 0
) -> Labels:
    """Labels of a dimension from all ``sources``."""
    sources = sources or Sources()
    label = graded_labels(matrix, judgments.graded.get(dimension, {}) if sources.graded else {})
    graded = ~np.isnan(label)
    alone = graded.sum() >= ENOUGH_GRADED and dimension in sources.grades_alone
    functions = [] if alone else sources.chosen(dimension, matrix.unit)
    judged_arguments = judgments.distant.get(dimension) if sources.distant else None
    votes = collect_votes(Evidence(matrix, judged_arguments or Qrels()), functions)
    judged = np.asarray(~np.isnan(votes[:, [function.uses_qrels for function in functions]]).all(axis=1), bool)
    mean = mean_vote(votes, functions)
    # Where there are graded pairs, judged arguments need no room of their own.
    apart = np.zeros(len(judged), bool) if graded.any() else judged
    weak = ~graded & ~np.isnan(mean) & _drawn(matrix, apart, seed)
    grade = TOP_GRADE * mean
    known = graded & ~np.isnan(mean)
    if known.sum() >= 20 and np.ptp(mean[known]) > 0:  # votes that are all alike are taken as they are
        grade = _calibrated(mean, label, known)
    weight = np.where(graded, 1.0, WEAK_WEIGHT if graded.any() else 1.0)
    label = np.where(weak, np.clip(grade, 0, TOP_GRADE), label)
    counts = {
        "graded": int(graded.sum()),
        "weakly labelled": int(weak.sum()),
        "of them of judged arguments": int((weak & judged).sum()),
    }
    return Labels(label, weight, counts)


def collect_votes(evidence: Evidence, functions: Sequence[LabellingFunction]) -> Values:
    """(n_rows, n_functions)"""
    if not functions or not len(evidence.matrix):
        return np.full((len(evidence.matrix), len(functions)), np.nan)
    return np.column_stack([_votes(function, evidence) for function in functions])


def _votes(function: LabellingFunction, evidence: Evidence) -> Values:
    """(n_rows,) Raises ComponentError where they are no votes."""
    where, hint = f"labelling function {function.name!r}", "return a number from 0 to 1 for each item, NaN to abstain"
    votes = checked_numbers(where, function.vote(evidence), len(evidence.matrix), hint, abstains=True)
    if ((votes < 0) | (votes > 1)).any():
        raise ComponentError(where, "gave votes outside of 0 to 1", hint)
    return votes


def mean_vote(votes: Values, functions: Sequence[LabellingFunction]) -> Values:
    """(n_rows,) weighted mean of the votes, NaN where all functions abstain."""
    weights = np.array([function.weight for function in functions])
    voted = ~np.isnan(votes)
    mass, sums = voted @ weights, np.where(voted, votes, 0.0) @ weights
    return np.round(np.divide(sums, mass, out=np.full(len(votes), np.nan), where=mass > 0), 9)


def _drawn(matrix: Matrix, judged: npt.NDArray[Any], seed: int) -> npt.NDArray[np.bool_]:
    """(n_rows,) the weakly labelled pairs that train: some of each topic, and some of its judged arguments."""
    drawn = np.zeros(len(matrix), bool)
    rng = np.random.default_rng(seed)
    for _, rows in matrix:
        order = rng.permutation(rows.stop - rows.start) + rows.start
        drawn[order[:WEAK_ROWS]] = True
        drawn[order[judged[order]][:WEAK_ROWS]] = True
    return drawn


def _calibrated(mean: Values, label: Values, known: npt.NDArray[np.bool_]) -> Values:
    """Mean votes as grades, by the line that fits the graded pairs best; it never falls."""
    x, y = mean[known], label[known]
    spread = float(((x - x.mean()) ** 2).sum())
    slope = max(float(((x - x.mean()) * (y - y.mean())).sum()) / spread, 0.0)
    return np.round(y.mean() + slope * (mean - x.mean()), 6)


# ---- agreement of labelling functions with each other, and with grades -----------------------------


@dataclass(frozen=True)
class Agreement:
    """Agreement of one labelling function with the others, and with graded pairs."""

    name: str
    coverage: float
    """Share of the pairs that it votes on."""
    with_others: float
    """Correlation of its votes with the mean vote of the others; NaN where one of the two is constant."""
    with_grades: float
    """Correlation of its votes with the grades of graded pairs; NaN without any."""


def agreement(matrix: Matrix, judgments: Judgments, dimension: str) -> list[Agreement]:
    """How every labelling function of a dimension votes."""
    functions = list(labelling_functions(dimension, matrix.unit).values())
    votes = collect_votes(Evidence(matrix, judgments.distant.get(dimension, Qrels())), functions)
    grades = graded_labels(matrix, judgments.graded.get(dimension, {}))
    rows = []
    for position, function in enumerate(functions):
        others = mean_vote(np.delete(votes, position, axis=1), [f for f in functions if f is not function])
        mine = votes[:, position]
        cover = float((~np.isnan(mine)).mean()) if len(mine) else 0.0
        rows.append(Agreement(function.name, cover, _correlation(mine, others), _correlation(mine, grades)))
    return rows


def _correlation(votes: Values, others: Values) -> float:
    return float(pd.Series(votes).corr(pd.Series(others), min_periods=3))
