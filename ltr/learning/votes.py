"""Vote files: untrusted grades by people or models, as labelling functions with a name."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from ltr.data.grade_lines import FORM, VOTE, GradeLine, Scale, is_grade_lines, read_grade_lines
from ltr.data.ids import is_pair, pair_key
from ltr.data.qrels import Qrels, check_pair, read_qrels
from ltr.errors import InputError

RUBRIC: Scale = (0, 2)
"""The scale of our grading rubric, which graders of a pool use."""


_Read = dict[tuple[str, str], list[float]]


@dataclass(frozen=True)
class Votes:
    """The votes of one name in one dimension, in [0, 1]."""

    name: str
    dimension: str
    items: Qrels
    """Votes on ranked items; pairs under their `pair_key`."""
    arguments: Qrels
    """Votes on whole arguments, which all pairs of the argument inherit."""

    @property
    def topics(self) -> set[str]:
        """The topics with a vote."""
        return {topic for votes in (self.items, self.arguments) for topic, some in votes.items() if some}

    def only(self, topics: Iterable[str]) -> Votes:
        """The votes of some topics."""
        kept = set(topics)
        return Votes(self.name, self.dimension, of_topics(self.items, kept), of_topics(self.arguments, kept))


def of_topics(qrels: Qrels, kept: Container[str]) -> Qrels:
    """The judgments of some topics."""
    return Qrels({topic: grades for topic, grades in qrels.items() if topic in kept}, qrels.level)


def read_votes(entries: Iterable[tuple[str, str, Path]], *, pairs: bool, scale: Scale | None = None) -> list[Votes]:
    """The votes of (name, dimension, file) entries; files of one name and dimension are merged.

    A file holds qrels or JSON lines. In JSON lines an item may be voted on repeatedly, and in several files: the mean
    counts. With ``pairs``, ids with a comma are pairs and others arguments. Grades are scaled by `scaled_votes` for
    all files of a name together; ``scale`` is that of votes without one. Raises InputError, also where only some lines
    of a name have a scale, and for a grade outside of it.
    """
    read: dict[tuple[str, str], _Read] = {}
    scales: dict[tuple[str, str], Scale | None] = {}
    for name, dimension, path in entries:
        found = read.setdefault((name, dimension), {})
        for vote in _lines(path):
            if pairs and is_pair(vote.id):
                check_pair(vote.where, vote.id)
            item = pair_key(vote.id) if pairs else vote.id
            found.setdefault((vote.topic, item), []).append(vote.grade)
            if vote.scale is None and scale and vote.grade > scale[1]:
                what = f"grade {vote.grade:g} is above {scale[1]:g}, the highest that was declared"
                raise InputError(path, what, FORM)
            if scales.setdefault((name, dimension), vote.scale) != vote.scale:
                raise InputError(path, f"not all votes of {name} have the same 'scale'", "use another name for others")
    return [_votes(*key, found, scales.get(key) or scale, pairs) for key, found in read.items()]


def scaled_votes(grades: Mapping[tuple[str, str], float], scale: Scale | None = None) -> dict[tuple[str, str], float]:
    """Grades of any range as votes in [0, 1].

    On a known ``scale`` the lowest possible grade becomes 0 and the highest 1, whether or not somebody gave them.
    Without one, as for judgments, grades below 0 count as 0, and where one is above 1 the highest becomes 1: 0 to 3 is
    divided by 3.
    """
    if scale:
        return {key: (max(grade, scale[0]) - scale[0]) / (scale[1] - scale[0]) for key, grade in grades.items()}
    floored = {key: max(grade, 0.0) for key, grade in grades.items()}
    high = max([1.0, *floored.values()])
    return {key: grade / high for key, grade in floored.items()}


def _votes(name: str, dimension: str, found: _Read, scale: Scale | None, pairs: bool) -> Votes:
    if not found:
        raise InputError(f"votes {name}:{dimension}", "there is no grade in this file", FORM)
    items: dict[str, dict[str, float]] = {}
    arguments: dict[str, dict[str, float]] = {}
    for (topic, id_), vote in scaled_votes({key: fmean(of) for key, of in found.items()}, scale).items():
        of = items if is_pair(id_) or not pairs else arguments
        of.setdefault(topic, {})[id_] = vote
    return Votes(name, dimension, Qrels(items, "pair" if pairs else "argument"), Qrels(arguments, "argument"))


def _lines(path: Path) -> Iterable[GradeLine]:
    """The votes of JSON lines, of which a grade of null abstains, or of qrels."""
    if is_grade_lines(path):
        return read_grade_lines(path, VOTE)
    every = read_qrels(path).items()
    return (GradeLine(str(path), topic, id_, grade, None) for topic, of in every for id_, grade in of.items())
