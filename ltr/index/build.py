"""Build the first-stage index: one streaming pass over the corpus, its parts shared out to workers.

The parts are those of :meth:`ltr.corpora.base.Corpus.parts`, whoever works on them, so that every machine makes
the same index. They are built in a folder of their own beside the index. What is finished there is used again when
the command was stopped or killed; the index itself is merged at the end, and swapped in whole. What a user
keeps in the folder of an older index stays in it.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from features.core.text import Analyzer
from ltr.corpora.base import Corpus
from ltr.data.files import atomic_folder, manifest_digest
from ltr.data.parts import remove_folder
from ltr.errors import InputError, WorkersError
from ltr.index.engine import ENGINES
from ltr.index.folder import SUMS, keep_foreign, sums_of, write_manifest
from ltr.index.merge import assemble
from ltr.index.segment import index_part
from ltr.interrupts import unfinished
from ltr.parallel.processes import Call, Processes, Workers
from ltr.progress import Progress, Tick

FORMAT = 8
PLAN = "parts.json"


def build_index(
    corpus: Corpus, place: Path, analyzer: Analyzer, progress: Progress, workers: Workers | None = None
) -> None:
    """Index ``corpus`` in the folder ``place``. Raises InputError for a bad corpus, before anything is there."""
    signature = corpus.signature()  # before anything is read: also where to cut
    parts = corpus.parts()
    try:
        _build(corpus, signature, parts, place, analyzer, progress, workers or Processes(1))
    except WorkersError:
        raise
    except InputError:
        if len(parts) == 1:
            raise
        # Only a reader who began at the first row can say which row it is; or that the cuts were at fault.
        progress.say("there is a fault in one of the parts; reading from the first row to find it")
        for _ in corpus:
            pass
        _build(corpus, signature, [corpus], place, analyzer, progress, Processes(1))


def building_place(place: Path) -> Path:
    """Where the parts of an index are built."""
    return place.parent / f".{place.name.lstrip('.')}.parts"


def _build(
    corpus: Corpus,
    signature: dict[str, object],
    parts: list[Corpus],
    place: Path,
    analyzer: Analyzer,
    progress: Progress,
    workers: Workers,
) -> None:
    source = {"name": corpus.name, "signature": signature}
    plan: dict[str, Any] = {
        "format": FORMAT,
        "tantivy": version("tantivy"),
        "analysis": analyzer.settings(),
        "corpus": source,
        "parts": len(parts),
    }
    with _building(place, plan) as folder:
        source["fingerprint"] = _index_parts(corpus, parts, folder, analyzer, progress, workers)
        if corpus.signature() != signature:
            raise InputError(corpus.name, "the corpus was changed while it was read", "run the command again")
        with atomic_folder(place) as whole, progress.stage("merge"):
            sizes = assemble([folder / _name(number) for number in range(len(parts))], whole)
            files = {path.name: path.stat().st_size for path in sorted(whole.iterdir()) if path.is_file()}
            manifest = plan | sizes | {"files": files, "sums": sums_of(whole)}
            manifest["digest"] = manifest_digest(manifest)
            for engine in ENGINES:
                (whole / engine / SUMS).write_text(json.dumps(sums_of(whole / engine)) + "\n", "utf-8")
            write_manifest(whole, manifest)
            keep_foreign(place, whole)


@contextmanager
def _building(place: Path, plan: dict[str, Any]) -> Iterator[Path]:
    """The folder of parts. Whole ones stay, to be gone on with, when the process is stopped; not after an error."""
    folder = building_place(place)
    text = json.dumps(plan, sort_keys=True)
    try:
        same = (folder / PLAN).read_text("utf-8") == text
    except (OSError, ValueError):
        same = False

    def leave() -> None:
        if not any(folder.glob("part-*")):
            remove_folder(folder)

    unfinished[str(folder)] = leave
    try:
        if not same:
            remove_folder(folder)
            folder.mkdir(parents=True)
            (folder / PLAN).write_text(text, "utf-8")
        yield folder
    except OSError as error:
        if str(error.filename or folder).startswith(str(folder)):
            error.filename = str(place)  # the name that the user knows
        raise
    finally:
        remove_folder(folder)
        del unfinished[str(folder)]


def _name(number: int) -> str:
    return f"part-{number:04}"


def _index_parts(
    corpus: Corpus, parts: list[Corpus], folder: Path, analyzer: Analyzer, progress: Progress, workers: Workers
) -> str:
    """Index the parts that are missing, and return the fingerprint of the corpus."""
    missing = [number for number in range(len(parts)) if not (folder / _name(number)).exists()]
    if len(missing) < len(parts):
        progress.say(f"{len(parts) - len(missing)} of {len(parts)} parts are there from an earlier start")
    reached = np.lib.format.open_memmap(folder / "reached.npy", "w+", np.int64, (len(parts), 2))
    settings = analyzer.settings()
    calls: list[Call[Any]] = [(corpus.fingerprint, ())]
    calls += [(_index_in_worker, (parts[number], number, str(folder), settings)) for number in missing]
    size = sum(parts[number].size_hint() for number in missing)
    with progress.stage("index", unit=corpus.holds) as tick, _watching(reached, size, tick):
        fingerprint, *_ = workers.map(calls)
    return str(fingerprint)


def _index_in_worker(corpus: Corpus, number: int, folder: str, settings: dict[str, bool]) -> None:
    place = Path(folder)
    if (place / _name(number)).exists():
        return  # a cluster asks again for what a lost worker had finished
    reached = np.load(place / "reached.npy", mmap_mode="r+")
    parent = os.getppid()

    def report(arguments: int, position: int) -> None:
        if os.getppid() != parent:  # killed, it cannot end us, and the next one is at work already
            os._exit(1)
        reached[number] = arguments, position

    index_part(corpus, number, place / _name(number), Analyzer(**settings), report)


@contextmanager
def _watching(reached: np.ndarray[Any, Any], size: int, tick: Tick) -> Iterator[None]:
    """Show what the workers have reached, four times a second."""
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
