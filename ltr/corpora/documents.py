"""Documents as JSON lines, plain or gzipped: passages of a collection, or result lists to be ranked anew.

A passage is ``{"id", "contents"}`` (Touché 2022; ``chatNoirUrl`` may stand beside them). A line of a result list also
names its topic: ``{"topic", "text"}``, with ``id``, ``rank``, ``score``, ``page_rank``, ``spam_rank``, ``title``,
``host`` and ``query`` where they are known, and what else `riposte collect` writes. The re-rank format of TIREx (``qid,
query, docno, text, rank, score``) is read as such a list. A document becomes an argument without a conclusion, whose
premises are its sentences.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Generator, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, Final

from features.core.tables import SOURCE
from ltr.corpora.argument import Argument, RowError, build_argument
from ltr.corpora.base import Corpus, FileCorpus
from ltr.data.columns import is_number, is_word, quote
from ltr.data.ids import LISTED, sentence_id
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.escapes import encodable

SUFFIXES: Final = (".jsonl", ".jsonl.gz")

LONGEST_LINE: Final = 1 << 25
"""Bytes; what JSON makes of them may take twenty-five times as many."""

MOST_BLANK: Final = 1_000_000
"""Blank lines one after another: a small archive may hold thousands of millions."""

_TOPIC, _ID, _TEXT = ("topic", "qid"), ("id", "doc", "docno"), ("contents", "text")
_URL = ("chatNoirUrl", "url", "host")
_FORM: Final = (
    'write {"id", "contents"}, or {"topic", "text"} for result lists, an object a line; arguments have a "conclusion"'
)

_GAP = re.compile(r"((?<=[.!?…])[\"'”’)\]]*+\s++|(?<!\s)[^\S\n]*+\n[^\S\n]*+\n\s*+)")
"""After a mark, or with an empty line; looked for where white space begins, and nowhere else."""
_GAP_IN_LINE = re.compile(r"[.!?…]([\"'”’)\]]*+\s++)")
"""The same in a text of one line, in a seventh of the time: marks are seldom, and all that is looked for."""
_NO_END = re.compile(r"(?i)(?:^|[\s(])(?:[a-z]|[ei]\.[eg]|mr|mrs|ms|dr|st|vs|no|fig|approx|inc|ltd|u\.s|\d+)\.$")


def split_sentences(text: str) -> list[str]:
    """Sentences by rule: they end with a mark before white space, not after an abbreviation or a list's number.

    >>> split_sentences("Use a knife, e.g. of steel. It costs 3.5 dollars! ok?")
    ['Use a knife, e.g. of steel.', 'It costs 3.5 dollars!', 'ok?']
    """
    starts = [0]
    gaps = [gap.span(1) for gap in (_GAP if "\n" in text else _GAP_IN_LINE).finditer(text)]
    for gap, end in gaps:
        if not _NO_END.search(text[max(starts[-1], gap - 9) : gap]):
            starts.append(end)
    parts = (" ".join(text[start:end].split()) for start, end in pairwise([*starts, len(text)]))
    return [part for part in parts if part]


class LinesCorpus(FileCorpus):
    """A file of JSON lines."""

    form: ClassVar[str]
    """The form of a line, for hints."""

    def parts(self) -> list[Corpus]:
        """Spans of whole lines. An archive cannot be cut."""
        if self._span or self.path.suffix != ".jsonl":
            return [self]
        borders = {0, self.size_hint()}
        with self.path.open("rb") as file:
            for cut in self._cuts():
                file.seek(cut)
                file.readline(LONGEST_LINE)
                borders.add(file.tell())
        return [type(self)(self.path, span) for span in pairwise(sorted(borders))]

    def _lines(self) -> Iterator[bytes]:
        """Lines that are not blank. Raises RowError, and InputError for a damaged archive."""
        (at, end), blank = self._span or (0, math.inf), 0
        with self._opened() as file:
            if at:
                file.seek(at)
            while at < end and (line := file.readline(LONGEST_LINE)):
                if len(line) == LONGEST_LINE:
                    raise RowError(f"has {LONGEST_LINE:,} bytes or more", self.form)
                at += len(line)
                if line.strip():
                    blank = 0
                    yield line
                elif (blank := blank + 1) > MOST_BLANK:
                    raise RowError(f"follows {MOST_BLANK:,} blank lines", "take them out")


def first_object(path: Path) -> dict[str, Any]:
    """The object of the first line that is not blank; empty where it cannot be read: reading the corpus says why."""
    try:
        return parsed(next(DocumentCorpus(path)._lines(), b""), "")  # archives and blank lines as in reading
    except (OSError, InputError, RowError):
        return {}


def parsed(line: bytes, form: str) -> dict[str, Any]:
    """The object of a line. Raises RowError with ``form`` as its hint."""
    try:
        fields = json.loads(line.removeprefix(b"\xef\xbb\xbf"))
    except UnicodeDecodeError as error:
        raise RowError(f"is not UTF-8 (byte 0x{error.object[error.start]:02x})", "save the file as UTF-8") from None
    except (ValueError, RecursionError) as error:
        raise RowError(f"is not JSON ({error})", form) from None
    if not isinstance(fields, dict):
        raise RowError("is not a JSON object", form)
    return fields


class DocumentCorpus(LinesCorpus):
    """A file of JSON lines."""

    format = "documents, JSON lines"
    holds = "documents"
    form = _FORM

    def parts(self) -> list[Corpus]:
        """Spans of whole lines; no list is cut: its documents are counted from the first on."""
        return [self] if _first(first_object(self.path), _TOPIC) is not None else super().parts()

    def topics(self) -> list[Topic]:
        """The topics whose questions stand in a result list; none in passages."""
        by_number: dict[str, Topic] = {}
        try:
            for number, line in enumerate(self._lines(), 1):
                fields = parsed(line, _FORM)
                if number == 1 and _first(fields, _TOPIC) is None:
                    return []
                title = encodable(" ".join(str(fields.get("query") or "").split()))
                topic = _topic(fields)
                if title:
                    by_number.setdefault(topic, Topic(topic, title))
        except RowError as error:
            raise InputError(self.name, f"row {number}: {error.what}", error.hint) from None
        return list(by_number.values())

    def _read(self) -> Generator[Argument, None, None]:
        documents: Counter[str] = Counter()
        listed = False if self._span else None  # lists are not cut
        for line in self._lines():
            fields = parsed(line, _FORM)
            topic = "" if _first(fields, _TOPIC) is None else _topic(fields)
            if listed not in (None, bool(topic)):
                raise RowError("names a topic, others do not" if topic else "names no topic, others do", _FORM)
            listed = bool(topic)
            documents[topic] += 1
            yield _document(fields, topic, documents[topic])


def _document(fields: dict[str, Any], topic: str, place: int) -> Argument:
    """``place`` counts the documents of the topic from 1: it is the rank, and the id, of one that has none."""
    name = f"{topic}-{place}" if topic and _first(fields, _ID) is None else word_of(fields, _ID, _FORM)
    text = _first(fields, _TEXT)
    if not isinstance(text, str):
        raise RowError(f"{name} has no text" if text is None else f"the text of {name} is not a string", _FORM)
    if LISTED in name:
        raise RowError(f"the id {quote(name)} cannot be kept", f"write it without {LISTED}")
    name = f"{topic}{LISTED}{name}" if topic else name
    title, url = (value if isinstance(value, str) else "" for value in (fields.get("title"), _first(fields, _URL)))
    sentences = [(sentence_id(name, number), sentence) for number, sentence in enumerate(split_sentences(text), 1)]
    made = build_argument(name, "", "", sentences, title=title, url=url)
    if not topic:
        return made
    known = {"rank": place} | {key: fields[key] for key in SOURCE if fields.get(key) is not None}
    source = tuple(_number(key, known[key]) if key in known else math.nan for key in SOURCE)
    return replace(made, source=source)


def _first(fields: dict[str, Any], names: tuple[str, ...]) -> Any:
    return next((fields[name] for name in names if fields.get(name) is not None), None)


def word_of(fields: dict[str, Any], names: tuple[str, ...], form: str) -> str:
    """The name in the first of these fields, which may be a number. Raises RowError with ``form`` as its hint."""
    value = _first(fields, names)
    if isinstance(value, bool) or not isinstance(value, str | int) or not str(value).strip():
        raise RowError(f"has no {names[0]}" if value is None else f"its {names[0]} is neither word nor number", form)
    return str(value).strip()


def _topic(fields: dict[str, Any]) -> str:
    topic = word_of(fields, _TOPIC, _FORM)
    if not is_word(topic):
        raise RowError(f"its topic {quote(topic)} holds a space or what cannot be seen", "make it one word")
    return topic


def _number(key: str, value: object) -> float:
    if not is_number(value):
        raise RowError(f"its {key} is not a finite number", "write a number, or leave it out")
    return float(value)
