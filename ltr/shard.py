"""Index one part of a corpus, apart from all others: the work that is shared out to processes and machines.

A part's folder holds two tantivy indexes (sentences; whole arguments with their conclusions), texts and ids end to end,
columns of both tables, and counts of terms. Rows are numbered within the part; :mod:`ltr.indexing` puts parts together.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import tempfile
from array import array
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import tantivy

from features.text import Analyzer, words
from ltr.corpus import Argument, Corpus
from ltr.counting import Counting
from ltr.errors import interrupts_held, unfinished
from ltr.files import remove_folder, save_array

STANCES = ("", "PRO", "CON")
CHUNK = 1_000
"""Arguments that are counted together: large enough for numpy, small enough for memory."""

HEAP = 96_000_000
"""Bytes that a writer of tantivy gathers before it writes a segment."""

PART_BITS = 40
"""A row in an engine is the part's number, shifted by so many bits, and the row within the part."""

Report = Callable[[int, int], None]
"""Told arguments and bytes read so far."""


def index_part(corpus: Corpus, number: int, place: Path, analyzer: Analyzer, report: Report) -> None:
    """Index a part in the folder ``place``, which is there when the part is whole and not before. Raises InputError."""
    with _unfinished_folder(place) as folder, _system_errors(), ExitStack() as stack:
        engines = {name: stack.enter_context(_engine(folder / name)) for name in ENGINES}
        tables = stack.enter_context(Tables(folder))
        counting = Counting()
        for chunk in _chunks(corpus, CHUNK):
            _add(chunk, number << PART_BITS, analyzer, tables, counting, engines)
            report(tables.arguments, corpus.position)
        for engine in engines.values():
            engine.close()
        tables.save()
        counting.save(folder)


def _add(
    chunk: list[Argument],
    base: int,
    analyzer: Analyzer,
    tables: Tables,
    counting: Counting,
    engines: dict[str, Engine],
) -> None:
    sentences: list[list[str]] = []
    starts = [0]
    conclusions: list[list[str]] = []
    of_words = analyzer.of_words
    add_sentence, add_argument = engines["sentence"].add, engines["argument"].add
    for argument in chunk:
        whole: list[str] = []
        conclusion: list[str] = []
        row = base + tables.sentences
        normal: list[str] = []
        role = len(argument.id) + 2
        for sentence in argument.sentences:
            found = words(sentence.text)
            normal.append(" ".join(found))
            terms = of_words(found)
            sentences.append(terms)
            joined = " ".join(terms)
            whole.append(joined)
            if sentence.id[role] == "C":
                conclusion += terms
            add_sentence(row, text=joined)
            row += 1
        starts.append(len(sentences))
        conclusions.append(conclusion)
        add_argument(base + tables.arguments, text=" ".join(whole), conclusion=" ".join(conclusion))
        tables.add(argument, normal)
    tables.near_key.append(counting.count([argument.id for argument in chunk], sentences, starts, conclusions))


def _chunks(items: Iterable[Argument], size: int) -> Iterator[list[Argument]]:
    chunk: list[Argument] = []
    for item in items:
        chunk.append(item)
        if len(chunk) == size:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


