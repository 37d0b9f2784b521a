"""What is judged: the units of a task, and the arguments that they are parts of."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from ltr.data.ids import pair_key
from ltr.data.qrels import Qrels, fold_grades
from models.base import TOP_GRADE


@dataclass(frozen=True)
class Judgments:
    """All that is judged, by dimension."""

    graded: Mapping[str, Qrels] = field(default_factory=dict)
    """Of the units themselves."""
    distant: Mapping[str, Qrels] = field(default_factory=dict)
    """Of the whole arguments that units are parts of."""

    def without(self, topics: Collection[str]) -> Judgments:
        """Those of other topics: what is held out may not speak."""

        def rest(by_dimension: Mapping[str, Qrels]) -> dict[str, Qrels]:
            return {
                name: Qrels(
                    {topic: grades for topic, grades in qrels.items() if topic not in topics}, Qrels.of(qrels).level
                )
                for name, qrels in by_dimension.items()
            }

        return Judgments(rest(self.graded), rest(self.distant))

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


def fold_units(qrels: Qrels) -> Qrels:
    """Grades by `pair_key`, in [0, TOP_GRADE]; of two grades of a unit the higher one, as in evaluation.

    A grade below 0 is 0. Scales that go higher are brought down to TOP_GRADE.
    """
    folded = fold_grades(qrels, pair_key)
    top = max([TOP_GRADE, *(grade for grades in folded.values() for grade in grades.values())])
    scaled = {
        topic: {unit: max(grade, 0.0) * (TOP_GRADE / top) for unit, grade in grades.items()}
        for topic, grades in folded.items()
    }
    return Qrels(scaled, folded.level)
