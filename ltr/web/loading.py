"""Load corpora, indexes and models for the server."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from ltr.data.reading import read_whole
from ltr.errors import InputError
from ltr.index.reader import Index
from ltr.parallel import Workers
from ltr.pipeline.extract import Resources
from ltr.progress import Progress
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
    """An answerer for every task that has a corpus, by task name.

    Without a ``source`` the corpus is the sample; with one, comparative questions need ``comparative`` as well. Each of
    ``models`` is a model folder; other tasks use the shipped model. Raises InputError.
    """
    folders = _folders(models)
    indexes: dict[str, Index] = {}
    answerers = {}
    # Tasks that rank arguments or their sentences share one corpus and come first; documents have another corpus.
    for task in sorted(map(find_task, task_names()), key=lambda task: task.unit == "document"):
        name, documents = task.name, task.unit == "document"
        if documents and source and not comparative:
            continue
        given = comparative if documents else source
        where, folder = given or str(task.sample.folder), folders.get(name)
        given_index = indexes.get(where) or (None if documents else place)
        resources = Resources(Workers(jobs), progress)
        searcher = Searcher(where, model=folder, task=name, index=given_index, jobs=resources)
        indexes[where] = searcher.index
        names = {
            "corpus": Path(given).name or given if given else "the sample",
            "model": folders[name].name if name in folders else "the model that ships",
            "trained": searcher.model.training,
        }
        answerers[name] = Answerer(searcher, names)
    return answerers


def _folders(models: Sequence[str]) -> dict[str, Path]:
    """The model folder of each task."""
    folder_of: dict[str, Path] = {}
    for folder in map(Path, models):
        try:
            task = json.loads(read_whole(folder / MANIFEST))["task"]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            task = None
        if task not in task_names():
            raise InputError("-m", f"{folder} is not a model folder", "train one with python -m ltr.train")
        if task in folder_of:
            raise InputError("-m", f"{folder_of[task]} and {folder} are both models of {task}", "leave one of them out")
        folder_of[task] = folder.absolute()  # a folder may be called like a baseline
    return folder_of
