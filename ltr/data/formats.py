"""Topics XML, qrels and TREC runs: one reader, one writer and one set of complaints for each.

Readers keep the order of the file and raise InputError, one line with the file, the place in it and the
mend. Writers are atomic and refuse what their reader could not read back.
"""

from __future__ import annotations

import codecs
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from ltr.data.files import atomic_text
from ltr.errors import InputError

Qrels = dict[str, dict[str, float]]
"""Topic number -> id of an argument, or of a pair ``idA,idB`` -> grade."""

STANCES = ("PRO", "CON", "Q0")
GRADE_LIMIT = 1e6  # far above any judging scale, far below where a sum of gains could overflow

_FIELDS = ("number", "title", "description", "narrative")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_SENTENCE = re.compile(r"[^\s,]+__(?:PREMISE|CONC)__[0-9]+")


@dataclass(frozen=True, slots=True)
class Topic:
    """A controversial question; an automatic run uses its title alone."""

    number: str
    title: str
    description: str = ""
    narrative: str = ""


class RunRow(NamedTuple):
    """One line of a run. ``pair`` is ``idA,idB``, or a plain document id in other people's runs."""

    topic: str
    stance: str
    pair: str
    rank: int
    score: float
    tag: str


# ---- topics ---------------------------------------------------------------------------------------


def read_topics(path: Path) -> list[Topic]:
    """Topics in the order of the file, white space in their texts folded. Raises InputError."""
    return _parse_topics(path, _read(path))


def write_topics(path: Path, topics: Iterable[Topic]) -> None:
    """Write topics XML; empty descriptions and narratives are left out. Raises InputError."""
    root = ElementTree.Element("topics")
    for topic in topics:
        element = ElementTree.SubElement(root, "topic")
        for field in _FIELDS:
            if text := getattr(topic, field):
                ElementTree.SubElement(element, field).text = text
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode") + "\n"
    _parse_topics(path, text.encode("utf-8", "xmlcharrefreplace"))
    with atomic_text(path) as out:
        out.write(text)


def _parse_topics(path: Path, raw: bytes) -> list[Topic]:
    root = _parse_xml(path, raw)
    if root.tag != "topics":
        raise InputError(path, f"the root element is <{root.tag}>", "wrap the topics in <topics>")
    topics: dict[str, Topic] = {}
    for place, element in enumerate(root, 1):
        where = f"{path} topic {place}"
        if element.tag != "topic":
            raise InputError(where, f"is a <{element.tag}> element", "write <topic> or take it out")
        topic = Topic(**{field: _text(where, element, field) for field in _FIELDS})
        if not topic.number:
            raise InputError(where, "has no number", "give it a <number>")
        if " " in topic.number:
            raise InputError(where, f"number {_quote(topic.number)} holds a space", "make it one word")
        if topic.number in topics:
            raise InputError(where, f"number {topic.number} is taken by an earlier topic", "renumber it")
        if not topic.title:
            raise InputError(where, f"topic {topic.number} has no title", "give it a <title>")
        topics[topic.number] = topic
    if not topics:
        raise InputError(path, "holds no topics", "put <topic> elements inside <topics>")
    return list(topics.values())


def _parse_xml(path: Path, raw: bytes) -> ElementTree.Element:
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    try:
        root: ElementTree.Element = fromstring(raw, forbid_dtd=True)
    except DefusedXmlException:
        raise InputError(path, "declares a DTD, which is refused", "take out <!DOCTYPE ...>") from None
    except ElementTree.ParseError as error:
        declared = re.search(rb"encoding=[\"']([^\"']*)", raw[:200])
        if not declared or declared[1].lower() in (b"utf-8", b"utf8"):
            _decode(path, raw)  # the likeliest cause of an invalid token is an invalid byte
        reason = str(error).split(":")[0]
        mend = "mend the XML there (a bare & is written &amp;)"
        raise InputError(f"{path} line {error.position[0]}", f"is not XML ({reason})", mend) from None
    except (LookupError, ValueError) as error:
        raise InputError(path, f"has an unknown encoding ({error})", "save it as UTF-8") from None
    return root


def _text(where: str, topic: ElementTree.Element, field: str) -> str:
    found = topic.findall(field)
    if len(found) > 1:
        raise InputError(where, f"has {len(found)} <{field}> elements", "keep one")
    return " ".join("".join(found[0].itertext()).split()) if found else ""


# ---- qrels ----------------------------------------------------------------------------------------


def read_qrels(path: Path) -> Qrels:
    """Judgments in four columns ``topic 0 id grade``; grades may be negative or fractional.

    A repeated line is harmless; two grades for the same topic and id raise InputError.
    """
    return read_all_qrels([path])


def read_all_qrels(paths: Iterable[Path]) -> Qrels:
    """The judgments of several files as one; files that contradict each other raise InputError."""
    merged: Qrels = {}
    for path in paths:
        for where, topic, document, grade in _judgments(path):
            _judge(merged, topic, document, grade, where)
    return merged


