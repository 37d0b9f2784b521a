"""Index one part of a corpus, apart from all others: the work that is shared out to processes and machines.

A part's folder holds two tantivy indexes (sentences; whole arguments with their conclusions and the titles of their
debates), texts, ids and titles end to end, columns of both tables, and counts of terms. Rows are numbered within
the part; :mod:`ltr.index.build` puts parts together.
"""

from __future__ import annotations

import errno
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import IO, Any

import numpy as np
import tantivy

from features.core.text import Analyzer
from ltr.corpora.argument import Argument
from ltr.corpora.base import Corpus
from ltr.data.files import remove_folder, save_array
from ltr.data.ids import sentence_number
from ltr.index.counts import Counting
from ltr.index.vocabulary import Vocabulary, byte_lengths, sequence_keys, set_keys
from ltr.interrupts import interrupts_held, unfinished

STANCES = ("", "PRO", "CON")
CHUNK = 1_000
"""Arguments that are counted together: large enough for numpy, small enough for memory."""
CHARACTERS = 4_000_000
"""Where they are long, fewer are: words take some twenty times their bytes while they are found."""

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
        vocabulary = Vocabulary(analyzer)
        counting = Counting()
        for chunk in _chunks(corpus):
            _add(chunk, number << PART_BITS, vocabulary, tables, counting, engines)
            report(tables.arguments, corpus.position)
        for engine in engines.values():
            engine.close()
        tables.save()
        counting.save(folder, vocabulary.hashes)


def _add(
    chunk: list[Argument],
    base: int,
    vocabulary: Vocabulary,
    tables: Tables,
    counting: Counting,
    engines: dict[str, Engine],
) -> None:
    texts = [sentence.text for argument in chunk for sentence in argument.sentences]
    terms = vocabulary.read(texts)
    first_argument, first_sentence = base + tables.arguments, base + tables.sentences
    ends, premise_ends = tables.add(chunk, texts, terms.keys)
    sentence_of, distinct = counting.count([argument.id for argument in chunk], terms, ends, premise_ends)
    tables.append("near_key", set_keys(vocabulary.hashes[distinct], sentence_of, len(texts)))
    found = vocabulary.strings(terms.flat)
    joined = [" ".join(found[start:end]) for start, end in pairwise([0, *terms.ends.tolist()])]
    engines["sentence"].add(first_sentence, text=joined)
    whole = [" ".join(joined[start:end]) for start, end in pairwise([0, *ends.tolist()])]
    conclusions = [" ".join(joined[start:end]) for start, end in zip(premise_ends.tolist(), ends.tolist(), strict=True)]
    titles = {title: " ".join(vocabulary.analyzer.terms(title)) for title in {argument.title for argument in chunk}}
    engines["argument"].add(
        first_argument, text=whole, conclusion=conclusions, title=[titles[argument.title] for argument in chunk]
    )


def _chunks(arguments: Iterable[Argument]) -> Iterator[list[Argument]]:
    chunk: list[Argument] = []
    characters = 0
    for argument in arguments:
        chunk.append(argument)
        characters += sum([len(sentence.text) for sentence in argument.sentences])
        if len(chunk) == CHUNK or characters > CHARACTERS:
            yield chunk
            chunk, characters = [], 0
    if chunk:
        yield chunk


COLUMNS = {
    "text_end": np.int64,
    "id_end": np.int64,
    "title_end": np.int64,
    "sentence_end": np.int64,
    "number": np.int32,
    "stance": np.int8,
    "conclusion_row": np.int64,
    "exact_key": np.uint64,
    "near_key": np.uint64,
    "body_key": np.uint64,
}
"""Columns of both tables. Keys are equal for sentences of the same words in the same order (exact) or of the same set
of terms (near), and for arguments of the same premises."""


