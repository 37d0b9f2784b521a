"""Learn a ranker with topic-wise cross-validation: how many trees, and what to expect on new topics.

Every figure here is argument-level lab nDCG@5 over held-out topics: arguments in order of their best
pair, judged ones only (condensed). Topics without a relevant argument in the corpus cannot be scored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ltr.errors import InputError
from ltr.formats import Qrels, argument_of
from ltr.matrix import Matrix
from ltr.metrics import bootstrap_interval, lab_ndcg
from ltr.progress import Progress
from ltr.supervision import WeakLabels
from models.base import TrainingSet, baselines, make_ranker
from models.lambdamart import LambdaMart, Parameters

STEP = 5
"""Trees between two looks at the held-out topics."""


@dataclass(frozen=True)
class Figure:
    """A mean over topics with its bootstrap interval."""

    mean: float
    low: float
    high: float
    topics: int

    def __str__(self) -> str:
        return f"{self.mean:.3f} [{self.low:.3f}, {self.high:.3f}]"


@dataclass(frozen=True)
class Lesson:
    """A trained model, and what cross-validation said of it."""

    model: LambdaMart
    figures: dict[str, Figure]
    """Held-out figures of the model and of the baselines on the same topics."""
    curve: dict[int, float]
    """Trees -> held-out figure."""
    folds: list[list[str]]


def learn(
    matrix: Matrix,
    labels: WeakLabels,
    qrels: Qrels,
    columns: list[str],
    parameters: Parameters,
    *,
    folds: int,
    threads: int,
    progress: Progress,
) -> Lesson:
    """Cross-validate, choose the number of trees where the held-out curve is best, train on all topics."""
    judge = Judge(matrix, qrels)
    if not judge.topics:
        raise InputError("qrels", "no topic has a relevant argument among its candidates", "add judgments above 0")
    if np.ptp(labels.label[labels.used]) == 0:
        raise InputError(
            "--labels", "every pair that trains has the same label", "add a labelling function or judgments"
        )
    split = split_topics(matrix, qrels, folds, parameters.seed)
    owner = matrix.topic_of_row
    if any(not labels.used[~np.isin(owner, topics)].any() for topics in split):
        what = "the judged topics are too few, or too alike, to hold some out"
        raise InputError("qrels", what, "add judgments for at least two topics of their own")
    checkpoints = list(range(STEP, parameters.trees + 1, STEP)) or [parameters.trees]
    held_out = {trees: np.zeros(len(matrix)) for trees in checkpoints}
    with progress.stage("cross-validation", unit="folds", total=len(split)) as tick:
        for topics in split:
            test = np.isin(owner, topics)
            model = _train(matrix, labels, ~test, columns, parameters, threads)
            part = matrix.only(test)
            prior = model.prior(part)
            for trees in checkpoints:
                held_out[trees][test] = prior + model.trees(part, trees)
            tick()
    curve = {trees: float(np.mean(judge.values(scores))) for trees, scores in held_out.items()}
    best = _smoothed_best(curve)
    figures = {"lambdamart": judge.figure(held_out[best])}
    for name in baselines():
        figures[name] = judge.figure(make_ranker(name).score(matrix))
    with progress.stage("training"):
        everything = np.ones(len(matrix), bool)
        model = _train(matrix, labels, everything, columns, replace(parameters, trees=best), threads)
    return Lesson(model, figures, curve, [[matrix.topics[t] for t in topics] for topics in split])


class Judge:
    """Condensed argument-level nDCG@5 of scored pairs, quick enough to be asked after every few trees."""

    def __init__(self, matrix: Matrix, qrels: Qrels) -> None:
        self._topics: list[tuple[slice, Any, Any, list[str], Mapping[str, float]]] = []
        for topic, rows in matrix:
            grades = qrels.get(topic, {})
            first = [argument_of(s) for s in matrix.first[rows]]
            second = [argument_of(s) for s in matrix.second[rows]]
            seen = sorted(({*first, *second}) & grades.keys())
            if max((grades[a] for a in seen), default=0) <= 0:
                continue
            place = {argument: i for i, argument in enumerate(seen)}
            one, other = (np.array([place.get(a, len(seen)) for a in side]) for side in (first, second))
            self._topics.append((rows, one, other, seen, {a: grades[a] for a in seen}))

    @property
    def topics(self) -> int:
        """Topics that can be scored."""
        return len(self._topics)

    def values(self, scores: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """(n_topics,) a figure for every topic with a relevant candidate."""
        found = []
        for rows, first, second, seen, grades in self._topics:
            best = np.full(len(seen) + 1, -np.inf)
            np.maximum.at(best, first, scores[rows])
            np.maximum.at(best, second, scores[rows])
            order = np.lexsort((np.arange(len(seen)), -best[:-1]))
            found.append(lab_ndcg([seen[i] for i in order], grades))
        return np.array(found)

    def figure(self, scores: np.ndarray[Any, Any]) -> Figure:
        """Mean and 95% interval over topics."""
        values = self.values(scores)
        if not len(values):
            return Figure(0.0, 0.0, 0.0, 0)
        low, high = bootstrap_interval(values)
        return Figure(float(values.mean()), low, high, len(values))


def split_topics(matrix: Matrix, qrels: Qrels, folds: int, seed: int) -> list[list[int]]:
    """Positions of the topics of each fold. Topics that judge a near-duplicate text stay together."""
    parent = list(range(len(matrix.topics)))

    def root(topic: int) -> int:
        while parent[topic] != topic:
            topic = parent[topic]
        return topic

    owner: dict[object, int] = {}
    for position, (topic, rows) in enumerate(matrix):
        grades = qrels.get(topic, {})
        for ids, texts in ((matrix.first, matrix.first_text), (matrix.second, matrix.second_text)):
            for sentence, text in zip(ids[rows], texts[rows].tolist(), strict=True):
                if "__CONC__" not in sentence and argument_of(sentence) in grades:
                    parent[root(position)] = root(owner.setdefault(text, position))
    components: dict[int, list[int]] = {}
    for position in range(len(parent)):
        components.setdefault(root(position), []).append(position)
    order = [components[key] for key in sorted(components)]
    np.random.default_rng(seed).shuffle(order)
    split: list[list[int]] = [[] for _ in range(min(folds, len(order)))]
    for component in sorted(order, key=len, reverse=True):
        min(split, key=len).extend(component)
    return [sorted(topics) for topics in split]


def _train(
    matrix: Matrix,
    labels: WeakLabels,
    rows: np.ndarray[Any, Any],
    columns: Sequence[str],
    parameters: Parameters,
    threads: int,
) -> LambdaMart:
    model: LambdaMart = make_ranker("lambdamart", columns=list(columns), parameters=parameters, threads=threads)
    used = labels.used & rows
    groups = np.bincount(matrix.topic_of_row[used], minlength=len(matrix.topics))
    weight = labels.weight[used]
    model.fit(
        TrainingSet(
            features=matrix.features[used],
            labels=labels.label[used],
            weights=weight / weight.mean(),
            groups=groups[groups > 0],
            # The prior is standardised over all candidates of a topic, as it will be in prediction.
            prior=model.prior(matrix)[used],
        )
    )
    return model


def _smoothed_best(curve: dict[int, float]) -> int:
    """The checkpoint whose neighbourhood of three is best: a lone peak is luck. The fewest trees win a tie."""
    trees = list(curve)
    values = np.array(list(curve.values()))
    padded = np.pad(values, 1, mode="edge")
    smooth = (padded[:-2] + padded[1:-1] + padded[2:]) / 3
    return trees[int(np.argmax(np.round(smooth, 6)))]
