"""Judgments as they would be if fewer topics had graded pairs."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from ltr.supervision.judgments import Judgments


@dataclass(frozen=True)
class FewGraded(Judgments):
    """Judgments whose pairs train for few topics: for the first ``size`` of ``order`` that are not held out."""

    order: tuple[str, ...] = ()
    size: int = 0

    def without(self, topics: Collection[str]) -> Judgments:
        """Those that may train when ``topics`` are held out."""
        rest = super().without(topics)
        kept = [topic for topic in self.order if topic not in topics][: self.size]
        few = {name: {t: grades for t, grades in q.items() if t in kept} for name, q in rest.graded.items()}
        return Judgments(few, rest.distant)
