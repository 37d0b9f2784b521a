"""How good the top of a list is, as far as the model can tell: where a corpus has little on a topic, it says so.

Models that learned relevance from graded pairs score pairs by expected grades, so the mean of the top five is an
estimate of how relevant they are. How well it agrees with grades on held-out topics is what ``riposte train`` prints.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from ltr.data.runs import RunRow
from ltr.ranking.matrix import Matrix
from models.base import TOP_GRADE, Scores

TOP = 5

LITTLE = 0.8
"""Expected relevance of the top five below which a topic is said to have little."""


def expected_relevance(matrix: Matrix, rows: Iterable[RunRow], relevance: Scores | None) -> dict[str, float]:
    """Topic -> mean expected grade, in [0, TOP_GRADE], of the first five pairs of its list; none without grades.

    ``rows`` are those of `ltr.ranking.final_list.final_list`, of any topics; ``relevance`` (n_rows of the matrix,).
    """
    if relevance is None:
        return {}
    top: dict[str, list[float]] = {}
    for row in rows:
        if row.rank <= TOP:
            span = matrix.rows(row.topic)
            (position,) = np.flatnonzero(matrix.ids[span] == row.pair)
            top.setdefault(row.topic, []).append(float(relevance[span][position]))
    # Rankers may leave the scale of grades a little.
    return {topic: min(max(round(float(np.mean(grades)), 3), 0.0), TOP_GRADE) for topic, grades in top.items()}


def thin_topics(expected: Mapping[str, float]) -> list[str]:
    """Topics on which there is little, those with the least first."""
    return sorted((topic for topic in expected if expected[topic] < LITTLE), key=lambda topic: expected[topic])


def note_of_topics(expected: Mapping[str, float]) -> str:
    """One line on the topics with little; empty when there are none."""
    if not (thin := thin_topics(expected)):
        return ""
    first = f"{thin[0]} (expected relevance of the top five {expected[thin[0]]:.2f} of {TOP_GRADE:g})"
    return ", ".join([f"little on the topic: {first}", *(f"{topic} ({expected[topic]:.2f})" for topic in thin[1:])])