def read_pair_qrels(entries: Iterable[tuple[str, Path]]) -> dict[str, Qrels]:
    """Grades of pairs by dimension, in the dimensions' usual order, from (dimension, file) entries.

    Files of one dimension merge. A pair keeps the order of its first line; the other order is the same pair. Raises
    InputError for an unknown dimension, an id that is no pair of two sentences and a pair with two grades.
    """
    from models.base import DIMENSIONS

    found: dict[str, Qrels] = {}
    written: dict[tuple[str, str, str], str] = {}
    for dimension, path in entries:
        if dimension not in DIMENSIONS:
            raise InputError(path, f"{_quote(dimension)} is no dimension", f"write {', '.join(DIMENSIONS)}")
        qrels = found.setdefault(dimension, {})
        for where, topic, id_, grade in _judgments(path):
            first, comma, second = id_.partition(",")
            if not comma:
                raise InputError(where, f"{_quote(id_)} is one id, not a pair", "name judgments of pairs idA,idB")
            if not first or not second or "," in second or first == second:
                raise InputError(where, f"{_quote(id_)} is not a pair", "join two different sentence ids by one comma")
            _judge(qrels, topic, written.setdefault((dimension, topic, pair_key(id_)), id_), grade, where)
    return {dimension: found[dimension] for dimension in DIMENSIONS if dimension in found}


def write_qrels(path: Path, qrels: Mapping[str, Mapping[str, float]]) -> None:
    """Write judgments, whole grades without a decimal point. Raises InputError."""
    with atomic_text(path) as out:
        for topic, grades in qrels.items():
            for document, grade in grades.items():
                text = _grade(grade)
                _parse_number(path, "grade", text, GRADE_LIMIT)
                out.write(_line(path, topic, "0", document, text))


def _judgments(path: Path) -> Iterator[tuple[str, str, str, float]]:
    """Place, topic, id and grade of every line."""
    for where, (topic, _, document, grade) in _rows(path, "topic 0 id grade"):
        yield where, topic, document, _parse_number(where, "grade", grade, GRADE_LIMIT)


def _judge(qrels: Qrels, topic: str, document: str, grade: float, where: object) -> None:
    known = qrels.setdefault(topic, {}).setdefault(document, grade)
    if known != grade:
        what = f"topic {topic}, id {document}: grade {_grade(grade)} here, {_grade(known)} earlier"
        raise InputError(where, what, "keep one of the two")


def _grade(grade: float) -> str:
    grade = float(grade)
    return str(int(grade)) if grade.is_integer() else repr(grade)


# ---- runs -----------------------------------------------------------------------------------------


def read_run(path: Path) -> list[RunRow]:
    """Rows ``topic stance pair rank score tag`` in the order of the file. Raises InputError.

    Only the columns are checked, so that anyone's run can be read; see :func:`validate_run`.
    """
    rows = []
    for where, (topic, stance, pair, rank, score, tag) in _rows(path, "topic stance pair rank score tag"):
        if not re.fullmatch("[0-9]{1,9}", rank):
            raise InputError(where, f"rank {_quote(rank)} is not a whole number", "count from 1")
        value = _parse_number(where, "score", score, math.inf)
        rows.append(RunRow(topic, stance, pair, int(rank), value, tag))
    return rows


def write_run(path: Path, rows: Iterable[RunRow]) -> None:
    """Write a run; scores keep every digit, so the order on re-reading is the same. Raises InputError."""
    with atomic_text(path) as out:
        for row in rows:
            score = repr(float(row.score))
            _parse_number(path, "score", score, math.inf)
            out.write(_line(path, row.topic, row.stance, row.pair, str(row.rank), score, row.tag))


def validate_run(rows: Iterable[RunRow], *, depth: int = 1000, minimum: int = 0, where: object = "run") -> None:
    """Raise InputError at the first row that the Touché 2022 rules would refuse.

    ``minimum`` and ``depth`` bound the number of pairs of every topic that the run holds; ``where`` names
    the run in the message.
    """
    finished: set[str] = set()
    for topic, group in groupby(enumerate(rows, 1), key=lambda item: item[1].topic):
        above, rank = math.inf, 0
        seen: set[str] = set()
        for rank, (number, row) in enumerate(group, 1):
            if topic in finished:
                what, mend = f"topic {topic} comes back after another topic", "keep its rows together"
                raise InputError(f"{where} row {number}", what, mend)
            for what, mend in _faults(row, rank, above, seen, depth):
                raise InputError(f"{where} row {number}", what, mend)
            above = row.score
            seen.add(pair_key(row.pair))
        finished.add(topic)
        if rank < minimum:
            what = f"topic {topic} has {rank} pairs, fewer than {minimum}"
            raise InputError(where, what, "return more pairs for it")


