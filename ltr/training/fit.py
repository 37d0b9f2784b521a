"""Learn a ranker for each dimension, and say by cross-validation over topics what to expect of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ltr.errors import InputError
from ltr.parallel import Workers
from ltr.progress import Progress
from ltr.supervision.labels import Labels, Sources
from ltr.training.cross_validation import cross_validate
from ltr.training.examples import Examples
from ltr.training.figures import Table, TopEstimate, held_out_figures
from ltr.training.splits import split_topics
from models.base import Parameters, Ranker, make_ranker
from models.blend import WEIGHTS, Blend

EXPECTED_FROM = 20
"""Graded units from which on scores of relevance are taken for expected grades."""


@dataclass(frozen=True)
class TrainingResult:
    """A trained model, and what cross-validation said of it."""

    model: Blend
    labels: dict[str, Labels]
    """Dimension -> what it was trained on."""
    figures: dict[str, Table]
    """``pairs, relevance`` and so on -> held-out figures."""
    folds: list[list[str]]
    expected_top: TopEstimate | None
    """None where nothing is graded in relevance."""


def fit(
    examples: Examples,
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
    matrix, judgments = examples.matrix, examples.judgments
    labels = examples.labels(sources, parameters.seed)
    if not any(weights.get(name) for name in labels):
        raise InputError("--sources", "nothing tells good pairs from bad", "add a source of supervision")
    split = split_topics(matrix, judgments, folds, parameters.seed, tied)
    scores = cross_validate(
        replace(examples, dimensions=tuple(labels)),
        split,
        parameters,
        sources=sources,
        workers=workers,
        progress=progress,
    )
    with progress.stage("training"):
        made = workers.map([examples.job(one, parameters) for one in labels.values()])
        rankers: dict[str, Ranker] = dict(zip(labels, made, strict=True))
    # A weight may also be that of a ranker which learns nothing.
    plain = {name: make_ranker(name, unit=matrix.unit) for name in weights if name not in examples.dimensions}
    scores |= {name: ranker.score(matrix) for name, ranker in plain.items()}
    known = "relevance" in labels and labels["relevance"].counts["graded"] >= EXPECTED_FROM
    blend = Blend(rankers | plain, weights, expected_grades=known)
    figures, expected = held_out_figures(matrix, judgments, blend, scores)
    named = [[matrix.topics[topic] for topic in topics] for topics in split]
    return TrainingResult(blend, labels, figures, named, expected)
