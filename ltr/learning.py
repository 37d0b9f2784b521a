"""Learn a ranker for each dimension with topic-wise cross-validation: how many trees, and what to expect.

Every figure here is argument-level lab nDCG@5 over held-out topics: arguments in order of their best
pair, judged ones only (condensed). Topics without a relevant argument among the candidates cannot be scored, and
a relevant argument that the first stage missed costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from ltr.errors import InputError
from ltr.formats import Qrels, argument_of
from ltr.matrix import Matrix
from ltr.metrics import lab_ndcg
from ltr.progress import Progress
from ltr.significance import mean_interval
from ltr.supervision import WeakLabels
from models.base import Ranker, TrainingSet, UnitTable, baselines, make_ranker, unit_table
from models.blend import WEIGHTS, Blend
from models.lambdamart import Grow, LambdaMart, Parameters, grow_here

STEP = 5
"""Trees between two looks at the held-out topics."""

BLEND = "blend"
"""What figures call all dimensions together."""

QUALITY_START = {"total_polysyllables_min": 0.2, "mean_convincing_min": 0.1, "dirichlet_2500_argument_min": 0.1}
"""Quality before any judgment of it: much said in long words, said as people prefer, and on the topic at all."""

UNTAUGHT = {"relevance": {"dirichlet_2500_argument_min": 1.0}, "quality": QUALITY_START}
"""Rankers of dimensions that nobody judged: the best teacher that needs no labels."""


def parameters_of(dimension: str, given: Parameters) -> Parameters:
    """The settings of a dimension: those given, with its own start."""
    return replace(given, start=QUALITY_START if dimension == "quality" else {})


@dataclass(frozen=True)
class Figure:
    """A mean over topics with its t interval."""

    mean: float
    low: float
    high: float
    topics: int

    def __str__(self) -> str:
        return f"{self.mean:.3f} [{self.low:.3f}, {self.high:.3f}]"


@dataclass(frozen=True)
class Lesson:
    """A trained model, and what cross-validation said of it."""

    model: Blend
    figures: dict[str, dict[str, Figure]]
    """Dimension of the judgments -> ranker -> held-out figure: the dimension's own, the blend, the teachers."""
    curves: dict[str, dict[int, float]]
    """Dimension -> trees -> held-out figure."""
    trees: dict[str, int]
    """Dimension -> trees that stay."""
    folds: list[list[str]]


@dataclass(frozen=True)
class Teaching:
    """Weak labels of one dimension with the judgments that they come from."""

    labels: WeakLabels
    qrels: Qrels
    relabel: Callable[[Qrels], WeakLabels] | None = None
    """Labels from some of the judgments only: what is held out may not speak through the label model either."""

    def labels_without(self, topics: Sequence[str]) -> WeakLabels:
        """Labels that know nothing of the judgments of ``topics``."""
        if self.relabel is None:
            return self.labels
        return self.relabel({topic: grades for topic, grades in self.qrels.items() if topic not in topics})


def signed_columns(columns: Sequence[str]) -> dict[str, int]:
    """Those of ``columns`` that say something of whole arguments, and of which theory knows the sign."""
    from features.registry import column_features

    known = column_features()
    return {column: known[column].sign for column in columns if known[column].sign}


