"""The unprocessed args.me JSON: arguments whose premises are running text, split into sentences here.

Source of the format: Ajjour et al. 2019, "Data Acquisition for Argument Search: The args.me corpus",
https://doi.org/10.5281/zenodo.3274636. One JSON object, ``{"arguments": [{"id", "conclusion", "premises":
[{"text", "stance"}], "context": {...}}]}``, streamed with ijson and never held as a whole.
"""

from __future__ import annotations

import codecs
import json
import re
import sys
from collections.abc import Generator, Iterable, Sequence
from pathlib import Path
from typing import IO, Any, ClassVar, Final

import numpy as np

from ltr.corpora.argument import Argument, RowError, build_argument
from ltr.corpora.base import LONGEST_HEADER, READERS, Corpus, FileCorpus, Reader
from ltr.corpora.lines import object_of, split_sentences, text_of
from ltr.corpora.literals import context_of
from ltr.data.ids import sentence_id
from ltr.escapes import encodable

LONGEST_ARGUMENT: Final = 1 << 23
"""Bytes; the tokens of a premise take a hundred times as many, while its sentences are found."""
DEEPEST: Final = 100
"""Levels of nesting; the memory that ijson takes grows with their square."""
_TEXTS_PER_PIPELINE: Final = 20_000
_BUFFER: Final = 1 << 16
_LONG: Final = re.compile(r"\S{1000}")
"""A piece without white space: spaCy's tokenizer takes quadratic time for it."""
FIELDS: Final = ("id", "conclusion", "premises", "stance", "title", "url", "context")
"""Fields that are read from an argument."""
_LISTED: Final = 2
"""The level of the list of arguments."""
_STEPS: Final = bytes.maketrans(b"[{]}", b"\1\1\xff\xff")
_OTHERS: Final = bytes(set(range(256)) - set(b"[{]}"))
_MARK: Final = b'"arguments"'
"""Key in the first 64 KiB of args.me JSON, but not of other JSON."""


