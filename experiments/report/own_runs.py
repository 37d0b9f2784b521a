"""The runs of the model and of the baselines, for a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from experiments.report.units import Runs
from experiments.study import baseline_scores
from ltr.data.topics import Topic
from ltr.evaluation.inputs import path_text
from ltr.evaluation.output import RANDOM
from ltr.ranking.confidence import expected_relevance
from ltr.ranking.describe import refuse_empty
from ltr.ranking.final_list import ListOptions, make_run
from ltr.ranking.matrix import Matrix
from ltr.ranking.two_steps import grade_topics, relevance_of, scores_of
from ltr.searcher import Searcher
from models.base import baselines
from models.contributions import by_family, contributions

OURS = "riposte"


@dataclass(frozen=True)
class OwnRuns:
    """The runs of the model and of the baselines, and details of the model's."""

    runs: Runs
    name: str
    matrix: Matrix
    expected: dict[str, float]
    families: list[Sequence[str]]
    details: dict[str, dict[str, Any]]
    """Topic -> the run's mean score, and (n_families, n_units) thousandths that each family adds to a score."""


def own_name(searcher: Searcher) -> str:
    """The name of the model's run, which is no baseline's unless the model is one."""
    model = searcher.model
    if model.name is None:
        return OURS
    name = path_text(Path(model.name).resolve().name)
    return path_text(model.name) if model.manifest and name in baselines(searcher.task.unit) else name


def own_runs(searcher: Searcher, topics: Sequence[Topic], name: str, depth: int) -> OwnRuns:
    """Rank all topics by the model and by the baselines. Raises InputError where nothing matches."""
    task, model, progress = searcher.task, searcher.model, searcher.resources.progress
    blocks = grade_topics(searcher.first_stage, topics, searcher.resources, model.ranker)
    matrix = Matrix(list(blocks), task.unit)
    refuse_empty(matrix, searcher.corpus.name)
    for number in matrix.unmatched:
        progress.warn(f"topic {number}: no argument shares a word with it; our runs have nothing for it")
    with progress.stage("our runs"):
        scores = searcher.rescored(matrix, topics, scores_of(model.ranker, matrix), ListOptions())
        # Of random orders, boards show the mean of many.
        plain = {title: values for title, values in baseline_scores(matrix).items() if title != RANDOM}
        scored = {name: scores} | plain
        runs = {title: make_run(task, matrix, values, ListOptions(tag="run")) for title, values in scored.items()}
        expected = expected_relevance(matrix, runs[name], relevance_of(model.ranker, matrix))
    if not model.manifest:
        return OwnRuns(runs, name, matrix, expected, [], {})
    with progress.stage("contributions"):
        parts = by_family(contributions(model.blend, matrix))
        thousandths = np.rint(1000 * parts.to_numpy()).astype(int)
    details: dict[str, dict[str, Any]] = {topic.number: {"parts": [], "mean_score": None} for topic in topics}
    for number, span in matrix:
        row_of = {unit: row for row, unit in enumerate(matrix.ids[span], span.start)}
        rows = [row_of[row.pair] for row in runs[name] if row.topic == number][:depth]
        head = matrix.head[span]
        mean_score = round(float(scores[span][head if head.any() else ~head].mean()), 3)
        details[number] = {"parts": thousandths[rows].T.tolist(), "mean_score": mean_score}
    return OwnRuns(runs, name, matrix, expected, [list(names) for names in parts.columns], details)
