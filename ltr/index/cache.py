"""The index of a corpus where it is kept: opened when it fits, built first when it is absent or stale."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
from collections.abc import Iterable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

from features.core.text import Analyzer
from ltr.corpora.base import Corpus, FileCorpus
from ltr.data.columns import is_utf8
from ltr.data.files import manifest_digest, user_cache
from ltr.data.locks import locked
from ltr.data.parts import remove_folder, remove_left
from ltr.errors import InputError
from ltr.index.build import FORMAT, build_index, building_place
from ltr.index.folder import (
    damaged_file,
    is_index,
    read_manifest,
    refuse_foreign,
    refuse_outputs,
    write_manifest,
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
        with locked(place, busy):
            found = _fitting(place, corpus, analyzer, progress)  # another process may have built it while we waited
            if found is None:
                progress.say(f"indexing {corpus.name} in {place}")
                build_index(corpus, place, analyzer, progress, workers or Workers(usable_cores()))
                found = Index(place)
    else:  # what a process was killed before it could remove; it need not be ours
        remove_left(place)
        if building_place(place).exists():
            with suppress(OSError), locked(place, busy):
                remove_folder(building_place(place))
    return found


def index_place(corpus: Corpus, place: Path | None, outputs: Iterable[Path | None] = ()) -> Path:
    """Where the index is kept: in ``place``, else in the user's cache, under the name and the path of the corpus.

    Nothing is put beside the corpus. Raises InputError when one of the ``outputs`` of the command would lie in that
    folder.
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
    refuse_outputs(place, outputs)
    return place


def index_state(corpus: Corpus, place: Path, *, stem: bool = True, stop: bool = True) -> str:
    """Why `open_index` would build the index; empty where the one in ``place`` fits, as far as no corpus is read.

    Raises InputError where it cannot be built.
    """
    refuse_foreign(place)
    manifest = read_manifest(place)
    if manifest is None:
        return "the one there is damaged" if is_index(place) else "there is none yet"
    if not _made(Analyzer(stem=stem, stop=stop)).items() <= manifest.items():
        return "the one there is of another version or analysis"
    if manifest.get("digest") != manifest_digest(manifest):
        return "the one there is damaged"
    same = manifest["corpus"]["signature"] == json.loads(json.dumps(corpus.signature()))
    return "" if same else "unless the file has the same bytes as before"


def _made(analyzer: Analyzer) -> dict[str, Any]:
    return {"format": FORMAT, "tantivy": version("tantivy"), "analysis": analyzer.settings()}


def _fitting(place: Path, corpus: Corpus, analyzer: Analyzer, progress: Progress | None = None) -> Index | None:
    def unfit(fault: object) -> None:
        if progress:
            progress.say(f"the index in {place} is damaged ({fault}) and is made anew")

    manifest = read_manifest(place)
    if not is_index(place) or (manifest and not _made(analyzer).items() <= manifest.items()):
        return None
    try:
        damaged = damaged_file(place, manifest)
    except Exception as error:
        _raise_scarcity(error)
        damaged = str(error)
    if manifest is None or damaged:
        unfit(damaged)
        return None
    signature = json.loads(json.dumps(corpus.signature()))
    if manifest["corpus"]["signature"] != signature:
        if manifest["corpus"]["fingerprint"] != corpus.fingerprint():
            return None
        # The same bytes under a new name or date: note it, as it was before, so that they are not hashed again.
        manifest["corpus"]["signature"] = signature
        manifest["digest"] = manifest_digest(manifest)
        with suppress(OSError):  # a read-only index is as good
            write_manifest(place, manifest)
    try:
        index = Index(place)
        index.check()
    except InputError:
        raise
    except Exception as error:
        _raise_scarcity(error)
        unfit(error)  # forged; or swapped by another process between two reads
        return None
    return index


def _raise_scarcity(error: Exception) -> None:
    """Raise an error that is none of the index: no more files may be open, or there is no memory."""
    scarce = errno.EMFILE, errno.ENFILE, errno.ENOMEM
    if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno in scarce):
        raise error
