"""Load the ranker that a name stands for: a baseline, a model folder, or the model that ships."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ltr.errors import InputError
from ltr.pipeline.task import Task
from ltr.progress import Progress
from ltr.retrieval.base import CandidateConfig
from ltr.training.bundle import PRETRAINED, load_bundle, training_of
from models.base import Ranker, baselines, make_ranker, rankers
from models.blend import Blend


@dataclass(frozen=True)
class LoadedModel:
    """A ranker, and what it expects of the index and of the first stage."""

    name: str | None
    """Name of a baseline or path of a model folder; None: the model that ships."""
    ranker: Ranker
    config: CandidateConfig
    """How many candidates the first stage proposes."""
    analysis: Mapping[str, bool]
    """The text analysis that the index needs."""
    manifest: Mapping[str, Any] | None = None
    """How the model was trained; None for a baseline."""

    @property
    def description(self) -> str:
        """Which ranker this is, and how it was trained, in a line."""
        if self.manifest is None:
            return f"the baseline {self.name}"
        return f"{self.name or 'the model that ships'} ({self.training})"

    @property
    def training(self) -> str:
        """How it was trained, in a line; empty for a baseline."""
        return training_of(self.manifest) if self.manifest is not None else ""

    @property
    def tag(self) -> str:
        """Default name of a run by this model."""
        return "riposte" if self.manifest is not None else f"riposte-{self.name}"

    @property
    def blend(self) -> Blend:
        """The rankers of a trained model. Raises InputError for a baseline."""
        if not isinstance(self.ranker, Blend):
            raise InputError("-m", f"{self.name} is a formula and cannot be explained", "name a trained model")
        return self.ranker

    def reweighted(self, weights: Mapping[str, float]) -> LoadedModel:
        """The same model with other weights of its dimensions. Raises InputError."""
        if not isinstance(self.ranker, Blend):
            raise InputError("usage", f"{self.name} has no dimensions", "leave out --dimension and --blend")
        try:
            return replace(self, ranker=self.ranker.reweighted(weights))
        except KeyError as error:
            what = f"the model has no ranker of {error.args[0]}"
            raise InputError(self.name or "the model that ships", what, "weigh other dimensions") from None


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
        bundle = load_bundle(folder, task, threads=threads)
        if differing := bundle.other_versions():
            progress.warn(f"the model was trained with {', '.join(differing)}: its scores may differ a little")
        model = LoadedModel(name, bundle.model, bundle.config, bundle.manifest["analysis"], bundle.manifest)
    return model.reweighted(weights) if weights else model


def files_of_model(task: Task, name: str | None) -> list[Path]:
    """The files of the model of that name, which no output may replace."""
    return list((PRETRAINED / task.name if name is None else Path(name)).glob("*"))
