"""The index of a corpus where it is kept: opened when it fits, built first when it is absent or stale."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
from contextlib import suppress
from pathlib import Path

from features.core.text import Analyzer
from ltr.corpora.base import Corpus, FileCorpus
from ltr.data.columns import is_utf8
from ltr.data.files import remove, user_cache, writable_folder
from ltr.data.locks import locked
from ltr.errors import InputError
from ltr.index.build import build_index, made_by
from ltr.index.folder import (
    Pointer,
    damaged_file,
    is_index,
    leftovers,
    read_manifest,
    read_pointer,
    refuse_foreign,
    write_pointer,
)
from ltr.index.reader import Index
from ltr.parallel import Workers, usable_cores
from ltr.progress import Progress


def open_index(
    corpus: Corpus,
    place: Path | None,
    progress: Progress,
    workers: Workers | None = None,
    /,
    *,
    stem: bool = True,
    stop: bool = True,
) -> Index:
    """The index of ``corpus`` in ``place`` (default: as `index_place`), built when it is absent or stale.

    It is built by ``workers``, by default as many processes as there are cores. Raises InputError.
    """
    analyzer = Analyzer(stem=stem, stop=stop)
    place = place or index_place(corpus, None)

    def busy() -> None:
        progress.say(f"another process is indexing in {place}; waiting for it")

    found = _fitting(place, corpus, analyzer)
    if found is None:
        refuse_foreign(place)
        writable_folder(place, "index")  # or nobody could lock it
        with locked(place, busy):
            found = _fitting(place, corpus, analyzer, progress)  # another process may have built it while we waited
            if found is None:
                progress.say(f"indexing {corpus.name} in {place}")
                build_index(corpus, place, analyzer, progress, workers or Workers(usable_cores()))
                found = Index(place)
    elif leftovers(place):
        _remove_leftovers(place)
    return found


def _remove_leftovers(place: Path) -> None:
    """Remove what a process was killed before it could remove, unless somebody builds there; it need not be ours."""

    def busy() -> None:
        raise BlockingIOError

    with suppress(OSError), locked(place, busy):
        for left in leftovers(place):
            remove(left)


def index_place(corpus: Corpus, place: Path | None) -> Path:
    """Where the index is kept: in ``place``, else in the user's cache, under the name and the path of the corpus.

    Nothing is put beside the corpus. Raises InputError for a name that the engine cannot take.
    """
    if place is None:
        path = os.path.realpath(corpus.name) if isinstance(corpus, FileCorpus) else corpus.name
        name = re.sub(r"[^A-Za-z0-9_-]+", "-", Path(path).name.partition(".")[0])[:40]
        key = hashlib.sha256(os.fsencode(path)).hexdigest()[:16]
        place = user_cache() / "indexes" / f"{name}-{key}"
    if place.name in ("", ".."):  # the parts of an index are built beside it, under its name
        place = Path(os.path.abspath(place))
    if not is_utf8(str(place)):
        raise InputError(place, "this name is no UTF-8, and the engine takes no other", "name another directory")
    return place


def index_state(corpus: Corpus, place: Path, *, stem: bool = True, stop: bool = True) -> str:
    """Why `open_index` would build the index; empty where the one in ``place`` fits, as far as no corpus is read.

    Raises InputError where it cannot be built.
    """
    refuse_foreign(place)
    pointer = read_pointer(place)
    manifest = pointer and read_manifest(pointer.folder)
    if pointer is None or manifest is None:
        return "the one there is damaged, unfinished or old" if is_index(place) else "there is none yet"
    if not made_by(Analyzer(stem=stem, stop=stop)).items() <= manifest.items():
        return "the one there is of another version or analysis"
    return "" if pointer.signature == _signature(corpus) else "unless the file has the same bytes as before"


def _signature(corpus: Corpus) -> object:
    return json.loads(json.dumps(corpus.signature()))


def _fitting(place: Path, corpus: Corpus, analyzer: Analyzer, progress: Progress | None = None) -> Index | None:
    """The index in ``place`` where it is whole, of this corpus, and made as one would be made now."""

    def say(line: str) -> None:
        if progress:
            progress.say(f"the index in {place} {line} and is made anew")

    pointer = read_pointer(place)
    if pointer is None:
        return None
    manifest = read_manifest(pointer.folder)
    try:
        fault = damaged_file(pointer.folder)
    except Exception as error:
        _raise_ours(error)
        fault = str(error)
    if manifest is None or fault:
        say(f"is damaged ({fault})")
        return None
    other = [key for key, value in made_by(analyzer).items() if manifest.get(key) != value]
    if other:
        if other == ["terms"]:
            say("has terms of another stemmer")
        return None
    signature = _signature(corpus)
    if pointer.signature != signature:
        if manifest["corpus"]["fingerprint"] != corpus.fingerprint():
            return None
        # The same bytes under a new name or date: note it, as it was before, so that they are not hashed again.
        with suppress(OSError):  # a read-only index is as good
            write_pointer(Pointer(pointer.folder, signature))
    try:
        index = Index(pointer.folder)
        index.check()
    except Exception as error:
        _raise_ours(error)
        say(f"is damaged ({error})")  # forged; or removed by another process between two reads
        return None
    return index


def _raise_ours(error: Exception) -> None:
    """Raise an error that says nothing of the index: no memory, no more open files, or a package that is too old."""
    scarce = errno.EMFILE, errno.ENFILE, errno.ENOMEM
    if isinstance(error, MemoryError | AttributeError) or (isinstance(error, OSError) and error.errno in scarce):
        raise error
