"""One topic from its title to the expected grades of its candidates.

All candidates are described by cheap columns and graded. Where the model has a second step, the best of them, the head,
are then described by the encoder as well, and graded again.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from ltr.data.topics import Topic
from ltr.ranking.describe import FirstStage, Resources, describe_head, describe_topic, map_topics
from ltr.ranking.matrix import Block, Matrix
from models.base import Scores
from models.blend import Blend, below, best_rows


def grade_topic(
    first_stage: FirstStage,
    topic: Topic,
    model: Blend,
    columns: Sequence[str] | None = None,
    graded: Sequence[str] = (),
) -> Block:
    """The described candidates of a topic, with the grades that the model gives them, whatever its weights.

    ``columns`` of all candidates; None: all columns. The items ``graded``, ids, are described too and belong to the
    head.
    """
    block = describe_topic(first_stage, topic, columns, graded)
    if not len(block):
        return block
    first = model.first_grades(block)
    if first_stage.encoder is not None and model.two_steps:
        head = best_rows(model.combine(first), block.groups, first_stage.config.head) | block.among(graded)
        block = describe_head(first_stage, topic, block, head, model.head_columns)
    return replace(block, grades=model.grades(block, first))


def grade_topics(
    first_stage: FirstStage,
    topics: Sequence[Topic],
    resources: Resources,
    model: Blend,
    columns: Sequence[str] | None = None,
    graded: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> Generator[Block, None, None]:
    """`grade_topic` for every topic, in the order of a run, by the workers."""
    calls = [(topic, columns, tuple(graded.get(topic.number, ()))) for topic in topics]
    return map_topics(first_stage, _graded, calls, resources, model)


def _graded(model: Blend, first_stage: FirstStage, topic: Topic, *more: Any) -> Block:
    return grade_topic(first_stage, topic, model, *more)


def scores_of(model: Blend, matrix: Matrix) -> Scores:
    """(n_rows,) the scores of a matrix from `grade_topics`; no row outside the head passes one in it."""
    return below(model.combine(matrix.grades), matrix.head, matrix.groups) if len(matrix) else np.zeros(0)


def relevance_of(model: Blend, matrix: Matrix) -> Scores | None:
    """(n_rows,) expected grades in relevance; None where the model estimates none."""
    return matrix.grades.get("relevance") if model.expected_grades else None
