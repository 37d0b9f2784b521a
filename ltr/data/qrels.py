"""Relevance judgments in the columns ``topic 0 id grade``: one reader, one writer, and what the ids name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from statistics import fmean
from typing import Any, Literal

from ltr.data.columns import line_of, parse_number, quote, read_columns
from ltr.data.frames import find_column, frame_ids, frame_numbers, numbered
from ltr.data.grade_lines import GRADED_PAIR, is_grade_lines, read_grade_lines
from ltr.data.ids import is_pair, pair_key, parts_of
from ltr.data.irds import is_dataset, judgments_of
from ltr.errors import InputError, SettingError
from ltr.files import atomic_text
from models.defaults import DIMENSIONS

Level = Literal["pair", "argument"]
"""The level of judgments: pairs ``idA,idB``, or single items. A document counts as an argument here."""

Grades = Mapping[str, Mapping[str, float]]
"""Topic number -> id -> grade, where it does not matter what the ids name."""

Stances = dict[str, dict[str, str]]
"""Topic number -> id of a document -> its side, one of `VOCABULARIES`."""

VOCABULARIES = ("FIRST", "SECOND", "NEUTRAL", "NO"), ("PRO", "CON", "NEUTRAL", "NO")
"""The sides of documents, and of arguments."""

FRAME = ("qid", "query_id"), ("docno", "doc_id"), ("grade", "label", "relevance")
"""Names of the columns of a frame of judgments: of topics, ids and grades."""

GRADE_LIMIT = 1e6  # far above any judging scale, far below where a sum of gains could overflow


class Qrels(dict[str, dict[str, float]]):
    """Topic number -> id -> grade, with the level that is judged."""

    def __init__(self, grades: Grades | None = None, level: Level | None = None) -> None:
        """Copy ``grades``; without a ``level``, an id with a comma makes them judgments of pairs."""
        super().__init__({topic: dict(judged) for topic, judged in (grades or {}).items()})
        pairs = level is None and any(is_pair(id_) for judged in self.values() for id_ in judged)
        self.level: Level = level or ("pair" if pairs else "argument")

    @classmethod
    def of(cls, grades: Grades) -> Qrels:
        """``grades`` themselves where they are qrels already."""
        return grades if isinstance(grades, Qrels) else cls(grades)


def read_qrels(*paths: Path) -> Qrels:
    """Judgments in four columns ``topic 0 id grade``, of all files as one; grades may be negative or fractional.

    A repeated line is harmless; two grades for the same topic and id raise InputError.
    """
    merged: dict[str, dict[str, float]] = {}
    for path in paths:
        for where, topic, document, grade in _judgments(path):
            _judge(merged, topic, document, grade, where)
    return Qrels(merged)


def grades_of(rows: Any, name: str = "qrels") -> Qrels:
    """Judgments from Python: a frame with topics, ids and grades in `FRAME`'s columns, topic -> id -> grade, or rows.

    Rows begin with topic, id and grade. Raises SettingError, which names ``name``.
    """
    if hasattr(rows, "columns"):
        topics, ids, grade_column = (find_column(rows, names, name) for names in FRAME)
        grades = frame_numbers(rows, grade_column, name)
        listed = list(zip(frame_ids(rows, topics, name), frame_ids(rows, ids, name), grades, strict=True))
    else:
        listed = numbered(rows, name, "grade")
    found: dict[str, dict[str, float]] = {}
    for topic, id_, grade in listed:
        if abs(grade) > GRADE_LIMIT:
            raise SettingError(name, f"topic {topic}, id {id_}: the grade {grade:g} is off the scale", "scale it down")
        if found.setdefault(topic, {}).setdefault(id_, grade) != grade:
            raise SettingError(name, f"topic {topic}, id {id_} has two grades", "keep one of the two")
    return Qrels(found)


def read_stances(path: Path) -> Stances:
    """Judgments in four columns ``topic 0 id side``, sides in any case.

    Raises InputError, also for two sides of one document, a word that is not a side, and sides of several vocabularies.
    """
    stances: Stances = {}
    known = set(VOCABULARIES)
    for where, (topic, _, document, word) in read_columns(path, "topic 0 id side"):
        side = word.upper()
        known = {sides for sides in known if side in sides}
        if not known:
            hint = " or ".join(", ".join(sides) for sides in VOCABULARIES)
            raise InputError(where, f"{quote(word)} is not a side, or not of those above", f"write {hint}")
        if stances.setdefault(topic, {}).setdefault(pair_key(document), side) != side:
            raise InputError(where, f"topic {topic}, id {document} has another side earlier", "keep one of the two")
    return stances


def read_pair_qrels(entries: Iterable[tuple[str, Path]]) -> dict[str, Qrels]:
    """Grades of pairs by dimension, in the dimensions' usual order, from (dimension, file) entries.

    A file has qrels, or JSON lines by the schema of graded pairs. Files of one dimension merge. A pair keeps the order
    of its first line; the other order is the same pair, with the mean of both grades. Raises InputError for an unknown
    dimension, an id that is not a pair of sentences, and a line with two grades.
    """
    by_dimension: dict[str, Qrels] = {}
    for dimension, path in entries:
        if dimension not in DIMENSIONS:
            raise InputError(path, f"unknown dimension {quote(dimension)}", f"write {', '.join(DIMENSIONS)}")
        qrels = by_dimension.setdefault(dimension, Qrels(level="pair"))
        lines = not is_dataset(path) and is_grade_lines(path)
        rows = (line[:4] for line in read_grade_lines(path, GRADED_PAIR)) if lines else _judgments(path, dimension)
        for where, topic, id_, grade in rows:
            if not is_pair(id_):
                raise InputError(where, f"{quote(id_)} is one id, not a pair", "name judgments of pairs idA,idB")
            check_pair(where, id_)
            _judge(qrels, topic, id_, grade, where)
    for qrels in by_dimension.values():
        for topic, grades in qrels.items():
            names: dict[str, str] = {}
            first = {id_: names.setdefault(pair_key(id_), id_) for id_ in grades}
            qrels[topic] = fold_grades({topic: grades}, first.__getitem__)[topic]
    return {dimension: by_dimension[dimension] for dimension in DIMENSIONS if dimension in by_dimension}


def check_pair(where: object, id_: str) -> None:
    """Raise InputError for an id with a comma that does not join two different ids."""
    parts = parts_of(id_)
    if len(parts) > 2 or len(set(parts) - {""}) < 2:
        raise InputError(where, f"{quote(id_)} is not a pair", "join two different sentence ids by one comma")


def fold_grades(qrels: Grades, fold: Callable[[str], str]) -> Qrels:
    """Qrels under folded ids; where two ids become one, the mean of their grades, as of votes."""
    folded: dict[str, dict[str, float]] = {}
    for topic, grades in qrels.items():
        several: dict[str, list[float]] = {}
        for id_, grade in grades.items():
            several.setdefault(fold(id_), []).append(grade)
        if several:
            folded[topic] = {key: fmean(of) if len(of) > 1 else of[0] for key, of in several.items()}
    return Qrels(folded, Qrels.of(qrels).level)


def never_zero(grades: Grades) -> bool:
    """Whether several grades are given, all of them above 0: the lowest may mean that nothing is relevant."""
    given = {grade for judged in grades.values() for grade in judged.values()}
    return len(given) > 1 and min(given) > 0


NEVER_ZERO = "all grades are above 0, so the lowest counts as relevant; if it means not relevant, subtract it from all"


def write_qrels(path: Path, qrels: Grades) -> None:
    """Write judgments, whole grades without a decimal point. Raises InputError."""
    with atomic_text(path) as out:
        for topic, grades in qrels.items():
            for document, grade in grades.items():
                text = _grade(grade)
                parse_number(path, "grade", text, GRADE_LIMIT)
                out.write(line_of(path, topic, "0", document, text))


def _judgments(path: Path, dimension: str = "relevance") -> Iterator[tuple[str, str, str, float]]:
    """Place, topic, id and grade of every line: of a qrels file, of BEIR's table, or of a dataset ``irds:ID``."""
    rows: Iterable[tuple[str, str, str, str]]
    if is_dataset(path):
        rows = judgments_of(path, dimension)
    elif path.suffix == ".tsv":
        table = read_columns(path, "query-id corpus-id score")
        rows = ((where, *words) for where, words in table if words != ["query-id", "corpus-id", "score"])  # type: ignore[misc]
    else:
        rows = ((where, words[0], *words[2:]) for where, words in read_columns(path, "topic 0 id grade"))  # type: ignore[misc]
    for where, topic, document, grade in rows:
        yield where, topic, document, parse_number(where, "grade", grade, GRADE_LIMIT)


def _judge(qrels: dict[str, dict[str, float]], topic: str, document: str, grade: float, where: object) -> None:
    known = qrels.setdefault(topic, {}).setdefault(document, grade)
    if known != grade:
        what = f"topic {topic}, id {document}: grade {_grade(grade)} here, {_grade(known)} earlier"
        raise InputError(where, what, "keep one of the two")


def _grade(grade: float) -> str:
    grade = float(grade)
    return str(int(grade)) if grade.is_integer() else repr(grade)
