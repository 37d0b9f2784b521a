"""Build the first-stage index: one streaming pass over the corpus, its parts shared out to workers.

The parts are those of :meth:`ltr.corpora.base.Corpus.parts`, whoever works on them, so that every machine makes
the same index. They are merged in a new folder (`ltr.index.folder`), which becomes the current one in one step: a
build that is killed starts again.
"""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from importlib.metadata import version
from itertools import accumulate
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np

from ltr.corpora.base import Corpus
from ltr.errors import InputError, WorkersError
from ltr.files import link, remove, sha256
from ltr.index.counts import merge_counts
from ltr.index.debates import columns, has_copies, shared_columns
from ltr.index.engine import ENGINES, META
from ltr.index.folder import (
    MANIFEST,
    Pointer,
    file_sizes,
    leftovers,
    move_kept_rows,
    new_folder,
    read_manifest,
    save_array,
    save_pieces,
    write_pointer,
)
from ltr.index.segment import index_part
from ltr.index.vocabulary import Array
from ltr.parallel import Call, Workers
from ltr.progress import Progress, Tick

FORMAT = 19


def made_by() -> dict[str, Any]:
    """Versions that an index depends on: an index with other ones is rebuilt."""
    return {"format": FORMAT, "tantivy": version("tantivy"), "stemmer": version("PyStemmer")}


def build_index(corpus: Corpus, path: Path, progress: Progress, workers: Workers | None = None) -> None:
    """Index ``corpus`` in the folder ``path``. Raises InputError for a bad corpus, and leaves no new folder then."""
    path.mkdir(parents=True, exist_ok=True)
    try:
        signature, parts = corpus.signature(), corpus.parts()  # the signature before anything is read
        try:
            _build(corpus, signature, parts, path, progress, workers or Workers(1))
        except InputError as error:
            if isinstance(error, WorkersError) or len(parts) == 1:
                raise
            # Only a reader that began at the first row can name the row, or show that a cut caused the error.
            progress.say("there is a fault in one of the parts; reading from the first row to find it")
            for _ in corpus:
                pass
            _build(corpus, signature, [corpus], path, progress, Workers(1))
    finally:
        with suppress(OSError):
            path.rmdir()  # where it is empty


def _build(
    corpus: Corpus, signature: dict[str, object], parts: list[Corpus], path: Path, progress: Progress, workers: Workers
) -> None:
    for left in leftovers(path):
        if read_manifest(left) is None:  # a killed build left it, and it may be what fills the disk
            remove(left)
    whole = new_folder(path)
    try:
        folder = whole / "parts"  # until they are merged
        folder.mkdir()
        fingerprint = _index_parts(corpus, parts, folder, progress, workers)
        if corpus.signature() != signature:
            raise InputError(corpus.name, "the corpus was changed while it was read", "run the command again")
        with progress.stage("merge"):
            manifest = made_by() | {"corpus": {"name": corpus.name, "fingerprint": fingerprint}}
            manifest |= _assemble([_part(folder, number) for number in range(len(parts))], whole)
            remove(folder)
            manifest |= {"files": file_sizes(whole)}
            (whole / MANIFEST).write_text(json.dumps(manifest, indent=1, sort_keys=True) + "\n", "utf-8")
            write_pointer(Pointer(whole, signature))
    except BaseException as error:
        remove(whole)
        if isinstance(error, OSError) and str(error.filename or whole).startswith(str(whole)):
            error.filename = str(path)  # the name that the user knows
        raise
    for left in leftovers(path):
        move_kept_rows(left, whole)
        remove(left)


def _part(folder: Path, number: int) -> Path:
    return folder / f"part-{number:04}"


def _index_parts(corpus: Corpus, parts: list[Corpus], folder: Path, progress: Progress, workers: Workers) -> str:
    """Index all parts, and return the fingerprint of the corpus."""
    reached = np.lib.format.open_memmap(folder / "reached.npy", "w+", np.int64, (len(parts), 2))
    calls: list[Call[Any]] = [(corpus.fingerprint, ())]
    calls += [(_index_in_worker, (part, number, str(folder))) for number, part in enumerate(parts)]
    size = sum(part.size_hint() for part in parts)
    with progress.stage("index", unit=corpus.holds) as tick, _watching(reached, size, tick):
        fingerprint, *_ = workers.map(calls)
    return str(fingerprint)


