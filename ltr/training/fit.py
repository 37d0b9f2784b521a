"""Learn a ranker for each dimension, and say by cross-validation over topics what to expect of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ltr.data.formats import Qrels, argument_of, pair_key
from ltr.errors import InputError
from ltr.parallel.processes import Workers
from ltr.pipeline.matrix import Matrix
from ltr.progress import Progress
from ltr.supervision.labels import Judgments, Labels, Sources, make_labels
from ltr.training.held_out import ArgumentEvaluator, MeanCI, PairEvaluator
from models.base import DIMENSIONS, Ranker, Scores, TrainingSet, baselines, make_ranker
from models.blend import WEIGHTS, Blend
from models.inputs import input_values, inputs_of
from models.lambdamart import LambdaMart, Parameters
from models.selection import fit_selected

BLEND = "blend"
"""What figures call all dimensions together."""


GRADED = 20
"""Graded pairs from which on scores of relevance are taken for expected grades."""


class TopEstimate(NamedTuple):
    """The relevance of the top five on held-out topics."""

    expected: float
    """By the model, mean over topics."""
    graded: float
    """By the graded pairs among them."""
    correlation: float | None
    """Of the two over topics; None where one of them is constant."""
    topics: int


@dataclass(frozen=True)
class TrainingResult:
    """A trained model, and what cross-validation said of it."""

    model: Blend
    labels: dict[str, Labels]
    """Dimension -> what it was trained on."""
    figures: dict[str, dict[str, dict[str, MeanCI]]]
    """``pairs of relevance`` and so on -> ranker -> measure -> held-out figure."""
    folds: list[list[str]]
    expected_top: TopEstimate | None
    """None without pairs graded in relevance."""


def fit(
    matrix: Matrix,
    judgments: Judgments,
    columns: Sequence[str],
    parameters: Parameters,
    *,
    workers: Workers,
    progress: Progress,
    sources: Sources | None = None,
    folds: int = 5,
    weights: Mapping[str, float] = WEIGHTS,
    tied: Sequence[tuple[str, str]] = (),
) -> TrainingResult:
    """Cross-validate, then train on all topics. ``tied`` names pairs of topics that have to stay in one fold.

    Raises InputError when nothing is left to learn from.
    """
    sources = sources or Sources()
    inputs = inputs_of(columns)
    values = input_values(matrix, inputs)
    labels = {name: make_labels(matrix, judgments, name, sources, seed=parameters.seed) for name in DIMENSIONS}
    labels = {name: one for name, one in labels.items() if one.used.any() and np.ptp(one.label[one.used]) > 0}
    if not any(weights.get(name) for name in labels):
        raise InputError("--sources", "nothing tells good pairs from bad", "add a source of supervision")
    split = split_topics(matrix, judgments, folds, parameters.seed, tied)
    scores = cross_validate(
        matrix,
        values,
        judgments,
        inputs,
        parameters,
        split,
        sources=sources,
        workers=workers,
        progress=progress,
        dimensions=list(labels),
    )
    with progress.stage("training"):
        calls = [
            (fit_selected, (training_set(matrix, values, one), inputs, parameters_for(one, parameters)))
            for one in labels.values()
        ]
        rankers: dict[str, Ranker] = dict(zip(labels, workers.spread(calls), strict=True))
    known = labels["relevance"].counts["graded pairs"] if "relevance" in labels else 0
    blend = Blend(rankers, weights, expected_grades=known >= GRADED)
    figures, expected = held_out_figures(matrix, judgments, blend, scores)
    named = [[matrix.topics[topic] for topic in topics] for topics in split]
    return TrainingResult(blend, labels, figures, named, expected)


def cross_validate(
    matrix: Matrix,
    values: npt.NDArray[np.float32],
    judgments: Judgments,
    inputs: Sequence[str],
    parameters: Parameters,
    split: Sequence[Sequence[int]],
    *,
    sources: Sources,
    workers: Workers,
    progress: Progress,
    dimensions: Sequence[str] = DIMENSIONS,
) -> dict[str, Scores]:
    """Dimension -> (n_rows,) scores by rankers that learned from `held_out_labels` of the row's topic."""
    scores = {name: np.zeros(len(matrix)) for name in dimensions}
    jobs, calls = [], []
    for topics in split:
        held = np.isin(matrix.topic_of_row, topics)
        found = held_out_labels(matrix, judgments, topics, dimensions, sources, seed=parameters.seed)
        for name, labels in found.items():
            jobs.append((name, held))
            calls.append(
                (fit_selected, (training_set(matrix, values, labels), list(inputs), parameters_for(labels, parameters)))
            )
    places = {name: place for place, name in enumerate(inputs)}
    with progress.stage("cross-validation", unit="rankers", total=len(calls)) as tick:
        for (name, held), model in zip(jobs, workers.spread(calls), strict=True):
            own = [places[one] for one in model.inputs]
            scores[name][held] = model.score_values(np.ascontiguousarray(values[held][:, own]))
            tick()
    return scores


