"""The unprocessed args.me JSON: arguments whose premises are running text, split into sentences here.

Source of the format: Ajjour et al. 2019, "Data Acquisition for Argument Search: The args.me corpus",
https://doi.org/10.5281/zenodo.3274636. One JSON object, ``{"arguments": [{"id", "conclusion", "premises":
[{"text", "stance"}], "context": {...}}]}``, streamed with ijson and never held as a whole.
"""

from __future__ import annotations

import codecs
import hashlib
import json
import re
import sys
from collections import deque
from collections.abc import Generator, Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import IO, ClassVar, Final

from features.content.matching import LONGEST
from ltr.corpora.argument import Argument, RowError, build_argument
from ltr.corpora.base import LONGEST_HEADER, READERS, Corpus, FileCorpus, Reader
from ltr.corpora.literals import context_of, known_stance
from ltr.data.ids import sentence_id
from ltr.escapes import encodable

_TEXTS_PER_PIPELINE: Final = 20_000
_BUFFER: Final = 1 << 16
LONGEST_ARGUMENT: Final = 1 << 23
"""Bytes of JSON; the tokens of a premise take a hundred times as many, while its sentences are found."""
_DEEPEST: Final = 100
"""Levels of JSON; ijson's memory grows with their square."""
_ESCAPED: Final = re.compile(rb"\\.", re.DOTALL)
_NO_BRACKETS: Final = bytes(set(range(256)) - {*b"[]{}"})
_END: Final = LONGEST // 2
_LONG: Final = re.compile(rf"(?<!\S)\S{{{LONGEST + 1},}}")
_FORM: Final = 'args.me JSON has {"id", "conclusion", "premises", "context"} for each argument'


_MARK: Final = b'"arguments"'
"""Key in the first 64 KiB of args.me JSON, but not of other JSON."""


