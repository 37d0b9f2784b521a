"""The result lists of many topics, some topics at a time: what a topic is described by takes two megabytes."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from ltr.data.runs import RunRow
from ltr.data.topics import Topic
from ltr.index.reader import Index
from ltr.parallel import Workers
from ltr.pipeline.confidence import expected_relevance, score_with_relevance
from ltr.pipeline.extract import describe_in_parts
from ltr.pipeline.rerank import make_run
from ltr.pipeline.task import Task
from ltr.progress import Progress
from ltr.retrieval.base import CandidateConfig
from models.base import Ranker
from models.cascade import HEAD

AT_ONCE = 100
"""Topics that are in memory with all of their candidates."""


@dataclass
class Lists:
    """What became of the topics."""

    rows: list[RunRow] = field(default_factory=list)
    """Topic by topic, in the order of a run."""
    expected: dict[str, float] = field(default_factory=dict)
    """Topic -> mean expected relevance of its five best, where the model can tell."""
    unmatched: list[str] = field(default_factory=list)
    """Topics that share no word with the corpus: no row is theirs."""


def ranked_lists(
    task: Task,
    index: Index,
    topics: Sequence[Topic],
    ranker: Ranker,
    config: CandidateConfig,
    *,
    head: int = HEAD,
    workers: Workers,
    progress: Progress,
    **of_lists: Any,
) -> Lists:
    """Rank the candidates of every topic.

    ``head`` is that of `models.cascade`; ``of_lists`` are tag, depth and diversity, see `ltr.pipeline.rerank`.
    """
    lists = Lists()
    how: dict[str, Any] = {"columns": ranker.columns, "workers": workers, "progress": progress}
    with closing(describe_in_parts(task, index, topics, config, at_once=AT_ONCE, **how)) as parts:
        for matrix in parts:
            lists.unmatched += matrix.unmatched
            if matrix.topics:
                with progress.stage("rank"):
                    scores, relevance = score_with_relevance(ranker, matrix, head)
                    rows = make_run(task, matrix, scores, **of_lists)
                    lists.rows += rows
                    lists.expected |= expected_relevance(matrix, rows, relevance)
    return lists