def _index_in_worker(corpus: Corpus, number: int, folder: str) -> None:
    part = _part(Path(folder), number)
    if part.exists():
        return  # a cluster repeats the finished calls of a lost worker
    reached = np.load(part.with_name("reached.npy"), mmap_mode="r+")

    def report(arguments: int, position: int) -> None:
        reached[number] = arguments, position

    index_part(corpus, number, part, report)


@contextmanager
def _watching(reached: Array, size: int, tick: Tick) -> Iterator[None]:
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


def _assemble(parts: Sequence[Path], folder: Path) -> dict[str, int]:
    """Fill the index ``folder`` from whole ``parts``; returns how many arguments and sentences. Raises InputError."""
    first_argument, first_sentence = _starts(parts, "stance"), _starts(parts, "number")
    if has_copies(parts):
        raise InputError(parts[0].parent, "an id comes twice")  # build_index says which, and where
    for name in ENGINES:
        _join_engines([part / name for part in parts], folder / name)
    shifts = {f"{name}_end": _join_strings(parts, folder, f"{name}s.bin") for name in ("text", "id", "title", "url")}
    shifts |= {"sentence_end": first_sentence, "conclusion_row": first_sentence}
    for name in ("number", "stance", *shifts):
        _save(folder, name, partial(columns, parts, name, shifts.get(name)))
    for name in ("near_key", "body_key", *(["source"] if (parts[0] / "source.npy").exists() else [])):
        first = np.load(parts[0] / f"{name}.npy", mmap_mode="r")
        size = first_sentence[-1] if name == "near_key" else first_argument[-1]
        save_pieces(folder / f"{name}.npy", columns(parts, name), first.dtype, (size, *first.shape[1:]))
    save_array(folder / "starts.npy", np.array([first_argument, first_sentence]))
    for name, values in shared_columns(parts, first_sentence):
        _save(folder, name, partial(iter, (values,)))
    merge_counts(parts, folder)
    return {"arguments": first_argument[-1], "sentences": first_sentence[-1]}


def _join_strings(parts: Sequence[Path], folder: Path, name: str) -> list[int]:
    """Lay the strings of all parts end to end; (n_parts + 1,) where those of each part begin."""
    starts = [0]
    with (folder / name).open("wb") as out:
        for part in parts:
            with (part / name).open("rb") as strings:
                shutil.copyfileobj(strings, out, 1 << 20)
            (part / name).unlink()  # or the disk would hold all texts twice
            starts.append(out.tell())
    return starts


def _starts(parts: Sequence[Path], name: str) -> list[int]:
    """(n_parts + 1,) where the rows of each part begin, and where the last one ends."""
    return [0, *accumulate(len(column) for column in columns(parts, name))]


def _save(folder: Path, name: str, pieces: Callable[[], Iterator[Array]]) -> None:
    """Write a column of whole numbers in the smallest sufficient type, which saves disk and page cache."""
    ranges = [(int(piece.min(initial=0)), int(piece.max(initial=0)), len(piece)) for piece in pieces()]
    low, high = min(low for low, _, _ in ranges), max(high for _, high, _ in ranges)
    kind = np.min_scalar_type(high if low >= 0 else min(low, -high - 1))  # with a sign where one value is negative
    save_pieces(folder / f"{name}.npy", pieces(), kind, (sum(size for _, _, size in ranges),))


def _join_engines(folders: Sequence[Path], target: Path) -> None:
    """Make one tantivy index of the segments of many, which have the same schema: the files, and a list of them.

    Tantivy names segments at random; here they are numbered.
    """
    target.mkdir()
    metas = [json.loads((folder / META).read_text("utf-8")) for folder in folders]
    segments = list[dict[str, Any]]()
    for folder, meta in zip(folders, metas, strict=True):
        rows = {UUID(one["segment_id"]).hex: one for one in meta["segments"]}  # column of rows: no two are the same
        for name in sorted(rows, key=lambda name: sha256(folder / f"{name}.fast")):
            number = UUID(int=len(segments) + 1)
            segments.append(rows[name] | {"segment_id": str(number)})
            for path in folder.glob(f"{name}.*"):
                link(path, target / f"{number.hex}{path.suffix}")
    names = sorted(path.name for path in target.iterdir())
    (target / META).write_text(json.dumps(metas[0] | {"segments": segments}), "utf-8")
    (target / ".managed.json").write_text(json.dumps([*names, META]), "utf-8")
