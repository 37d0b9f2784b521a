"""Votes of a grader: one line per item and dimension, with their provenance, and how far they agree."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from experiments.grade.pooled import Item
from experiments.pool.grades import Agreement, compare_grades
from ltr.data.ids import pair_key
from ltr.data.qrels import Qrels, fold_grades
from ltr.remote.chat import Failure, Reply
from ltr.supervision.votes import RUBRIC


class Grades(NamedTuple):
    """An answer: a grade of each dimension, and the reason."""

    grades: dict[str, int]
    why: str


Answer = Reply[Grades] | Failure


class Graded(NamedTuple):
    """An item and its answers, one per reading."""

    item: Item
    answers: list[Answer]

    @property
    def replies(self) -> list[Reply[Grades]]:
        """The usable answers; none where one is missing, so that no grade rests on fewer readings than the others."""
        usable = [answer for answer in self.answers if isinstance(answer, Reply)]
        return usable if len(usable) == len(self.answers) else []

    @property
    def reason(self) -> str:
        """Why it has no grade."""
        return next((answer.reason for answer in self.answers if isinstance(answer, Failure)), "")


def vote_lines(graded: Sequence[Graded], dimension: str, by: str, prompt: str) -> str:
    """JSON lines for ``train --votes``, in the order of the pool; an item's grade is the mean of its readings."""
    lines = []
    for item, replies in ((entry.item, entry.replies) for entry in graded):
        if replies:
            given = [reply.value.grades[dimension] for reply in replies]
            mean = sum(given) / len(given)
            vote: dict[str, Any] = {
                "topic": item.topic,
                "id": item.id,
                "grade": int(mean) if mean == int(mean) else mean,
                "scale": [*RUBRIC],
            }
            vote |= {"by": by, "why": replies[0].value.why, "prompt": prompt, "date": replies[-1].date}
            lines.append(json.dumps(vote | ({"readings": given} if len(given) > 1 else {}), ensure_ascii=False) + "\n")
    return "".join(lines)


def missing_items(graded: Sequence[Graded]) -> list[dict[str, str]]:
    """The items without a grade, each with the reason."""
    entries = [(entry.item, entry.reason) for entry in graded if not entry.replies]
    return [{"topic": item.topic, "id": item.id, "reason": reason} for item, reason in entries]


def anchor_agreement(graded: Sequence[Graded], earlier: Mapping[str, Qrels]) -> dict[str, Agreement]:
    """New grades against earlier ones, by dimension, of all items that have both."""
    found = {}
    for dimension, qrels in earlier.items():
        known = fold_grades(qrels, pair_key)
        couples = [
            (known[item.topic][key], sum(reply.value.grades[dimension] for reply in replies) / len(replies))
            for item, replies, key in ((entry.item, entry.replies, pair_key(entry.item.id)) for entry in graded)
            if replies and dimension in replies[0].value.grades and key in known.get(item.topic, {})
        ]
        if couples:
            found[dimension] = compare_grades(couples)
    return found


def reading_agreement(graded: Sequence[Graded], dimensions: Sequence[str]) -> dict[str, Agreement]:
    """Any two readings of the same item, by dimension; empty with one reading."""
    couples = [
        couple for entry in graded for couple in combinations([reply.value.grades for reply in entry.replies], 2)
    ]
    if not couples:
        return {}
    return {name: compare_grades([(one[name], other[name]) for one, other in couples]) for name in dimensions}
