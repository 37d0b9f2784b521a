"""Documents as JSON lines, plain or gzipped: passages of a collection, or result lists to be ranked anew.

A passage is ``{"id", "contents"}`` (Touché 2022; ``chatNoirUrl`` may stand beside them). A line of a result list also
names its topic: ``{"topic", "text"}``, with ``id``, ``rank``, ``score``, ``title``, ``host`` and ``query`` where they
are known, and what else `riposte collect` writes. The re-rank format of TIREx (``qid, query, docno, text, rank,
score``) is read as such a list. A document becomes an argument without a conclusion, whose premises are its sentences.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path
from typing import Any

from features.core.tables import SOURCE
from ltr.corpora.argument import Argument, RowError, build_argument
from ltr.corpora.base import READERS, Corpus, Reader
from ltr.corpora.lines import SUFFIXES, LinesCorpus, first_of, parsed, split_sentences, word_of
from ltr.corpora.own_texts import MARKS, lines_file
from ltr.data.columns import is_number, quote
from ltr.data.ids import LISTED, clean_id, sentence_id
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.escapes import encodable

_TOPIC, _ID, _TEXT = ("topic", "qid"), ("id", "doc", "docno"), ("contents", "text")
_URL = ("chatNoirUrl", "url", "host")


class DocumentCorpus(LinesCorpus):
    """A file of JSON lines."""

    format = "documents, JSON lines"
    holds = "documents"
    form = (
        'write {"id", "contents"}, or {"topic", "text"} for result lists, an object a line; arguments have a '
        '"conclusion"'
    )

    def parts(self) -> list[Corpus]:
        """Spans of whole lines; no list is cut: its documents are counted from the first on."""
        return [self] if first_of(self.first_object(), _TOPIC) is not None else super().parts()

    def topics(self) -> list[Topic]:
        """The topics whose questions stand in a result list; none in passages."""
        by_number: dict[str, Topic] = {}
        try:
            for number, line in enumerate(self._lines(), 1):
                fields = parsed(line)
                if number == 1 and first_of(fields, _TOPIC) is None:
                    return []
                title = encodable(" ".join(str(fields.get("query") or "").split()))
                topic = _topic(fields)
                if title:
                    by_number.setdefault(topic, Topic(topic, title))
        except RowError as error:
            raise InputError(self.name, f"row {number}: {error.what}", error.hint or self.form) from None
        return list(by_number.values())

    def _read(self) -> Generator[Argument, None, None]:
        documents: Counter[str] = Counter()
        listed = False if self._span else None  # lists are not cut
        for line in self._lines():
            fields = parsed(line)
            if marks := [mark for mark in sorted(MARKS & fields.keys()) if fields[mark] is not None]:
                hint = "give the first line one, if these are arguments"
                raise RowError(f"has a {marks[0]}, which documents do not have and the first line has not", hint)
            topic = "" if first_of(fields, _TOPIC) is None else _topic(fields)
            if listed not in (None, bool(topic)):
                raise RowError("names a topic, others do not" if topic else "names no topic, others do")
            listed = bool(topic)
            documents[topic] += 1
            yield _document(fields, topic, documents[topic])


def _document(fields: dict[str, Any], topic: str, place: int) -> Argument:
    """``place`` counts the documents of the topic from 1: it is the rank, and the id, of one that has none."""
    name = f"{topic}-{place}" if topic and first_of(fields, _ID) is None else word_of(fields, _ID)
    text = first_of(fields, _TEXT)
    if not isinstance(text, str):
        raise RowError(f"{name} has no text" if text is None else f"the text of {name} is not a string")
    if LISTED in name:
        raise RowError(f"the id {quote(name)} cannot be kept", f"write it without {LISTED}")
    name = f"{topic}{LISTED}{name}" if topic else name
    title, url = (value if isinstance(value, str) else "" for value in (fields.get("title"), first_of(fields, _URL)))
    sentences = [(sentence_id(name, number), sentence) for number, sentence in enumerate(split_sentences(text), 1)]
    made = build_argument(name, "", "", sentences, title=title, url=url)
    if not topic:
        return made
    known = {"rank": place} | {key: fields[key] for key in SOURCE if fields.get(key) is not None}
    source = tuple(_number(key, known[key]) if key in known else math.nan for key in SOURCE)
    return replace(made, source=source)


def _topic(fields: dict[str, Any]) -> str:
    topic = word_of(fields, _TOPIC)
    try:
        return clean_id(topic)
    except ValueError as error:
        raise RowError(f"its topic {quote(topic)} {error}", "make it one word") from None


def _number(key: str, value: object) -> float:
    if not is_number(value):
        raise RowError(f"its {key} is not a finite number", "write a number, or leave it out")
    return float(value)


def _are_documents(path: Path) -> bool:
    return not MARKS & DocumentCorpus(path).first_object().keys()


_reader = Reader(DocumentCorpus, SUFFIXES, in_folder=lines_file, recognises=_are_documents, order=2)
READERS.add("documents, JSON lines", _reader)
