"""Judgments of the items that a task ranks, and of the arguments that they are parts of."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from ltr.data.ids import pair_key
from ltr.data.qrels import Qrels, fold_grades
from models.base import TOP_GRADE


def top_grade(qrels: Qrels) -> float:
    """The highest grade, 0 where there is none above."""
    return max([0.0, *(grade for grades in qrels.values() for grade in grades.values())])


@dataclass(frozen=True)
class Judgments:
    """All judgments, by dimension."""

    graded: Mapping[str, Qrels] = field(default_factory=dict)
    """Grades of the ranked items themselves."""
    distant: Mapping[str, Qrels] = field(default_factory=dict)
    """Grades of the whole arguments that the items are parts of."""
    whole: Judgments | None = field(default=None, compare=False, repr=False, kw_only=True)
    """All judgments that were read, where these are a part of them: grades keep their scale."""

    def without(self, topics: Collection[str]) -> Judgments:
        """Judgments of the other topics. They keep their scale: a held-out grade may be the highest one."""

        def rest(by_dimension: Mapping[str, Qrels]) -> dict[str, Qrels]:
            return {
                name: Qrels(
                    {topic: grades for topic, grades in qrels.items() if topic not in topics}, Qrels.of(qrels).level
                )
                for name, qrels in by_dimension.items()
            }

        return Judgments(rest(self.graded), rest(self.distant), whole=self.whole or self)

    def graded_top(self, dimension: str) -> float:
        """Highest grade of the ranked items in a dimension, in all folds."""
        qrels = (self.whole or self).graded.get(dimension)
        return TOP_GRADE if qrels is None else top_grade(qrels)

    def distant_top(self, dimension: str) -> float:
        """Highest grade of arguments in a dimension, in all folds."""
        return top_grade((self.whole or self).distant.get(dimension, Qrels()))

    def topics(self) -> set[str]:
        """The topics with a judgment."""
        every = (*self.graded.values(), *self.distant.values())
        return {topic for qrels in every for topic, grades in qrels.items() if grades}

    def graded_ids(self) -> dict[str, list[str]]:
        """Topic -> the graded units, each once."""
        found: dict[str, dict[str, str]] = {}
        for qrels in self.graded.values():
            for topic, grades in qrels.items():
                for unit in grades:
                    found.setdefault(topic, {}).setdefault(pair_key(unit), unit)
        return {topic: list(units.values()) for topic, units in found.items()}


def fold_units(qrels: Qrels, top: float | None = None) -> Qrels:
    """Grades by `pair_key`, in [0, TOP_GRADE]; the higher of two grades of an item counts, as in evaluation.

    A grade below 0 is 0. Where the highest grade (``top``, of all judgments that these are a part of) exceeds
    TOP_GRADE, all grades shrink in proportion.
    """
    folded = fold_grades(qrels, pair_key)
    scale = TOP_GRADE / max(TOP_GRADE, top_grade(folded) if top is None else top)
    return Qrels(
        {topic: {id_: max(grade, 0.0) * scale for id_, grade in grades.items()} for topic, grades in folded.items()},
        Qrels.of(qrels).level,
    )
