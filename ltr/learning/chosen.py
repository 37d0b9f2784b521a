"""What the settings of a training stand for: rankers, labels, files and an encoder."""

from __future__ import annotations

from ltr.errors import SettingError
from ltr.learning.data import TrainingFiles
from ltr.learning.fit import FitSettings
from ltr.learning.labels import Sources
from ltr.learning.settings import PARAMETERS, LearningSettings, TrainingSettings
from ltr.ranking.task import Task
from ltr.text_models.encoders import Encoder, open_encoder
from models.base import Parameters, make_parameters
from models.defaults import NO_ENCODER, SHIPPED_ENCODER


def fit_settings(settings: TrainingSettings, task: Task) -> FitSettings:
    """Parameters, labels, weights and folds. Raises SettingError."""
    weights = {**task.weights, **(settings.weights(task.weights) or {})}
    sources = Sources.of(settings.chosen["sources"], settings.labels, task.grades_alone)
    parameters = ranker_parameters(settings, task.objective)
    return FitSettings(parameters, sources, weights, settings.folds, task.second_step, task.min_items)


def ranker_parameters(settings: TrainingSettings, default: str) -> Parameters:
    """The ranker's parameters, of the ``default`` objective where none is named.

    Raises SettingError for a setting that this ranker does not have.
    """
    objective = settings.chosen["objective"] or default
    known = vars(make_parameters(objective))
    given = {name: value for name in PARAMETERS if (value := getattr(settings, name)) is not None}
    for name in given:
        if name not in known:
            raise SettingError(name, f"does not apply to the objective {objective}", "leave it out")
    return make_parameters(objective, given)


def training_files(settings: TrainingSettings, task: Task) -> TrainingFiles:
    """Topics, judgments and votes; those of the sample where neither a corpus, a judgment nor a vote is named."""
    topics, sample = settings.topics or (task.sample.topics,), task.sample
    judged = settings.qrels or settings.quality_qrels or settings.pair_qrels or settings.votes
    if not (judged or settings.input):
        return TrainingFiles(topics, sample.qrels, sample.pair_qrels, highest=settings.grade_scale)
    arguments = {"relevance": settings.qrels, "quality": settings.quality_qrels}
    named = {name: paths for name, paths in arguments.items() if paths}
    return TrainingFiles(topics, named, settings.pair_qrels, settings.votes, settings.grade_scale)


def chosen_encoder(settings: LearningSettings) -> Encoder | None:
    """The encoder of a second step; None where there is one step. Raises InputError."""
    name = settings.encoder
    return None if name == NO_ENCODER else open_encoder(None if name == SHIPPED_ENCODER else name)
