"""The lines of ``--dry-run``, for which nothing is built or written."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from itertools import chain
from pathlib import Path

from ltr.corpora.base import Corpus, FileCorpus
from ltr.errors import InputError
from ltr.index.cache import index_state


def plan(
    corpus: Corpus,
    read: Mapping[str, Iterable[object]],
    index: Path,
    analysis: Mapping[str, bool],
    written: Mapping[str, Iterable[Path]],
) -> list[str]:
    """List the files to read beside the corpus, whether its ``index`` would be built, and the files to write.

    Raises InputError where the index could not be built there, or nothing written where it is to go.
    """
    for path in chain.from_iterable(written.values()):
        folder = next(folder for folder in path.absolute().parents if os.path.lexists(folder))
        if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
            raise InputError(folder, f"{path} cannot be written there", "name another place")
    size = f" ({corpus.size_hint() / 1e6:,.1f} MB)" if isinstance(corpus, FileCorpus) else ""
    state = index_state(corpus, index, **analysis)
    lines = ["would read", _row("corpus", f"{corpus.name}{size}")]
    lines += [_row(name, item) for name, items in read.items() for item in items]
    lines += ["would build" if state else "would open", _row("index", f"{index}{f' ({state})' if state else ''}")]
    lines += ["would write"]
    for name, paths in written.items():
        lines += [_row(name, f"{path}{' (replaces the one there)' if os.path.lexists(path) else ''}") for path in paths]
    return [*lines, "Nothing was built or written."]


def _row(name: str, what: object) -> str:
    return f"  {name:<10}{what}"
