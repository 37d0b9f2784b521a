"""Frames, dicts and lists from Python as the files that training reads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar
from xml.sax.saxutils import escape

from ltr.data.qrels import grades_of, write_qrels
from ltr.data.topics import topics_of
from ltr.errors import SettingError
from ltr.learning.settings import LearningSettings

S = TypeVar("S", bound=LearningSettings)


@contextmanager
def as_files(settings: S) -> Iterator[S]:
    """The settings with files for what is given as objects; the files last as long as the context.

    Raises SettingError for rows that cannot be topics, or grades.
    """
    with TemporaryDirectory(prefix="riposte-given-") as folder:

        def file(name: str, number: int, value: Any) -> Path:
            if isinstance(value, Path):
                return value
            return (_write_topics if name == "topics" else _write_grades)(name, value, Path(folder, f"{name}-{number}"))

        given: dict[str, Any] = {
            name: [file(name, *each) for each in enumerate(getattr(settings, name))]
            for name in ("topics", "qrels", "quality_qrels")
        }
        for name in settings.fields().keys() & {"pair_qrels", "votes"}:
            entries = enumerate(getattr(settings, name))
            given[name] = [(*key, file(name, number, value)) for number, (*key, value) in entries]
        yield replace(settings, **given)


def _write_topics(_: str, topics: Any, place: Path) -> Path:
    rows = [
        f"<topic><number>{escape(topic.number)}</number><title>{escape(topic.title)}</title>"
        f"<objects>{escape(', '.join(topic.objects))}</objects></topic>\n"
        for topic in topics_of(topics)
    ]
    place = place.with_suffix(".xml")
    place.write_text(f"<topics>\n{''.join(rows)}</topics>\n", "utf-8")
    return place


def _write_grades(name: str, grades: Any, place: Path) -> Path:
    found = grades_of(grades, name)
    for topic, of in found.items():
        for id_ in of:
            if any(text.split() != [text] for text in (topic, id_)):
                raise SettingError(name, f"{topic!r}, {id_!r} is not a topic and an id", "leave it out")
    place = place.with_suffix(".qrels")
    write_qrels(place, found)
    return place
