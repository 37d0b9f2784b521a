"""The one path that train and predict share: topics -> candidates -> feature matrix."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence, Sized
from contextlib import closing
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from pathlib import Path
from threading import local
from types import MappingProxyType
from typing import Any

from threadpoolctl import threadpool_limits

from features.core.extract import FeatureError, describe
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.index.reader import Index
from ltr.index.values import known_values
from ltr.parallel import Workers, usable_cores
from ltr.pipeline.context import build_context
from ltr.pipeline.matrix import Block, Matrix, topic_order
from ltr.pipeline.task import Task
from ltr.progress import Progress
from ltr.retrieval.base import CandidateConfig
from ltr.retrieval.terms import TermCache


@dataclass(frozen=True)
class FirstStage:
    """A task's search for candidates in an index."""

    task: Task
    index: Index
    config: CandidateConfig


@dataclass(frozen=True)
class Resources:
    """The processes that share the work, and where progress is shown."""

    workers: Workers = field(default_factory=lambda: Workers(usable_cores()))
    progress: Progress = field(default_factory=lambda: Progress(quiet=True))


def describe_topics(
    first_stage: FirstStage,
    topics: Sequence[Topic],
    resources: Resources,
    *,
    columns: Sequence[str] | None = None,
    graded: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> Matrix:
    """Candidates and features of every topic in one matrix.

    ``columns`` are the columns of the matrix: only the features behind them are computed. None: all.
    The items ``graded``, ids by topic, are described too where the corpus has them: to learn from.
    The result does not depend on the workers: each topic is described alone, and rows are sorted afterwards.
    Raises KeyError for a column that no feature fills.
    """
    blocks = _described_blocks(first_stage, topics, resources, columns, graded)
    return Matrix(list(blocks), first_stage.task.unit)


def describe_in_parts(
    first_stage: FirstStage, topics: Sequence[Topic], resources: Resources, columns: Sequence[str], size: int
) -> Generator[Matrix, None, None]:
    """Candidates and features as from `describe_topics`, in matrices of ``size`` topics, in the order of a run."""
    with closing(_described_blocks(first_stage, topics, resources, columns, {})) as blocks:
        while part := list(islice(blocks, size)):
            yield Matrix(part, first_stage.task.unit)


def _described_blocks(
    first_stage: FirstStage,
    topics: Sequence[Topic],
    resources: Resources,
    columns: Sequence[str] | None,
    graded: Mapping[str, Sequence[str]],
) -> Generator[Block, None, None]:
    """Topic by topic, in the order of a run."""
    task, index, config = first_stage.task, first_stage.index, first_stage.config
    wanted = None if columns is None else tuple(columns)
    calls = [
        (topic, config, wanted, tuple(graded.get(topic.number, ())))
        for topic in sorted(topics, key=lambda topic: topic_order(topic.number))
    ]
    blocks: Iterable[Block]
    if resources.workers.jobs == 1 or len(calls) < 4:
        blocks = (describe_topic(task, index, *call) for call in calls)
    else:
        where = task, str(index.folder), index.identity
        blocks = resources.workers.map([(_describe_in_worker, (*where, *call)) for call in calls])
    with resources.progress.stage("candidates and features", unit="topics", total=len(calls)) as tick:
        for block in blocks:
            tick()
            yield block


def refuse_empty(described: Sized, corpus: str) -> None:
    """Raise InputError when no topic has a candidate; ``described`` is a matrix, or the rows of a run."""
    if not len(described):
        raise InputError(corpus, "no topic matches any argument", "check that topics and corpus belong together")


def describe_topic(
    task: Task,
    index: Index,
    topic: Topic,
    config: CandidateConfig,
    columns: Sequence[str] | None = None,
    graded: Sequence[str] = (),
) -> Block:
    """Candidates and features of one topic, from its title alone; the rest as in `describe_topics`."""
    cache = term_cache(index)
    query = index.analyzer.distinct(topic.title)
    candidates = task.add(index, topic, task.propose(index, topic, cache, config), graded)
    # One thread: products of a topic are small, and a thread that waits for its share of them is a busy core. And
    # the last bits of a product depend on how many share it.
    with threadpool_limits(limits=1, user_api="blas"):
        rows = task.tables(index, query, cache, config, candidates)
        with known_values(index, rows.sentences) as known:
            context = build_context(index, topic, query, rows, cache, known)
            try:
                features = describe(context, task.unit, columns)
            except FeatureError as error:
                raise InputError(*error.args) from None
        return Block(topic.number, task.frame(index, topic, context, candidates), features)


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


@lru_cache(maxsize=1)
def _worker_index(folder: str, identity: str) -> Index:
    return Index(Path(folder), identity)


def _describe_in_worker(task: Task, folder: str, identity: str, *call: Any) -> Block:
    return describe_topic(task, _worker_index(folder, identity), *call)
