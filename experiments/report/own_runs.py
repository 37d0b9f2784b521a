"""The runs of the model and of the baselines, for a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from experiments.report.units import Runs, parts_of_run
from experiments.study import baseline_scores
from ltr.data.topics import Topic
from ltr.evaluation.judgments import path_text
from ltr.evaluation.output import RANDOM
from ltr.pipeline.confidence import expected_relevance, score_with_relevance
from ltr.pipeline.extract import refuse_empty
from ltr.pipeline.matrix import Matrix
from ltr.pipeline.rerank import ListOptions, make_run
from ltr.searcher import Searcher
from models.base import Scores, baselines
from models.contributions import by_family, contributions

OURS = "riposte"


@dataclass(frozen=True)
class OwnRuns:
    """The runs of the model and of the baselines, and details of the model's."""

    runs: Runs
    name: str
    matrix: Matrix
    scores: Scores
    expected: dict[str, float]
    parts: pd.DataFrame | None
    """(n_rows, n_families) what families add to scores; None for a baseline."""

    def add_to(self, blobs: Mapping[str, dict[str, Any]], depth: int) -> None:
        """Add to what the explorer shows of each topic what families add to scores."""
        if self.parts is None:
            return
        values = self.parts.to_numpy()
        for number, blob in blobs.items():
            blob["parts"] = parts_of_run(self.matrix, values, number, self.runs[self.name], depth)
            known = number in self.matrix.topics
            blob["mean_score"] = round(float(self.scores[self.matrix.rows(number)].mean()), 3) if known else None


def own_name(searcher: Searcher) -> str:
    """The name of the model's run, which is no baseline's unless the model is one."""
    model = searcher.model
    if model.name is None:
        return OURS
    name = path_text(Path(model.name).resolve().name)
    return path_text(model.name) if model.manifest and name in baselines(searcher.task.unit) else name


def own_runs(searcher: Searcher, topics: Sequence[Topic], name: str) -> OwnRuns:
    """Rank all topics by the model and by the baselines. Raises InputError where nothing matches."""
    task, model, progress = searcher.task, searcher.model, searcher.resources.progress
    matrix = searcher.describe(topics)
    refuse_empty(matrix, searcher.corpus.name)
    for number in matrix.unmatched:
        progress.warn(f"topic {number}: no argument shares a word with it; our runs have nothing for it")
    with progress.stage("our runs"):
        scores, relevance = score_with_relevance(model.ranker, matrix)
        # Of random orders, boards show the mean of many.
        scored = {name: scores} | {one: own for one, own in baseline_scores(matrix).items() if one != RANDOM}
        runs = {title: make_run(task, matrix, own, ListOptions(tag="run")) for title, own in scored.items()}
        expected = expected_relevance(matrix, runs[name], relevance)
    with progress.stage("contributions"):
        parts = by_family(contributions(model.blend, matrix)) if model.manifest else None
    return OwnRuns(runs, name, matrix, scores, expected, parts)
