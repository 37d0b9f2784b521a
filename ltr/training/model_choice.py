"""Find the ranker of a name: a baseline, a model folder, or the shipped model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ltr.errors import InputError
from ltr.pipeline.task import Task
from ltr.progress import Progress
from ltr.retrieval.base import CandidateConfig
from ltr.training.bundle import MANIFEST, PRETRAINED, load_bundle, training_of
from models.base import Ranker, baselines, make_ranker, rankers


def find_ranker(
    task: Task, name: str | None, threads: int, progress: Progress, weights: dict[str, float] | None = None
) -> tuple[Ranker, CandidateConfig, dict[str, bool]]:
    """The ranker of that name or folder, how wide it looks, and the text analysis that it needs.

    ``weights`` take the place of those that the model was trained to blend by.
    """
    if name in baselines(task.unit):
        if weights:
            raise InputError("usage", f"{name} has no per-dimension rankers", "leave out --dimension and --blend")
        return make_ranker(name, unit=task.unit), task.config, {"stem": True, "stop": True}
    folder = PRETRAINED / task.name if name is None else Path(name)
    if not folder.is_dir():
        known = ", ".join(baselines(task.unit))
        what = f"it ranks no {task.unit}s" if name in rankers() else "there is no such model"
        raise InputError(folder, what, f"name a model folder or one of: {known}")
    bundle = load_bundle(folder, task, threads=threads)
    if differing := bundle.other_versions():
        progress.warn(f"the model was trained with {', '.join(differing)}: its scores may differ a little")
    try:
        model = bundle.model.reweighted(weights) if weights else bundle.model
    except KeyError as error:
        raise InputError(folder, f"the model has no ranker of {error.args[0]}", "weigh other dimensions") from None
    return model, bundle.config, bundle.manifest["analysis"]


def told(task: Task, name: str | None) -> str:
    """One-line description of a ranker, with its training data."""
    if name in baselines(task.unit):
        return f"the baseline {name}"
    return f"{name or 'the model that ships'} ({training_of(manifest_of(task, name) or {})})"


def manifest_of(task: Task, name: str | None) -> dict[str, Any] | None:
    """The manifest of the model of that name, which `find_ranker` has checked; None of a baseline."""
    if name in baselines(task.unit):
        return None
    folder = PRETRAINED / task.name if name is None else Path(name)
    found: dict[str, Any] = json.loads((folder / MANIFEST).read_text("utf-8"))
    return found


def files_of_model(task: Task, name: str | None) -> list[Path]:
    """The files of the model of that name, that no output may replace."""
    return list((PRETRAINED / task.name if name is None else Path(name)).glob("*"))
