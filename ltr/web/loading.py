"""Load corpora, indexes and models for the server."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from multiprocessing import parent_process
from pathlib import Path

from starlette.applications import Starlette

from ltr.errors import InputError
from ltr.files import read_whole
from ltr.index.reader import Index
from ltr.model_folder.store import MANIFEST
from ltr.parallel import Workers, end_with_parent, restore_gc
from ltr.plugins import load_plugin
from ltr.progress import Progress
from ltr.ranking.source import Resources
from ltr.ranking.task import find_task, task_names
from ltr.searcher import Searcher
from ltr.web.answerer import Answerer
from ltr.web.app import make_app
from ltr.web.settings import ServerSettings
from models.base import baselines
from models.defaults import NO_ENCODER

SETTINGS = "RIPOSTE_SERVE"
"""Environment variable with what `export` puts there."""

FAILED = 3
"""Exit code of a worker process that cannot start: uvicorn then starts no other."""


def export(settings: ServerSettings, hosts: Sequence[str]) -> None:
    """Put settings and the names of served hosts into the environment of the processes that this one starts."""
    os.environ[SETTINGS] = json.dumps([asdict(settings), hosts], default=str)


def warm_app(answerers: Mapping[str, Answerer], hosts: Sequence[str]) -> Starlette:
    """The application, with answerers that are ready for their first question. Raises InputError."""
    for answerer in answerers.values():
        answerer.warm()
    restore_gc()
    return make_app(answerers, hosts)


def load_app() -> Starlette:
    """The application of a worker process, see `export`; ends the process where it cannot be loaded."""
    if (parent := parent_process()) and parent.pid:
        end_with_parent(parent.pid)
    given, hosts = json.loads(os.environ[SETTINGS])
    settings = ServerSettings(**given)
    try:
        for plugin in settings.plugin:
            load_plugin(plugin)
        return warm_app(load_answerers(settings, Progress(quiet=True)), hosts)
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(FAILED)


def load_answerers(settings: ServerSettings, progress: Progress) -> dict[str, Answerer]:
    """An answerer for every task that has a corpus, by task name; indexes are built where needed. Raises InputError."""
    resources = Resources(Workers(settings.jobs), progress)
    chosen = _models(settings.model)
    indexes: dict[str, Index] = {}
    answerers = {}
    # Tasks that rank arguments or their sentences share one corpus and come first; documents have another corpus.
    for task in sorted(map(find_task, task_names()), key=lambda task: task.reads):
        name, documents = task.name, task.reads == "documents"
        if documents and settings.input and not settings.comparative:
            continue
        given = settings.comparative if documents else settings.input
        where, model = str(task.sample.folder) if given is None else given, chosen.get(name)
        index = indexes.get(where) or (None if documents else settings.index)
        encoded = model or not chosen or settings.encoder == NO_ENCODER
        encoder = settings.encoder if encoded else None
        searcher = Searcher(where, model=model, task=name, index=index, encoder=encoder, jobs=resources)
        searcher = searcher.with_reranker(settings.rerank).with_reader(settings.reader)
        indexes[where] = searcher.index
        ranker = Path(model).name if model else "the model that ships"
        names = {
            "corpus": Path(given).name or given if given else "the sample",
            "model": ", ".join([ranker, *searcher.choices]),
            "trained": searcher.model.training,
        }
        answerers[name] = Answerer(searcher, names)
    return answerers


def _models(names: Sequence[str]) -> dict[str, str]:
    """The model folder or baseline of each task. Raises InputError."""
    chosen: dict[str, str] = {}
    baseline_of: dict[str, str] = {}
    for name in names:
        if tasks := [task for task in task_names() if name in baselines(find_task(task).kind)]:
            ranker, models = name, baseline_of
        else:
            ranker, models = str(Path(name).absolute()), chosen
            try:
                tasks = [find_task(json.loads(read_whole(Path(name) / MANIFEST))["task"]).name]
            except (OSError, ValueError, LookupError, TypeError, RecursionError):
                what = f"{name} is neither a model folder nor a baseline"
                raise InputError("-m", what, "train one with riposte train") from None
        if first := next((models[task] for task in tasks if task in models), None):
            raise InputError("-m", f"{first} and {name} are both models of {tasks[0]}", "leave one of them out")
        models |= dict.fromkeys(tasks, ranker)
    return baseline_of | chosen