def learn(
    matrix: Matrix,
    teaching: Mapping[str, Teaching],
    columns: Sequence[str],
    parameters: Parameters,
    *,
    folds: int,
    threads: int,
    progress: Progress,
    weights: Mapping[str, float] = WEIGHTS,
    tied: Sequence[tuple[str, str]] = (),
    grow: Grow = grow_here,
) -> Lesson:
    """Cross-validate, choose the number of trees where the held-out curve is best, train on all topics.

    ``columns`` are those that rankers may use; only the ones with a sign are of use for judgments of
    arguments. ``tied`` names pairs of topics that have to stay in one fold, being about the same.
    """
    signs = signed_columns(columns)
    _enough(signs, [name for name in UNTAUGHT if name not in teaching and weights.get(name)])
    judges = {name: Judge(matrix, one.qrels) for name, one in teaching.items()}
    for name, one in teaching.items():
        if not judges[name].topics:
            what = f"no topic has an argument of good {name} among its candidates"
            raise InputError("qrels", what, "add judgments above 0")
        if np.ptp(one.labels.label[one.labels.used]) == 0:
            what = f"every pair that trains {name} has the same label"
            raise InputError("--labels", what, "add a labelling function or judgments")
    split = split_topics(matrix, merged_qrels([one.qrels for one in teaching.values()]), folds, parameters.seed, tied)
    owner = matrix.topic_of_row
    for name, one in teaching.items():
        if any(not one.labels.used[~np.isin(owner, topics)].any() for topics in split):
            what = f"the topics judged for {name} are too few, or too alike, to hold some out"
            raise InputError("qrels", what, "add judgments for at least two topics of their own")
    table = unit_table(matrix, list(signs))
    checkpoints = list(range(STEP, parameters.trees + 1, STEP)) or [parameters.trees]
    held_out = {name: {trees: np.zeros(len(matrix)) for trees in checkpoints} for name in teaching}
    settings = {name: parameters_of(name, parameters) for name in teaching}
    curves, best = {}, {}
    with progress.stage("cross-validation", unit="folds", total=len(split) * len(teaching)) as tick:
        for name, one in teaching.items():
            for topics in split:
                test = np.isin(owner, topics)
                labels = one.labels_without([matrix.topics[topic] for topic in topics])
                model = train_dimension(matrix, table, labels, ~test, signs, settings[name], threads, grow)
                for trees in checkpoints:
                    held_out[name][trees][test] = model.score_units(table, trees)[table.unit_of_row][test]
                tick()
            curves[name] = {trees: float(judges[name].values(s).mean()) for trees, s in held_out[name].items()}
            best[name] = _smoothed_best(curves[name])
    everything = np.ones(len(matrix), bool)
    rankers: dict[str, Ranker] = {name: untaught(name, signs, parameters, threads) for name in UNTAUGHT}
    with progress.stage("training"):
        for name, one in teaching.items():
            chosen = replace(settings[name], trees=best[name])
            rankers[name] = train_dimension(matrix, table, one.labels, everything, signs, chosen, threads, grow)
    rankers["coherence"] = make_ranker("coherence")
    blend = Blend({name: rankers[name] for name in sorted(rankers)}, weights)
    scores = {name: ranker.score(matrix) for name, ranker in blend.rankers.items()}
    # A dimension without judgments learned nothing here, so its scores are held out by nature.
    scores |= {name: held_out[name][best[name]] for name in teaching}
    together = blend.combine(matrix, scores)
    figures = {}
    for name, judge in judges.items():
        figures[name] = {name: judge.figure(scores[name]), BLEND: judge.figure(together)}
        figures[name] |= {teacher: judge.figure(make_ranker(teacher).score(matrix)) for teacher in baselines()}
    return Lesson(blend, figures, curves, best, [[matrix.topics[t] for t in topics] for topics in split])


def _enough(signs: Mapping[str, int], unjudged: Sequence[str]) -> None:
    """Raise InputError when too many features were dropped to rank anything by."""
    if not signs:
        raise InputError("--drop", "no feature of whole arguments is left", "drop fewer")
    for name in unjudged:
        if not UNTAUGHT[name].keys() & signs.keys():
            raise InputError("--drop", f"nothing is left to rank {name} by without judgments of it", "drop fewer")


def untaught(dimension: str, signs: Mapping[str, int], parameters: Parameters, threads: int) -> LambdaMart:
    """A dimension's ranker as it is before it sees a judgment."""
    chosen = replace(parameters, start=UNTAUGHT[dimension], trees=0)
    model: LambdaMart = make_ranker("lambdamart", columns=list(signs), signs=signs, parameters=chosen, threads=threads)
    return model


def train_dimension(
    matrix: Matrix,
    table: UnitTable,
    labels: WeakLabels,
    rows: np.ndarray[Any, Any],
    signs: Mapping[str, int],
    parameters: Parameters,
    threads: int,
    grow: Grow = grow_here,
) -> LambdaMart:
    """The ranker of a dimension, from the labelled ones among ``rows``: a unit is labelled by the mean of its pairs."""
    model: LambdaMart = make_ranker(
        "lambdamart", columns=list(signs), signs=signs, parameters=parameters, threads=threads, grow=grow
    )
    used = labels.used & rows
    unit = table.unit_of_row[used]
    size = len(table.values)
    weight = np.bincount(unit, labels.weight[used], size)
    label = np.bincount(unit, (labels.weight * labels.label)[used], size)
    kept = np.flatnonzero(weight > 0)
    topic = np.repeat(np.arange(len(table.groups)), table.groups)
    groups = np.bincount(topic[kept], minlength=len(table.groups)).astype(np.int64)
    model.fit(
        TrainingSet(
            table.values[kept], np.asarray(label[kept] / weight[kept]), np.asarray(weight[kept]), groups[groups > 0]
        )
    )
    return model


