"""Labels of pairs from three sources: graded pairs, judgments of arguments (distant), labelling functions (weak).

A weak label is the weighted mean of the votes of a dimension's labelling functions; judgments of arguments are among
them. Where there are graded pairs they are the labels, and weak ones teach what the ungraded rest looks like: on the
graded pairs it is learned which grade a mean vote stands for, and each weighs little.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ltr.data.formats import Qrels, pair_key
from ltr.errors import InputError
from ltr.evaluation.measures import fold_grades
from ltr.pipeline.matrix import Matrix
from ltr.supervision.functions import Evidence, LabellingFunction, Values, labelling_functions
from models.base import TOP_GRADE

SOURCES = ("distant", "weak", "graded")

WEAK_WEIGHT = 0.1
"""What a weak label weighs beside a graded pair."""

WEAK_ROWS = 150
"""Weakly labelled pairs a topic, drawn at random; as many again of judged arguments."""


@dataclass(frozen=True)
class Judgments:
    """All that is judged, by dimension."""

    arguments: Mapping[str, Qrels] = field(default_factory=dict)
    pairs: Mapping[str, Qrels] = field(default_factory=dict)

    def without(self, topics: Collection[str]) -> Judgments:
        """Those of other topics: what is held out may not speak."""

        def rest(by_dimension: Mapping[str, Qrels]) -> dict[str, Qrels]:
            return {
                name: {topic: grades for topic, grades in qrels.items() if topic not in topics}
                for name, qrels in by_dimension.items()
            }

        return Judgments(rest(self.arguments), rest(self.pairs))

    def topics(self) -> set[str]:
        """The topics with a judgment."""
        every = (*self.arguments.values(), *self.pairs.values())
        return {topic for qrels in every for topic, grades in qrels.items() if grades}

    def pair_ids(self) -> dict[str, list[str]]:
        """Topic -> the graded pairs, each once."""
        found: dict[str, dict[str, str]] = {}
        for qrels in self.pairs.values():
            for topic, grades in qrels.items():
                for pair in grades:
                    found.setdefault(topic, {}).setdefault(pair_key(pair), pair)
        return {topic: list(pairs.values()) for topic, pairs in found.items()}


@dataclass(frozen=True)
class Sources:
    """Which supervision is used, and which labelling functions."""

    distant: bool = True
    weak: bool = True
    graded: bool = True
    functions: tuple[str, ...] = ()
    """Empty: all."""

    def chosen(self, dimension: str) -> list[LabellingFunction]:
        """The labelling functions of a dimension that these sources allow."""
        return [
            function
            for function in labelling_functions(dimension).values()
            if (self.distant if function.uses_qrels else self.weak)
            and (not self.functions or function.name in self.functions)
        ]


@dataclass(frozen=True)
class Labels:
    """Labels of one dimension."""

    label: Values
    """(n_rows,) in [0, TOP_GRADE], NaN where a pair teaches nothing."""
    weight: Values
    """(n_rows,)"""
    counts: dict[str, int]
    """What they are made of."""

    @property
    def used(self) -> npt.NDArray[np.bool_]:
        """(n_rows,) rows that train."""
        return ~np.isnan(self.label)

    def only(self, rows: npt.NDArray[np.bool_]) -> Labels:
        """The labels of some rows."""
        return replace(self, label=np.where(rows, self.label, np.nan))


def graded_labels(matrix: Matrix, qrels: Qrels) -> Values:
    """(n_rows,) grades of graded pairs in [0, TOP_GRADE], NaN for others; either order of two sentences."""
    folded = fold_pairs(qrels)
    topics = [folded.get(topic, {}) for topic in matrix.topics]
    found = [
        topics[t].get(pair_key(f"{first},{second}"), np.nan) if topics[t] else np.nan
        for t, first, second in zip(matrix.topic_of_row.tolist(), matrix.first, matrix.second, strict=True)
    ]
    return np.array(found, np.float64)


def fold_pairs(qrels: Qrels) -> Qrels:
    """Grades of pairs by `pair_key`, in [0, TOP_GRADE]; of two grades of a pair the higher one, as in evaluation.

    A grade below 0 is 0. Scales that go higher are brought down to TOP_GRADE.
    """
    folded, _ = fold_grades(qrels, pair_key)
    top = max([TOP_GRADE, *(grade for grades in folded.values() for grade in grades.values())])
    return {
        topic: {pair: max(grade, 0.0) * (TOP_GRADE / top) for pair, grade in grades.items()}
        for topic, grades in folded.items()
    }


def make_labels(
    matrix: Matrix, judgments: Judgments, dimension: str, sources: Sources | None = None, *, seed: int = 0
) -> Labels:
    """Labels of a dimension from all ``sources`` that speak of it."""
    sources = sources or Sources()
    arguments = judgments.arguments.get(dimension, {}) if sources.distant else {}
    pairs = judgments.pairs.get(dimension, {}) if sources.graded else {}
    label = graded_labels(matrix, pairs)
    graded = ~np.isnan(label)
    functions = sources.chosen(dimension)
    evidence = Evidence(matrix, arguments)
    votes = _votes(evidence, functions)
    judged = np.asarray(~np.isnan(votes[:, [function.uses_qrels for function in functions]]).all(axis=1), bool)
    mean = _mean_vote(votes, functions)
    # Where there are graded pairs, judged arguments need no room of their own.
    apart = np.zeros(len(judged), bool) if graded.any() else judged
    weak = ~graded & ~np.isnan(mean) & _drawn(matrix, apart, seed)
    grade = TOP_GRADE * mean
    if (graded & ~np.isnan(mean)).sum() >= 20:
        grade = _calibrated(mean, label, graded & ~np.isnan(mean))
    weight = np.where(graded, 1.0, WEAK_WEIGHT if graded.any() else 1.0)
    label = np.where(weak, np.clip(grade, 0, TOP_GRADE), label)
    counts = {
        "graded pairs": int(graded.sum()),
        "weakly labelled pairs": int(weak.sum()),
        "of them of judged arguments": int((weak & judged).sum()),
    }
    return Labels(label, weight, counts)


def check_functions(names: Sequence[str]) -> tuple[str, ...]:
    """``names``, when all are labelling functions. Raises InputError otherwise."""
    known = labelling_functions()
    for name in names:
        if name not in known:
            raise InputError("--labels", f"no labelling function {name!r}", f"known: {', '.join(known)}")
    return tuple(names)


@dataclass(frozen=True)
class Agreement:
    """What a labelling function says beside the others, and beside graded pairs."""

    name: str
    coverage: float
    """Share of the pairs that it votes on."""
    with_others: float
    """Correlation of its votes with the mean vote of the others; NaN where one of the two is constant."""
    with_grades: float
    """Correlation of its votes with the grades of graded pairs; NaN without any."""


def agreement(matrix: Matrix, judgments: Judgments, dimension: str) -> list[Agreement]:
    """How every labelling function of a dimension votes."""
    functions = list(labelling_functions(dimension).values())
    votes = _votes(Evidence(matrix, judgments.arguments.get(dimension, {})), functions)
    grades = graded_labels(matrix, judgments.pairs.get(dimension, {}))
    found = []
    for place, function in enumerate(functions):
        others = _mean_vote(np.delete(votes, place, axis=1), [f for f in functions if f is not function])
        own = votes[:, place]
        cover = float((~np.isnan(own)).mean()) if len(own) else 0.0
        found.append(Agreement(function.name, cover, _correlation(own, others), _correlation(own, grades)))
    return found


def _votes(evidence: Evidence, functions: Sequence[LabellingFunction]) -> Values:
    """(n_rows, n_functions)"""
    if not functions or not len(evidence.matrix):
        return np.full((len(evidence.matrix), len(functions)), np.nan)
    return np.column_stack([function.vote(evidence) for function in functions])


def _mean_vote(votes: Values, functions: Sequence[LabellingFunction]) -> Values:
    """(n_rows,) weighted mean of those that vote, NaN where none does."""
    weights = np.array([function.weight for function in functions])
    voted = ~np.isnan(votes)
    mass = voted @ weights if len(weights) else np.zeros(len(votes))
    sums = np.where(voted, votes, 0.0) @ weights if len(weights) else np.zeros(len(votes))
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
    slope = max(float(((x - x.mean()) * (y - y.mean())).sum()) / spread, 0.0) if spread > 0 else 0.0
    return np.round(y.mean() + slope * (mean - x.mean()), 6)


def _correlation(one: Values, other: Values) -> float:
    both = ~np.isnan(one) & ~np.isnan(other)
    if both.sum() < 3 or np.ptp(one[both]) == 0 or np.ptp(other[both]) == 0:
        return float("nan")
    return float(np.corrcoef(one[both], other[both])[0, 1])
