"""The one path that train and predict share: topics -> candidates -> feature matrix."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence, Sized
from functools import lru_cache
from pathlib import Path
from threading import local
from types import MappingProxyType
from typing import Any

from features.core.extract import FeatureError, describe
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.index.reader import Index
from ltr.index.values import known_values
from ltr.parallel import Workers
from ltr.pipeline.context import build_context
from ltr.pipeline.matrix import Block, Matrix, topic_order
from ltr.pipeline.task import Task
from ltr.progress import Progress
from ltr.retrieval.base import CandidateConfig
from ltr.retrieval.terms import TermCache


def describe_topics(task: Task, index: Index, topics: Sequence[Topic], config: CandidateConfig, **how: Any) -> Matrix:
    """Candidates and features of every topic in one matrix; for ``how`` see `describe_in_parts`."""
    return next(describe_in_parts(task, index, topics, config, at_once=len(topics), **how))


def describe_in_parts(
    task: Task,
    index: Index,
    topics: Sequence[Topic],
    config: CandidateConfig,
    *,
    at_once: int,
    columns: Sequence[str] | None = None,
    graded: Mapping[str, Sequence[str]] = MappingProxyType({}),
    workers: Workers,
    progress: Progress,
) -> Generator[Matrix, None, None]:
    """Candidates and features of every topic, in the order of a run, in matrices of so many topics ``at_once``.

    Topics are shared out to ``workers``.
    ``columns`` are those that the matrix is to have: only the features behind them are computed. None: all.
    The units ``graded``, ids by topic, are described too where the corpus has them: to learn from.
    What comes out does not depend on the workers: a topic is described alone, and rows are sorted after.
    Raises KeyError for a column that no feature fills.
    """
    wanted = None if columns is None else tuple(columns)
    topics = sorted(topics, key=lambda topic: topic_order(topic.number))
    found: Iterable[Block]
    if workers.jobs == 1 or len(topics) < 4:
        found = (describe_topic(task, index, topic, config, wanted, graded.get(topic.number, ())) for topic in topics)
    else:
        where = task, str(index.folder), index.identity
        calls = [(*where, topic, config, wanted, tuple(graded.get(topic.number, ()))) for topic in topics]
        found = workers.map([(_describe_in_worker, call) for call in calls])
    blocks: list[Block] = []
    with progress.stage("candidates and features", unit="topics", total=len(topics)) as tick:
        for number, block in enumerate(found, 1):
            blocks.append(block)
            tick()
            if len(blocks) == at_once and number < len(topics):
                matrix = Matrix(blocks, task.unit)
                blocks.clear()
                yield matrix
    yield Matrix(blocks, task.unit)


def refuse_empty(found: Sized, corpus: str) -> None:
    """Raise InputError when no topic has a candidate: ``found`` is a matrix, or a run."""
    if not len(found):
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
    from threadpoolctl import threadpool_limits

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


def term_cache(index: Index) -> TermCache:
    """The index terms of arguments that topics of this index were described with, in this thread."""
    return _caches.of(index)


class _Caches(local):
    """One for each thread, since the workers of a cluster may have several: of arguments, and of documents.

    An index that is asked no more is let go of, with its open files.
    """

    def __init__(self) -> None:
        self.of = lru_cache(maxsize=2)(TermCache)


_caches = _Caches()


@lru_cache(maxsize=1)
def _worker_index(folder: str, identity: str) -> Index:
    return Index(Path(folder), identity)


def _describe_in_worker(task: Task, folder: str, identity: str, *call: Any) -> Block:
    return describe_topic(task, _worker_index(folder, identity), *call)
