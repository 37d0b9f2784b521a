"""Load corpora, indexes and models for the server."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from starlette.applications import Starlette

from ltr.data.files import read_whole
from ltr.errors import InputError
from ltr.index.reader import Index
from ltr.model_folder.store import MANIFEST, PRETRAINED
from ltr.parallel import Workers, collect_often
from ltr.plugins import load_plugin
from ltr.progress import Progress
from ltr.ranking.describe import Resources
from ltr.searcher import Searcher
from ltr.tasks import find_task, task_names
from ltr.web.answerer import Answerer
from ltr.web.app import make_app
from models.defaults import NO_ENCODER

SETTINGS = "RIPOSTE_SERVE"
"""Environment variable with the `Settings` of worker processes."""

FAILED = 3
"""Exit code of a worker process that cannot start: uvicorn then starts no other."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a process serves. A process that uvicorn starts finds it in its environment."""

    source: str | None
    comparative: str | None
    models: Sequence[str]
    index: str | None
    encoder: str | None
    rerank: str | None
    rerank_depth: int | None
    rerank_weight: float | None
    plugins: Sequence[str]
    jobs: int
    hosts: Sequence[str]
    """Host names that are served."""

    def answerers(self, progress: Progress) -> dict[str, Answerer]:
        """Answerers by task, with indexes that are built where needed. Raises InputError."""
        resources, index = Resources(Workers(self.jobs), progress), Path(self.index) if self.index else None
        answerers = load_answerers(self.source, self.comparative, self.models, index, self.encoder, resources)
        for answerer in answerers.values():
            answerer.reranked(self.rerank, self.rerank_depth, self.rerank_weight)
        return answerers

    def export(self) -> None:
        """Put the settings into the environment of the processes that this one starts."""
        os.environ[SETTINGS] = json.dumps(asdict(self))


def warm_app(answerers: Mapping[str, Answerer], hosts: Sequence[str]) -> Starlette:
    """The application, with answerers that are ready for their first question. Raises InputError."""
    for answerer in answerers.values():
        answerer.warm()
    collect_often()
    return make_app(answerers, hosts)


def load_app() -> Starlette:
    """The application of a worker process, see `Settings`; ends the process where it cannot be loaded."""
    settings = Settings(**json.loads(os.environ[SETTINGS]))
    try:
        for plugin in settings.plugins:
            load_plugin(plugin)
        return warm_app(settings.answerers(Progress(quiet=True)), settings.hosts)
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(FAILED)


def load_answerers(
    source: str | None,
    comparative: str | None,
    models: Sequence[str],
    place: Path | None,
    encoder: str | None,
    resources: Resources,
) -> dict[str, Answerer]:
    """An answerer for every task that has a corpus, by task name.

    Without a ``source`` the corpus is the sample; with one, comparative questions need ``comparative`` as well. Each of
    ``models`` is a model folder; other tasks use the shipped model. ``encoder`` is for those ``models`` with a second
    step, and `NO_ENCODER` for all. Raises InputError.
    """
    folders = _folders(models)
    reading = {name for name in folders or task_names() if "encoder" in _manifest(folders.get(name, PRETRAINED / name))}
    if encoder not in (None, NO_ENCODER) and not reading:
        raise InputError("--encoder", "none of the models reads an encoder", "leave it out")
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
        of_model = encoder if name in reading or encoder == NO_ENCODER else None
        searcher = Searcher(where, model=folder, task=name, index=given_index, encoder=of_model, jobs=resources)
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
        task = _manifest(folder).get("task")
        if task not in task_names():
            raise InputError("-m", f"{folder} is not a model folder", "train one with riposte train")
        if task in folder_of:
            raise InputError("-m", f"{folder_of[task]} and {folder} are both models of {task}", "leave one of them out")
        folder_of[task] = folder.absolute()  # a folder may be called like a baseline
    return folder_of


def _manifest(folder: Path) -> dict[str, Any]:
    """The manifest in a folder; empty where there is none."""
    try:
        found = json.loads(read_whole(folder / MANIFEST))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