def held_out_labels(
    matrix: Matrix,
    judgments: Judgments,
    topics: Sequence[int],
    dimensions: Sequence[str],
    sources: Sources,
    *,
    seed: int = 0,
) -> dict[str, Labels]:
    """Dimension -> labels for rankers that see no judgment of ``topics``, given as positions.

    Nor do they see a pair with a premise that is graded there, or with a near-duplicate of one: what reads well or
    holds together does so for every question. Raises InputError when nothing is left to learn from.
    """
    seen = judgments.without([matrix.topics[topic] for topic in topics])
    trains = ~np.isin(matrix.topic_of_row, topics) & ~_copies(matrix, judgments, topics)
    found = {name: make_labels(matrix, seen, name, sources, seed=seed).only(trains) for name in dimensions}
    if not all(labels.used.any() for labels in found.values()):
        raise InputError("qrels", "too few topics are judged to hold some out", "add judgments of others")
    return found


def parameters_for(labels: Labels, parameters: Parameters) -> Parameters:
    """Weak labels alone are learned as grades: LambdaMART would learn the order of votes, noise and all."""
    weak = parameters.objective == "both" and not labels.counts["graded pairs"]
    return replace(parameters, objective="regression") if weak else parameters


def training_set(matrix: Matrix, values: npt.NDArray[np.float32], labels: Labels) -> TrainingSet:
    """The labelled rows."""
    used = labels.used
    groups = np.bincount(matrix.topic_of_row[used], minlength=len(matrix.groups)).astype(np.int64)
    return TrainingSet(values[used], labels.label[used], labels.weight[used], groups[groups > 0])


def train_ranker(
    matrix: Matrix, labels: Labels, columns: Sequence[str], parameters: Parameters, threads: int = 1
) -> LambdaMart:
    """A ranker of one dimension from the labelled pairs of a matrix."""
    inputs = inputs_of(columns)
    data = training_set(matrix, input_values(matrix, inputs), labels)
    return fit_selected(data, inputs, parameters_for(labels, parameters), threads)


def held_out_figures(
    matrix: Matrix, judgments: Judgments, blend: Blend, scores: Mapping[str, Scores]
) -> tuple[dict[str, dict[str, dict[str, MeanCI]]], TopEstimate | None]:
    """Figures of held-out scores beside the baselines', and the expected and graded relevance of the top five."""
    together = blend.combine({name: scores[name] for name in scores if blend.weights.get(name)})
    plain = {name: make_ranker(name).score(matrix) for name in baselines()}
    figures: dict[str, dict[str, dict[str, MeanCI]]] = {}
    expected = None
    for name, qrels in judgments.pairs.items():
        pairs = PairEvaluator(matrix, qrels)
        if pairs.topics:
            rows = {BLEND: together, **({name: scores[name]} if name in scores else {}), **plain}
            figures[f"pairs, {name}"] = {ranker: pairs.figures(found) for ranker, found in rows.items()}
        if name == "relevance" and pairs.topics and name in scores:
            expected = top_estimate(pairs, together, scores[name])
    for name, qrels in judgments.arguments.items():
        arguments = ArgumentEvaluator(matrix, qrels)
        if arguments.topics:
            rows = {BLEND: together, **({name: scores[name]} if name in scores else {}), **plain}
            figures[f"arguments, {name}"] = {ranker: arguments.figures(found) for ranker, found in rows.items()}
    return figures, expected


