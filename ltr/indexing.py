"""Build the first-stage index: one streaming pass over the corpus.

An index folder holds two tantivy indexes (sentences; whole arguments with their conclusions), the
texts and ids as memory-mapped arrays, the collection statistics and the latent space. It is built
beside its final place and swapped in whole, so a half-built index never exists under its name.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from array import array
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any

import numpy as np
import tantivy

from features.statistics import term_hash
from features.text import Analyzer, normalise
from ltr.corpus import Argument, Corpus
from ltr.counting import Counting
from ltr.errors import InputError
from ltr.files import atomic_folder, save_array
from ltr.progress import Progress

FORMAT = 2
STANCES = ("", "PRO", "CON")
CHUNK = 2_000
"""Arguments that are counted together: large enough for numpy, small enough for memory."""

HEAP = 128_000_000


def build_index(corpus: Corpus, place: Path, analyzer: Analyzer, progress: Progress) -> None:
    """Index ``corpus`` in the folder ``place``. Raises InputError for a bad corpus, before anything is there."""
    signature, fingerprint = corpus.signature(), corpus.fingerprint()
    with atomic_folder(place) as part, _system_errors(), _engines(part) as engines:
        tables = _Tables(part)
        statistics = Counting(analyzer)
        with progress.stage("index", unit="arguments") as tick:
            for chunk in _chunks(corpus, CHUNK):
                _add(chunk, tables, statistics, engines)
                tick(len(chunk), corpus.position / max(corpus.size_hint(), 1))
        if not tables.arguments:
            raise InputError(corpus.name, "the corpus has no arguments", "check the file")
        with progress.stage("commit"):
            for engine in engines.values():
                engine.close()
            tables.close()
        with progress.stage("statistics"):
            statistics.save(part)
            _save_duplicates(part, tables)
        manifest = {
            "format": FORMAT,
            "tantivy": version("tantivy"),
            "analysis": analyzer.settings(),
            "corpus": {"name": corpus.name, "signature": signature, "fingerprint": fingerprint},
            "arguments": tables.arguments,
            "sentences": tables.sentences,
            "files": {path.name: path.stat().st_size for path in sorted(part.iterdir()) if path.is_file()},
        }
        (part / "manifest.json").write_text(json.dumps(manifest, indent=1, sort_keys=True) + "\n", "utf-8")


def _add(chunk: list[Argument], tables: _Tables, statistics: Counting, engines: dict[str, _Engine]) -> None:
    sentence_terms: list[list[str]] = []
    starts = [0]
    conclusion_terms: list[list[str]] = []
    for argument in chunk:
        whole: list[str] = []
        conclusion: list[str] = []
        for sentence in argument.sentences:
            terms = statistics.analyzer.terms(sentence.text)
            sentence_terms.append(terms)
            whole += terms
            if "__CONC__" in sentence.id:
                conclusion += terms
            row = tables.add_sentence(argument, sentence.id, sentence.text, terms)
            engines["sentence"].add(row, text=terms)
        starts.append(len(sentence_terms))
        conclusion_terms.append(conclusion)
        row = tables.add_argument(argument)
        engines["argument"].add(row, text=whole, conclusion=conclusion)
    statistics.count(sentence_terms, starts, conclusion_terms)


def _chunks(items: Iterable[Argument], size: int) -> Iterator[list[Argument]]:
    chunk: list[Argument] = []
    for item in items:
        chunk.append(item)
        if len(chunk) == size:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


@contextmanager
def _engines(folder: Path) -> Iterator[dict[str, _Engine]]:
    engines = {name: _Engine(folder / name) for name in ("argument", "sentence")}
    try:
        yield engines
    finally:
        for engine in engines.values():
            engine.stop()


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


class _Engine:
    """One tantivy index with one writer thread, so that the same input gives the same segments."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        builder = tantivy.SchemaBuilder()
        for name in ("text", "conclusion"):
            builder.add_text_field(name, tokenizer_name="whitespace", index_option="freq")
        builder.add_unsigned_field("row", fast=True)
        self._writer: Any = tantivy.Index(builder.build(), path=str(folder)).writer(HEAP, num_threads=1)

    def add(self, row: int, **fields: list[str]) -> None:
        document = tantivy.Document()
        document.add_unsigned("row", row)
        for name, terms in fields.items():
            document.add_text(name, " ".join(terms))
        self._writer.add_document(document)

    def close(self) -> None:
        self._writer.commit()
        self._writer.wait_merging_threads()

    def stop(self) -> None:
        """End the writer's threads, which would go on writing into a folder that is being removed."""
        self._writer = None


