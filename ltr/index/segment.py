"""Index one part of a corpus, apart from all others: the work that is shared out to processes and machines.

A part's folder holds two tantivy indexes (sentences; whole arguments with their conclusions and the titles of their
debates), texts, ids, titles and addresses end to end, columns of both tables, and counts of terms.
Rows are numbered within the part; :mod:`ltr.index.build` puts parts together.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from functools import cache, partial
from pathlib import Path

import numpy as np

from features.core.text import Analyzer
from ltr.corpora.argument import Argument
from ltr.corpora.base import Corpus
from ltr.data.ids import sentence_number
from ltr.files import remove
from ltr.index.counts import Counting
from ltr.index.debates import STANCES, page_key
from ltr.index.engine import ENGINES, PART_BITS, Engine, system_errors
from ltr.index.folder import save_array
from ltr.index.vocabulary import Array, Terms, Vocabulary, byte_lengths, sequence_keys, set_keys

CHUNK = 1_000
"""Arguments that are counted together: large enough for numpy, small enough for memory."""
CHARACTERS = 4_000_000
"""Long arguments are counted in smaller groups: cutting text into words takes some twenty times its bytes."""

Report = Callable[[int, int], None]
"""Called with the numbers of arguments and bytes read so far."""


def index_part(corpus: Corpus, number: int, path: Path, report: Report) -> None:
    """Index a part in the folder ``path``, which exists only once the part is complete. Raises InputError."""
    folder = Path(tempfile.mkdtemp(prefix=".", dir=path.parent))
    try:
        with system_errors(folder):
            _fill(folder, corpus, number, report)
            os.rename(folder, path)
    finally:
        remove(folder)


def _fill(folder: Path, corpus: Corpus, number: int, report: Report) -> None:
    with ExitStack() as stack:
        engines = {name: stack.enter_context(Engine(folder / name)) for name in ENGINES}
        tables = stack.enter_context(Tables(folder))
        analyzer = Analyzer()
        vocabulary = Vocabulary(analyzer)
        counting = Counting()
        for chunk in _chunks(corpus):
            first_argument, first_sentence = ((number << PART_BITS) + n for n in (tables.arguments, tables.sentences))
            texts = [sentence.text for argument in chunk for sentence in argument.sentences]
            terms = vocabulary.read(texts)
            ends, premise_ends = tables.add(chunk, texts, terms)
            sentence_of, distinct = counting.count([argument.id for argument in chunk], terms, ends, premise_ends)
            tables.append("near_key", set_keys(vocabulary.hashes[distinct], sentence_of, len(texts)))
            joined = _joined(vocabulary.strings(terms.flat), np.append(0, terms.ends), terms.ends)
            engines["sentence"].add(first_sentence, {"text": joined})
            titles = [argument.title for argument in chunk]
            title_terms = {title: " ".join(analyzer.terms(title)) for title in set(titles)}
            fields = {
                "text": _joined(joined, np.append(0, ends), ends),
                "conclusion": _joined(joined, premise_ends, ends),
                "title": list(map(title_terms.__getitem__, titles)),
            }
            engines["argument"].add(first_argument, fields)
            report(tables.arguments, corpus.position)
        for engine in engines.values():
            engine.close()
        tables.save()
        counting.save(folder, vocabulary.hashes)


def _joined(strings: list[str], starts: Array, ends: Array) -> list[str]:
    """The strings of each span, with spaces between them."""
    return [" ".join(strings[start:end]) for start, end in zip(starts.tolist(), ends.tolist(), strict=False)]


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


COLUMNS: dict[str, type[np.generic]] = {
    **dict.fromkeys(("text_end", "id_end", "title_end", "url_end", "sentence_end", "conclusion_row"), np.int64),
    "number": np.int32,
    "stance": np.int8,
    **dict.fromkeys(("exact_key", "near_key", "body_key", "page_key", "said_key", "claimed_key"), np.uint64),
}
"""Columns of both tables. Keys are equal for sentences of the same words in the same order (exact) or of the same set
of terms (near), for arguments of the same premises (body), of one page, and for the words of all premises (said) and
of the conclusion (claimed)."""


class Tables(ExitStack):
    """Texts, ids and properties of sentences and arguments, in corpus order."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        self._columns: dict[str, list[Array]] = {name: [np.zeros(0, kind)] for name, kind in COLUMNS.items()}
        self._number = cache(partial(sentence_number, argument=""))  # the same few roles come again and again
        names = ("text", "id", "title", "url")
        self._files = {name: self.enter_context((folder / f"{name}s.bin").open("wb")) for name in names}
        self._sources: list[tuple[float, ...]] = []
        self.arguments = 0
        self.sentences = 0

    def add(self, chunk: list[Argument], texts: list[str], terms: Terms) -> tuple[Array, Array]:
        """Add arguments with the texts of all their sentences, and the terms of these.

        Returns (n_arguments,) twice, counted in the sentences of the chunk: where each argument's sentences end, and
        where its premises do.
        """
        # Conclusions are numbered from -1 downwards, premises from 1 upwards: the sign gives the role.
        roles = [sentence.id[len(argument.id) :] for argument in chunk for sentence in argument.sentences]
        numbers = np.fromiter(map(self._number, roles), np.int32, len(roles))
        lengths = np.array([len(argument.sentences) for argument in chunk])
        ends = np.cumsum(lengths)
        premises = np.concatenate([[0], np.cumsum(numbers > 0)])
        premise_ends = ends - lengths + premises[ends] - premises[ends - lengths]
        self._write("text", texts)
        for name in ("id", "title", "url"):
            self._write(name, [getattr(argument, name) for argument in chunk])
        self.append("number", numbers)
        self.append("exact_key", terms.keys)
        self.append("body_key", sequence_keys(terms.keys[numbers > 0], premises[ends]))
        word_ends = np.append(0, terms.word_ends)[np.stack([premise_ends, ends], axis=1).ravel()]
        keys = np.where(np.diff(word_ends, prepend=0), sequence_keys(terms.words, word_ends), 0)
        self.append("said_key", keys[0::2])
        self.append("claimed_key", keys[1::2])
        self.append("page_key", np.array([page_key(argument) for argument in chunk], np.uint64))
        self.append("sentence_end", self.sentences + ends)
        self.append("stance", np.array([STANCES.index(argument.stance) for argument in chunk], np.int8))
        self.append("conclusion_row", np.where(premise_ends < ends, self.sentences + ends - 1, -1))
        self._sources += [argument.source for argument in chunk if argument.source]
        self.sentences += len(texts)
        self.arguments += len(chunk)
        return ends, premise_ends

    def append(self, name: str, values: Array) -> None:
        """Add the chunk's values of a column."""
        self._columns[name].append(values.astype(COLUMNS[name]))

    def _write(self, name: str, texts: list[str]) -> None:
        """Write texts, and where each ends in the file."""
        self.append(f"{name}_end", self._files[name].tell() + np.cumsum(byte_lengths(texts)))
        self._files[name].write("".join(texts).encode())

    def save(self) -> None:
        """Write what is not written yet."""
        self.close()
        columns = {name: np.concatenate(pieces) for name, pieces in self._columns.items()}
        columns["near_key"] = np.where(columns["near_key"] == 0, columns["exact_key"], columns["near_key"])
        for name, values in columns.items():
            save_array(self._folder / f"{name}.npy", values)
        if self._sources:  # of all rows or of none
            save_array(self._folder / "source.npy", np.array(self._sources, np.float64))
