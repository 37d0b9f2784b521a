"""Load the ranker that a name stands for: a baseline, a model folder, or the model that ships."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from features.core.feature import column_features
from ltr.errors import InputError, SettingError
from ltr.model_folder.store import PRETRAINED, LoadedModel, load_bundle
from ltr.plugins import check_plugins
from ltr.progress import Progress
from ltr.ranking.candidates import TOPIC
from ltr.ranking.task import Task
from ltr.text_models.encoders import Encoder, open_encoder
from models.base import CheckedRanker, Ranker, Scores, baselines, make_ranker, rankers
from models.baselines import DENSE
from models.blend import Blend
from models.defaults import NO_ENCODER as NONE

EncoderName = str | Path | Encoder | Callable[[Sequence[str]], Any] | None
"""An encoder for `ltr.text_models.encoders.open_encoder`, or `NONE` for none at all."""

ModelName = str | Path | LoadedModel | Ranker | Any
"""A model folder or the name of a baseline; a trained model, a ranker, or a fitted scikit-learn estimator; None: the
model that ships."""


def load_model(
    task: Task, name: ModelName = None, *, threads: int = 1, progress: Progress, encoder: EncoderName = None
) -> LoadedModel:
    """The model of that name or folder, or a given one; None: the model that ships with the task.

    ``encoder`` is for its second step: `NONE` leaves that step out, None is the encoder that ships. Warns where the
    model was trained with another version of a library. Raises InputError.
    """
    if name is not None and not isinstance(name, str | Path):
        model = given_model(task, name)
        return model if encoder is None and model.encoder else with_encoder(model, encoder, threads)
    name = None if name is None else str(name)
    if name in (known := [*baselines(task.kind), DENSE]):
        model = LoadedModel(name, Blend.of_one(name, make_ranker(name, kind=task.kind)), task.config)
    else:
        folder = PRETRAINED / task.name if name is None else Path(name)
        if not folder.is_dir():
            what = f"it ranks no {task.kind}s" if name in rankers() else "there is no such model"
            raise InputError(folder, what, f"name a model folder or one of: {', '.join(known)}")
        model = replace(load_bundle(folder, task, threads=threads), name=name)
    model = with_encoder(model, encoder, threads)
    if differing := model.other_versions():
        progress.warn(f"the model was trained with {', '.join(differing)}: its scores may differ a little")
    return model


def given_model(task: Task, model: Any) -> LoadedModel:
    """A trained model, a `models.base.Ranker`, or an estimator that was fitted on a frame of feature columns.

    Raises InputError for a model of another task, and for columns that the first step does not fill.
    """
    found = getattr(model, "loaded", model)
    if isinstance(found, LoadedModel):
        if found.manifest and found.manifest["task"] != task.name:
            what = f"it is for the task {found.manifest['task']}"
            raise InputError("model", what, f"open the corpus for that task, not for {task.name}")
        check_plugins(Path(found.name or "model"), (found.manifest or {}).get("plugins", {}))
        return found
    kind = type(model).__name__
    hint = "name a model folder or a baseline, or give a trained model, a ranker or a fitted estimator"
    if not hasattr(model, "predict") and not (hasattr(model, "score") and hasattr(model, "columns")):
        raise InputError("model", f"{kind} is not a model", hint)
    made = Estimator(model) if hasattr(model, "predict") else model
    known = column_features(task.kind)
    if unknown := [column for column in made.columns if column not in known or known[column].needs_encoder]:
        what = f"{kind} reads the column {unknown[0]!r}, which the first step of {task.name} does not fill"
        raise InputError("model", what, "fit it on others")
    return LoadedModel(kind, Blend.of_one(kind, CheckedRanker(kind, made)), task.config)


@dataclass(frozen=True)
class Estimator:
    """A fitted estimator of scikit-learn as a ranker: rows have their topic in the index, as in training."""

    fitted: Any

    @property
    def columns(self) -> list[str]:
        """The columns that it was fitted on. Raises InputError where it was not, or on an array without names."""
        names = getattr(self.fitted, "feature_names_in_", None)
        if names is None:
            what = f"{type(self.fitted).__name__} is not fitted, or not on named columns"
            raise InputError("model", what, "fit it on a frame of Searcher.describe(...).features")
        return list(map(str, names))

    def score(self, table: pd.DataFrame) -> Scores:
        """(n_rows,) what it predicts."""
        topics = pd.Index(table["qid"].to_numpy(), dtype=object, name=TOPIC)
        return np.asarray(self.fitted.predict(pd.DataFrame(table[self.columns]).set_axis(topics)))


def with_encoder(model: LoadedModel, name: EncoderName, threads: int) -> LoadedModel:
    """The model with the encoder of its second step, or without that step. Raises InputError for another encoder."""
    if model.name == DENSE:
        return replace(model, encoder=open_encoder(name, threads=threads))
    wanted = (model.manifest or {}).get("encoder")
    if wanted is None:
        if name not in (None, NONE):
            raise SettingError("encoder", f"{model.description} reads no encoder", "leave it out")
        return model
    if name == NONE:
        return replace(model, blend=model.blend.first_step())
    encoder = open_encoder(name, threads=threads)
    if encoder.digest != wanted["digest"]:
        hint = f"name the encoder of its training, or {NONE!r} to rank without"
        raise InputError(encoder.name, f"the model was trained with another encoder ({wanted['name']})", hint)
    vars(encoder).setdefault("size", wanted["size"])  # else it is opened to measure it
    return replace(model, encoder=encoder)


def files_of_model(task: Task, name: str | None) -> list[Path]:
    """The files of the model of that name, which no output may replace; none of one that was given."""
    return list((PRETRAINED / task.name if name is None else Path(name)).glob("*"))