class Tables:
    """Texts, ids and properties of sentences and arguments, in corpus order."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._columns: dict[str, list[np.ndarray[Any, Any]]] = {
            name: [np.zeros(0, kind)] for name, kind in COLUMNS.items()
        }
        self._numbers = _Numbers()
        self._written = dict.fromkeys(("text", "id", "title"), 0)
        self.arguments = 0
        self.sentences = 0

    def __enter__(self) -> Tables:
        self._text = (self._folder / "text.bin").open("wb")
        self._ids = (self._folder / "ids.bin").open("wb")
        self._titles = (self._folder / "titles.bin").open("wb")
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def add(
        self, chunk: list[Argument], texts: list[str], keys: np.ndarray[Any, Any]
    ) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """Add arguments with the texts of all their sentences, and a key for each text.

        Returns (n_arguments,) twice, counted in the sentences of the chunk: where each argument's sentences end, and
        where its premises do.
        """
        # Conclusions are numbered from -1 downwards, premises from 1 upwards: one column tells both.
        roles = [sentence.id[len(argument.id) :] for argument in chunk for sentence in argument.sentences]
        numbers = np.fromiter(map(self._numbers.__getitem__, roles), np.int32, len(roles))
        lengths = np.array([len(argument.sentences) for argument in chunk])
        ends = np.cumsum(lengths)
        premises = np.concatenate([[0], np.cumsum(numbers > 0)])
        premise_ends = ends - lengths + premises[ends] - premises[ends - lengths]
        self.append("text_end", self._write("text", self._text, texts))
        self.append("id_end", self._write("id", self._ids, [argument.id for argument in chunk]))
        self.append("title_end", self._write("title", self._titles, [argument.title for argument in chunk]))
        self.append("number", numbers)
        self.append("exact_key", keys)
        self.append("body_key", sequence_keys(keys[numbers > 0], premises[ends]))
        self.append("sentence_end", self.sentences + ends)
        self.append("stance", np.array([STANCES.index(argument.stance) for argument in chunk], np.int8))
        self.append("conclusion_row", np.where(premise_ends < ends, self.sentences + ends - 1, -1))
        self.sentences += len(texts)
        self.arguments += len(chunk)
        return ends, premise_ends

    def append(self, name: str, values: np.ndarray[Any, Any]) -> None:
        """Add the chunk's values of a column."""
        self._columns[name].append(values.astype(COLUMNS[name]))

    def _write(self, name: str, file: IO[bytes], texts: list[str]) -> np.ndarray[Any, Any]:
        """Write texts, and return where each ends in the file."""
        file.write("".join(texts).encode())
        ends: np.ndarray[Any, Any] = self._written[name] + np.cumsum(byte_lengths(texts))
        self._written[name] = int(ends[-1]) if texts else self._written[name]
        return ends

    def _close(self) -> None:
        for file in (self._text, self._ids, self._titles):
            file.close()

    def save(self) -> None:
        """Write what is not written yet."""
        self._close()
        columns = {name: np.concatenate(pieces) for name, pieces in self._columns.items()}
        columns["near_key"] = np.where(columns["near_key"] == 0, columns["exact_key"], columns["near_key"])
        for name, values in columns.items():
            save_array(self._folder / f"{name}.npy", values)


class _Numbers(dict[str, int]):
    """``__PREMISE__3`` is 3, ``__CONC__1`` is -1; the same few come again and again."""

    def __missing__(self, role: str) -> int:
        self[role] = number = sentence_number(role, "")
        return number


ENGINES = {"sentence": ("text",), "argument": ("text", "conclusion", "title")}
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

    def add(self, first: int, **fields: list[str]) -> None:
        """Add documents, numbered from ``first`` on; for each, fields hold terms with spaces between them."""
        document, add, names = tantivy.Document, self._writer.add_document, list(fields)
        for row, texts in enumerate(zip(*fields.values(), strict=True), first):
            made = document()
            made.add_unsigned("row", row)
            for name, text in zip(names, texts, strict=True):
                made.add_text(name, text)
            add(made)

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
