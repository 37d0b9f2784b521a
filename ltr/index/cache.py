"""The index of a corpus where it is kept: opened when it fits, built first when it is absent or stale."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

from features.core.text import Analyzer
from ltr.corpora.base import Corpus, FileCorpus
from ltr.data.files import atomic_text, remove_folder, sweep, user_cache
from ltr.data.locks import locked
from ltr.index.build import FORMAT, build_index, building_place
from ltr.index.folder import MANIFEST, read_manifest, refuse_foreign, refuse_outputs
from ltr.index.reader import Index
from ltr.parallel.processes import Processes, Workers, usable_cores
from ltr.progress import Progress

FOLDER = ".riposte-index"


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
    place = place or index_place(corpus, None, progress)

    def busy() -> None:
        progress.say(f"another process is indexing in {place}; waiting for it")

    found = _fitting(place, corpus, analyzer)
    if found is None:
        refuse_foreign(place)
        with locked(place, busy):
            found = _fitting(place, corpus, analyzer)  # another process may have built it while we waited
            if found is None:
                progress.say(f"indexing {corpus.name} in {place}")
                sweep(place)
                build_index(corpus, place, analyzer, progress, workers or Processes(usable_cores()))
                found = Index(place)
    elif building_place(place).exists():
        with locked(place, busy):
            remove_folder(building_place(place))  # a process was killed before it could
    return found


def index_place(corpus: Corpus, place: Path | None, progress: Progress, outputs: Iterable[Path | None] = ()) -> Path:
    """Where the index is kept: in ``place``, else beside the corpus, else in the user's cache.

    Raises InputError when one of the ``outputs`` of the command would lie in that folder.
    """
    place = place or _default_place(corpus, progress)
    refuse_outputs(place, outputs)
    return place


def _fitting(place: Path, corpus: Corpus, analyzer: Analyzer) -> Index | None:
    manifest = read_manifest(place)
    made = {"format": FORMAT, "tantivy": version("tantivy"), "analysis": analyzer.settings()}
    if manifest is None or not made.items() <= manifest.items():
        return None
    if manifest["corpus"]["signature"] != json.loads(json.dumps(corpus.signature())):
        if manifest["corpus"]["fingerprint"] != corpus.fingerprint():
            return None
        # The same bytes under a new name or date: note it, so that they are not hashed again.
        manifest["corpus"]["signature"] = corpus.signature()
        with suppress(OSError), atomic_text(place / MANIFEST) as out:  # a read-only index is as good
            out.write(json.dumps(manifest, indent=1, sort_keys=True) + "\n")
    try:
        whole = all((place / name).stat().st_size == size for name, size in manifest["files"].items())
        return Index(place) if whole else None
    except (OSError, ValueError, KeyError):
        # Damaged, or swapped by another process between two reads: build it anew.
        return None


def _default_place(corpus: Corpus, progress: Progress) -> Path:
    beside = corpus.path.parent if isinstance(corpus, FileCorpus) else None
    if beside is not None and (os.access(beside, os.W_OK) or (beside / FOLDER / MANIFEST).exists()):
        return beside / FOLDER
    place = user_cache() / corpus.fingerprint()[:16]
    progress.say(f"the index is kept in {place} (--index DIR puts it elsewhere)")
    return place
