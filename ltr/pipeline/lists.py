"""Ranked lists of many topics, a hundred topics at a time: the description of one topic takes two megabytes."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field

from ltr.data.runs import RunRow
from ltr.data.topics import Topic
from ltr.pipeline.confidence import expected_relevance, score_with_relevance
from ltr.pipeline.extract import FirstStage, Resources, describe_in_parts
from ltr.pipeline.rerank import ListOptions, make_run
from models.base import Ranker

AT_ONCE = 100
"""Topics that are in memory with all of their candidates."""


@dataclass
class RankedLists:
    """The results of several topics."""

    rows: list[RunRow] = field(default_factory=list)
    """Topic by topic, in the order of a run."""
    expected: dict[str, float] = field(default_factory=dict)
    """Topic -> mean expected relevance of its five best items, where the model estimates it."""
    unmatched: list[str] = field(default_factory=list)
    """Topics that share no word with the corpus: they have no rows."""


def ranked_lists(
    first_stage: FirstStage, topics: Sequence[Topic], ranker: Ranker, options: ListOptions, resources: Resources
) -> RankedLists:
    """Rank the candidates of every topic."""
    task, lists = first_stage.task, RankedLists()
    tag, depth, diversify = options.tag, options.depth, options.diversify
    with closing(describe_in_parts(first_stage, topics, resources, ranker.columns, AT_ONCE)) as parts:
        for matrix in parts:
            lists.unmatched += matrix.unmatched
            if matrix.topics:
                with resources.progress.stage("rank"):
                    scores, relevance = score_with_relevance(ranker, matrix, options.head)
                    rows = make_run(task, matrix, scores, tag=tag, depth=depth, diversify=diversify)
                    lists.rows += rows
                    lists.expected |= expected_relevance(matrix, rows, relevance)
    return lists
