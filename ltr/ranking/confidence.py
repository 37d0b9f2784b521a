"""Whether there is little on a question, as far as the model can tell.

Models that learned relevance from graded items estimate grades, and the estimates of the first five say how much there
is: `note_on` for one question with the results that are shown, `note_of_topics` for runs, which fold nothing away.
How the thresholds were chosen is in docs/laboratory.md; how good the estimates are is what ``riposte train`` prints.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from ltr.ranking.candidates import Candidates
from models.base import TOP_GRADE

FIRST: Final = 5
"""Least number of results worth showing; number of first results whose mean expected relevance counts."""

LEAST: Final = 1.2
"""Least expected relevance of a result worth showing."""

LITTLE: Final = 1.45
"""Mean expected relevance of the first displayed results below which there may be little on a question."""

LITTLE_OF_RUN: Final = 0.8
"""The same for the first items of a run, where weak results are not folded."""

NAMED: Final = 10
"""Topics with little that are named; the others are counted."""


def expected_relevance(listed: Candidates) -> dict[str, float]:
    """Topic -> mean expected grade, in [0, TOP_GRADE], of the first five items of a list that has grades."""
    top = listed[listed["rank"] <= FIRST]
    return {topic: mean_grade(top["relevance"].iloc[rows].tolist()) for topic, rows in top.spans.items()}


def mean_grade(grades: Sequence[float]) -> float:
    """The mean, in [0, TOP_GRADE]: rankers may leave the scale of grades a little."""
    return min(max(round(float(np.mean(grades)), 3), 0.0), TOP_GRADE)


def note_missing(word: str) -> str:
    """A line on a decisive word of the question that no text on its subject has; empty without one."""
    return f'No text below names "{word}": they are about the subject in general.' if word else ""


def note_on(worth: int, relevance: Sequence[float], *, recognised: bool = False) -> str:
    """A line where there is little on a question, else empty.

    ``worth``: number of arguments worth showing; ``relevance``: expected grades of the first displayed results;
    ``recognised``: whether the corpus has a debate on the question, however small.

    >>> note_on(2, [1.8, 1.2, 0.4])
    'Little on this question: 2 arguments.'
    >>> note_on(9, [1.4, 1.3, 1.3, 1.2, 1.2])
    'Perhaps little on this question: expected relevance of the first results 1.28 of 2.'
    >>> note_on(9, [1.8, 1.8, 1.7, 1.6, 1.2])
    ''
    """
    if not relevance or (recognised and worth):
        return ""
    if worth < FIRST:
        found = {0: "no arguments", 1: "1 argument"}.get(worth, f"{worth} arguments")
        return f"Little on this question: {found}." if worth or recognised else "Nothing here is about this question."
    first = relevance[:FIRST]
    mean = sum(first) / len(first)
    what = f"expected relevance of the first results {mean:.2f} of {TOP_GRADE:g}"
    return f"Perhaps little on this question: {what}." if mean < LITTLE else ""


def note_of_topics(expected: Mapping[str, float]) -> str:
    """One line on the topics with little, those with the least first; empty when there are none."""
    thin = sorted((topic for topic in expected if expected[topic] < LITTLE_OF_RUN), key=lambda topic: expected[topic])
    if not thin:
        return ""
    first = f"{thin[0]} (expected relevance of the top five {expected[thin[0]]:.2f} of {TOP_GRADE:g})"
    others = [f"{topic} ({expected[topic]:.2f})" for topic in thin[1:NAMED]]
    more = [f"and {len(thin) - NAMED} more"] if len(thin) > NAMED else []
    return ", ".join([f"little on the topic: {first}", *others, *more])
