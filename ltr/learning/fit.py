"""Train a ranker for each dimension, and estimate by cross-validation over topics how good it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from features.core.feature import ItemKind
from ltr.data.qrels import Qrels
from ltr.errors import SettingError
from ltr.evaluation.report import Report
from ltr.learning.examples import Examples, split_topics
from ltr.learning.held_out import BLEND, FIRST_STEP, TopEstimate, held_out_figures
from ltr.learning.judgments import JudgedSet
from ltr.learning.label_model import ENOUGH_TRUSTED
from ltr.learning.labels import Labels, Sources, vote_qrels
from ltr.learning.settings import PARAMETERS, TrainingSettings
from ltr.ranking.source import Resources
from ltr.ranking.task import Task
from models.base import DIMENSIONS, Parameters, Ranker, Scores, checked_scores, make_parameters, make_ranker
from models.blend import WEIGHTS, Blend
from models.learned import LearnedRanker

OUTSIDE = 10.0
"""Offset that keeps held-out scores outside the head below those in it."""


@dataclass(frozen=True)
class FitSettings:
    """Parameters, labels and folds of a training."""

    parameters: Parameters
    sources: Sources = field(default_factory=Sources)
    weights: Mapping[str, float] = field(default_factory=lambda: WEIGHTS)
    """Weights in the blend: of dimensions, and of baselines."""
    folds: int = 5
    """Parts of the cross-validation."""
    second_step: tuple[str, ...] = ("relevance",)
    """Dimensions that an encoder's columns help to rank."""
    min_items: int = 0
    """Items of a list at least, see `ltr.ranking.task.Task`."""
    reading: float = 0.0
    """Weight of the reader, see `ltr.ranking.task.Task`."""

    @classmethod
    def of(cls, settings: TrainingSettings, task: Task) -> FitSettings:
        """Those that are named, and the task's own. Raises SettingError for a setting that the ranker does not have."""
        weights = {**task.weights, **(settings.weights(task.weights) or {})}
        sources = Sources.of(settings.chosen["sources"], settings.labels, task.grades_alone)
        objective = settings.chosen["objective"] or task.objective
        given = {name: value for name in PARAMETERS if (value := getattr(settings, name)) is not None}
        for name in given.keys() - vars(make_parameters(objective)).keys():
            raise SettingError(name, f"does not apply to the objective {objective}", "leave it out")
        parameters = make_parameters(objective, given)
        return cls(parameters, sources, weights, settings.folds, task.second_step, task.min_items, task.reading)


@dataclass(frozen=True)
class TrainingResult:
    """A trained model with its cross-validation."""

    model: Blend
    labels: dict[str, Labels]
    """Dimension -> the labels that it was trained on."""
    boards: dict[JudgedSet, Report]
    """Held-out figures by each set of judgments."""
    folds: list[list[str]]
    expected_top: TopEstimate | None
    """None where nothing is graded in relevance."""
    held_out: dict[str, Scores]
    """Dimension or baseline -> (n_rows,) scores by rankers that did not see the topic."""


def fit(
    examples: Examples, settings: FitSettings, resources: Resources, tied: Sequence[tuple[str, str]] = ()
) -> TrainingResult:
    """Cross-validate, then train on all topics. ``tied`` are pairs of topics that have to stay in one fold.

    Raises InputError when there is nothing to learn from.
    """
    parameters, weights = settings.parameters, settings.weights
    table, judgments = examples.table, examples.judgments
    labels = examples.labels(settings.sources, parameters.seed)
    if not any(weights.get(name) for name in labels):
        hint = "add a source of supervision, such as grades or votes, or more topics"
        raise SettingError("sources", "no source separates good pairs from bad", hint)
    split = split_topics(table, judgments, settings.folds, parameters.seed, tied)
    learned = replace(examples, dimensions=tuple(labels))
    rankers, scores = train_rankers(learned, labels, split, settings, resources)
    plain = weighted_baselines(weights, table.kind)
    scores |= {name: ranker.score(table) for name, ranker in plain.items()}
    known = "relevance" in labels and labels["relevance"].counts["graded"] >= ENOUGH_TRUSTED
    blend = Blend(rankers | plain, weights, expected_grades=known)
    judged = judged_sets(examples, settings.sources)
    boards, expected = held_out_figures(table, judged, blend, scores, min_items=settings.min_items)
    folds = [[table.topics[topic] for topic in topics] for topics in split]
    return TrainingResult(blend, labels, boards, folds, expected, scores)


def weighted_baselines(weights: Mapping[str, float], kind: ItemKind) -> dict[str, Ranker]:
    """The baselines that have a weight beside the dimensions."""
    return {name: make_ranker(name, kind) for name, weight in weights.items() if weight and name not in DIMENSIONS}


