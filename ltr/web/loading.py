"""What a server needs before it can answer: corpora, their indexes, and a model a task."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from ltr.data.reading import read_whole
from ltr.errors import InputError
from ltr.index.reader import Index
from ltr.parallel.processes import Processes
from ltr.pipeline.extract import Resources
from ltr.progress import Progress
from ltr.sample import SAMPLES
from ltr.searcher import Searcher
from ltr.tasks import find_task, task_names
from ltr.training.bundle import MANIFEST
from ltr.web.answerer import Answerer


def load_answerers(
    source: str | None,
    comparative: str | None,
    models: Sequence[str],
    place: Path | None,
    jobs: int,
    progress: Progress,
) -> dict[str, Answerer]:
    """Task -> what answers its questions, of every task that has a corpus.

    Those without a ``source`` are the sample's; a named one has no comparative questions unless ``comparative`` is
    named too. Each of ``models`` is a folder; the other tasks have the model that ships. Raises InputError.
    """
    folders = _folders(models)
    indexes: dict[str, Index] = {}
    found = {}
    # Documents have a corpus of their own; what ranks arguments and their sentences comes first, and shares one.
    for task in sorted(map(find_task, task_names()), key=lambda task: task.unit == "document"):
        name, documents = task.name, task.unit == "document"
        if documents and source and not comparative:
            continue
        given = comparative if documents else source
        where, folder = given or str(SAMPLES[name].folder), folders.get(name)
        given_index = indexes.get(where) or (None if documents else place)
        resources = Resources(Processes(jobs), progress)
        searcher = Searcher(where, model=folder, task=name, index=given_index, jobs=resources)
        indexes[where] = searcher.index
        names = {
            "corpus": Path(given).name or given if given else "the sample",
            "model": folders[name].name if name in folders else "the model that ships",
            "trained": searcher.model.training,
        }
        found[name] = Answerer(searcher, names)
    return found


def _folders(models: Sequence[str]) -> dict[str, Path]:
    """Task -> the folder of its model."""
    found: dict[str, Path] = {}
    for folder in map(Path, models):
        try:
            task = json.loads(read_whole(folder / MANIFEST))["task"]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            task = None
        if task not in task_names():
            raise InputError("-m", f"{folder} is no model folder", "train one with python -m ltr.train")
        if task in found:
            raise InputError("-m", f"{found[task]} and {folder} are both models of {task}", "leave one of them out")
        found[task] = folder.absolute()  # a folder may be called like a baseline
    return found
