"""The index of a corpus where it is kept: opened when it fits, built first when it is absent or stale."""

from __future__ import annotations

import hashlib
import json
import os
import re
from contextlib import AbstractContextManager, suppress
from pathlib import Path

from ltr.corpora.base import Corpus, FileCorpus
from ltr.errors import InputError
from ltr.escapes import encodable
from ltr.files import user_cache, writable_folder
from ltr.index.build import build_index, made_by
from ltr.index.folder import (
    LOCK,
    Pointer,
    incomplete_file,
    is_index,
    read_manifest,
    read_pointer,
    refuse_foreign,
    write_pointer,
)
from ltr.index.reader import Index
from ltr.parallel import Workers, usable_cores
from ltr.progress import Progress


def open_index(corpus: Corpus, path: Path | None, progress: Progress, workers: Workers | None = None) -> Index:
    """The index of ``corpus`` in ``path`` (default: as `index_place`), built when it is absent or stale.

    It is built by ``workers``, by default as many processes as there are cores. Raises InputError.
    """
    path = path or index_place(corpus, None)
    index = _fitting(path, corpus)
    if index is None:
        refuse_foreign(path)
        writable_folder(path, "index")  # or nobody could lock it
        with locked(path, progress):
            index = _fitting(path, corpus, progress)  # another process may have built it while we waited
            if index is None:
                progress.say(f"indexing {corpus.name} in {path}")
                build_index(corpus, path, progress, workers or Workers(usable_cores()))
                index = Index(path)
    return index


def locked(folder: Path, progress: Progress) -> AbstractContextManager[object]:
    """Have ``folder`` alone until the block ends, however the process ends.

    While another process has it, that is said, and then waited. The lock lies beside the folder, since somebody may
    delete the folder meanwhile; in the folder where its parent is not writable, and so nobody may.
    """
    from filelock import FileLock, Timeout  # noqa: PLC0415 only those who build need it

    folder.parent.mkdir(parents=True, exist_ok=True)
    beside = os.access(folder.parent, os.W_OK)
    lock = FileLock(folder.parent / f".{folder.name.lstrip('.')}.lock" if beside else folder / LOCK)
    try:
        return lock.acquire(blocking=False)
    except Timeout:
        progress.say(f"another process is indexing in {folder}; waiting for it")
        return lock.acquire()


def index_place(corpus: Corpus, path: Path | None) -> Path:
    """The folder of the index: ``path``, else one in the user's cache, under the name and the path of the corpus.

    Nothing is put beside the corpus. Raises InputError for a name that the engine cannot take.
    """
    if path is None:
        corpus_path = os.path.realpath(corpus.name) if isinstance(corpus, FileCorpus) else corpus.name
        name = re.sub(r"[^A-Za-z0-9_-]+", "-", Path(corpus_path).name.partition(".")[0])[:40]
        key = hashlib.sha256(os.fsencode(corpus_path)).hexdigest()[:16]
        path = user_cache() / "indexes" / f"{name}-{key}"
    if path.name in ("", ".."):  # the parts of an index are built beside it, under its name
        path = Path(os.path.abspath(path))
    if encodable(str(path)) != str(path):
        raise InputError(path, "the path is not valid UTF-8", "name another directory")
    return path


def index_state(corpus: Corpus, path: Path) -> str:
    """Why `open_index` would build the index; empty where the one in ``path`` fits, as far as no corpus is read.

    Raises InputError where it cannot be built.
    """
    refuse_foreign(path)
    pointer = read_pointer(path)
    manifest = pointer and read_manifest(pointer.folder)
    if pointer is None or manifest is None:
        return "the one there is damaged, unfinished or old" if is_index(path) else "there is none yet"
    if not made_by().items() <= manifest.items():
        return "the one there is of another version"
    return "" if pointer.signature == _signature(corpus) else "unless the file has the same bytes as before"


def _signature(corpus: Corpus) -> object:
    return json.loads(json.dumps(corpus.signature()))


def _fitting(path: Path, corpus: Corpus, progress: Progress | None = None) -> Index | None:
    """The index in ``path`` if it is complete, of this corpus, and made by the current versions."""
    pointer = read_pointer(path)
    if pointer is None:
        return None
    manifest = read_manifest(pointer.folder) or {}
    fault = "" if manifest else "is unfinished"
    if other := [key for key, value in made_by().items() if manifest.get(key) != value]:
        fault = fault or f"has another {other[0]}"
    elif file := incomplete_file(pointer.folder, manifest):
        fault = f"is damaged ({file})"
    if fault:
        if progress:
            progress.say(f"the index in {path} {fault} and is made anew")
        return None
    signature = _signature(corpus)
    if pointer.signature != signature:
        if manifest["corpus"]["fingerprint"] != corpus.fingerprint():
            return None
        # The same bytes under a new name or date: note it, as it was before, so that they are not hashed again.
        with suppress(OSError):  # it may belong to somebody else
            write_pointer(Pointer(pointer.folder, signature))
    try:
        return Index(pointer.folder)
    except InputError:  # another process replaced it meanwhile
        return None
