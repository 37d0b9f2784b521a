"""A corpus with its task and the folder of its index: opened here alone, for searchers, trainings and studies."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from ltr.corpora.base import Corpus, FileCorpus
from ltr.corpora.source import files_of, open_corpus
from ltr.errors import InputError
from ltr.files import refuse_to_overwrite
from ltr.index.cache import index_place, index_state, open_index
from ltr.index.folder import refuse_outputs
from ltr.index.reader import Index
from ltr.ranking.source import Resources
from ltr.ranking.task import Task


@dataclass(frozen=True)
class IndexedCorpus:
    """A corpus and where its index is kept; neither is read before it is needed."""

    task: Task
    corpus: Corpus
    folder: Path
    """The folder of the index."""

    @classmethod
    def open(cls, task: Task, where: str | Path | None = None, index: str | Path | None = None) -> IndexedCorpus:
        """``where`` is as for ``predict -i``, the task's sample by default; ``index`` is in the cache by default.

        Raises InputError, also for a corpus that the task cannot rank.
        """
        corpus = task.check_corpus(open_corpus(task.sample.folder if where is None else where))
        return cls(task, corpus, index_place(corpus, Path(index) if index else None))

    def open_index(self, resources: Resources) -> Index:
        """The index, built when it is absent or stale. Raises InputError."""
        return open_index(self.corpus, self.folder, resources.progress, resources.workers)

    def refuse_output(self, output: Path, read: Iterable[Path | None] = ()) -> None:
        """Raise InputError where ``output`` would lie in the index, or replace the corpus, its topics or ``read``."""
        refuse_to_overwrite(output, [*files_of(self.corpus), *read])
        refuse_outputs(self.folder, [output])

    def plan(self, read: Mapping[str, Iterable[object]], written: Mapping[str, Iterable[Path]]) -> list[str]:
        """List the files to read beside the corpus, whether the index would be built, and the files to write.

        Raises InputError where the index could not be built there, or nothing written where it is to go.
        """
        for path in chain.from_iterable(written.values()):
            folder = next(folder for folder in path.absolute().parents if os.path.lexists(folder))
            if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
                raise InputError(folder, f"{path} cannot be written there", "name another place")
        size = f" ({self.corpus.size_hint() / 1e6:,.1f} MB)" if isinstance(self.corpus, FileCorpus) else ""
        state = index_state(self.corpus, self.folder)
        lines = ["would read", _row("corpus", f"{self.corpus.name}{size}")]
        lines += [_row(name, item) for name, items in read.items() for item in items]
        index = f"{self.folder} ({state})" if state else self.folder
        lines += ["would build" if state else "would open", _row("index", index)]
        lines += ["would write"]
        for name, paths in written.items():
            for path in paths:
                lines.append(_row(name, f"{path}{' (replaces the one there)' if os.path.lexists(path) else ''}"))
        return [*lines, "Nothing was built or written."]


def _row(name: str, what: object) -> str:
    return f"  {name:<10}{what}"
