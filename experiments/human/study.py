"""Measure rankers on a set of human judgments: each question is described once for all of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from experiments.human.judged import JudgedSet, Kind, Measure
from features.core.feature import KINDS
from ltr.corpora.base import FileCorpus
from ltr.data.ids import argument_of, join_parts, pair_key, parts_of
from ltr.data.qrels import Qrels, fold_grades
from ltr.index.reader import Index
from ltr.learning.agreement import share_in_order
from ltr.model_folder.choice import load_model
from ltr.model_folder.store import LoadedModel
from ltr.ranking.candidates import Candidates
from ltr.ranking.corpus import IndexedCorpus
from ltr.ranking.final_list import ListOptions, ranked
from ltr.ranking.source import RankingSource, Resources, by_workers, topic_calls
from ltr.ranking.steps import graded
from ltr.ranking.task import Task, find_task
from models.base import Scores, baselines, make_ranker
from models.blend import Blend
from models.defaults import BLENDS

Values = dict[str, dict[str, float]]
"""Ranker -> topic -> value."""

Measured = tuple[JudgedSet, Values]
"""A set, and what rankers have on it."""

BEST: Measure = "best pair"
FIRST = 5
ORDERS = 20
"""Random orders that the row of chance is a mean of."""


def measure(
    sets: Sequence[JudgedSet], task: str, models: Mapping[str, str | None], resources: Resources
) -> tuple[list[Measured], dict[str, str]]:
    """Measure models (name -> folder, None for the one that ships), their dimensions alone, baselines and chance.

    Returns the values on each set, and the digests of models that were learned. Raises InputError.
    """
    loaded = {name: load_model(find_task(task), folder, progress=resources.progress) for name, folder in models.items()}
    measured = []
    for judged in sets:
        with resources.progress.stage(f"{judged.name}, {judged.dimension}"), TemporaryDirectory() as folder:
            values = measure_set(judged, find_task(task), loaded, resources, Path(folder))
        if any(values.values()):
            measured.append((judged, values))
        else:
            resources.progress.warn(f"{judged.name}, {judged.dimension}: left out, its corpus has no judged item")
    return measured, {name: str(model.manifest["digest"]) for name, model in loaded.items() if model.manifest}


def measure_set(
    judged: JudgedSet, task: Task, models: Mapping[str, LoadedModel], resources: Resources, folder: Path
) -> Values:
    """Ranker -> topic -> value. The index of a corpus that is not a file is built in ``folder``. Raises InputError."""
    values: Values = {}
    for name, model in models.items():
        blend = model.blend
        rankers = {name: blend}
        if blend.dimensions:
            none = dict.fromkeys(blend.rankers, 0.0)
            rankers |= {f"{name}, {one} alone": blend.reweighted({**none, one: 1.0}) for one in blend.dimensions}
            points = {of: {one: point[one] for one in blend.dimensions} for of, point in BLENDS.items()}
            named = {f"{name}, {of}": blend.reweighted(point) for of, point in points.items()}
            rankers |= {of: one for of, one in named.items() if one.weights != blend.weights}
            if model.second_step is not None:
                rankers[f"{name}, first step"] = blend.first_step()
        first = not values  # the first model says which candidates the baselines order
        if first:
            rankers |= {one: Blend.of_one(one, make_ranker(one, task.kind)) for one in baselines(task.kind)}
        columns = list(dict.fromkeys(column for ranker in rankers.values() for column in ranker.columns))
        judged, table = graded_set(judged, task, model, columns, resources, folder)
        for of, ranker in rankers.items():
            seen = table if ranker.head else table.assign(head=False)
            values[of] = values_of(judged, seen, [ranker.score(seen)])
        if first:
            rng = np.random.default_rng(0)
            values["random"] = values_of(judged, table, [rng.random(len(table)) for _ in range(ORDERS)])
    return values


def graded_set(
    judged: JudgedSet, task: Task, model: LoadedModel, columns: list[str], resources: Resources, folder: Path
) -> tuple[JudgedSet, Candidates]:
    """The judgments of what the corpus has, and graded candidates with ``columns``; see `measure_set`."""
    if isinstance(judged.corpus, FileCorpus):
        indexed = IndexedCorpus.open(task, judged.corpus.name)
    else:
        indexed = IndexedCorpus(task, judged.corpus, folder / "index")
    index = indexed.open_index(resources)
    judged = in_corpus(judged, index)
    topics = [topic for topic in judged.topics if topic.number in judged.judged()]
    source = RankingSource(task, index, model.config)
    calls = [(*call, columns) for call in topic_calls(topics, described_too(judged, task, index))]
    return judged, Candidates.concat(by_workers(graded, calls, resources, source, model.grader), task.kind)


def in_corpus(judged: JudgedSet, index: Index) -> JudgedSet:
    """The judgments of what the corpus has: the 2021 pool, for one, is of a larger corpus."""
    of_arguments = judged.kind in KINDS and not judged.of_pairs and judged.corpus.holds == "arguments"
    if judged.preferences or not of_arguments:
        return judged
    rows = index.row_of
    grades = {topic: {id_: grade for id_, grade in of.items() if id_ in rows} for topic, of in judged.grades.items()}
    return replace(judged, grades=Qrels(grades, judged.grades.level))


def described_too(judged: JudgedSet, task: Task, index: Index) -> dict[str, list[str]]:
    """Topic -> ids of items that are described whether the first stage proposes them or not.

    A ranker of pairs scores an argument by its pairs of neighbours, and for the best pair all pairs of an argument.
    """
    if judged.measure in OF_LIST:
        return {}
    if KINDS[task.kind].parts < 2 or judged.of_pairs:
        return judged.judged()
    rows = index.row_of
    neighbours = partial(combinations, r=2) if judged.measure == BEST else pairwise
    items: dict[str, list[str]] = {}
    for topic, ids in judged.judged().items():
        known = [rows[argument] for argument in dict.fromkeys(map(argument_of, ids)) if argument in rows]
        sentences = [[index.sentence_id(sentence) for sentence in index.sentence_rows(row)] for row in known]
        items[topic] = [join_parts(pair) for ids in sentences for pair in neighbours(ids)]
    return items


def values_of(judged: JudgedSet, table: Candidates, orders: Sequence[Scores]) -> dict[str, float]:
    """Topic -> the value of the set's measure, mean over ``orders``; topics without a value are left out."""
    values = {}
    for topic, rows in table.spans.items():
        value = float(np.mean([_value(judged, table, topic, rows, scores) for scores in orders]))
        if not math.isnan(value):
            values[topic] = value
    return values


