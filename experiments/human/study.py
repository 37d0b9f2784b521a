"""Rankers measured on a set: each question described once, every ranker scores the same units."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from experiments.human.judged import JudgedSet, Measure
from experiments.human.measures import best_pair, first_sentences, order_share, unit_scores
from experiments.human.tables import Measured, Values
from ltr.corpora.base import FileCorpus
from ltr.data.ids import argument_of, is_pair
from ltr.data.qrels import Qrels
from ltr.data.runs import RunRow, read_run
from ltr.evaluation.rankings import rankings
from ltr.index.reader import Index
from ltr.model_folder.choice import load_model
from ltr.model_folder.store import LoadedModel
from ltr.ranking.corpus import IndexedCorpus
from ltr.ranking.describe import FirstStage, Resources
from ltr.ranking.final_list import ListOptions, final_list
from ltr.ranking.matrix import Matrix
from ltr.ranking.task import Task
from ltr.ranking.two_steps import grade_topics
from ltr.tasks import find_task
from models.base import Ranker, Scores, baselines, make_ranker
from models.blend import Blend

BEST: Measure = "best pair"
FIRST = 5
RANDOM = "random"
ORDERS = 20
"""Random orders that the row of chance is a mean of."""


@dataclass(frozen=True)
class Measurement:
    """What rankers have on the sets of a task."""

    sets: list[Measured]
    digests: dict[str, str]
    """Model -> its digest, of models that were learned."""


def measure(
    sets: Sequence[JudgedSet],
    task: str,
    models: Mapping[str, str | None],
    runs: Sequence[tuple[str, Path]],
    resources: Resources,
) -> Measurement:
    """Measure models (name -> folder, None for the one that ships), their dimensions alone, baselines, chance, and
    ``runs``, (set, file) each. Raises InputError."""
    loaded = {name: load_model(find_task(task), folder, progress=resources.progress) for name, folder in models.items()}
    measured = []
    for judged in sets:
        with resources.progress.stage(f"{judged.name}, {judged.dimension}"), TemporaryDirectory() as folder:
            values = measure_set(judged, find_task(task), loaded, resources, Path(folder))
        of_runs = {file.parent.name or file.name: read_run(file) for name, file in runs if name == judged.name}
        pairs = find_task(task).unit == "pair"
        values |= {
            name: values_of_run(judged, rows)
            for name, rows in of_runs.items()
            if any(is_pair(row.pair) for row in rows) == pairs
        }
        if any(values.values()):
            measured.append(Measured(judged, values))
        else:
            resources.progress.warn(f"{judged.name}, {judged.dimension}: left out, its corpus has no judged unit")
    digests = {name: str(model.manifest["digest"]) for name, model in loaded.items() if model.manifest}
    return Measurement(measured, digests)


def measure_set(
    judged: JudgedSet, task: Task, models: Mapping[str, LoadedModel], resources: Resources, folder: Path
) -> Values:
    """Ranker -> topic -> value. The index of a corpus that is no file is built in ``folder``. Raises InputError."""
    values: Values = {}
    for name, model in models.items():
        rankers: dict[str, Ranker] = {name: model.ranker}
        if isinstance(model.ranker, Blend):
            rankers |= {f"{name}, {one} alone": model.ranker.reweighted({one: 1}) for one in model.ranker.rankers}
            if model.second_step is not None:
                rankers[f"{name}, first step"] = model.ranker.first_step()
        first = not values  # the first model says which candidates the baselines order
        if first:
            rankers |= {baseline: make_ranker(baseline, task.unit) for baseline in baselines(task.unit)}
        columns = list(dict.fromkeys(column for ranker in rankers.values() for column in ranker.columns))
        if isinstance(judged.corpus, FileCorpus):
            indexed = IndexedCorpus.open(task, judged.corpus.name)
        else:
            indexed = IndexedCorpus(task, judged.corpus, folder / "index")
        index = indexed.open_index(resources, model.analysis)
        judged = in_corpus(judged, index)
        topics = [topic for topic in judged.topics if topic.number in judged.judged()]
        first_stage = FirstStage(task, index, model.config, model.second_step)
        graded = described_too(judged, task, index)
        matrix = Matrix(list(grade_topics(first_stage, topics, resources, model.ranker, columns, graded)), task.unit)
        for of, ranker in rankers.items():
            seen = matrix if isinstance(ranker, Blend) and ranker.head else matrix.without_head()
            values[of] = values_of(judged, seen, [ranker.score(seen)])
        if first:
            values[RANDOM] = values_of(judged, matrix, random_scores(len(matrix)))
    return values


def in_corpus(judged: JudgedSet, index: Index) -> JudgedSet:
    """The judgments of what the corpus has: the 2021 pool, for one, is of a larger corpus."""
    if judged.unit != "argument" or judged.preferences or judged.corpus.holds == "documents":
        return judged
    rows = index.all_arguments()
    grades = {topic: {id_: grade for id_, grade in of.items() if id_ in rows} for topic, of in judged.grades.items()}
    return replace(judged, grades=Qrels(grades, judged.grades.level))


def described_too(judged: JudgedSet, task: Task, index: Index) -> dict[str, list[str]]:
    """Topic -> ids of items that are described whether the first stage proposes them or not.

    A ranker of pairs scores an argument by its pairs of neighbours, and for the best pair all pairs of an argument.
    """
    if judged.measure == "first five":
        return {}  # the list that a user gets
    if task.unit != "pair" or judged.unit == "pair":
        return judged.judged()
    rows = index.all_arguments()
    items: dict[str, list[str]] = {}
    for topic, ids in judged.judged().items():
        arguments = dict.fromkeys(map(argument_of, ids))
        sentences = [
            [index.sentence_id(row) for row in index.sentence_rows(rows[argument])]
            for argument in arguments
            if argument in rows
        ]
        neighbours = partial(combinations, r=2) if judged.measure == BEST else pairwise
        items[topic] = [",".join(pair) for ids in sentences for pair in neighbours(ids)]
    return items


def random_scores(count: int) -> list[Scores]:
    """`ORDERS` random orders of so many items."""
    rng = np.random.default_rng(0)
    return [rng.random(count) for _ in range(ORDERS)]


def values_of(judged: JudgedSet, matrix: Matrix, orders: Sequence[Scores]) -> dict[str, float]:
    """Topic -> the value of the set's measure, mean over ``orders``; topics without a value are left out."""
    values = {}
    for topic, rows in matrix:
        value = float(np.mean([_value(judged, matrix, topic, rows, scores) for scores in orders]))
        if not math.isnan(value):
            values[topic] = value
    return values


def _value(judged: JudgedSet, matrix: Matrix, topic: str, rows: slice, scores: Scores) -> float:
    first = []
    if judged.measure == "first five":
        first = [row.pair for row in final_list(matrix, topic, scores, ListOptions(depth=FIRST))]
    return _value_of_list(judged, topic, matrix.ids[rows].tolist(), scores[rows], first)


def _value_of_list(judged: JudgedSet, topic: str, ids: Sequence[str], scores: Scores, first: Sequence[str]) -> float:
    if judged.measure == "first five":
        return first_sentences(first, judged.grades[topic], FIRST)
    if judged.measure == BEST:
        return best_pair(ids, scores, judged.grades[topic])
    return order_share(judged, topic, unit_scores(ids, scores, judged.unit))


def values_of_run(judged: JudgedSet, rows: Sequence[RunRow]) -> dict[str, float]:
    """Topic -> the value of a run; what it does not list is below everything that it does."""
    values = {}
    for topic, ids in rankings(rows).items():
        if topic in judged.judged():
            scores = np.arange(len(ids), 0, -1, dtype=np.float64)
            value = _value_of_list(judged, topic, ids, scores, ids)
            if not math.isnan(value):
                values[topic] = value
    return values
