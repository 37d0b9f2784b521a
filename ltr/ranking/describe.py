"""The path that training and ranking share: topics -> candidates -> features, of all candidates or of the head."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace
from functools import lru_cache
from threading import local
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from threadpoolctl import threadpool_limits

from features.core.describe import describe
from features.core.feature import columns as columns_of
from features.core.plugins import ComponentError
from features.core.tables import Context
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.index.reader import Index, worker_index
from ltr.parallel import Workers, usable_cores
from ltr.plugins import blame_plugin
from ltr.progress import Logged, Progress
from ltr.ranking.feature_tables import TopicMeaning, build_context
from ltr.ranking.matrix import Block, Matrix, topic_order
from ltr.ranking.task import TableRows, Task
from ltr.ranking.text_values import known_values
from ltr.retrieval.arguments import TermCache
from ltr.retrieval.base import CandidateConfig, Candidates
from ltr.text_models.encoders import Encoder


@dataclass(frozen=True)
class FirstStage:
    """A task's search for candidates in an index, and the sources of their columns."""

    task: Task
    index: Index
    config: CandidateConfig
    encoder: Encoder | None = None
    """Fills the columns of the head; None: there is no second step."""

    def __reduce__(self) -> tuple[Any, ...]:
        """In another process the index is opened again."""
        return _opened, (self.task, str(self.index.folder), self.index.identity, self.config, self.encoder)

    def with_head(self, size: int | None) -> FirstStage:
        """The first stage with ``size`` candidates in the head, 0 for all; None: unchanged."""
        return self if size is None else replace(self, config=replace(self.config, head=size))


def _opened(task: Task, folder: str, identity: str, *more: Any) -> FirstStage:
    return FirstStage(task, worker_index(folder, identity), *more)


@dataclass(frozen=True)
class Resources:
    """The processes that share the work, and where progress is shown."""

    workers: Workers = field(default_factory=lambda: Workers(usable_cores()))
    progress: Progress = field(default_factory=Logged)

    def __reduce__(self) -> tuple[Any, ...]:
        """In another process work is shared out and shown there."""
        return _resources, (self.workers.jobs,)


def _resources(jobs: int) -> Resources:
    return Resources(Workers(jobs))


def describe_topics(
    first_stage: FirstStage,
    topics: Sequence[Topic],
    resources: Resources,
    *,
    columns: Sequence[str] | None = None,
    graded: Mapping[str, Sequence[str]] = MappingProxyType({}),
    head_columns: Sequence[str] = (),
) -> Matrix:
    """Candidates and features of every topic in one matrix.

    ``columns``: the columns of every candidate; only the features behind them are computed. None: all.
    ``graded``: topic -> ids of items that are described too where the corpus has them, to learn from.
    ``head_columns``: the encoder's columns, for the graded items alone, which then are the head.
    The result does not depend on the workers: each topic is described alone, and rows are sorted afterwards.
    Raises KeyError for a column that no feature fills.
    """
    wanted, dear = None if columns is None else tuple(columns), tuple(head_columns)
    calls = [(topic, wanted, tuple(graded.get(topic.number, ())), dear) for topic in topics]
    return Matrix(list(map_topics(first_stage, describe_topic, calls, resources)), first_stage.task.unit)


def map_topics(
    first_stage: FirstStage,
    work: Callable[..., Block],
    calls: Sequence[tuple[Any, ...]],
    resources: Resources,
    *shared: Any,
) -> Generator[Block, None, None]:
    """The blocks of ``work(*shared, first_stage, topic, ...)`` for each of the ``calls`` (topic, ...), in the order of
    a run. What is ``shared`` is sent to a worker once.
    """
    calls = sorted(calls, key=lambda call: topic_order(call[0].number))
    blocks: Iterable[Block]
    if resources.workers.jobs == 1 or len(calls) < 4:
        blocks = (work(*shared, first_stage, *call) for call in calls)
    else:
        blocks = resources.workers.map([(_in_worker, (work, *call)) for call in calls], (*shared, first_stage))
    with resources.progress.stage("candidates and features", unit="topics", total=len(calls)) as tick:
        for block in blocks:
            tick()
            yield block