class JsonCorpus(FileCorpus):
    """Files of args.me JSON: one a portal, as the lab hands them out."""

    format = "arguments, args.me JSON"
    form = 'args.me JSON has {"id", "conclusion", "premises", "context"} for each argument'
    kind: ClassVar[str] = "argument"

    def parts(self) -> list[Corpus]:
        """The files."""
        return [JsonCorpus(path) for path in self.paths] if len(self.paths) > 1 else [self]

    def _read(self) -> Generator[Argument, None, None]:
        if len(self.paths) > 1:
            self._reached = 0
            for file in self.parts():
                yield from file
                self.unread |= file.unread
                self._reached += file.size_hint()
            return
        import ijson  # noqa: PLC0415 picks its fastest backend that is installed, yajl2_c in its wheels

        split = SentenceSplitter()
        try:
            with self._opened() as handle:
                if handle.read(len(codecs.BOM_UTF8)) != codecs.BOM_UTF8:
                    handle.seek(0)
                for item in ijson.items(_Bounded(handle), "arguments.item", buf_size=_BUFFER, use_float=True):
                    self._knows_object(item if isinstance(item, dict) else {}, FIELDS)
                    yield _argument(item, split)
        except (ijson.JSONError, json.JSONDecodeError, UnicodeDecodeError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise RowError(f"is not whole JSON ({reason})", "copy or download the file again") from None


class _Bounded:
    """The bytes of a JSON file, up to a value that is too large or nested too deeply."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._depth = self._size = 0
        self._inside, self._escape = False, b""  # a string, and the backslash at the end of what was read of it

    def read(self, size: int) -> bytes:
        """The next bytes. Raises RowError."""
        block = self._file.read(size)
        text = self._escape + block
        end = len(text) - len(text.rstrip(b"\\"))
        self._escape = b"\\" * (end % 2)
        pieces = text.replace(b"\\\\", b"").replace(b'\\"', b"").split(b'"')
        brackets = b"".join(pieces[self._inside :: 2]).translate(_STEPS, _OTHERS)
        self._inside ^= len(pieces) % 2 == 0
        depths = self._depth + np.cumsum(np.frombuffer(brackets, np.int8), dtype=np.int64)
        self._size += len(block)
        if len(depths):
            self._depth = int(depths[-1])
            if depths.max() > DEEPEST:
                raise RowError(f"is nested more than {DEEPEST} levels deep")
            if depths.min() <= _LISTED:
                self._size = 0
        if self._size > LONGEST_ARGUMENT:
            raise RowError(f"has more than {LONGEST_ARGUMENT:,} bytes", "cut its text into several arguments")
        return block


class SentenceSplitter:
    """spaCy's rule-based sentencizer for English. The first text takes a second: spaCy is imported late.

    Half surrogates, which slower backends of ijson pass on, are replaced. A text with a piece of a thousand characters
    without white space is split by the plain rules for documents.
    """

    def __init__(self) -> None:
        self._texts_left = 0

    def __call__(self, text: str) -> list[str]:
        """Sentences of a text, stripped, inner white space kept; none are empty."""
        if not self._texts_left:
            import spacy  # noqa: PLC0415 takes a second

            # A pipeline keeps every word that it has seen: over a whole corpus memory would not be bounded.
            self._pipeline = spacy.blank("en")
            self._pipeline.add_pipe("sentencizer")
            self._pipeline.max_length = sys.maxsize  # the limit of a million characters is for parsers
            self._texts_left = _TEXTS_PER_PIPELINE
        self._texts_left -= 1
        text = encodable(text)
        if _LONG.search(text):
            return split_sentences(text)
        sentences = (sentence.text.strip() for sentence in self._pipeline(text).sents)
        return [sentence for sentence in sentences if sentence]


def split_argument(
    name: str, conclusion: str, premises: Iterable[str], split: SentenceSplitter
) -> list[tuple[str, str]]:
    """Sentences of an argument under the processed corpus's ids; several premises are numbered through."""
    texts = [sentence for premise in premises for sentence in split(premise)]
    sentences = [(sentence_id(name, number), text) for number, text in enumerate(texts, start=1)]
    if conclusion.strip():
        sentences.append((sentence_id(name, -1), conclusion.strip()))
    return sentences


def _argument(item: object, split: SentenceSplitter) -> Argument:
    fields = object_of(item, "is")
    name = fields.get("id")
    if not isinstance(name, str):
        raise RowError("has no id" if name is None else "the id is not a string")
    premises = fields.get("premises")
    if not isinstance(premises, list):
        raise RowError(f"{name} has no list of premises")
    texts = []
    for premise in premises:
        text = object_of(premise, f"a premise of {name} is").get("text")
        if not isinstance(text, str):
            raise RowError(f"a premise of {name} has no text")
        texts.append(text)
    return made_of(fields, name, texts, split)


def made_of(fields: dict[str, Any], name: str, texts: Iterable[str], split: SentenceSplitter) -> Argument:
    """The argument of a JSON object with these ``texts``. Raises RowError.

    Its stance is its own or that of its premises, its title and address are its own or those of its ``context``.
    """
    conclusion, title, url = (text_of(fields, field, name) for field in ("conclusion", "title", "url"))
    premises = fields.get("premises")
    stances = [premise.get("stance") for premise in premises if isinstance(premise, dict)] if premises else []
    known = context_of(object_of(fields.get("context") or {}, f"the context of {name} is"))
    sentences = split_argument(name, conclusion, texts, split)
    stance = [fields.get("stance"), *stances]
    return build_argument(name, conclusion, stance, sentences, title=title or known[0], url=url or known[1])


def _argument_files(files: Sequence[Path]) -> list[Path]:
    return [path for path in files if path.name.endswith(".json") and path.is_file() and _has_mark(path)]


def _has_mark(path: Path) -> bool:
    with path.open("rb") as file:
        return _MARK in file.read(LONGEST_HEADER)


_reader = Reader(JsonCorpus, (".json",), in_folder=_argument_files, several=True, folder_hint="args.me .json", order=1)
READERS.add("args.me JSON", _reader)
