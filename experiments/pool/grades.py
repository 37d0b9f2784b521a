"""Grades, lines ``number r q c``, to qrels and votes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from experiments.pool.rubric import GUIDES
from experiments.pool.selection import PooledPair
from experiments.published import read_lines
from features.core.feature import Unit
from ltr.data.ids import is_pair, pair_key
from ltr.data.qrels import Level, Qrels, read_pair_qrels, read_qrels
from ltr.errors import InputError
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


def dimensions_to_grade(unit: Unit, wanted: Sequence[str]) -> tuple[str, ...]:
    """The ``wanted`` dimensions of such units, or all. Raises InputError."""
    known = tuple(GUIDES[unit].rubric)
    if odd := [name for name in wanted if name not in known]:
        raise InputError("--dimension", f"{unit}s are not graded in {odd[0]}", f"name {' or '.join(known)}")
    return tuple(name for name in known if name in (wanted or known))


def read_graded(
    unit: Unit, dimensions: Sequence[str], pairs: Sequence[tuple[str, Path]], whole: Mapping[str, Sequence[Path]]
) -> dict[str, Qrels]:
    """The earlier grades of such units by dimension, in files of ``pairs`` or of ``whole`` texts. Raises InputError."""
    if any(whole.values()) if unit == "pair" else pairs:
        named, right = ("--pair-qrels", "--qrels")[:: -1 if unit == "pair" else 1]
        raise InputError(named, f"these are not grades of {unit}s", f"name them with {right}")
    graded = read_pair_qrels(pairs) if pairs else {name: read_qrels(*paths) for name, paths in whole.items() if paths}
    if unit != "pair" and (odd := [name for name, qrels in graded.items() if qrels.level == "pair"]):
        raise InputError(whole[odd[0]][0], f"these are grades of pairs, not of {unit}s", "take --task pairs")
    return {name: qrels for name, qrels in graded.items() if name in dimensions}


def read_sheet(path: Path, numbers: Iterable[int], pool: str, dimensions: Sequence[str] = DIMENSIONS) -> Sheet:
    """Grades of one pass. Raises InputError for everything that is not a grade of a unit of this pool.

    Lines have the number and a grade in each of the ``dimensions``, or in those that a first line ``number NAME ...``
    names. Empty lines and comments (``#``) do not count, but a comment ``# pool NAME`` must name this pool, and ``# by
    NAME`` names the grader (default: the file's name).
    """
    known = {str(number): number for number in numbers}
    grades: dict[int, Mapping[str, int]] = {}
    by, asked = path.stem, dimensions
    for row, line in enumerate(read_lines(path), 1):
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


def votes_of(key: Mapping[int, PooledPair], sheets: Sequence[Sheet]) -> dict[str, str]:
    """Dimension -> each grade with its grader, as JSON lines."""
    votes: dict[str, str] = {}
    for sheet in sheets:
        for number, item in key.items():
            for name, grade in sheet.grades.get(number, {}).items():
                line = vote_line(item.topic, item.pair, grade, {"by": sheet.by, "anchor": item.anchor})
                votes[name] = votes.get(name, "") + line
    return votes


def vote_line(topic: str, id_: str, grade: int, more: Mapping[str, Any]) -> str:
    """A grade by our criteria as a JSON line for ``riposte train --votes``."""
    vote = {"topic": topic, "id": id_, "grade": grade, "scale": [*RUBRIC], **more}
    return json.dumps(vote, ensure_ascii=False) + "\n"


def merge_grades(earlier: Mapping[str, Qrels], new: Mapping[str, Qrels]) -> dict[str, Qrels]:
    """Earlier and new grades together, earlier ones first; a pair that both have keeps its earlier grade."""
    merged: dict[str, Qrels] = {}
    for name in new:
        grades_of_topic = merged[name] = Qrels(earlier.get(name), Qrels.of(new[name]).level)
        for topic, grades in new[name].items():
            known = set(map(pair_key, grades_of_topic.setdefault(topic, {})))
            grades_of_topic[topic] |= {pair: grade for pair, grade in grades.items() if pair_key(pair) not in known}
    return merged
