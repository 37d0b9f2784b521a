"""Input of a ranking's steps: an index with its task, and the processes that share the work."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from ltr.data.topics import Topic
from ltr.index.reader import Index, worker_index
from ltr.parallel import Workers, usable_cores
from ltr.plugins import blame_plugin
from ltr.progress import Logged, Progress
from ltr.ranking.candidates import topic_order
from ltr.ranking.task import Task
from ltr.retrieval.base import CandidateConfig

Include = Mapping[str, Sequence[str]]
"""Topic -> ids of items that are candidates as well where the corpus has them: graded ones, to learn from."""


@dataclass(frozen=True)
class RankingSource:
    """Input of the steps: an index, and how the task proposes candidates from it. A worker opens the index itself."""

    task: Task
    index: Index
    config: CandidateConfig

    def __reduce__(self) -> tuple[Any, ...]:
        return _in_worker, (self.task, str(self.index.folder), self.index.corpus_fingerprint, self.config)

    @property
    def origin(self) -> str:
        """Equal where rows of candidates mean the same: for one task and one corpus."""
        return f"{self.task.name} {self.index.corpus_fingerprint}"

    def with_head(self, size: int | None) -> RankingSource:
        """The source with ``size`` candidates in the head, 0 for all; None: unchanged."""
        return self if size is None else replace(self, config=replace(self.config, head=size))


def _in_worker(task: Task, folder: str, fingerprint: str, config: CandidateConfig) -> RankingSource:
    return RankingSource(task, worker_index(folder, fingerprint), config)


@dataclass(frozen=True)
class Resources:
    """The processes that share the work, and where progress is shown."""

    workers: Workers = field(default_factory=lambda: Workers(usable_cores()))
    progress: Progress = field(default_factory=Logged)

    def __reduce__(self) -> tuple[Any, ...]:
        """In another process work is shared out and shown there."""
        return Resources, (Workers(self.workers.jobs),)


def topic_calls(topics: Sequence[Topic], include: Include = MappingProxyType({})) -> list[tuple[Any, ...]]:
    """The arguments (topic, ids to include) for `by_workers`, in the order of a run."""
    ordered = sorted(topics, key=lambda topic: topic_order(topic.number))
    return [(topic, tuple(include.get(topic.number, ()))) for topic in ordered]


def by_workers(
    work: Callable[..., Any], calls: Sequence[tuple[Any, ...]], resources: Resources, *shared: Any
) -> Generator[Any, None, None]:
    """The results of ``work(*shared, *call)`` for each of the ``calls``, in order; a worker gets ``shared`` once."""
    workers = Workers(1) if len(calls) < 4 else resources.workers
    found = workers.map([(work, call) for call in calls], shared)
    stage = resources.progress.stage("candidates and features", unit="topics", total=len(calls))
    with blame_plugin(), stage as tick:
        for result in found:
            tick()
            yield result
