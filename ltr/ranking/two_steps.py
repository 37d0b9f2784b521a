"""One topic from its title to the expected grades of its candidates.

All candidates are described by cheap columns and graded. Where the model has a second step, the best of them, the head,
are then described by the encoder as well, and graded again.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from ltr.data.topics import Topic
from ltr.ranking.describe import FirstStage, Resources, describe_head, describe_topic, map_topics
from ltr.ranking.matrix import Block, Matrix
from models.base import Ranker, Scores
from models.blend import Blend, below, best_rows


def grade_topic(
    first_stage: FirstStage,
    topic: Topic,
    ranker: Ranker,
    columns: Sequence[str] | None = None,
    graded: Sequence[str] = (),
) -> Block:
    """The described candidates of a topic, with the grades that a `Blend` gives them, whatever its weights.

    ``columns`` of all candidates; None: all columns. The items ``graded``, ids, are described too and belong to the
    head.
    """
    block = describe_topic(first_stage, topic, columns, graded)
    if not isinstance(ranker, Blend) or not len(block):
        return block
    first = ranker.first_grades(block)
    if first_stage.encoder is not None and ranker.two_steps:
        head = best_rows(ranker.combine(first), block.groups, first_stage.config.head) | block.among(graded)
        block = describe_head(first_stage, topic, block, head, ranker.head_columns)
    return replace(block, grades=ranker.grades(block, first))


def grade_topics(
    first_stage: FirstStage,
    topics: Sequence[Topic],
    resources: Resources,
    ranker: Ranker,
    columns: Sequence[str] | None = None,
    graded: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> Generator[Block, None, None]:
    """`grade_topic` for every topic, in the order of a run, by the workers."""
    calls = [(topic, ranker, columns, tuple(graded.get(topic.number, ()))) for topic in topics]
    return map_topics(first_stage, grade_topic, calls, resources)


def scores_of(ranker: Ranker, matrix: Matrix) -> Scores:
    """(n_rows,) the scores of a matrix from `grade_topics`; no row outside the head passes one in it."""
    if not isinstance(ranker, Blend):
        return ranker.score(matrix)
    return below(ranker.combine(matrix.grades), matrix.head, matrix.groups) if len(matrix) else ranker.score(matrix)


def relevance_of(ranker: Ranker, matrix: Matrix) -> Scores | None:
    """(n_rows,) expected grades in relevance; None where the ranker estimates none."""
    return matrix.grades.get("relevance") if isinstance(ranker, Blend) and ranker.expected_grades else None
