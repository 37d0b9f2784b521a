"""Frames, dicts and lists from Python as the files that training reads."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from numbers import Real
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from xml.sax.saxutils import escape

from ltr.data.qrels import Qrels, write_qrels
from ltr.errors import SettingError
from ltr.training.settings import TrainingSettings


@contextmanager
def as_files(settings: TrainingSettings) -> Iterator[TrainingSettings]:
    """The settings with files for what is given as objects; the files last as long as the context.

    Raises SettingError for rows that cannot be topics, or grades.
    """
    with TemporaryDirectory(prefix="riposte-given-") as folder:
        place, given = Path(folder), dict[str, Any]()
        for name in ("topics", "qrels", "quality_qrels"):
            write = _write_topics if name == "topics" else _write_grades
            several = enumerate(getattr(settings, name))
            given[name] = [_file(name, one, place / f"{name}-{number}", write) for number, one in several]
        for name in ("pair_qrels", "votes"):
            entries = enumerate(getattr(settings, name))
            given[name] = [
                (*key, _file(name, one, place / f"{name}-{number}", _write_grades)) for number, (*key, one) in entries
            ]
        yield replace(settings, **given)


def _file(name: str, value: Any, place: Path, write: Any) -> Path:
    return value if isinstance(value, Path) else write(name, value, place)


def _write_topics(name: str, topics: Any, place: Path) -> Path:
    """A file of topics from a frame with qid and query, a dict, or (number, title) or `Topic` rows."""
    if hasattr(topics, "columns"):
        topics = zip(topics["qid"], topics["query"], strict=True)
    elif isinstance(topics, Mapping):
        topics = topics.items()
    rows = []
    for topic in topics:
        number, title = (topic.number, topic.title) if hasattr(topic, "number") else topic
        if not isinstance(title, str) or str(number).strip() in ("", "nan"):
            raise SettingError(name, f"{number!r}, {title!r} is not a number and a title", "leave it out")
        rows.append(f"<topic><number>{escape(str(number))}</number><title>{escape(title)}</title></topic>\n")
    place = place.with_suffix(".xml")
    place.write_text(f"<topics>\n{''.join(rows)}</topics>\n", "utf-8")
    return place


def _write_grades(name: str, grades: Any, place: Path) -> Path:
    """A file of judgments from a frame with qid, docno and grade, or from a dict, topic -> id -> grade."""
    if hasattr(grades, "columns"):
        rows = [*zip(grades["qid"], grades["docno"], grades["grade"], strict=True)]
    else:
        rows = [(topic, id_, grade) for topic, of in grades.items() for id_, grade in of.items()]
    found: dict[str, dict[str, float]] = {}
    for topic, id_, grade in rows:
        if isinstance(grade, bool) or not isinstance(grade, Real) or not math.isfinite(grade):
            raise SettingError(name, f"topic {topic}, {id_}: {grade!r} is not a grade", "give a number")
        if any(str(one).split() != [str(one)] for one in (topic, id_)):
            raise SettingError(name, f"{topic!r}, {id_!r} is not a topic and an id", "leave it out")
        if found.setdefault(str(topic), {}).setdefault(str(id_), float(grade)) != grade:
            raise SettingError(name, f"topic {topic}: {id_} has two grades", "keep one")
    place = place.with_suffix(".qrels")
    write_qrels(place, Qrels(found))
    return place
