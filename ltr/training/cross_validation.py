"""Held-out scores of every unit: by rankers that saw other topics alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ltr.parallel import Workers
from ltr.progress import Progress
from ltr.supervision.labels import Sources
from ltr.training.examples import Examples
from models.base import Parameters, Scores


def cross_validate(
    examples: Examples,
    split: Sequence[Sequence[int]],
    parameters: Parameters,
    *,
    sources: Sources,
    workers: Workers,
    progress: Progress,
) -> dict[str, Scores]:
    """Dimension -> (n_rows,) scores by rankers that learned from `Examples.held_out_labels` of the row's topic."""
    matrix, names = examples.matrix, examples.dimensions
    scores = {name: np.zeros(len(matrix)) for name in names}
    jobs, calls = [], []
    for topics in split:
        held = np.isin(matrix.topic_of_row, topics)
        for name, labels in examples.held_out_labels(topics, names, sources, parameters.seed).items():
            jobs.append((name, held))
            calls.append(examples.job(labels, parameters))
    places = {name: place for place, name in enumerate(examples.inputs)}
    with progress.stage("cross-validation", unit="rankers", total=len(calls)) as tick:
        for (name, held), model in zip(jobs, workers.map(calls), strict=True):
            seen = [places[one] for one in model.inputs]
            scores[name][held] = model.score_values(np.ascontiguousarray(examples.values[held][:, seen]))
            tick()
    return scores
