"""Index one part of a corpus, apart from all others: the work that is shared out to processes and machines.

A part's folder holds two tantivy indexes (sentences; whole arguments with their conclusions and the titles of their
debates), texts in compressed blocks, ids and titles end to end, columns of both tables, and counts of terms. Rows are
numbered within the part; :mod:`ltr.index.build` puts parts together.
"""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from features.core.text import Analyzer
from ltr.corpora.argument import Argument
from ltr.corpora.base import Corpus
from ltr.data.files import remove
from ltr.index.counts import Counting
from ltr.index.engine import ENGINES, PART_BITS, Engine, system_errors
from ltr.index.tables import Tables
from ltr.index.vocabulary import Array, Vocabulary, set_keys

CHUNK = 1_000
"""Arguments that are counted together: large enough for numpy, small enough for memory."""
CHARACTERS = 4_000_000
"""Long arguments are counted in smaller groups: cutting text into words takes some twenty times its bytes."""

Report = Callable[[int, int], None]
"""Called with the numbers of arguments and bytes read so far."""


def index_part(corpus: Corpus, number: int, path: Path, analyzer: Analyzer, report: Report) -> None:
    """Index a part in the folder ``path``, which exists only once the part is complete. Raises InputError."""
    folder = Path(tempfile.mkdtemp(prefix=".", dir=path.parent))
    try:
        with system_errors(folder):
            _fill(folder, corpus, number, analyzer, report)
            try:
                os.rename(folder, path)
            except OSError as error:  # another worker was given the same part, and was faster
                if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                    raise
    finally:
        remove(folder)


def _fill(folder: Path, corpus: Corpus, number: int, analyzer: Analyzer, report: Report) -> None:
    with ExitStack() as stack:
        engines = {name: stack.enter_context(Engine(folder / name)) for name in ENGINES}
        tables = stack.enter_context(Tables(folder))
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
