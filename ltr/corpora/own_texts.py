"""Arguments of a user's own: JSON lines, and folders of plain texts. Their sentences are split here.

A line is ``{"id", "conclusion", "text", "stance", "title"}``. ``premises``, a list of texts, may stand in place of
``text``; all but the id and one of the texts may be left out, but the first line names a conclusion, premises or a
stance: documents of the comparative task are JSON lines too, and have none of these.

A plain text is an argument without a conclusion whose id is the name of its file. Its title is the first line, where an
empty line follows.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Generator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any, ClassVar, Final

from ltr.corpora.argsme import LONGEST_ARGUMENT, SentenceSplitter, made_of, split_argument
from ltr.corpora.argument import Argument, RowError, build_argument
from ltr.corpora.base import READERS, Corpus, FileCorpus, Reader
from ltr.corpora.lines import SUFFIXES, LinesCorpus, parsed, text_of, word_of
from ltr.errors import InputError
from ltr.files import read_whole

MARKS: Final = frozenset({"conclusion", "premises", "stance"})
"""Fields of arguments that documents do not have."""
_NAMES: Final = ("results", "rerank", "passages", "documents", "arguments")
"""Usual names of JSON lines, best first; the only such file in a folder may have any name."""
_PARAGRAPHS: Final = re.compile(r"\n[^\S\n]*\n\s*")


class ArgumentLines(LinesCorpus):
    """A file of arguments as JSON lines."""

    format = "arguments, JSON lines"
    form = 'write {"id", "conclusion", "text", "stance", "title"}, an object a line; see docs/your-corpus.md'
    fields: ClassVar[tuple[str, ...]] = (
        "id", "conclusion", "text", "premises", "stance", "title", "url", "context",
    )  # fmt: skip
    """Fields that are read from a line."""

    def _read(self) -> Generator[Argument, None, None]:
        split = SentenceSplitter()
        for line in self._lines():
            if len(line) > LONGEST_ARGUMENT:
                raise RowError(f"has more than {LONGEST_ARGUMENT:,} bytes", "cut its text into several arguments")
            fields = parsed(line)
            self._knows_object(fields, self.fields)
            yield self._argument(fields, split)

    def _argument(self, fields: dict[str, Any], split: SentenceSplitter) -> Argument:
        name = word_of(fields, ("id",))
        argument = made_of(fields, name, _texts(name, fields), split)
        if not argument.sentences:
            raise RowError(f"{name} has no text")
        return argument


class TextFolder(FileCorpus):
    """The plain texts of a folder in the order of their names."""

    format = "arguments, plain texts"
    kind: ClassVar[str] = "file"
    named = True

    def parts(self) -> list[Corpus]:
        """Neighbouring files together, of about equal size."""
        cuts, groups = self._cuts(), defaultdict[int, list[Path]](list)
        for path, end in zip(self.paths, accumulate(path.stat().st_size for path in self.paths), strict=True):
            groups[bisect_left(cuts, end)].append(path)
        return [TextFolder(*group) for group in groups.values()]

    def _read(self) -> Generator[Argument, None, None]:
        split = SentenceSplitter()
        self._reached = 0
        for path in self.paths:
            try:
                raw = read_whole(path, LONGEST_ARGUMENT)
                self._reached += len(raw)
                yield _text(path.name.removesuffix(".txt"), raw.decode("utf-8-sig"), split)
            except UnicodeDecodeError as error:
                what = f"is not UTF-8 (byte 0x{error.object[error.start]:02x})"
                raise InputError(path, what, "save the file as UTF-8") from None
            except RowError as error:
                raise InputError(path, error.what, error.hint) from None


def _texts(name: str, fields: dict[str, Any]) -> list[str]:
    """The texts of an argument, its ``text`` or its ``premises``, by paragraphs; those of args.me JSON as they are."""
    premises = fields.get("premises")
    if premises is None:
        return _paragraphs(text_of(fields, "text", name))
    if fields.get("text") is not None:
        raise RowError(f"{name} has a text and premises", "leave one of them out")
    premises = fields["premises"] = premises if isinstance(premises, list) else [premises]
    texts = [one.get("text") if isinstance(one, dict) else one for one in premises]
    strings = [text for text in texts if isinstance(text, str)]
    if len(strings) < len(texts):
        raise RowError(f"a premise of {name} is not a string")
    published = any(isinstance(one, dict) and "stance" in one for one in premises)  # cut as in args.me JSON
    return strings if published else _paragraphs(*strings)


def _text(name: str, text: str, split: SentenceSplitter) -> Argument:
    first, *rest = _PARAGRAPHS.split(text.strip(), 1)
    title = first if rest and len(first.splitlines()) == 1 else ""
    body = rest[0] if title else text
    if not body.strip():
        raise RowError("there is no text in it", "write one, or remove the file")
    return build_argument(name, "", "", split_argument(name, "", _paragraphs(body), split), title=title.strip(), url="")


def _paragraphs(*texts: str) -> list[str]:
    """The paragraphs of all texts, each on one line."""
    return [" ".join(one.split()) for text in texts for one in _PARAGRAPHS.split(text)]


def lines_file(files: Sequence[Path]) -> list[Path]:
    """The file with the best of the usual names, or all."""
    lines = [path for path in files if path.name.endswith(SUFFIXES)]
    named = [path for stem in _NAMES for path in lines if path.name in (f"{stem}.jsonl", f"{stem}.jsonl.gz")]
    return named[:1] or lines


def _text_files(files: Sequence[Path]) -> list[Path]:
    """The files whose names are not those of runs or judgments."""
    texts = [path for path in files if path.name.endswith(".txt") and path.is_file()]
    return [path for path in texts if path.name != "run.txt" and "qrels" not in path.name]


READERS.add("JSON lines", Reader(ArgumentLines, SUFFIXES, in_folder=lines_file, folder_hint=".jsonl", order=3))
_reader = Reader(TextFolder, (".txt",), in_folder=_text_files, several=True, folder_hint=".txt", order=4)
READERS.add("plain texts", _reader)