def top_estimate(pairs: PairEvaluator, scores: Scores, relevance: Scores) -> TopEstimate | None:
    """How relevant the top five are as expected, beside their grades; None where none is graded."""
    found = pairs.top_by_topic(scores, relevance)
    if not len(found):
        return None
    varied = len(found) > 2 and min(np.ptp(column) for column in found.T) > 0
    expected, graded = found.T
    correlation = float(np.corrcoef(expected, graded)[0, 1]) if varied else None
    return TopEstimate(float(expected.mean()), float(graded.mean()), correlation, len(found))


def split_topics(
    matrix: Matrix, judgments: Judgments, folds: int, seed: int, tied: Sequence[tuple[str, str]] = ()
) -> list[list[int]]:
    """Positions of the topics of each fold. Topics stay together that judge near-duplicate arguments, or are ``tied``.

    Graded pairs tie none: one argument is graded for several questions, and topics would hang together in one chain.
    `held_out_labels` leaves its copies out of training.
    Raises InputError when there are fewer than two parts.
    """
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    place = {topic: position for position, topic in enumerate(matrix.topics)}
    links = [(place[one], place[other]) for one, other in tied if one in place and other in place]
    owner: dict[object, int] = {}
    for position, text in _judged_texts(matrix, judgments):
        links.append((position, owner.setdefault(text, position)))
    number = len(matrix.topics)
    one, other = np.array(links, np.int64).reshape(-1, 2).T
    _, part = connected_components(coo_matrix((np.ones(len(links)), (one, other)), (number, number)), directed=False)
    components = [np.flatnonzero(part == label).tolist() for label in range(int(part.max(initial=-1)) + 1)]
    np.random.default_rng(seed).shuffle(components)
    split: list[list[int]] = [[] for _ in range(min(folds, len(components)))]
    for component in sorted(components, key=len, reverse=True):
        min(split, key=len).extend(component)
    if len(split) < 2:
        raise InputError("qrels", "the judged topics are too few, or too alike, to hold some out", "add judgments")
    return [sorted(topics) for topics in split]


def _judged_texts(matrix: Matrix, judgments: Judgments) -> Iterable[tuple[int, object]]:
    """Topic position and near-duplicate key of every premise of a judged argument."""
    judged: Qrels = {}
    for qrels in judgments.arguments.values():
        for topic, grades in qrels.items():
            judged.setdefault(topic, {}).update(grades)
    for position, (topic, rows) in enumerate(matrix):
        arguments = judged.get(topic, {})
        for place in range(rows.start, rows.stop) if arguments else ():
            for sentences, texts in ((matrix.first, matrix.first_text), (matrix.second, matrix.second_text)):
                if "__CONC__" not in sentences[place] and argument_of(sentences[place]) in arguments:
                    yield position, int(texts[place])


def _copies(matrix: Matrix, judgments: Judgments, topics: Sequence[int]) -> npt.NDArray[np.bool_]:
    """(n_rows,) pairs with a premise of a pair that is graded in ``topics``, or with a near-duplicate of one."""
    graded = judgments.pair_ids()
    premises: set[int] = set()
    for number in (matrix.topics[topic] for topic in topics):
        keys, rows = set(map(pair_key, graded.get(number, ()))), matrix.rows(number)
        for place in range(rows.start, rows.stop) if keys else ():
            one, other = matrix.first[place], matrix.second[place]
            if pair_key(f"{one},{other}") in keys:
                premises |= {int(matrix.first_text[place])} if "__CONC__" not in one else set()
                premises |= {int(matrix.second_text[place])} if "__CONC__" not in other else set()
    found = np.array(sorted(premises), np.uint64)
    return np.asarray(np.isin(matrix.first_text, found) | np.isin(matrix.second_text, found))


def example_topics(judgments: Judgments, topics: Iterable[Any]) -> list[Any]:
    """Those of ``topics`` that are judged."""
    judged = judgments.topics()
    return [topic for topic in topics if topic.number in judged]
