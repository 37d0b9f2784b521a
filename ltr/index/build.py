"""Build the first-stage index: one streaming pass over the corpus, its parts shared out to workers.

The parts are those of :meth:`ltr.corpora.base.Corpus.parts`, whoever works on them, so that every machine makes
the same index. They are merged in a new folder (`ltr.index.folder`), which becomes the current one in one step: a
build that is killed starts again.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from features.core.text import Analyzer
from ltr.corpora.base import Corpus
from ltr.data.files import remove
from ltr.errors import InputError, WorkersError
from ltr.index.folder import (
    MANIFEST,
    Pointer,
    leftovers,
    move_kept_rows,
    new_folder,
    remove_old,
    write_pointer,
    write_sums,
)
from ltr.index.merge import assemble
from ltr.index.segment import index_part
from ltr.index.stems import stems_digest
from ltr.parallel import Call, Workers
from ltr.progress import Progress, Tick

FORMAT = 13
PARTS = "parts"
"""Folder for the parts inside that of the index, until they are merged."""


class Source(NamedTuple):
    """A corpus, its signature, and the parts it is cut into."""

    corpus: Corpus
    signature: dict[str, object]
    parts: list[Corpus]


def made_by(analyzer: Analyzer) -> dict[str, Any]:
    """What an index depends on, apart from the corpus: an index with other values is rebuilt."""
    terms = stems_digest(analyzer.stem, analyzer.stop)
    return {"format": FORMAT, "tantivy": version("tantivy"), "analysis": analyzer.settings(), "terms": terms}


def build_index(
    corpus: Corpus, path: Path, analyzer: Analyzer, progress: Progress, workers: Workers | None = None
) -> None:
    """Index ``corpus`` in the folder ``path``. Raises InputError for a bad corpus, and leaves no new folder then."""
    path.mkdir(parents=True, exist_ok=True)
    try:
        source = Source(corpus, corpus.signature(), corpus.parts())  # the signature before anything is read
        try:
            _build(source, path, analyzer, progress, workers or Workers(1))
        except InputError as error:
            if isinstance(error, WorkersError) or len(source.parts) == 1:
                raise
            # Only a reader that began at the first row can name the row, or show that a cut caused the error.
            progress.say("there is a fault in one of the parts; reading from the first row to find it")
            for _ in corpus:
                pass
            _build(source._replace(parts=[corpus]), path, analyzer, progress, Workers(1))
    finally:
        with suppress(OSError):
            path.rmdir()  # where it is empty


def _build(source: Source, path: Path, analyzer: Analyzer, progress: Progress, workers: Workers) -> None:
    corpus = source.corpus
    about = {"name": corpus.name, "size": source.signature.get("size")}
    plan = made_by(analyzer) | {"corpus": about, "parts": len(source.parts)}
    whole = new_folder(path)
    try:
        parts = whole / PARTS
        parts.mkdir()
        fingerprint = _index_parts(source, parts, analyzer, progress, workers)
        if corpus.signature() != source.signature:
            raise InputError(corpus.name, "the corpus was changed while it was read", "run the command again")
        with progress.stage("merge"):
            manifest = plan | assemble([_part(parts, number) for number in range(len(source.parts))], whole)
            manifest["corpus"]["fingerprint"] = fingerprint
            (whole / MANIFEST).write_text(json.dumps(manifest, indent=1, sort_keys=True) + "\n", "utf-8")
            remove(parts)
            write_sums(whole)
            write_pointer(Pointer(whole, source.signature))
    except BaseException as error:
        remove(whole)
        if isinstance(error, OSError) and str(error.filename or whole).startswith(str(whole)):
            error.filename = str(path)  # the name that the user knows
        raise
    remove_old(path)
    for left in leftovers(path):
        move_kept_rows(left, whole)
        remove(left)


def _part(folder: Path, number: int) -> Path:
    return folder / f"part-{number:04}"


def _index_parts(source: Source, folder: Path, analyzer: Analyzer, progress: Progress, workers: Workers) -> str:
    """Index all parts, and return the fingerprint of the corpus."""
    parts = source.parts
    reached = np.lib.format.open_memmap(folder / "reached.npy", "w+", np.int64, (len(parts), 2))
    settings = analyzer.settings()
    calls: list[Call[Any]] = [(source.corpus.fingerprint, ())]
    calls += [(_index_in_worker, (part, number, str(folder), settings)) for number, part in enumerate(parts)]
    size = sum(part.size_hint() for part in parts)
    with progress.stage("index", unit=source.corpus.holds) as tick, _watching(reached, size, tick):
        fingerprint, *_ = workers.map(calls)
    return str(fingerprint)


def _index_in_worker(corpus: Corpus, number: int, folder: str, settings: dict[str, bool]) -> None:
    part = _part(Path(folder), number)
    if part.exists():
        return  # a cluster repeats the finished calls of a lost worker
    reached = np.load(part.with_name("reached.npy"), mmap_mode="r+")

    def report(arguments: int, position: int) -> None:
        reached[number] = arguments, position

    index_part(corpus, number, part, Analyzer(**settings), report)


@contextmanager
def _watching(reached: np.ndarray[Any, Any], size: int, tick: Tick) -> Iterator[None]:
    """Show the workers' progress four times a second."""
    ended = threading.Event()

    def watch() -> None:
        shown = 0
        while not ended.wait(0.25):
            arguments, position = reached.sum(axis=0).tolist()
            tick(arguments - shown, position / max(size, 1))
            shown = arguments

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()
