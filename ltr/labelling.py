"""Labelling functions: each votes on every pair, a label in [0, 1], or abstains.

The judgments of arguments vote through functions like all else (those are the anchors). To add one, decorate
it; nothing else. What becomes of the votes is told in `ltr.supervision`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ltr.formats import Qrels, argument_of
from ltr.matrix import Matrix
from models.base import percentile
from models.choice import SIGNS, representativeness

Values = npt.NDArray[np.float64]
TEACHERS = (
    "dirichlet_2500_argument",
    "bm25_k4_b0.15_argument",
    "feedback_terms",
    "key_pair",
    "feedback_nearness_80",
)
"""The orders of arguments whose agreement counts; default BM25 is not among them."""


@dataclass(frozen=True)
class Evidence:
    """What labelling functions see: the described pairs and the judgments of their arguments in one dimension."""

    matrix: Matrix
    qrels: Qrels
    dimension: str = "relevance"

    @cached_property
    def arguments(self) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """(n_rows,) argument ids of the first and of the second sentence."""
        return tuple(np.array([argument_of(s) for s in ids], object) for ids in (self.matrix.first, self.matrix.second))  # type: ignore[return-value]

    @cached_property
    def grades(self) -> tuple[Values, Values]:
        """(n_rows,) grade of either argument, NaN where it is unjudged."""
        topics = [self.qrels.get(topic, {}) for topic in self.matrix.topics]
        first, second = self.arguments
        owner = self.matrix.topic_of_row
        return tuple(  # type: ignore[return-value]
            np.array([topics[t].get(a, np.nan) for t, a in zip(owner, ids, strict=True)], np.float64)
            for ids in (first, second)
        )

    @cached_property
    def top_grade(self) -> float:
        """The best grade of the judgments, at least 1."""
        return max([1.0, *(grade for judged in self.qrels.values() for grade in judged.values())])

    @cached_property
    def share(self) -> Values:
        """(n_rows,) one over the number of rows of the same unit: a long argument does not count more."""
        return np.asarray(1 / np.bincount(self.matrix.units)[self.matrix.units])

    def column(self, name: str) -> Values:
        """(n_rows,) a feature column."""
        return np.asarray(self.matrix.features[name], np.float64)

    def place(self, name: str) -> Values:
        """(n_rows,) percentile of a feature column within the topic."""
        return percentile(self.column(name), self.matrix.topic_of_row)

    @cached_property
    def teachers(self) -> Values:
        """(n_teachers, n_rows) percentile that each teacher gives to a row within its topic."""
        return np.array([self.place(f"{name}_min") for name in TEACHERS])

    def graded(self, grades: Values) -> Values:
        """Grades as labels: a negative one is 0, the top one 1, and irrelevant (but an argument) a little above 0."""
        floor = 0.2 if self.dimension == "relevance" else 0.0
        return np.where(grades < 0, 0, floor + (1 - floor) * (np.maximum(grades, 0) / self.top_grade))


@dataclass(frozen=True)
class LabellingFunction:
    """A labelling function with what there is to know about it."""

    name: str
    description: str
    overlaps: tuple[str, ...]
    """Features that the votes are made from: to be named, and to be ablated."""
    expected: float
    """Accuracy that it is believed to have before anything is learned."""
    anchor: bool
    """It speaks for judgments: only what an anchor votes on trains."""
    vote: Callable[[Evidence], Values]
    """(n_rows,) in [0, 1], NaN where it abstains."""


_FUNCTIONS: dict[str, LabellingFunction] = {}
Vote = Callable[[Evidence], Values]


def labelling_function(
    description: str, overlaps: Sequence[str] = (), *, expected: float = 0.6, anchor: bool = False
) -> Callable[[Vote], Vote]:
    """Register the decorated function under its own name."""

    def register(function: Vote) -> Vote:
        name = function.__name__
        if name in _FUNCTIONS:
            raise ValueError(f"labelling function {name!r} is registered twice")
        _FUNCTIONS[name] = LabellingFunction(name, description, tuple(overlaps), expected, anchor, function)
        return function

    return register


def labelling_functions() -> dict[str, LabellingFunction]:
    """Every labelling function by name."""
    return dict(_FUNCTIONS)


# ---- what judgments say ----------------------------------------------------------------------------


@labelling_function(
    "the lower grade of the two arguments, both judged; a negative one is 0, the top one 1", expected=0.99, anchor=True
)
def minimum_grade(evidence: Evidence) -> Values:
    """A pair is as good as the weaker of its arguments."""
    return evidence.graded(np.minimum(*evidence.grades))


@labelling_function(
    "for unjudged arguments: the lowest grade of judged ones that hold both of the sentences, word for word",
    expected=0.8,
    anchor=True,
)
def twin_grade(evidence: Evidence) -> Values:
    """Near-duplicates deserve the grade of their twins."""
    matrix = evidence.matrix
    lowest: dict[tuple[int, int], float] = {}
    owner = matrix.topic_of_row.tolist()
    for texts, grades in zip((matrix.first_text, matrix.second_text), evidence.grades, strict=True):
        for topic, text, grade in zip(owner, texts.tolist(), grades.tolist(), strict=True):
            if not np.isnan(grade):
                lowest[topic, text] = min(grade, lowest.get((topic, text), grade))
    found = np.full(len(matrix), np.nan)
    unjudged = np.flatnonzero(np.isnan(evidence.grades[0]) & np.isnan(evidence.grades[1]))
    for row in unjudged.tolist():
        first, second = (lowest.get((owner[row], int(t[row]))) for t in (matrix.first_text, matrix.second_text))
        if first is not None and second is not None and matrix.first_text[row] != matrix.second_text[row]:
            found[row] = min(first, second)
    return evidence.graded(found)


# ---- what teachers say -----------------------------------------------------------------------------


@labelling_function(
    "for pairs that every teacher has among its best tenth, against those that all put into the worse half",
    overlaps=TEACHERS,
)
def teachers_agree(evidence: Evidence) -> Values:
    """Where they differ, it abstains."""
    places = evidence.teachers
    return np.where((places >= 0.9).all(axis=0), 1.0, np.where((places < 0.5).all(axis=0), 0.0, np.nan))


# ---- what the texts say ----------------------------------------------------------------------------


@labelling_function(
    "for the third of an argument's pairs that stands best for it, against the third that does so least",
    overlaps=tuple(SIGNS),
)
def representative(evidence: Evidence) -> Values:
    """Inside an argument, the pair that says most of it is the one to show."""
    fit = percentile(representativeness(evidence.matrix.features, evidence.matrix.units), evidence.matrix.units)
    return _thirds(np.where(np.bincount(evidence.matrix.units)[evidence.matrix.units] >= 3, fit, 0.5))


@labelling_function(
    "for a conclusion with a premise of its own argument, against two conclusions",
    overlaps=("own_support", "conclusions", "stance_conflict"),
)
def role(evidence: Evidence) -> Values:
    """A claim with its reason says more than two claims."""
    two = evidence.column("conclusions") == 2
    supports = (evidence.column("own_support") > 0) & (evidence.column("stance_conflict") == 0)
    return np.where(supports, 1.0, np.where(two, 0.0, np.nan))


@labelling_function("against pairs that take opposite sides of one conclusion", ("stance_conflict",), expected=0.9)
def contradicts(evidence: Evidence) -> Values:
    """Two sentences that contradict each other are no answer."""
    return np.where(evidence.column("stance_conflict") > 0, 0.0, np.nan)


@labelling_function(
    "for pairs from the first third of their arguments, against pairs from the last", overlaps=("relative_position",)
)
def position(evidence: Evidence) -> Values:
    """Arguments begin with their point."""
    first, second = (evidence.column(f"relative_position_{side}") for side in ("first", "second"))
    late = (first >= 2 / 3) & (second >= 2 / 3)
    return np.where((first <= 1 / 3) & (second <= 1 / 3), 1.0, np.where(late, 0.0, np.nan))


@labelling_function(
    "against pairs with boilerplate, talk about the debate, links or insults",
    overlaps=("is_boilerplate", "meta_talk", "url", "profanity"),
    expected=0.7,
)
def debris(evidence: Evidence) -> Values:
    """It has nothing to say in favour of a pair."""
    found = [evidence.column(f"{name}_max") > 0 for name in ("is_boilerplate", "meta_talk", "url", "profanity")]
    return np.where(np.any(found, axis=0), 0.0, np.nan)


@labelling_function(
    "for pairs of two likely claims or pieces of evidence, against pairs with an unlikely one",
    overlaps=("argumentative",),
)
def argues(evidence: Evidence) -> Values:
    """The learned argumentativeness of the weaker sentence, by thirds of the topic."""
    return _thirds(evidence.place("argumentative_min"))


@labelling_function("for well written pairs, against badly written ones", overlaps=("convincing",))
def well_written(evidence: Evidence) -> Values:
    """The learned quality of the weaker sentence, by thirds of the topic."""
    return _thirds(evidence.place("convincing_min"))


@labelling_function("for pairs that go together, against those that do not", overlaps=("coherence",))
def coherent(evidence: Evidence) -> Values:
    """The learned coherence, by thirds of the topic."""
    return _thirds(evidence.place("coherence"))


def _thirds(place: Values) -> Values:
    """1 for the best third, 0 for the worst, abstaining between."""
    return np.where(place >= 2 / 3, 1.0, np.where(place <= 1 / 3, 0.0, np.nan))
