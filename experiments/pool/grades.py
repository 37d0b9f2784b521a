"""Grades, lines ``number r q c``, to qrels and votes; agreement of graders with each other and with earlier grades."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
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

SHEET = ("number", *DIMENSIONS)
"""Columns that the first line of a file of grades may name."""
_GRADES: dict[str, float] = {"0": 0, "1": 1, "2": 2}
_POOL, _BY = "# pool ", "# by "
RESERVED = ("pairs", "arguments", "documents", "merged", "votes")
"""Names of files that no grader may have."""

Grades = tuple[float, float, float]
"""Grades in the order of `DIMENSIONS`; NaN where one is missing."""

NONE: Grades = (math.nan, math.nan, math.nan)


class Sheet(NamedTuple):
    """The grades of one grader, by number."""

    by: str
    grades: Mapping[int, Grades]


class Agreement(NamedTuple):
    """How two readings of the same pairs compare in one dimension; ``kappa`` is None where it is not defined."""

    pairs: int
    exact: float
    kappa: float | None
    difference: float
    """Mean of second minus first reading; for anchors, of new minus earlier grade."""


def read_sheet(path: Path, numbers: Mapping[int, object], pool: str, dimensions: Sequence[str] = DIMENSIONS) -> Sheet:
    """Grades of one pass by number. Raises InputError for whatever is no grade of a unit of this pool.

    Columns are separated by blanks, or by commas, semicolons or tabs as in a spreadsheet's CSV. They are the number and
    a grade in each of the ``dimensions``, or what the first line names. Empty lines and comments (``#``) do not count,
    but a comment ``# pool NAME`` must name this pool, and ``# by NAME`` names the grader, who is else called like the
    file.
    """
    grades: dict[int, Grades] = {}
    rows: dict[int, int] = {}
    by, asked, shape = path.stem, dimensions, _shape(dimensions)
    hint = f"name a file of lines `{shape}`, or a sheet saved as CSV in UTF-8"
    for row, line in enumerate(read_text(path, hint).splitlines(), 1):
        where, words = f"{path} line {row}", cells_of(line)
        if words[0].startswith(_POOL) and words[0].removeprefix(_POOL).strip() != pool:
            raise InputError(where, "the grades are of another pool", "name the key.tsv they belong to")
        if words[0].startswith(_BY):
            by = words[0].removeprefix(_BY).strip()
        if not any(words) or words[0].startswith("#"):
            continue
        if words[0] == SHEET[0] and not grades and len({*words}) == len(words) > 1 and {*words[1:]} <= {*asked}:
            dimensions, shape = words[1:], _shape(words[1:])
            continue
        if len(words) != 1 + len(dimensions):
            raise InputError(where, f"has {len(words)} columns, not {1 + len(dimensions)}", f"write it as `{shape}`")
        number = int(words[0]) if words[0].isascii() and words[0].isdigit() and len(words[0]) < 10 else 0
        if number not in numbers:
            raise InputError(where, f"number {words[0][:40]!r} is not in the key", f"use 1 to {len(numbers)}")
        if number in grades:
            raise InputError(where, f"number {number} has grades in line {rows[number]} already", "keep one line")
        if wrong := [word for word in words[1:] if word not in _GRADES]:
            what = f"grade {wrong[0][:40]!r} of number {number} is not valid"
            raise InputError(where, what, "write 0, 1 or 2")
        rows[number] = row
        grades[number] = _in_order({name: _GRADES[word] for name, word in zip(dimensions, words[1:], strict=True)})
    if not grades:
        raise InputError(path, "holds no grades", f"write lines `{shape}`")
    if by in RESERVED or not re.fullmatch(r"\w[\w.@+-]{0,99}", by):
        raise InputError(path, f"{by[:40]!r} cannot name a grader", "write another word in a line `# by NAME`")
    return Sheet(by, grades)


def _in_order(given: Mapping[str, float]) -> Grades:
    first, second, third = (given.get(name, math.nan) for name in DIMENSIONS)
    return first, second, third


def _shape(dimensions: Sequence[str]) -> str:
    return " ".join(["number", *(name[0] for name in dimensions)])


def cells_of(line: str) -> Sequence[str]:
    """The cells of a line, without the blanks and quotes around them; of a comment its first cell.

    >>> cells_of('"7";1; ;2'), cells_of("7 1 1 2"), cells_of("# pool 12ab,,,")
    (['7', '1', '', '2'], ['7', '1', '1', '2'], ['# pool 12ab'])
    """
    separator = re.search(r"[,;\t]", line)
    cells = [cell.strip(' "') for cell in line.split(separator[0])] if separator else line.split() or [""]
    if line.lstrip('"').startswith("#"):
        return [cells[0] if separator else line.strip(' "')]
    return cells


def check_complete(paths: Sequence[Path], passes: Sequence[Mapping[int, Grades]], numbers: Sequence[int]) -> None:
    """Raise InputError unless every number has grades in every dimension that is graded."""
    means = {number: mean_grades(passes, number) for number in numbers}
    graded = [not all(math.isnan(of[place]) for of in means.values()) for place in range(len(DIMENSIONS))]
    missing = [n for n, of in means.items() if any(math.isnan(of[place]) for place in range(len(of)) if graded[place])]
    if missing:
        named = ", ".join(map(str, missing[:5])) + (", ..." if len(missing) > 5 else "")
        where = paths[0] if len(paths) == 1 else "the files of grades"
        raise InputError(where, f"{len(missing)} of {len(numbers)} numbers have no grades: {named}", "grade them")


def mean_grades(passes: Sequence[Mapping[int, Grades]], number: int) -> Grades:
    """The mean per dimension of the passes that graded the unit; NaN where none did."""
    given = list(zip(*(graded.get(number, NONE) for graded in passes), strict=True))
    known = [[grade for grade in grades if not math.isnan(grade)] for grades in given]
    first, second, third = (sum(grades) / len(grades) if grades else math.nan for grades in known)
    return first, second, third


def to_qrels(key: Mapping[int, PooledPair], passes: Sequence[Mapping[int, Grades]]) -> dict[str, Qrels]:
    """Mean grades of the new units by graded dimension, topics in the key's order, units by id.

    Anchors keep their grades.
    """
    level: Level = "pair" if any(is_pair(item.pair) for item in key.values()) else "argument"
    qrels = {name: Qrels(level=level) for name in DIMENSIONS}
    new = [(number, item) for number, item in key.items() if not item.anchor]
    topics = {topic: number for number, topic in enumerate(dict.fromkeys(item.topic for _, item in new))}
    for number, item in sorted(new, key=lambda entry: (topics[entry[1].topic], pair_key(entry[1].pair))):
        for name, grade in zip(DIMENSIONS, mean_grades(passes, number), strict=True):
            if not math.isnan(grade):
                qrels[name].setdefault(item.topic, {})[item.pair] = grade
    return {name: found for name, found in qrels.items() if found}


def votes_of(key: Mapping[int, PooledPair], sheets: Sequence[Sheet]) -> dict[str, list[dict[str, Any]]]:
    """Dimension -> each grade with its grader: ``topic``, ``id``, ``grade``, ``scale``, ``by``, ``anchor``."""
    votes: dict[str, list[dict[str, Any]]] = {}
    for sheet in sheets:
        for number, item in key.items():
            for name, grade in zip(DIMENSIONS, sheet.grades.get(number, NONE), strict=True):
                if not math.isnan(grade):
                    who = {"by": sheet.by, "anchor": item.anchor}
                    vote = {"topic": item.topic, "id": item.pair, "grade": int(grade), "scale": [*RUBRIC], **who}
                    votes.setdefault(name, []).append(vote)
    return votes


def pass_agreement(passes: Sequence[Mapping[int, Grades]]) -> dict[str, Agreement]:
    """Agreement of any two passes on the pairs that both graded, by dimension; empty where there are none."""
    both = [(first[n], second[n]) for first, second in combinations(passes, 2) for n in first if n in second]
    known = [[(first[d], second[d]) for first, second in both] for d in range(len(DIMENSIONS))]
    couples = [[couple for couple in of if not any(map(math.isnan, couple))] for of in known]
    return {name: compare_grades(grades) for name, grades in zip(DIMENSIONS, couples, strict=True) if grades}


def anchor_drift(
    key: Mapping[int, PooledPair], passes: Sequence[Mapping[int, Grades]], graded: Mapping[str, Qrels]
) -> dict[str, Agreement]:
    """New grades of the anchors against those of the earlier qrels, by dimension; earlier ones below 0 count as 0."""
    drift = {}
    for position, name in enumerate(DIMENSIONS):
        earlier = fold_grades(graded.get(name, Qrels()), pair_key)
        couples = [
            (max(earlier[item.topic][pair_key(item.pair)], 0), mean_grades(passes, number)[position])
            for number, item in key.items()
            if item.anchor and pair_key(item.pair) in earlier.get(item.topic, {})
        ]
        couples = [couple for couple in couples if not math.isnan(couple[1])]
        if couples:
            drift[name] = compare_grades(couples)
    return drift


def compare_grades(couples: Sequence[tuple[float, float]]) -> Agreement:
    """Exact agreement, quadratic weighted kappa (Cohen 1968) and mean difference of (first, second) grades."""
    # Means of passes are not whole numbers; in twelfths, halves, thirds and quarters are.
    twelfths = np.rint(12 * np.array(couples)).astype(np.int64)
    kappa = quadratic_kappa(twelfths[:, 0], twelfths[:, 1])
    size = len(couples)
    exact = sum(a == b for a, b in couples) / size
    return Agreement(size, exact, None if math.isnan(kappa) else kappa, sum(b - a for a, b in couples) / size)


def merge_grades(earlier: Mapping[str, Qrels], new: Mapping[str, Qrels]) -> dict[str, Qrels]:
    """Earlier and new grades together, earlier ones first; a pair that both have keeps its earlier grade."""
    merged: dict[str, Qrels] = {}
    for name in new:
        grades_of_topic = merged[name] = Qrels(earlier.get(name), Qrels.of(new[name]).level)
        for topic, grades in new[name].items():
            known = set(map(pair_key, grades_of_topic.setdefault(topic, {})))
            grades_of_topic[topic] |= {pair: grade for pair, grade in grades.items() if pair_key(pair) not in known}
    return merged
