"""Judgments from plain grades of any scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ltr.data.qrels import Grades, Qrels
from ltr.learning.judgments import Judgments, share_grades
from ltr.learning.votes import Votes
from models.base import TOP_GRADE


def shrink(qrels: Grades, top: float) -> Qrels:
    """Grades in [0, top]: one below 0 is 0, and where the highest exceeds ``top``, all shrink in proportion."""
    highest = max((grade for grades in qrels.values() for grade in grades.values()), default=top)
    return share_grades(Qrels.of(qrels), top, max(top, highest))


def judgments_of(
    graded: Mapping[str, Grades] | None = None,
    distant: Mapping[str, Grades] | None = None,
    *,
    votes: Sequence[Votes] = (),
) -> Judgments:
    """The judgments of these grades, as those of files are."""
    own = {name: shrink(qrels, TOP_GRADE) for name, qrels in (graded or {}).items()}
    return Judgments(own, {name: shrink(qrels, 1.0) for name, qrels in (distant or {}).items()}, votes=votes)