def merged_qrels(all_qrels: Sequence[Qrels]) -> Qrels:
    """Everything that is judged, in whatever dimension."""
    merged: dict[str, dict[str, float]] = {}
    for qrels in all_qrels:
        for topic, grades in qrels.items():
            merged.setdefault(topic, {}).update(grades)
    return merged


class Ranked(Protocol):
    """What `Judge` looks at: a matrix, or anything else with two ids a row."""

    @property
    def first(self) -> np.ndarray[Any, Any]:
        """(n_rows,) ids of sentences or of arguments."""
        ...

    @property
    def second(self) -> np.ndarray[Any, Any]:
        """(n_rows,)"""
        ...

    def __iter__(self) -> Iterator[tuple[str, slice]]:
        """Topics with their rows."""
        ...


class Judge:
    """Condensed argument-level nDCG@5 of scored pairs, quick enough to be asked after every few trees."""

    def __init__(self, matrix: Ranked, qrels: Qrels) -> None:
        self._topics: list[tuple[slice, Any, Any, list[str], Mapping[str, float]]] = []
        for topic, rows in matrix:
            grades = qrels.get(topic, {})
            first = [argument_of(s) for s in matrix.first[rows]]
            second = [argument_of(s) for s in matrix.second[rows]]
            names = sorted({*first, *second})
            seen = {a: grades[a] for a in names if a in grades}
            if max(seen.values(), default=0) <= 0:
                continue
            place = {argument: i for i, argument in enumerate(names)}
            one, other = (np.array([place[a] for a in side]) for side in (first, second))
            self._topics.append((rows, one, other, names, seen))

    @property
    def topics(self) -> int:
        """Topics that can be scored."""
        return len(self._topics)

    def values(self, scores: np.ndarray[Any, Any], *, condensed: bool = True) -> np.ndarray[Any, Any]:
        """(n_topics,) a figure for every topic with a relevant candidate; unjudged arguments left out or not."""
        found = []
        for rows, first, second, names, grades in self._topics:
            best = np.full(len(names), -np.inf)
            np.maximum.at(best, first, scores[rows])
            np.maximum.at(best, second, scores[rows])
            order = [names[i] for i in np.lexsort((np.arange(len(names)), -best))]
            found.append(lab_ndcg([name for name in order if name in grades] if condensed else order, grades))
        return np.array(found)

    def figure(self, scores: np.ndarray[Any, Any]) -> Figure:
        """Mean and 95% interval over topics."""
        values = self.values(scores)
        if not len(values):
            return Figure(0.0, 0.0, 0.0, 0)
        low, high = mean_interval(values, (0, 1))
        return Figure(float(values.mean()), low, high, len(values))


def split_topics(
    matrix: Matrix, qrels: Qrels, folds: int, seed: int, tied: Sequence[tuple[str, str]] = ()
) -> list[list[int]]:
    """Positions of the topics of each fold. Topics that judge a near-duplicate text, or are ``tied``, stay together."""
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
    place = {topic: position for position, topic in enumerate(matrix.topics)}
    for one, other in tied:
        if one in place and other in place:
            parent[root(place[one])] = root(place[other])
    components: dict[int, list[int]] = {}
    for position in range(len(parent)):
        components.setdefault(root(position), []).append(position)
    order = [components[key] for key in sorted(components)]
    np.random.default_rng(seed).shuffle(order)
    split: list[list[int]] = [[] for _ in range(min(folds, len(order)))]
    for component in sorted(order, key=len, reverse=True):
        min(split, key=len).extend(component)
    return [sorted(topics) for topics in split]


def _smoothed_best(curve: dict[int, float]) -> int:
    """The checkpoint whose neighbourhood of three is best: a lone peak is luck. The fewest trees win a tie."""
    trees = list(curve)
    values = np.array(list(curve.values()))
    padded = np.pad(values, 1, mode="edge")
    smooth = (padded[:-2] + padded[1:-1] + padded[2:]) / 3
    return trees[int(np.argmax(np.round(smooth, 6)))]