def fit_second_step(
    first: TrainingResult,
    examples: Examples,
    settings: FitSettings,
    best: npt.NDArray[np.bool_],
    resources: Resources,
    further: Mapping[str, Scores] = MappingProxyType({}),
) -> TrainingResult:
    """Cross-validate and train rankers of the head in the settings' dimensions, in the folds of the ``first`` step.

    The head of the examples' table has an encoder's columns too, and holds the graded items as well, which train;
    held-out scores are those of the ``best`` (n_rows,), which the first step puts into the head of a new topic.
    ``further`` baselines are shown beside them.
    Raises InputError when there is nothing to learn from in the head.
    """
    table = examples.table
    learned = head_examples(examples, [name for name in first.labels if name in settings.second_step])
    labels = learned.labels(settings.sources, settings.parameters.seed)
    if not labels:
        what = "no source separates good pairs from bad among the best candidates"
        raise SettingError("sources", what, "add a source of supervision, or leave out the encoder")
    learned = replace(learned, dimensions=tuple(labels))
    topics = learned.table.topics
    split = [[topics.index(topic) for topic in fold if topic in topics] for fold in first.folds]
    rankers, second = train_rankers(learned, labels, split, settings, resources)
    # Held-out figures are without the reader, which has seen their topics; a model without a graded pair stays one.
    blend = replace(first.model, head=rankers, reading=settings.reading if first.model.expected_grades else 0.0)
    held_out = with_heads(first.held_out, second, best, table.in_head)
    judged = judged_sets(examples, settings.sources)
    boards, expected = held_out_figures(table, judged, blend, held_out, further, min_items=settings.min_items)
    for of_set, board in boards.items():
        earlier = first.boards[of_set].figures[BLEND]
        boards[of_set] = replace(board, figures={**board.figures, FIRST_STEP: earlier})
    return TrainingResult(blend, first.labels, boards, first.folds, expected, held_out)


def head_examples(examples: Examples, dimensions: Sequence[str]) -> Examples:
    """The examples of the head alone, of some dimensions."""
    head = examples.table.in_head
    values = np.ascontiguousarray(examples.values[head])
    return replace(examples, table=examples.table[head], values=values, dimensions=tuple(dimensions))


def with_heads(
    first: Mapping[str, Scores], second: Mapping[str, Scores], best: npt.NDArray[np.bool_], head: npt.NDArray[np.bool_]
) -> dict[str, Scores]:
    """Ranker -> (n_rows,) scores in two steps: the ``best`` have those of the ``second``, of the ``head`` alone."""
    scores = {name: np.where(best, values, values - OUTSIDE) for name, values in first.items()}
    for name, in_head in second.items():
        scores[name][best] = in_head[best[head]]
    return scores


def judged_sets(examples: Examples, sources: Sources) -> dict[JudgedSet, Qrels]:
    """The sets of judgments to measure by, and combined votes in dimensions where nothing is judged."""
    table, judgments = examples.table, examples.judgments
    found = {JudgedSet(f"{table.kind}s", name): qrels for name, qrels in judgments.graded.items()}
    found |= {JudgedSet("arguments", name): qrels for name, qrels in judgments.distant.items()}
    for name in examples.dimensions:
        if votes := vote_qrels(table, judgments, name, sources):
            found[JudgedSet(f"{table.kind}s", name, "votes")] = votes
    return {name: Qrels({t: of for t, of in qrels.items() if of}, qrels.level) for name, qrels in found.items()}


def cross_validate(
    examples: Examples, split: Sequence[Sequence[int]], settings: FitSettings, resources: Resources
) -> dict[str, Scores]:
    """Dimension -> (n_rows,) scores by rankers that learned from `Examples.held_out_labels` of the row's topic."""
    return train_rankers(examples, {}, split, settings, resources)[1]


def train_rankers(
    examples: Examples,
    labels: Mapping[str, Labels],
    split: Sequence[Sequence[int]],
    settings: FitSettings,
    resources: Resources,
) -> tuple[dict[str, LearnedRanker], dict[str, Scores]]:
    """Rankers by the ``labels`` of all topics, and scores as `cross_validate` gives them.

    All are trained at once: processes that train start once.
    """
    table, parameters = examples.table, settings.parameters
    folds = [
        (
            np.isin(table.topic_of_row, topics),
            examples.held_out_labels(topics, examples.dimensions, settings.sources, parameters.seed),
        )
        for topics in split
    ]
    every = [*(of for _, of_fold in folds for of in of_fold.values()), *labels.values()]
    made = resources.workers.map([examples.training_call(of, parameters) for of in every])
    scores = {name: np.zeros(len(table)) for name in examples.dimensions}
    positions = {name: position for position, name in enumerate(examples.inputs)}
    with resources.progress.stage("training", unit="rankers", total=len(every)) as tick:
        for held_out, of_fold in folds:
            for name in of_fold:
                model = next(made)
                seen = [positions[column] for column in model.inputs]
                given = model.score_values(np.ascontiguousarray(examples.values[held_out][:, seen]))
                scores[name][held_out] = checked_scores(parameters.objective, given, int(held_out.sum()))
                tick()
        rankers = dict(zip(labels, made, strict=True))
    return rankers, scores
