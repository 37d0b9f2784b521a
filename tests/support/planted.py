"""Topics of pairs with a hidden worth, and rankers trained on them."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd

from features.core import feature as registry
from ltr.learning.examples import Examples
from ltr.learning.fit import FitSettings, TrainingResult, fit
from ltr.learning.judgments import Judgments
from ltr.learning.labels import Labels
from ltr.parallel import Workers
from ltr.progress import Progress
from ltr.ranking.candidates import Candidates
from ltr.ranking.source import Resources
from ltr.retrieval.base import CandidateConfig
from models.base import DIMENSIONS, TrainingSet
from models.lambdamart import LambdaMart, Parameters
from models.learned import input_values, inputs_of
from support.judged import judgments_of
from support.tables import plain_block

SMALL = Parameters(trees=10, seeds=1, rows_a_leaf=5, learning_rate=0.3, columns=0)
COLUMNS = registry.columns()[::9]


def planted(topics: int, *, arguments: int = 12, seed: int = 0) -> tuple[Candidates, Judgments]:
    """Topics of pairs with a hidden worth, which columns show through noise: graded and judged by it."""
    rng = np.random.default_rng(seed)
    blocks, graded, judged = [], {}, {}
    for number in map(str, range(1, topics + 1)):
        ids = [f"S{number}-A{number}{n:02x}" for n in range(arguments)]
        pairs = [(f"{a}__PREMISE__{n}", f"{a}__PREMISE__{n + 1}") for a in ids for n in (1, 3)]
        worth = rng.normal(size=arguments).repeat(2) + 0.5 * rng.normal(size=2 * arguments)
        values = {column: worth + rng.normal(size=len(pairs)) for column in registry.columns()}
        blocks.append(plain_block(number, pairs, values))
        grades = np.digitize(worth, [-0.5, 0.5]).astype(float)
        graded[number] = {f"{a},{b}": grade for (a, b), grade in zip(pairs, grades.tolist(), strict=True)}
        judged[number] = dict(zip(ids, np.digitize(worth[::2], [-0.5, 0.5]).astype(float).tolist(), strict=True))
    pairs_of = dict.fromkeys(DIMENSIONS, graded)
    return Candidates.concat(blocks), judgments_of(pairs_of, {"relevance": judged, "quality": judged})


def trained(
    table: Candidates, judgments: Judgments, parameters: Parameters = SMALL, *, jobs: int = 1, **options: Any
) -> TrainingResult:
    given = {name: options.pop(name) for name in ("sources", "weights", "folds") if name in options}
    settings = FitSettings(parameters, **{"folds": 2, **given})
    resources = Resources(Workers(jobs), options.pop("progress", Progress(quiet=True)))
    return fit(examples(table, judgments), settings, resources, **options)


def examples(table: Candidates, judgments: Judgments) -> Examples:
    """To learn from some columns."""
    return Examples.from_columns(table, judgments, COLUMNS, DIMENSIONS)


def train(examples: Examples, labels: Labels, parameters: Parameters, threads: int = 1) -> LambdaMart:
    """A ranker of one dimension."""
    fit_ranker, arguments = examples.training_call(labels, parameters)
    return fit_ranker(*arguments, threads)


FACTS = {
    "candidates": asdict(CandidateConfig(arguments=7)),
    "analysis": {"stem": True, "stop": True},
    "data": {"topics": {"topics.xml": "0" * 64}},
    "trained_on": "Möller's corpus",
}


def fitted(table: Candidates, columns: list[str], seed: int, **changes: Any) -> LambdaMart:
    """A ranker of labels at random."""
    given: dict[str, Any] = {"trees": 3, "seeds": 2, "rows_a_leaf": 5, "learning_rate": 0.3, **changes}
    found = LambdaMart(inputs_of(columns), Parameters(**given))
    labels = 2 * np.random.default_rng(seed).random(len(table))
    found.fit(TrainingSet(input_values(table, found.inputs), labels, np.ones(len(labels)), table.groups))
    return found


HEAD_COLUMNS = registry.columns(head=True)


def with_head(table: Candidates, size: int = 8, seed: int = 0) -> Candidates:
    """The table with an encoder's columns of the first rows of every topic, NaN of others."""
    values = np.random.default_rng(seed).uniform(-1, 1, (len(table), len(HEAD_COLUMNS))).astype(np.float32)
    for _, rows in table.spans.items():
        values[rows.start + size : rows.stop] = np.nan
    return table.with_columns(pd.DataFrame(values, columns=HEAD_COLUMNS)).assign(head=~np.isnan(values[:, 0]))


def fitted_head(table: Candidates, columns: list[str], seed: int, **changes: Any) -> LambdaMart:
    """A ranker of labels at random that learned from the head of each topic."""
    return fitted(table[table.in_head], columns, seed, **changes)
