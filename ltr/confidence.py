"""How good the top of a list is, as far as the model can tell: where a corpus has little on a topic, it says so.

Models that learned relevance from graded pairs score pairs by expected grades, so the mean of the top five is an
estimate of how relevant they are. How well it agrees with grades on held-out topics is what ``ltr.train`` prints.
"""

from __future__ import annotations

from collections.abc import Mapping

from ltr.matrix import Matrix
from ltr.rerank import DIVERSIFY, ranked_rows
from models.base import TOP_GRADE, PairMatrix, Ranker, Scores
from models.blend import Blend

TOP = 5

LITTLE = 0.8
"""Expected relevance of the top five below which a topic is said to have little."""

SHOWN = 10
"""Topics that a note names."""


def score_with_relevance(ranker: Ranker, matrix: PairMatrix) -> tuple[Scores, Scores | None]:
    """(n_rows,) scores, and expected grades in relevance: None for a ranker that gives none."""
    if not isinstance(ranker, Blend) or not ranker.expected_grades:
        return ranker.score(matrix), None
    found = ranker.dimension_scores(matrix)
    return ranker.combine(found), found.get("relevance")


def expected_relevance(
    matrix: Matrix, scores: Scores, relevance: Scores | None, diversify: float = DIVERSIFY
) -> dict[str, float]:
    """Topic -> mean expected grade, in [0, TOP_GRADE], of the first five pairs of its list; none without grades."""
    if relevance is None:
        return {}
    found = {}
    for topic, rows in matrix:
        top = ranked_rows(matrix, rows, scores, depth=TOP, diversify=diversify)
        mean = float(relevance[rows][top].mean())
        found[topic] = min(max(round(mean, 3), 0.0), TOP_GRADE)
    return found


def thin_topics(expected: Mapping[str, float]) -> list[str]:
    """Topics on which there is little, those with the least first."""
    return sorted((topic for topic in expected if expected[topic] < LITTLE), key=lambda topic: expected[topic])


def note_of_topics(expected: Mapping[str, float]) -> str | None:
    """One line on the topics with little; None when there are none."""
    thin = thin_topics(expected)
    if not thin:
        return None
    first = f"{thin[0]} (expected relevance of the top five {expected[thin[0]]:.2f} of {TOP_GRADE:g})"
    rest = [f"{topic} ({expected[topic]:.2f})" for topic in thin[1:SHOWN]]
    more = f", and {len(thin) - SHOWN} more" if len(thin) > SHOWN else ""
    return f"little on the topic: {', '.join([first, *rest])}{more}"


def note_of_question(expected: float) -> str | None:
    """One line on a question with little; None when there is enough."""
    if expected >= LITTLE:
        return None
    return f"Little on this question: expected relevance of the top five {expected:.2f} of {TOP_GRADE:g}."