class Tables:
    """Texts, ids and properties of sentences and arguments, in corpus order."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._columns = {
            "text_end": array("q"),
            "id_end": array("q"),
            "sentence_end": array("q"),
            "number": array("i"),
            "stance": array("b"),
            "conclusion_row": array("q"),
        }
        self._exact = bytearray()
        self._bodies = bytearray()
        self.near_key: list[np.ndarray[Any, Any]] = []
        """(n_sentences,) in pieces: equal for sentences with the same set of terms, 0 without any"""
        self._numbers = _Roles()
        self._written = 0
        self.arguments = 0
        self.sentences = 0

    def __enter__(self) -> Tables:
        self._text = (self._folder / "text.bin").open("wb")
        self._ids = (self._folder / "ids.bin").open("wb")
        return self

    def __exit__(self, *_: object) -> None:
        self._text.close()
        self._ids.close()

    def add(self, argument: Argument, normal: list[str]) -> None:
        """Add an argument; ``normal`` has its sentences in the form in which copies are the same."""
        columns = self._columns
        texts = [sentence.text.encode() for sentence in argument.sentences]
        self._text.write(b"".join(texts))
        end = self._written
        for text in texts:
            end += len(text)
            columns["text_end"].append(end)
        self._written = end
        # Conclusions are numbered from -1 downwards, premises from 1 upwards: one column tells both.
        cut = len(argument.id) + 2
        numbers = [self._numbers[sentence.id[cut:]] for sentence in argument.sentences]
        columns["number"].extend(numbers)
        exact = [_digest(form.encode() or text) for form, text in zip(normal, texts, strict=True)]
        premises = sum(number > 0 for number in numbers)
        self._exact += b"".join(exact)
        self._bodies += _digest("\n".join(normal[:premises]).encode())
        self.sentences += len(numbers)
        self.arguments += 1
        columns["conclusion_row"].append(self.sentences - 1 if premises < len(numbers) else -1)
        self._ids.write(argument.id.encode())
        columns["id_end"].append((columns["id_end"][-1] if columns["id_end"] else 0) + len(argument.id.encode()))
        columns["sentence_end"].append(self.sentences)
        columns["stance"].append(STANCES.index(argument.stance))

    def save(self) -> None:
        """Write what is not written yet."""
        self._text.close()
        self._ids.close()
        for name, values in self._columns.items():
            save_array(self._folder / f"{name}.npy", np.frombuffer(values, dtype=values.typecode))
        exact = np.frombuffer(self._exact, "<u8")
        near = np.concatenate([np.zeros(0, np.uint64), *self.near_key])
        save_array(self._folder / "exact_key.npy", exact)
        save_array(self._folder / "near_key.npy", np.where(near == 0, exact, near))
        save_array(self._folder / "body_key.npy", np.frombuffer(self._bodies, "<u8"))


class _Roles(dict[str, int]):
    """``PREMISE__3`` is 3, ``CONC__1`` is -1."""

    def __missing__(self, role: str) -> int:
        kind, number = role.split("__")
        self[role] = value = -int(number) if kind == "CONC" else int(number)
        return value


def _digest(text: bytes) -> bytes:
    return hashlib.blake2b(text, digest_size=8).digest()


ENGINES = {"sentence": ("text",), "argument": ("text", "conclusion")}
"""Engines and their fields of text."""


class Engine:
    """One tantivy index with one writer thread, so that the same input gives the same segments."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        builder = tantivy.SchemaBuilder()
        for name in ENGINES[folder.name]:
            builder.add_text_field(name, tokenizer_name="whitespace", index_option="freq")
        builder.add_unsigned_field("row", fast=True)
        self._writer: Any = tantivy.Index(builder.build(), path=str(folder)).writer(HEAP, num_threads=1)

    def add(self, row: int, **fields: str) -> None:
        """Add a document; fields hold terms with spaces between them."""
        document = tantivy.Document()
        document.add_unsigned("row", row)
        for name, terms in fields.items():
            document.add_text(name, terms)
        self._writer.add_document(document)

    def close(self) -> None:
        """Write everything to the disk."""
        self._writer.commit()
        self._writer.wait_merging_threads()

    def stop(self) -> None:
        """End the writer's threads, which would go on writing into a folder that is being removed."""
        self._writer = None


@contextmanager
def _engine(folder: Path) -> Iterator[Engine]:
    engine = Engine(folder)
    try:
        yield engine
    finally:
        engine.stop()


@contextmanager
def _unfinished_folder(place: Path) -> Iterator[Path]:
    """Yield a folder that is renamed to ``place`` when the block ends well, and removed when it does not."""
    with interrupts_held():
        part = Path(tempfile.mkdtemp(prefix=f".{place.name}.", suffix=".part", dir=place.parent))
        unfinished[str(part)] = partial(remove_folder, part)
    try:
        yield part
        try:
            os.rename(part, place)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
            remove_folder(part)  # another worker was given the same part, and was faster
    except BaseException:
        remove_folder(part)
        raise
    finally:
        del unfinished[str(part)]


@contextmanager
def _system_errors() -> Iterator[None]:
    """Tantivy has one exception for all; give an error of the system its number back."""
    try:
        yield
    except ValueError as error:
        found = re.search(r"os error ([0-9]+)", str(error))
        if not found:
            raise
        raise OSError(int(found[1]), os.strerror(int(found[1]))) from None
