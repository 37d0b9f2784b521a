"""How well scores put judged units in order."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from experiments.human.judged import JudgedSet, Unit
from ltr.data.ids import argument_of, pair_key
from models.base import Scores


def unit_scores(ids: Sequence[str], scores: Scores, unit: Unit) -> dict[str, float]:
    """Judged unit -> the score of the best ranked item that it is part of.

    ``ids`` are ranked items, pairs ``idA,idB`` or single ones, and ``scores`` theirs, (n,).
    """
    best: dict[str, float] = {}
    for place in np.argsort(-scores, kind="stable").tolist():
        for part in _units(ids[place], unit):
            best.setdefault(part, float(scores[place]))
    return best


def _units(item: str, unit: Unit) -> list[str]:
    if unit == "pair":
        return [pair_key(item)]
    parts = item.split(",")
    return parts if unit == "sentence" else [argument_of(part) for part in parts]


def share_in_order(scores: Mapping[str, float], grades: Mapping[str, float]) -> float:
    """The share of differently graded units that are put in order; equal scores count a half, no score is lowest.

    NaN where all grades are the same.

    >>> share_in_order({"a": 3.0, "b": 2.0}, {"a": 1, "b": 2, "c": 0})
    0.6666666666666666
    """
    grade = np.array(list(grades.values()), np.float64)
    score = np.array([scores.get(id_, -math.inf) for id_ in grades])
    right, every = 0.0, 0
    for one in np.flatnonzero(grade > grade.min(initial=math.inf)):
        lower = grade < grade[one]
        right += np.count_nonzero(score[lower] < score[one]) + np.count_nonzero(score[lower] == score[one]) / 2
        every += int(np.count_nonzero(lower))
    return right / every if every else math.nan


def share_preferred(scores: Mapping[str, float], preferences: Sequence[tuple[str, str]]) -> float:
    """The share of preferences (better, worse) that scores share; equal scores count a half, no score is lowest."""
    two = np.array([[scores.get(id_, -math.inf) for id_ in pair] for pair in preferences])
    return float(np.mean((two[:, 0] > two[:, 1]) + (two[:, 0] == two[:, 1]) / 2)) if len(two) else math.nan


def first_sentences(ids: Sequence[str], marks: Mapping[str, float], count: int = 5) -> float:
    """The share of marked sentences among those of the first ``count`` pairs; a repeated one counts each time."""
    parts = [part for pair in ids[:count] for part in pair.split(",")]
    return sum(marks.get(part, 0.0) for part in parts) / (2 * count)


def best_pair(ids: Sequence[str], scores: Scores, marks: Mapping[str, float]) -> float:
    """The share of marked sentences among the two of the best pair of judged ones; NaN without such a pair."""
    for place in np.argsort(-scores, kind="stable").tolist():
        parts = ids[place].split(",")
        if all(part in marks for part in parts):
            return sum(marks[part] for part in parts) / 2
    return math.nan


def order_share(judged: JudgedSet, topic: str, scores: Mapping[str, float]) -> float:
    """`share_in_order` or `share_preferred`, whichever the set has."""
    if judged.preferences:
        return share_preferred(scores, judged.preferences[topic])
    grades = judged.grades[topic]
    if judged.unit == "pair":
        grades = {pair_key(id_): grade for id_, grade in grades.items()}
    return share_in_order(scores, grades)
