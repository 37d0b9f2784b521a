"""Grades of the same units by several graders, side by side on one scale."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ltr.data.files import refuse_twice
from ltr.data.ids import pair_key
from ltr.data.qrels import Level, Qrels, fold_grades, read_pair_qrels, read_qrels
from ltr.errors import InputError
from ltr.supervision.votes import is_vote_lines, read_grades
from models.base import DIMENSIONS

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

MOST_LEVELS = 50
"""Largest number of levels, and of distinct grades; a table of more is not a scale."""


@dataclass(frozen=True)
class Scale:
    """How grades are read. ``negative``: grades below 0 are zero, kept or left out. ``cuts``: thresholds of levels."""

    negative: Literal["zero", "keep", "drop"] = "zero"
    cuts: tuple[float, ...] = ()

    def apply(self, grades: FloatArray) -> FloatArray:
        """Grades on this scale, NaN staying NaN. With ``cuts`` a grade becomes the number of thresholds it reaches.

        >>> Scale().apply(np.array([-2.0, 0.5, 2.0])), Scale(cuts=(1, 2)).apply(np.array([-2.0, 1.5, 3.0]))
        (array([0. , 0.5, 2. ]), array([0., 1., 2.]))
        """
        if self.negative != "keep":
            grades = np.where(grades < 0, 0.0 if self.negative == "zero" else np.nan, grades)
        if not self.cuts:
            return grades
        return np.where(np.isnan(grades), np.nan, np.searchsorted(np.sort(self.cuts), grades, side="right"))


def levels_of(grades: FloatArray) -> IntArray:
    """Whole levels of grades, rounded half up: the categories of a kappa.

    >>> levels_of(np.array([0.5, 1.4, -0.5])).tolist()
    [1, 1, 0]
    """
    return np.floor(grades + 0.5).astype(np.int64)


@dataclass(frozen=True)
class GradeTable:
    """The grade of every unit by every grader, (n_graders, n_units) float64, NaN where a grader has none."""

    graders: tuple[str, ...]
    units: tuple[tuple[str, str], ...]  # topic, id; those of a topic beside each other
    values: FloatArray
    level: Level

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics, in the order of the first file that has them."""
        return tuple(dict.fromkeys(topic for topic, _ in self.units))

    @property
    def topic_numbers(self) -> IntArray:
        """(n_units,) place of each unit's topic in ``topics``."""
        places = {topic: place for place, topic in enumerate(self.topics)}
        return np.array([places[topic] for topic, _ in self.units])


def read_table(files: Mapping[str, Sequence[Path]], scale: Scale) -> GradeTable:
    """Read graders by name; several files of one merge. The two orders of a pair are the same pair.

    Raises InputError for fewer than two graders, a file named twice, files of different units, and no unit in common.
    """
    if len(files) < 2:
        where = next((paths[0] for paths in files.values()), "usage")
        raise InputError(where, "is one grader only", "name the grades of another one")
    refuse_twice([path for paths in files.values() for path in paths])
    graded = {name: _read_grader(paths) for name, paths in files.items()}
    first = next(iter(graded))
    for name, qrels in graded.items():
        if qrels.level != graded[first].level:
            what = f"has grades of {qrels.level}s, and {first} of {graded[first].level}s"
            raise InputError(files[name][0], what, "name grades of the same units")
    return make_table(graded, scale)


def make_table(graded: Mapping[str, Qrels], scale: Scale) -> GradeTable:
    """Grades of one level side by side. Raises InputError for too many levels, and where no unit has two."""
    level = next(iter(graded.values())).level
    fold: Callable[[str], str] = pair_key if level == "pair" else str
    ids: dict[str, dict[str, str]] = {}  # topic -> folded id -> id as it was first written
    columns = []
    for qrels in graded.values():
        columns.append({(topic, fold(id_)): grade for topic, of in qrels.items() for id_, grade in of.items()})
        for topic, of in qrels.items():
            for id_ in of:
                ids.setdefault(topic, {}).setdefault(fold(id_), id_)
    keys = [(topic, key) for topic, of in ids.items() for key in of]
    values = scale.apply(np.array([[column.get(key, np.nan) for key in keys] for column in columns]))
    if nothing := [name for name, row in zip(graded, values, strict=True) if np.isnan(row).all()]:
        raise InputError(nothing[0], "has no grade of 0 or more", "leave it out, or take --negative zero")
    if not (np.count_nonzero(~np.isnan(values), axis=0) > 1).any():
        raise InputError(" and ".join(graded), f"grade no {level} in common", "name grades of the same topics and ids")
    units = tuple((topic, id_) for topic, of in ids.items() for id_ in of.values())
    table = GradeTable(tuple(graded), units, values, level)
    known = table.values[~np.isnan(table.values)]
    if max(int(np.ptp(levels_of(known))) + 1, len(np.unique(known))) > MOST_LEVELS:
        what = f"have more than {MOST_LEVELS} levels, from {known.min():g} to {known.max():g}"
        raise InputError("the grades", what, "name thresholds with --cuts, such as --cuts 1,2")
    return table


def _read_grader(paths: Sequence[Path]) -> Qrels:
    if votes := [path for path in paths if is_vote_lines(path)]:
        if len(paths) > 1:
            raise InputError(votes[0], "votes are not merged with other files", "name one file")
        qrels = read_grades(votes[0])
        return Qrels(fold_grades(qrels, pair_key), qrels.level)
    qrels = read_qrels(*paths)
    if qrels.level == "pair":  # read as pairs, so that a pair with other grades in its other order is refused
        return read_pair_qrels((DIMENSIONS[0], path) for path in paths)[DIMENSIONS[0]]
    return qrels
