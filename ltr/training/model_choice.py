"""Load the ranker that a name stands for: a baseline, a model folder, or the model that ships."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ltr.errors import InputError
from ltr.pipeline.task import Task
from ltr.progress import Progress
from ltr.training.bundle import PRETRAINED, LoadedModel, load_bundle
from models.base import baselines, make_ranker, rankers


def load_model(
    task: Task,
    name: str | None = None,
    weights: Mapping[str, float] | None = None,
    *,
    threads: int = 1,
    progress: Progress,
) -> LoadedModel:
    """The model of that name or folder; None: the model that ships with the task.

    ``weights`` of dimensions replace those of the model's training. Warns where the model was trained with another
    version of a library. Raises InputError.
    """
    if name in baselines(task.unit):
        ranker = make_ranker(name, unit=task.unit)
        model = LoadedModel(name, ranker, task.config, {"stem": True, "stop": True})
    else:
        folder = PRETRAINED / task.name if name is None else Path(name)
        if not folder.is_dir():
            known = ", ".join(baselines(task.unit))
            what = f"it ranks no {task.unit}s" if name in rankers() else "there is no such model"
            raise InputError(folder, what, f"name a model folder or one of: {known}")
        model = replace(load_bundle(folder, task, threads=threads), name=name)
        if differing := model.other_versions():
            progress.warn(f"the model was trained with {', '.join(differing)}: its scores may differ a little")
    return model.reweighted(weights) if weights else model


def files_of_model(task: Task, name: str | None) -> list[Path]:
    """The files of the model of that name, which no output may replace."""
    return list((PRETRAINED / task.name if name is None else Path(name)).glob("*"))