class _Tables:
    """Texts, ids and properties of sentences and arguments, in corpus order."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._text: IO[bytes] = (folder / "text.bin").open("wb")
        self._ids: IO[bytes] = (folder / "ids.bin").open("wb")
        self._columns = {
            "text_end": array("q"),
            "id_end": array("q"),
            "sentence_end": array("q"),
            "number": array("i"),
            "argument_of": array("i"),
            "stance": array("b"),
            "conclusion_row": array("i"),
            "exact_key": array("Q"),
            "near_key": array("Q"),
            "body_key": array("Q"),
        }
        self.arguments = 0
        self.sentences = 0
        self._conclusion = -1
        self._body = hashlib.blake2b(digest_size=8)

    def add_sentence(self, argument: Argument, identifier: str, text: str, terms: list[str]) -> int:
        columns = self._columns
        self._text.write(text.encode("utf-8"))
        columns["text_end"].append(self._text.tell())
        _, kind, number = identifier.rsplit("__", 2)
        # Conclusions are numbered from -1 downwards, premises from 1 upwards: one column tells both.
        columns["number"].append(-int(number) if kind == "CONC" else int(number))
        columns["argument_of"].append(self.arguments)
        normal = normalise(text)
        columns["exact_key"].append(term_hash(normal or text))
        columns["near_key"].append(term_hash(" ".join(sorted(set(terms))) or normal or text))
        if kind == "CONC":
            self._conclusion = self.sentences
        else:
            self._body.update(normal.encode("utf-8") + b"\n")
        self.sentences += 1
        return self.sentences - 1

    def add_argument(self, argument: Argument) -> int:
        columns = self._columns
        self._ids.write(argument.id.encode("utf-8"))
        columns["id_end"].append(self._ids.tell())
        columns["sentence_end"].append(self.sentences)
        columns["stance"].append(STANCES.index(argument.stance))
        columns["conclusion_row"].append(self._conclusion)
        columns["body_key"].append(int.from_bytes(self._body.digest(), "little"))
        self._conclusion = -1
        self._body = hashlib.blake2b(digest_size=8)
        self.arguments += 1
        return self.arguments - 1

    def close(self) -> None:
        self._text.close()
        self._ids.close()
        for name, values in self._columns.items():
            save_array(self._folder / f"{name}.npy", np.frombuffer(values, dtype=values.typecode))

    def column(self, name: str) -> np.ndarray[Any, Any]:
        return np.load(self._folder / f"{name}.npy", mmap_mode="r")


def _save_duplicates(folder: Path, tables: _Tables) -> None:
    """Copies of each sentence in the corpus, and which copy is the canonical one (the first)."""
    for name in ("exact", "near"):
        _, first, inverse, counts = np.unique(
            tables.column(f"{name}_key"), return_index=True, return_inverse=True, return_counts=True
        )
        save_array(folder / f"{name}_count.npy", counts[inverse].astype(np.int32))
        if name == "exact":
            save_array(folder / "canonical.npy", first[inverse].astype(np.int32))
    _, inverse, counts = np.unique(tables.column("body_key"), return_inverse=True, return_counts=True)
    save_array(folder / "body_count.npy", counts[inverse].astype(np.int32))
    rows = tables.column("conclusion_row")
    keys = np.where(rows >= 0, tables.column("exact_key")[np.maximum(rows, 0)], 0)
    _, inverse, counts = np.unique(keys, return_inverse=True, return_counts=True)
    save_array(folder / "debate_size.npy", np.where(rows >= 0, counts[inverse], 0).astype(np.int32))