def refuse_empty(described: Sized, corpus: str) -> None:
    """Raise InputError when no topic has a candidate; ``described`` is a matrix, or the rows of a run."""
    if not len(described):
        raise InputError(corpus, "no topic matches any argument", "check that topics and corpus belong together")


def describe_topic(
    first_stage: FirstStage,
    topic: Topic,
    columns: Sequence[str] | None = None,
    graded: Sequence[str] = (),
    head_columns: Sequence[str] = (),
) -> Block:
    """Candidates and features of one topic, from its title alone; the rest as in `describe_topics`."""
    task, index = first_stage.task, first_stage.index
    with blame_plugin(type(task).__module__):
        proposed = task.propose(index, topic, term_cache(index), first_stage.config)
        candidates = task.add(index, topic, proposed, graded)
        features, rows, context = _described(first_stage, topic, candidates, columns)
        units = task.frame(index, topic, context, candidates)
    if len(units) != len(features):
        what = f"its frame has {len(units):,} rows for {len(features):,} candidates"
        raise InputError(f"task {task.name!r}", what, f"let it return one row for each {task.unit}")
    items = rows.pairs if task.kind.parts > 1 else rows.arguments[:, None]  # in the order of the frames
    found = set(map(tuple, proposed.units.tolist())) if graded else set()
    own = np.array([not graded or tuple(item) in found for item in items.tolist()], bool)
    block = Block(topic.number, units, features, Candidates(items, candidates.arguments), proposed=own)
    return describe_head(first_stage, topic, block, block.among(graded), head_columns) if head_columns else block


def describe_head(
    first_stage: FirstStage, topic: Topic, block: Block, head: npt.NDArray[np.bool_], columns: Sequence[str]
) -> Block:
    """The block of a topic with ``head`` (n_units,), and the encoder's ``columns`` of it; they are NaN elsewhere."""
    values = np.full((len(block), len(columns)), np.nan, np.float32)
    if head.any() and columns:
        best = Candidates(block.candidates.units[head], block.candidates.arguments)
        with blame_plugin(type(first_stage.task).__module__):
            values[head] = _described(first_stage, topic, best, columns)[0].to_numpy()
    further = pd.DataFrame(values, block.features.index, list(columns))
    return replace(block, features=pd.concat([block.features, further], axis=1), head=head)


def _described(
    first_stage: FirstStage, topic: Topic, candidates: Candidates, columns: Sequence[str] | None
) -> tuple[pd.DataFrame, TableRows, Context]:
    """The features of these candidates, and the tables and the context that they were computed from."""
    task, index = first_stage.task, first_stage.index
    cache, query = term_cache(index), index.analyzer.distinct(topic.title)
    columns = columns_of(task.unit) if columns is None else columns
    # One thread: products of a topic are small, and a thread that waits for its share of them is a busy core. And
    # the last bits of a product depend on how many share it.
    with threadpool_limits(limits=1, user_api="blas"):
        rows = task.tables(index, query, cache, first_stage.config, candidates)
        with known_values(index, rows.sentences) as known:
            context = build_context(index, topic, query, rows, cache, known)
            if first_stage.encoder is not None:
                context = replace(context, encoded=TopicMeaning(index, topic, rows, first_stage.encoder))
            try:
                return describe(context, task.unit, columns), rows, context
            except ComponentError as error:
                raise InputError(*error.args) from None


_caches = local()
"""Threads share no cache of terms: the workers of a cluster may have several."""


def term_cache(index: Index) -> TermCache:
    """The index terms of arguments that topics were described with in this thread, for the last two indexes.

    An index that is no longer used is let go of, with its open files.
    """
    if not hasattr(_caches, "of"):
        _caches.of = lru_cache(maxsize=2)(TermCache)
    cache: TermCache = _caches.of(index)
    return cache


def forget_terms() -> None:
    """Let go of the indexes that this thread has described topics with."""
    vars(_caches).clear()


def _in_worker(shared: tuple[Any, ...], work: Callable[..., Block], *call: Any) -> Block:
    return work(*shared, *call)
