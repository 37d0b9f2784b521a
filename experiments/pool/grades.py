"""Grades, lines ``number r q c``, to qrels; agreement of graders with each other and with earlier grades."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from sklearn.metrics import cohen_kappa_score

from experiments.pool.files import read_text
from experiments.pool.selection import PooledPair
from ltr.data.ids import pair_key
from ltr.data.qrels import Qrels, fold_grades
from ltr.errors import InputError
from models.base import DIMENSIONS

SHAPE = "number r q c"
SHEET = ("number", *DIMENSIONS)
"""Columns of a sheet to type grades into."""
_GRADES: dict[str, float] = {"0": 0, "1": 1, "2": 2}
_POOL = "# pool "

Grades = tuple[float, float, float]
"""Grades in the order of `DIMENSIONS`; NaN where one is missing."""


class Agreement(NamedTuple):
    """How two readings of the same pairs compare in one dimension; ``kappa`` is None where it is not defined."""

    pairs: int
    exact: float
    kappa: float | None
    difference: float
    """Mean of second minus first reading; for anchors, of new minus earlier grade."""


def read_grades(path: Path, numbers: Mapping[int, object], pool: str, *, missing: bool = False) -> dict[int, Grades]:
    """Grades of one pass by number. Raises InputError for whatever is no grade of a pair of this pool.

    Columns are separated by blanks, or by commas, semicolons or tabs as in a spreadsheet's CSV, whose first line may
    have the names of the columns. Empty lines and comments (``#``) do not count, but a comment ``# pool NAME`` must
    name this pool. With ``missing`` a grade may be missing (NaN): an empty cell or ``-``.
    """
    grades: dict[int, Grades] = {}
    rows: dict[int, int] = {}
    hint = f"name a file of lines `{SHAPE}`, or a sheet saved as CSV in UTF-8"
    known = _GRADES | ({"": math.nan, "-": math.nan} if missing else {})
    for row, line in enumerate(read_text(path, hint).splitlines(), 1):
        where, words = f"{path} line {row}", cells_of(line)
        if words[0].startswith(_POOL) and words[0].removeprefix(_POOL).strip() != pool:
            raise InputError(where, "the grades are of another pool", "name the key.tsv they belong to")
        if not any(words) or words[0].startswith("#") or tuple(words) == SHEET:
            continue
        if len(words) != 4:
            raise InputError(where, f"has {len(words)} columns, not 4", f"write it as `{SHAPE}`")
        number = int(words[0]) if words[0].isascii() and words[0].isdigit() and len(words[0]) < 10 else 0
        if number not in numbers:
            raise InputError(where, f"number {words[0][:40]!r} is not in the key", f"use 1 to {len(numbers)}")
        if number in grades:
            raise InputError(where, f"number {number} has grades in line {rows[number]} already", "keep one line")
        if wrong := [word for word in words[1:] if word not in known]:
            what = f"grade {wrong[0][:40]!r} of number {number} is not valid"
            raise InputError(where, what, "write 0, 1 or 2" + (", or - where there is none" if missing else ""))
        rows[number] = row
        grades[number] = (known[words[1]], known[words[2]], known[words[3]])
    if all(math.isnan(grade) for given in grades.values() for grade in given):
        raise InputError(path, "holds no grades", f"write lines `{SHAPE}`")
    return grades


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


def sheet_text(count: int, pool: str) -> str:
    """A CSV sheet without grades for the pairs 1 to ``count``; its first line names the pool."""
    rows = [(f"{_POOL}{pool}", "", "", ""), SHEET, *((str(n), "", "", "") for n in range(1, count + 1))]
    return "".join(",".join(row) + "\n" for row in rows)


def check_complete(paths: Sequence[Path], passes: Sequence[Mapping[int, Grades]], numbers: Sequence[int]) -> None:
    """Raise InputError unless every number has grades in at least one pass."""
    missing = [number for number in numbers if not any(number in graded for graded in passes)]
    if missing:
        named = ", ".join(map(str, missing[:5])) + (", ..." if len(missing) > 5 else "")
        where = paths[0] if len(paths) == 1 else "the files of grades"
        raise InputError(where, f"{len(missing)} of {len(numbers)} numbers have no grades: {named}", "grade them")


def mean_grades(passes: Sequence[Mapping[int, Grades]], number: int) -> tuple[float, ...]:
    """The mean per dimension of the passes that graded the pair."""
    given = [graded[number] for graded in passes if number in graded]
    return tuple(sum(values) / len(values) for values in zip(*given, strict=True))


def to_qrels(key: Mapping[int, PooledPair], passes: Sequence[Mapping[int, Grades]]) -> dict[str, Qrels]:
    """Mean grades of the new pairs by dimension, topics in the key's order, pairs by id. Anchors keep their grades."""
    qrels = {name: Qrels(level="pair") for name in DIMENSIONS}
    new = [(number, item) for number, item in key.items() if not item.anchor]
    topics = {topic: number for number, topic in enumerate(dict.fromkeys(item.topic for _, item in new))}
    for number, item in sorted(new, key=lambda entry: (topics[entry[1].topic], pair_key(entry[1].pair))):
        for name, grade in zip(DIMENSIONS, mean_grades(passes, number), strict=True):
            qrels[name].setdefault(item.topic, {})[item.pair] = grade
    return qrels


def pass_agreement(passes: Sequence[Mapping[int, Grades]]) -> dict[str, Agreement]:
    """Agreement of any two passes on the pairs that both graded, by dimension; empty where there are none."""
    both = [(first[n], second[n]) for first, second in combinations(passes, 2) for n in first if n in second]
    couples = [[(first[d], second[d]) for first, second in both] for d in range(len(DIMENSIONS))]
    return {name: compare_grades(grades) for name, grades in zip(DIMENSIONS, couples, strict=True) if grades}


def anchor_drift(
    key: Mapping[int, PooledPair], passes: Sequence[Mapping[int, Grades]], graded: Mapping[str, Qrels]
) -> dict[str, Agreement]:
    """New grades of the anchors against those of the earlier qrels, by dimension."""
    drift = {}
    for position, name in enumerate(DIMENSIONS):
        earlier = fold_grades(graded.get(name, Qrels()), pair_key)
        couples = [
            (earlier[item.topic][pair_key(item.pair)], mean_grades(passes, number)[position])
            for number, item in key.items()
            if item.anchor and pair_key(item.pair) in earlier.get(item.topic, {})
        ]
        if couples:
            drift[name] = compare_grades(couples)
    return drift


def compare_grades(couples: Sequence[tuple[float, float]]) -> Agreement:
    """Exact agreement, quadratic weighted kappa (Cohen 1968) and mean difference of (first, second) grades."""
    first, second = zip(*couples, strict=True)
    kappa = None  # 0/0 when all grades are equal
    if len({*first, *second}) > 1:
        # Means of passes are not whole numbers; in twelfths, halves, thirds and quarters are.
        twelfths = [[round(12 * grade) for grade in grades] for grades in (first, second)]
        labels = list(range(min(map(min, twelfths)), max(map(max, twelfths)) + 1))
        kappa = float(cohen_kappa_score(*twelfths, labels=labels, weights="quadratic"))
    size = len(couples)
    exact = sum(a == b for a, b in couples) / size
    return Agreement(size, exact, kappa, sum(b - a for a, b in couples) / size)


def merge_grades(earlier: Mapping[str, Qrels], new: Mapping[str, Qrels]) -> dict[str, Qrels]:
    """Earlier and new grades together, earlier ones first; a pair that both have keeps its earlier grade."""
    merged: dict[str, Qrels] = {}
    for name in DIMENSIONS:
        grades_of_topic = merged[name] = Qrels(earlier.get(name))
        for topic, grades in new.get(name, {}).items():
            known = set(map(pair_key, grades_of_topic.setdefault(topic, {})))
            grades_of_topic[topic] |= {pair: grade for pair, grade in grades.items() if pair_key(pair) not in known}
    return merged