def _value(judged: JudgedSet, table: Candidates, topic: str, rows: slice, scores: Scores) -> float:
    if of_list := OF_LIST.get(judged.measure):
        first = ranked(None, table.iloc[rows], scores[rows], ListOptions(depth=FIRST)).ids.tolist()
        return of_list(first, judged.grades[topic], FIRST)
    ids, scores = table.ids[rows].tolist(), scores[rows]
    if judged.measure == BEST:
        return best_pair(ids, scores, judged.grades[topic])
    items = item_scores(ids, scores, judged.kind)
    if judged.preferences:
        return share_preferred(items, judged.preferences[topic])
    grades = judged.grades[topic]
    if judged.of_pairs:
        grades = fold_grades({topic: grades}, pair_key)[topic]
    # What is not ranked is lowest.
    return share_in_order(np.array([*grades.values()]), np.array([items.get(id_, -math.inf) for id_ in grades]))


PARTS: dict[Kind, Callable[[str], list[str]]] = {
    "pair": lambda item: [pair_key(item)],
    "argument": lambda item: list(map(argument_of, parts_of(item))),
    "sentence": parts_of,
}
"""Kind of judged items -> those of a ranked item, by its id."""


def item_scores(ids: Sequence[str], scores: Scores, kind: Kind) -> dict[str, float]:
    """Judged item -> the score of the best ranked item that it is part of.

    ``ids`` are ranked items, pairs ``idA,idB`` or single ones, and ``scores`` theirs, (n,).
    """
    best: dict[str, float] = {}
    for place in np.argsort(-scores, kind="stable").tolist():
        item, score = ids[place], float(scores[place])
        for part in PARTS[kind](item):
            best.setdefault(part, score)
    return best


def share_preferred(scores: Mapping[str, float], preferences: Sequence[tuple[str, str]]) -> float:
    """The share of preferences (better, worse) that scores share; equal scores count a half, no score is lowest."""
    two = np.array([[scores.get(id_, -math.inf) for id_ in pair] for pair in preferences])
    return float(np.mean((two[:, 0] > two[:, 1]) + (two[:, 0] == two[:, 1]) / 2)) if len(two) else math.nan


def first_sentences(ids: Sequence[str], marks: Mapping[str, float], count: int) -> float:
    """The share of marked sentences among those of the first ``count`` pairs; a repeated one counts each time."""
    parts = [part for pair in ids[:count] for part in parts_of(pair)]
    return sum(marks.get(part, 0.0) for part in parts) / (2 * count)


def both_sides(ids: Sequence[str], sides: Mapping[str, float], count: int) -> float:
    """Sentences of the rarer side in the first ``count`` pairs, each once, by the most that there could be.

    ``sides``: 1, -1, or 0 for none; NaN without two sides.
    """
    shown = {part for pair in ids[:count] for part in parts_of(pair)}
    most = min(count, *([*sides.values()].count(side) for side in (1, -1)))
    found = min(sum(sides.get(part) == side for part in shown) for side in (1, -1))
    return min(found, most) / most if most else math.nan


OF_LIST: Mapping[str, Callable[[Sequence[str], Mapping[str, float], int], float]]
OF_LIST = {"first five": first_sentences, "both sides": both_sides}
"""Measure of the list that a user gets -> its value by ids, marks and number of pairs."""


def best_pair(ids: Sequence[str], scores: Scores, marks: Mapping[str, float]) -> float:
    """The share of marked sentences among the two of the best pair of judged ones; NaN without such a pair."""
    for place in np.argsort(-scores, kind="stable").tolist():
        parts = parts_of(ids[place])
        if all(part in marks for part in parts):
            return sum(marks[part] for part in parts) / 2
    return math.nan