def _faults(row: RunRow, rank: int, above: float, seen: set[str], depth: int) -> Iterator[tuple[str, str]]:
    if not _is_word(row.topic):
        yield f"topic {_quote(row.topic)} is not one word", "use the number of the topics file"
    if row.stance not in STANCES:
        yield f"stance {_quote(row.stance)} is unknown", "write PRO, CON or Q0"
    first, _, second = row.pair.partition(",")
    if first == second or not all(_is_word(id_) and _SENTENCE.fullmatch(id_) for id_ in (first, second)):
        yield f"{_quote(row.pair)} is not a pair", "join two different sentence ids by one comma"
    if pair_key(row.pair) in seen:
        yield f"pair {row.pair} is there already, in this order or the other", "keep the higher one"
    if row.rank != rank:
        yield f"rank {row.rank} stands where {rank} belongs", "rank each topic's rows 1, 2, 3 ..."
    if not math.isfinite(row.score):
        yield f"score {row.score} is not finite", "write a finite number"
    if row.score >= above:
        yield f"score {row.score!r} is not below {above!r}, the score before it", "let scores fall strictly"
    if not _is_word(row.tag):
        yield f"tag {_quote(row.tag)} is not one word", "join its words with a hyphen"
    if rank > depth:
        yield f"topic {row.topic} has more than {depth} pairs", f"keep the best {depth}"


# ---- ids ------------------------------------------------------------------------------------------


def is_conclusion(sentence_id: str) -> bool:
    """Whether a sentence is its argument's conclusion; whole arguments and premises are not.

    >>> is_conclusion("S1a-A2b__CONC__1"), is_conclusion("S1a-A2b__PREMISE__1"), is_conclusion("S1a-A2b")
    (True, False, False)
    """
    return "__CONC__" in sentence_id


def argument_of(sentence_id: str) -> str:
    """Id of the argument a sentence is from: the text before the last ``__PREMISE__`` or ``__CONC__``.

    An id without such a mark is an argument's own and comes back unchanged.

    >>> argument_of("S1a-A2b__PREMISE__3"), argument_of("S1a-A2b")
    ('S1a-A2b', 'S1a-A2b')
    """
    cut = max(sentence_id.rfind("__PREMISE__"), sentence_id.rfind("__CONC__"))
    return sentence_id[:cut] if cut > 0 else sentence_id


def debate_of(argument_id: str) -> str:
    """The part of an argument's id that names the page it was taken from, one debate; the whole id where it has none.

    >>> debate_of("S9b15f71-Aa475415f")
    'S9b15f71'
    """
    return argument_id.rpartition("-A")[0] or argument_id


def pair_key(pair: str) -> str:
    """The pair with its two ids sorted: equal for both orders.

    >>> pair_key("b__CONC__1,a__CONC__1")
    'a__CONC__1,b__CONC__1'
    """
    return ",".join(sorted(pair.split(",")))


# ---- what the formats share -----------------------------------------------------------------------


def _read(path: Path) -> bytes:
    try:
        raw = path.read_bytes().removeprefix(codecs.BOM_UTF8)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InputError(path, f"cannot be read ({reason})", "check the path and its permissions") from None
    if not raw.strip():
        raise InputError(path, "is empty", "name the right file or make it again")
    return raw


def _decode(path: Path, raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path} line {line}", "is not UTF-8", "save the file as UTF-8") from None


def _rows(path: Path, shape: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the place and the words of every line that is not blank; ``shape`` names the columns."""
    wanted, empty = len(shape.split()), True
    for number, line in enumerate(_decode(path, _read(path)).split("\n"), 1):
        if words := line.split():
            where, empty = f"{path} line {number}", False
            if len(words) != wanted:
                raise InputError(where, f"has {len(words)} columns, not {wanted}", f"write it as `{shape}`")
            yield where, words
    if empty:
        raise InputError(path, "is empty", "name the right file or make it again")


def _line(path: Path, *words: str) -> str:
    for word in words:
        if not _is_word(word):
            raise InputError(path, f"{_quote(word)} cannot be written as one column", "make it one word")
    return " ".join(words) + "\n"


def _is_word(text: str) -> bool:
    # Printable leaves out what would not survive the way to disk and back: controls, surrogates, a BOM.
    return text.isprintable() and text.split() == [text]


def _parse_number(where: object, what: str, text: str, limit: float) -> float:
    # float() alone would also take nan, 1_000 and the digits of other scripts.
    value = float(text) if _NUMBER.fullmatch(text) else math.nan
    if not math.isfinite(value):
        raise InputError(where, f"{what} {_quote(text)} is not a finite number", "write one, such as 2")
    if abs(value) > limit:
        raise InputError(where, f"{what} {_quote(text)} is off the scale", f"stay within {limit:g}")
    return value


def _quote(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:77] + "...")
