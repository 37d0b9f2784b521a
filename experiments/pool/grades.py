"""Grades, lines ``number r q c``, to qrels and votes; agreement of graders with each other and with earlier grades."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from experiments.pool.files import read_text
from experiments.pool.selection import PooledPair
from ltr.data.ids import is_pair, pair_key
from ltr.data.qrels import Level, Qrels, fold_grades
from ltr.errors import InputError
from ltr.evaluation.significance import quadratic_kappa
from ltr.supervision.votes import RUBRIC
from models.base import DIMENSIONS

RESERVED = ("pairs", "arguments", "documents", "merged", "votes")
"""Names of files that no grader may have."""
_GRADES = {"0": 0, "1": 1, "2": 2}
_POOL, _BY = "# pool ", "# by "


class Sheet(NamedTuple):
    """The grades of one grader: number -> dimension -> grade."""

    by: str
    grades: Mapping[int, Mapping[str, int]]


class Agreement(NamedTuple):
    """How two readings of the same pairs compare in one dimension; ``kappa`` is None where it is not defined."""

    pairs: int
    exact: float
    kappa: float | None
    difference: float
    """Mean of second minus first reading; for anchors, of new minus earlier grade."""


# ---- reading ----------------------------------------------------------------------------------------


def read_sheet(path: Path, numbers: Iterable[int], pool: str, dimensions: Sequence[str] = DIMENSIONS) -> Sheet:
    """Grades of one pass. Raises InputError for everything that is not a grade of a unit of this pool.

    Lines have the number and a grade in each of the ``dimensions``, or in those that a first line ``number NAME ...``
    names. Empty lines and comments (``#``) do not count, but a comment ``# pool NAME`` must name this pool, and ``# by
    NAME`` names the grader (default: the file's name).
    """
    known = {str(number): number for number in numbers}
    grades: dict[int, Mapping[str, int]] = {}
    by, asked = path.stem, dimensions
    for row, line in enumerate(read_text(path, "name a file of lines `number r q c`").splitlines(), 1):
        where, words = f"{path} line {row}", line.split()
        if line.startswith(_POOL) and line.removeprefix(_POOL).strip() != pool:
            raise InputError(where, "the grades are of another pool", "name the key.tsv they belong to")
        if line.startswith(_BY):
            by = line.removeprefix(_BY).strip()
        if not words or line.startswith("#"):
            continue
        if words[0] == "number" and not grades and {*words[1:]} <= {*asked}:
            dimensions = words[1:]
            continue
        if len(words) != 1 + len(dimensions):
            shape = " ".join(["number", *(name[0] for name in dimensions)])
            raise InputError(where, f"has {len(words)} columns, not {1 + len(dimensions)}", f"write it as `{shape}`")
        if words[0] not in known:
            raise InputError(where, f"number {words[0][:40]!r} is not in the key", f"use 1 to {len(known)}")
        number = known[words[0]]
        if number in grades:
            raise InputError(where, f"number {number} has grades in an earlier line already", "keep one line")
        if wrong := [word for word in words[1:] if word not in _GRADES]:
            what = f"grade {wrong[0][:40]!r} of number {number} is not valid"
            raise InputError(where, what, "write 0, 1 or 2")
        grades[number] = {name: _GRADES[word] for name, word in zip(dimensions, words[1:], strict=True)}
    if not grades:
        raise InputError(path, "holds no grades", "write lines `number r q c`")
    if by in RESERVED or not re.fullmatch(r"\w[\w.@+-]{0,99}", by):
        raise InputError(path, f"{by[:40]!r} cannot name a grader", "write another word in a line `# by NAME`")
    return Sheet(by, grades)


def check_complete(paths: Sequence[Path], sheets: Sequence[Sheet], numbers: Sequence[int]) -> None:
    """Raise InputError unless every number has grades in every dimension that is graded."""
    given = {number: mean_grades(sheets, number).keys() for number in numbers}
    graded = set().union(*given.values())
    if missing := [number for number, names in given.items() if names != graded]:
        named = ", ".join(map(str, missing[:5])) + (", ..." if len(missing) > 5 else "")
        where = paths[0] if len(paths) == 1 else "the files of grades"
        raise InputError(where, f"{len(missing)} of {len(numbers)} numbers have no grades: {named}", "grade them")


# ---- qrels and votes --------------------------------------------------------------------------------


def mean_grades(sheets: Sequence[Sheet], number: int) -> dict[str, float]:
    """The mean grade of a unit by dimension, of the sheets that graded it."""
    given = [sheet.grades[number] for sheet in sheets if number in sheet.grades]
    return {
        name: fmean(grades[name] for grades in given if name in grades)
        for name in DIMENSIONS
        if any(name in grades for grades in given)
    }


def to_qrels(key: Mapping[int, PooledPair], sheets: Sequence[Sheet]) -> dict[str, Qrels]:
    """Mean grades of the new units by graded dimension, topics in the key's order, units by id.

    Anchors keep their grades.
    """
    level: Level = "pair" if any(is_pair(item.pair) for item in key.values()) else "argument"
    qrels = {name: Qrels(level=level) for name in DIMENSIONS}
    new = [(number, item) for number, item in key.items() if not item.anchor]
    topics = {topic: number for number, topic in enumerate(dict.fromkeys(item.topic for _, item in new))}
    for number, item in sorted(new, key=lambda entry: (topics[entry[1].topic], pair_key(entry[1].pair))):
        for name, grade in mean_grades(sheets, number).items():
            qrels[name].setdefault(item.topic, {})[item.pair] = grade
    return {name: found for name, found in qrels.items() if found}


def votes_of(key: Mapping[int, PooledPair], sheets: Sequence[Sheet]) -> dict[str, list[dict[str, Any]]]:
    """Dimension -> each grade with its grader: ``topic``, ``id``, ``grade``, ``scale``, ``by``, ``anchor``."""
    votes: dict[str, list[dict[str, Any]]] = {}
    for sheet in sheets:
        for number, item in key.items():
            for name, grade in sheet.grades.get(number, {}).items():
                vote = {"topic": item.topic, "id": item.pair, "grade": grade, "scale": [*RUBRIC]}
                votes.setdefault(name, []).append(vote | {"by": sheet.by, "anchor": item.anchor})
    return votes


def merge_grades(earlier: Mapping[str, Qrels], new: Mapping[str, Qrels]) -> dict[str, Qrels]:
    """Earlier and new grades together, earlier ones first; a pair that both have keeps its earlier grade."""
    merged: dict[str, Qrels] = {}
    for name in new:
        grades_of_topic = merged[name] = Qrels(earlier.get(name), Qrels.of(new[name]).level)
        for topic, grades in new[name].items():
            known = set(map(pair_key, grades_of_topic.setdefault(topic, {})))
            grades_of_topic[topic] |= {pair: grade for pair, grade in grades.items() if pair_key(pair) not in known}
    return merged


# ---- agreement --------------------------------------------------------------------------------------


def pass_agreement(sheets: Sequence[Sheet]) -> dict[str, Agreement]:
    """Agreement of any two passes on the pairs that both graded, by dimension; empty where there are none."""
    both = [
        (one.grades[number], other.grades[number])
        for one, other in combinations(sheets, 2)
        for number in one.grades
        if number in other.grades
    ]
    couples = {name: [(a[name], b[name]) for a, b in both if name in a and name in b] for name in DIMENSIONS}
    return {name: compare_grades(grades) for name, grades in couples.items() if grades}


def anchor_drift(
    key: Mapping[int, PooledPair], sheets: Sequence[Sheet], graded: Mapping[str, Qrels]
) -> dict[str, Agreement]:
    """New grades of the anchors against those of the earlier qrels, by dimension; earlier ones below 0 count as 0."""
    anchors = [(item, mean_grades(sheets, number)) for number, item in key.items() if item.anchor]
    drift = {}
    for name, qrels in graded.items():
        earlier = fold_grades(qrels, pair_key)
        couples = [
            (max(earlier[item.topic][pair_key(item.pair)], 0), grades[name])
            for item, grades in anchors
            if name in grades and pair_key(item.pair) in earlier.get(item.topic, {})
        ]
        if couples:
            drift[name] = compare_grades(couples)
    return drift


def compare_grades(couples: Sequence[tuple[float, float]]) -> Agreement:
    """Exact agreement, quadratic weighted kappa (Cohen 1968) and mean difference of (first, second) grades."""
    # Means of passes are fractions; counted in twelfths, halves, thirds and quarters are whole numbers.
    twelfths = np.rint(12 * np.array(couples)).astype(np.int64)
    kappa = quadratic_kappa(twelfths[:, 0], twelfths[:, 1])
    exact = fmean(a == b for a, b in couples)
    return Agreement(len(couples), exact, None if math.isnan(kappa) else kappa, fmean(b - a for a, b in couples))
