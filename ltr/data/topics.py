"""Topics XML."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from features.core.folding import composed
from ltr.data.columns import clean_word, decode, quote, read_bytes, read_objects
from ltr.data.frames import check_columns, frame_ids, frame_texts, id_text
from ltr.data.irds import is_dataset, queries_of
from ltr.errors import InputError, SettingError

_FIELDS = ("number", "title", "objects")

LONGEST_TITLE = 2_000
"""Characters: features of a question keep a column for each of its words."""


@dataclass(frozen=True, slots=True)
class Topic:
    """A controversial question."""

    number: str
    title: str
    objects: tuple[str, ...] = ()
    """The objects of a comparative question, where its file names them."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", composed(self.title))
        for text, name in ((self.title, "title"), (", ".join(self.objects), "list of objects")):
            if len(text) > LONGEST_TITLE:
                what = f"the {name} of topic {quote(self.number)} has {len(text):,} characters"
                raise InputError(what, hint=f"ask in at most {LONGEST_TITLE:,}")


LARGEST = 16 << 20
"""Bytes of a file: some 100,000 topics. What XML makes of them may take sixty times as many."""

_LINE = 'write {"_id", "text"}, an object a line'


def read_topics(path: Path) -> list[Topic]:
    """Topics in the order of the file, white space in their texts folded. Raises InputError.

    ``path`` is XML, BEIR's ``queries.jsonl``, or ``irds:ID``.
    """
    rows: Iterable[tuple[str, Mapping[str, str]]]
    if is_dataset(path):
        rows = ((str(path), fields) for fields in queries_of(str(path)))
    elif path.name.endswith((".jsonl", ".jsonl.gz")):
        rows = ((where, _beir_query(fields)) for where, fields in read_objects(path, _LINE))
    else:
        rows = _xml_topics(path)
    topics: dict[str, Topic] = {}
    for where, fields in rows:
        folded = {name: " ".join(text.split()) for name, text in fields.items()}
        if not (number := folded["number"]):
            raise InputError(where, "has no number", "give it a <number>, or an _id in JSON lines")
        number = clean_word(f"{where}: number", number)
        objects = tuple(filter(None, map(str.strip, folded.get("objects", "").split(","))))
        try:
            topic = Topic(number, folded["title"], objects)
        except InputError as error:
            raise InputError(f"{path}: {error}") from None
        if number in topics:
            raise InputError(where, f"number {number} is taken by an earlier topic", "renumber it")
        if not topic.title:
            raise InputError(where, f"topic {number} has no title", "give it a <title>, or a text in JSON lines")
        topics[number] = topic
    if not topics:
        raise InputError(path, "holds no topics", "put <topic> elements inside <topics>")
    return list(topics.values())


def as_one_word(question: str) -> str:
    """The words of a question as one word, the number of a topic that has none: should-zoos-be-closed."""
    return "-".join(re.findall(r"\w+", question.lower()))


def _xml_topics(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    root = _parse_xml(path, read_bytes(path, LARGEST))
    if root.tag != "topics":
        raise InputError(path, f"the root element is <{root.tag}>", "wrap the topics in <topics>")
    for place, element in enumerate(root, 1):
        where = f"{path} topic {place}"
        if element.tag != "topic":
            raise InputError(where, f"is a <{element.tag}> element", "write <topic> or take it out")
        yield where, {field: _text(where, element, field) for field in _FIELDS}


def _beir_query(fields: Mapping[str, Any]) -> dict[str, str]:
    of = {"number": fields.get("_id"), "title": fields.get("text")}
    return {name: str(text) if isinstance(text, str | int) else "" for name, text in of.items()}


def topics_of(rows: Any) -> list[Topic]:
    """Topics from Python: a frame with ``qid`` and ``query``, a dict, number -> title, or topics and (number, title).

    Raises SettingError, which names ``topics``.
    """
    if hasattr(rows, "iterrows"):
        check_columns(rows, ("qid", "query"), "topics")
        rows = zip(frame_ids(rows, "qid", "topics"), frame_texts(rows, "query", "topics"), strict=True)
    topics: dict[str, Topic] = {}
    for place, row in enumerate(rows.items() if isinstance(rows, Mapping) else rows):
        pair = (row.number, row.title) if isinstance(row, Topic) else row
        number, title = pair if isinstance(pair, list | tuple) and len(pair) == 2 else (None, pair)
        if (named := id_text(number)) is None or not isinstance(title, str):
            raise SettingError("topics", f"row {place}: {quote(str(row))} is not a number and a title", "leave it out")
        if named in topics:
            raise SettingError("topics", f"row {place}: number {named} comes twice", "number the topics apart")
        topics[named] = replace(row, number=named) if isinstance(row, Topic) else Topic(named, title)
    return list(topics.values())


def _parse_xml(path: Path, raw: bytes) -> ElementTree.Element:
    from defusedxml import DefusedXmlException  # noqa: PLC0415 only those who read topics need it
    from defusedxml.ElementTree import fromstring  # noqa: PLC0415 only those who read topics need it

    try:
        root: ElementTree.Element = fromstring(raw, forbid_dtd=True)
    except DefusedXmlException:
        raise InputError(path, "declares a DTD, which is refused", "take out <!DOCTYPE ...>") from None
    except ElementTree.ParseError as error:
        declared = re.search(rb"encoding=[\"']([^\"']*)", raw[:200])
        if not declared or declared[1].lower() in (b"utf-8", b"utf8"):
            decode(path, raw)  # the likeliest cause of an invalid token is an invalid byte
        reason = str(error).split(":")[0]
        hint = "correct the XML there (a bare & is written &amp;)"
        raise InputError(f"{path} line {error.position[0]}", f"is not XML ({reason})", hint) from None
    except (LookupError, ValueError) as error:
        raise InputError(path, f"has an unknown encoding ({error})", "save it as UTF-8") from None
    return root


def _text(where: str, topic: ElementTree.Element, field: str) -> str:
    elements = topic.findall(field)
    if len(elements) > 1:
        raise InputError(where, f"has {len(elements)} <{field}> elements", "keep one")
    return " ".join(elements[0].itertext()) if elements else ""