class JsonCorpus(FileCorpus):
    """An args.me JSON file."""

    format = "arguments, args.me JSON"
    unit: ClassVar[str] = "argument"

    def _read(self) -> Generator[Argument, None, None]:
        import ijson  # noqa: PLC0415 picks its fastest backend that is installed, yajl2_c in its wheels

        split = SentenceSplitter()
        try:
            with self._opened() as handle:
                if handle.read(len(codecs.BOM_UTF8)) != codecs.BOM_UTF8:
                    handle.seek(0)
                shallow = _Shallow(handle)
                for item in ijson.items(shallow, "arguments.item", buf_size=_BUFFER, use_float=True):
                    yield _argument(item, split)
                    shallow.since = 0
        except (ijson.JSONError, json.JSONDecodeError, UnicodeDecodeError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise RowError(f"is not whole JSON ({reason})", "copy or download the file again") from None


class _Shallow:
    """Hands the bytes of a JSON file on, as long as they are not nested too deeply, nor too many for one argument."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._level, self._in_string, self._left = 0, False, b""
        self.since = 0
        """Bytes since the last argument was whole."""

    def read(self, size: int = -1) -> bytes:
        """The next bytes. Raises RowError."""
        block = self._file.read(size)
        self.since += len(block)
        if self.since > LONGEST_ARGUMENT:
            raise RowError(f"has more than {LONGEST_ARGUMENT:,} bytes", _FORM)
        plain = _ESCAPED.sub(b"", self._left + block)
        self._left = b"\\" if plain.endswith(b"\\") else b""  # what it escapes comes next
        pieces = plain.split(b'"')
        brackets = b"".join(pieces[self._in_string :: 2]).translate(None, _NO_BRACKETS)
        self._in_string ^= len(pieces) % 2 == 0
        for bracket in brackets:
            self._level += 1 if bracket in b"[{" else -1
            if self._level > _DEEPEST:
                raise RowError(f"is nested more than {_DEEPEST} levels deep", _FORM)
        return block


class JsonFolder(JsonCorpus):
    """args.me JSON files of one folder in the order of their names: one a portal, as the lab hands them out."""

    def __init__(self, paths: Sequence[Path]) -> None:
        super().__init__(paths[0])
        self.name, self.paths = str(self.path.parent), list(paths)
        self._files: list[Corpus] = [JsonCorpus(path) for path in paths]

    @property
    def position(self) -> int:
        """Bytes read so far, of all files."""
        return sum(file.position for file in self._files)

    def size_hint(self) -> int:
        """Size of all files in bytes."""
        return sum(file.size_hint() for file in self._files)

    def signature(self) -> dict[str, object]:
        """Those of the files."""
        return {"files": [file.signature() for file in self._files]}

    def fingerprint(self) -> str:
        """Hex SHA-256 of the fingerprints of the files."""
        return hashlib.sha256("\n".join(file.fingerprint() for file in self._files).encode()).hexdigest()

    def parts(self) -> list[Corpus]:
        """The files."""
        return list(self._files)

    def _read(self) -> Generator[Argument, None, None]:
        for file in self._files:
            yield from file


class SentenceSplitter:
    """spaCy's rule-based sentencizer for English. The first text takes a second: spaCy is imported late.

    It takes no halves of surrogates, which slower backends of ijson hand on.
    """

    def __init__(self) -> None:
        self._texts_left = 0

    def __call__(self, text: str) -> list[str]:
        """Sentences of a text, stripped, inner white space kept; none are empty."""
        if not self._texts_left:
            import spacy  # noqa: PLC0415 takes a second

            # A pipeline remembers every word it has ever seen; over a whole corpus that is not bounded memory.
            self._pipeline = spacy.blank("en")
            self._pipeline.add_pipe("sentencizer")
            self._pipeline.max_length = sys.maxsize  # the limit of a million characters is for parsers
            self._texts_left = _TEXTS_PER_PIPELINE
        self._texts_left -= 1
        text = encodable(text)
        # The tokenizer takes a time that grows with the square of a piece without white space: it sees both ends of it.
        middles = deque((piece.start() + _END, piece.end() - _END) for piece in _LONG.finditer(text))
        bounds = [0, *chain.from_iterable(middles), len(text)]
        seen = "".join(text[start:end] for start, end in zip(bounds[::2], bounds[1::2], strict=True))
        sentences, at, unseen = [], 0, 0
        for sentence in self._pipeline(seen).sents:
            while middles and middles[0][0] < sentence.end_char + unseen:
                start, end = middles.popleft()
                unseen += end - start
            sentences.append(text[at : sentence.end_char + unseen].strip())
            at = sentence.end_char + unseen
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
    fields = _dict(item, "is")
    name = fields.get("id")
    if not isinstance(name, str):
        raise RowError("has no id" if name is None else "the id is not a string", _FORM)
    conclusion = fields.get("conclusion") or ""
    if not isinstance(conclusion, str):
        raise RowError(f"the conclusion of {name} is not a string", _FORM)
    premises = fields.get("premises")
    if not isinstance(premises, list):
        raise RowError(f"{name} has no list of premises", _FORM)
    texts = []
    for premise in premises:
        text = _dict(premise, f"a premise of {name} is").get("text")
        if not isinstance(text, str):
            raise RowError(f"a premise of {name} has no text", _FORM)
        texts.append(text)
    title, url = context_of(_dict(fields.get("context") or {}, f"the context of {name} is"))
    return build_argument(
        name,
        conclusion,
        known_stance(premises[0].get("stance")) if premises else "",
        split_argument(name, conclusion, texts, split),
        title=title,
        url=url,
    )


def _dict(value: object, subject: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise RowError(f"{subject} not a JSON object", _FORM)
    return value


def _argument_files(files: Sequence[Path]) -> list[Path]:
    return [path for path in files if path.name.endswith(".json") and path.is_file() and _has_mark(path)]


def _has_mark(path: Path) -> bool:
    with path.open("rb") as file:
        return _MARK in file.read(LONGEST_HEADER)


READERS.add(
    "args.me JSON",
    Reader(
        lambda path: JsonCorpus(Path(path)),
        suffixes=(".json",),
        in_folder=_argument_files,
        open_all=JsonFolder,
        folder_hint="args.me .json",
        order=1,
    ),
)
