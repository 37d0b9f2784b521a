"""Build the first-stage index: one streaming pass over the corpus, its parts shared out to workers.

The parts are those of :meth:`ltr.corpora.base.Corpus.parts`, whoever works on them, so that every machine makes
the same index. They are built in a folder of their own (`ltr.index.folder`). What is finished there is used again when
the command was stopped or killed; the index itself is merged at the end, and becomes the current one in one step.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
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
    PARTS,
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

FORMAT = 12
PLAN = "parts.json"


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


class Source(NamedTuple):
    """A corpus, its signature, and the parts it is cut into."""

    corpus: Corpus
    signature: dict[str, object]
    parts: list[Corpus]


def made_by(analyzer: Analyzer) -> dict[str, Any]:
    """What an index depends on, apart from the corpus: an index with other values is rebuilt."""
    terms = stems_digest(analyzer.stem, analyzer.stop)
    return {"format": FORMAT, "tantivy": version("tantivy"), "analysis": analyzer.settings(), "terms": terms}


def _build(source: Source, path: Path, analyzer: Analyzer, progress: Progress, workers: Workers) -> None:
    corpus, parts = source.corpus, source.parts
    about = {"name": corpus.name, "size": source.signature.get("size")}
    plan = made_by(analyzer) | {"corpus": about, "parts": len(parts)}
    with _parts_folder(path, plan | {"signature": source.signature}) as folder:
        fingerprint = _index_parts(source, folder, analyzer, progress, workers)
        if corpus.signature() != source.signature:
            raise InputError(corpus.name, "the corpus was changed while it was read", "run the command again")
        whole = new_folder(path)
        try:
            with progress.stage("merge"):
                manifest = plan | assemble([folder / _name(n) for n in range(len(parts))], whole, workers)
                manifest["corpus"]["fingerprint"] = fingerprint
                (whole / MANIFEST).write_text(json.dumps(manifest, indent=1, sort_keys=True) + "\n", "utf-8")
                write_sums(whole)
                write_pointer(Pointer(whole, source.signature))
        except BaseException:
            remove(whole)
            raise
    remove_old(path)
    for left in leftovers(path):
        move_kept_rows(left, whole)
        remove(left)


@contextmanager
def _parts_folder(path: Path, plan: dict[str, Any]) -> Iterator[Path]:
    """The folder of parts. Complete parts stay for the next start when work is stopped, but not after an error."""
    folder = path / PARTS
    text = json.dumps(plan, sort_keys=True)
    try:
        same = (folder / PLAN).read_text("utf-8") == text
    except (OSError, ValueError):
        same = False
    kept = False
    try:
        if not same:
            remove(folder)
            folder.mkdir()
            (folder / PLAN).write_text(text, "utf-8")
        yield folder
    except (KeyboardInterrupt, WorkersError):
        kept = any(folder.glob("part-*"))
        raise
    except OSError as error:
        if str(error.filename or folder).startswith(str(folder)):
            error.filename = str(path)  # the name that the user knows
        raise
    finally:
        if not kept:
            remove(folder)


def _name(number: int) -> str:
    return f"part-{number:04}"


def _index_parts(source: Source, folder: Path, analyzer: Analyzer, progress: Progress, workers: Workers) -> str:
    """Index the parts that are missing, and return the fingerprint of the corpus."""
    parts = source.parts
    missing = [number for number in range(len(parts)) if not (folder / _name(number)).exists()]
    if len(missing) < len(parts):
        progress.say(f"{len(parts) - len(missing)} of {len(parts)} parts are there from an earlier start")
    reached = np.lib.format.open_memmap(folder / "reached.npy", "w+", np.int64, (len(parts), 2))
    settings = analyzer.settings()
    calls: list[Call[Any]] = [(source.corpus.fingerprint, ())]
    calls += [(_index_in_worker, (parts[number], number, str(folder), settings)) for number in missing]
    size = sum(parts[number].size_hint() for number in missing)
    with progress.stage("index", unit=source.corpus.holds) as tick, _watching(reached, size, tick):
        fingerprint, *_ = workers.map(calls)
    return str(fingerprint)


def _index_in_worker(corpus: Corpus, number: int, folder: str, settings: dict[str, bool]) -> None:
    part = Path(folder, _name(number))
    if part.exists():
        return  # a cluster repeats the finished calls of a lost worker
    reached = np.load(part.with_name("reached.npy"), mmap_mode="r+")
    parent = os.getppid()

    def report(arguments: int, position: int) -> None:
        if os.getppid() != parent:  # killed, it cannot end us, and the next one is at work already
            os._exit(1)
        reached[number] = arguments, position

    index_part(corpus, number, part, Analyzer(**settings), report)
    _return_memory()


def _return_memory() -> None:
    """Give freed memory back to the system: glibc keeps what lies between other memory, more with each part."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)


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
