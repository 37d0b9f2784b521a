"""The steps of a ranking, a topic at a time: propose candidates, describe them by features, grade them.

All candidates are described by cheap columns and graded. Where the model has a second step, the best of them, the head,
are then described by the encoder as well, and graded again. Each step takes a table and returns one with more columns.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence, Sized
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from threading import local
from types import MappingProxyType
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pandas as pd
from threadpoolctl import ThreadpoolController

from features.core.describe import TextValues
from features.core.describe import describe as describe_context
from features.core.feature import KINDS
from features.core.feature import columns as columns_of
from features.core.tables import Context
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.index.reader import Index, worker_index
from ltr.parallel import Workers, usable_cores
from ltr.plugins import blame_plugin
from ltr.progress import Logged, Progress
from ltr.ranking.candidates import Candidates, topic_order
from ltr.ranking.feature_tables import TopicMeaning, build_context
from ltr.ranking.task import TableRows, Task
from ltr.ranking.text_values import known_values
from ltr.retrieval.arguments import TermCache
from ltr.retrieval.base import CandidateConfig
from ltr.text_models.encoders import Encoder
from models.base import DIMENSIONS
from models.blend import Blend, best_rows, head_only_columns, push_below_head

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

    def with_head(self, size: int | None) -> RankingSource:
        """The source with ``size`` candidates in the head, 0 for all; None: unchanged."""
        return self if size is None else replace(self, config=replace(self.config, head=size))


@dataclass(frozen=True)
class Grader:
    """Rankers of a model that grade candidates, and the encoder whose columns some of them read."""

    blend: Blend
    encoder: Encoder | None = None


def _in_worker(task: Task, folder: str, fingerprint: str, config: CandidateConfig) -> RankingSource:
    return RankingSource(task, worker_index(folder, fingerprint), config)


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


def propose(source: RankingSource, topic: Topic, include: Sequence[str] = ()) -> Candidates:
    """The candidates of a topic, from its title alone, and the items with the ids ``include``."""
    task, index = source.task, source.index
    with blame_plugin(type(task).__module__):
        proposed = task.propose(index, topic, term_cache(index), source.config)
        rows = task.add(index, topic, proposed, include)
        tables, context = _tables(source, topic, rows)
        items = task.frame(index, topic, context, rows)
    rows = _item_rows(task, tables)
    if len(items) != len(rows):
        what = f"its frame has {len(items):,} rows for {len(rows):,} candidates"
        raise InputError(f"task {task.name!r}", what, f"let it return one row for each {task.kind}")
    own = None
    if include:
        known = set(map(tuple, proposed.tolist()))
        own = np.array([tuple(row) in known for row in rows.tolist()], bool)
    candidates = Candidates.of_topic(topic, items, rows, kind=task.kind, proposed=own)
    _kept.last = _Tables(index, topic, candidates.index_rows, tables, context)
    return candidates


def describe(
    source: RankingSource, candidates: Candidates, columns: Sequence[str] | None = None, encoder: Encoder | None = None
) -> Candidates:
    """The candidates of one topic with feature ``columns``; None: all but an encoder's. Raises InputError."""
    names = columns_of(source.task.kind) if columns is None else list(columns)
    (topic,) = candidates.asked
    return candidates.with_columns(_values(source, topic, candidates.index_rows, names, encoder))


def describe_head(
    source: RankingSource,
    candidates: Candidates,
    head: npt.NDArray[np.bool_],
    columns: Sequence[str],
    encoder: Encoder | None,
    resources: Resources | None = None,
) -> Candidates:
    """The candidates with the column ``head`` (n_rows,), and the encoder's ``columns`` of it; they are NaN elsewhere.

    ``resources`` share the topics of a table out.
    """
    values = np.full((len(candidates), len(columns)), np.nan, np.float32)
    if head.any() and columns:
        rows, topics = candidates.index_rows, {topic.number: topic for topic in candidates.asked}
        of_topics = [(topics[number], rows[span][head[span]]) for number, span in candidates.spans.items()]
        calls = [(topic, part, list(columns), encoder) for topic, part in of_topics if len(part)]
        if resources is None:
            described: Iterable[pd.DataFrame] = [_values(source, *call) for call in calls]
        else:
            described = by_workers(_values, calls, resources, source)
        values[head] = np.concatenate([part[list(columns)].to_numpy() for part in described])
    return candidates.with_columns(pd.DataFrame(values, columns=list(columns)).assign(head=head))


def grade(source: RankingSource, candidates: Candidates, grader: Grader, include: Sequence[str] = ()) -> Candidates:
    """The described candidates of one topic with a column for each ranker that counts, and ``score``.

    Where the model has a second step, its best and the items ``include`` are the ``head``, described by the encoder.
    """
    model, encoder = grader.blend, grader.encoder
    # A table may have been graded before, by a model with other rankers or with a head.
    own = dict.fromkeys(["head", "score", *DIMENSIONS, *model.rankers])
    if earlier := [name for name in own if name in candidates]:
        candidates = candidates.drop(columns=earlier)
    if not len(candidates):
        return candidates.assign(**dict.fromkeys([*model.used, "score"], 0.0))
    first = model.first_grades(candidates)
    if model.two_steps:
        head = np.zeros(len(candidates), bool)
        if encoder is not None:
            head = best_rows(model.combine(first), candidates.groups, source.config.head) | candidates.among(include)
        candidates = describe_head(source, candidates, head, model.head_columns, encoder)
    grades = model.grades(candidates, first)
    scores = push_below_head(model.combine(grades), candidates.in_head, candidates.groups)
    return candidates.with_columns(pd.DataFrame({**grades, "score": scores}))


def graded(
    source: RankingSource,
    grader: Grader,
    topic: Topic,
    include: Sequence[str] = (),
    columns: Sequence[str] | None = None,
) -> Candidates:
    """The three steps for one topic; ``columns`` are those that the model reads by default."""
    candidates = propose(source, topic, include)
    names = grader.blend.columns if columns is None else columns
    return grade(source, describe(source, candidates, names, grader.encoder), grader, include)


def to_list(source: RankingSource, grader: Grader, topic: Topic, include: Sequence[str] = ()) -> Candidates:
    """The `graded` candidates of a topic without features: a list needs none, and they would travel from the worker."""
    candidates = graded(source, grader, topic, include)
    return candidates.drop(columns=candidates.feature_columns)


def described(source: RankingSource, topic: Topic, include: Sequence[str] = ()) -> Candidates:
    """The first two steps for one topic, with all columns but an encoder's."""
    return describe(source, propose(source, topic, include))


def describe_topics(
    source: RankingSource, topics: Sequence[Topic], resources: Resources, include: Include = MappingProxyType({})
) -> Candidates:
    """The `described` candidates of all topics. The result does not depend on the workers."""
    return Candidates.concat(by_workers(described, topic_calls(topics, include), resources, source), source.task.kind)


def topic_calls(topics: Sequence[Topic], include: Include = MappingProxyType({})) -> list[tuple[Any, ...]]:
    """The arguments (topic, ids to include) for `by_workers`, in the order of a run."""
    ordered = sorted(topics, key=lambda topic: topic_order(topic.number))
    return [(topic, tuple(include.get(topic.number, ()))) for topic in ordered]


def by_workers(
    work: Callable[..., Any], calls: Sequence[tuple[Any, ...]], resources: Resources, *shared: Any
) -> Generator[Any, None, None]:
    """The results of ``work(*shared, *call)`` for each of the ``calls``, in order; a worker gets ``shared`` once."""
    found: Iterable[Any]
    if resources.workers.jobs == 1 or len(calls) < 4:
        found = (work(*shared, *call) for call in calls)
    else:
        found = resources.workers.map([(_with_shared, (work, *call)) for call in calls], shared)
    with resources.progress.stage("candidates and features", unit="topics", total=len(calls)) as tick:
        for result in found:
            tick()
            yield result


def _with_shared(shared: tuple[Any, ...], work: Callable[..., Any], *call: Any) -> Any:
    return work(*shared, *call)


def refuse_empty(described: Sized, corpus: str) -> None:
    """Raise InputError when no topic has a candidate."""
    if not len(described):
        raise InputError(corpus, "no topic matches any argument", "check that topics and corpus belong together")


@dataclass(frozen=True)
class _Tables:
    """The tables of the last topic that was proposed: describing all of its candidates reads the same."""

    index: Index
    topic: Topic
    rows: npt.NDArray[np.int64]
    tables: TableRows
    context: Context


_kept = local()
"""Threads share neither terms nor tables: the workers of a cluster may have several."""


def _values(
    source: RankingSource,
    topic: Topic,
    wanted: npt.NDArray[np.int64],
    columns: Sequence[str],
    encoder: Encoder | None,
) -> pd.DataFrame:
    """(n_rows, n_columns) float32 features of items of a topic, given as (n_rows, n_parts) rows of the index."""
    if not len(wanted) or not columns:
        return pd.DataFrame(np.empty((len(wanted), len(columns)), np.float32), columns=list(columns))
    task, index = source.task, source.index
    last, _kept.last = getattr(_kept, "last", None), None
    with blame_plugin(type(task).__module__):
        if last and (last.index, last.topic) == (index, topic) and np.array_equal(last.rows, wanted):
            tables, context = last.tables, last.context
        else:
            tables, context = _tables(source, topic, wanted)
        if encoder is not None and head_only_columns(columns):
            context = replace(context, encoded=TopicMeaning(index, topic, tables, encoder))
        with _one_thread(), known_values(index, tables.sentences) as known:
            cast(TextValues, context.text_values).know(known)
            values = describe_context(context, task.kind, columns)
    rows = _item_rows(task, tables)
    place = np.empty(len(rows), np.int64)
    place[np.lexsort(wanted.T)] = np.lexsort(rows.T)
    return values.take(place)


def _tables(source: RankingSource, topic: Topic, rows: npt.NDArray[np.int64]) -> tuple[TableRows, Context]:
    """The tables for features of items, given as (n_items, n_parts) rows of the index."""
    task, index = source.task, source.index
    cache, query = term_cache(index), index.analyzer.distinct(topic.title)
    with _one_thread():
        tables = task.tables(index, query, cache, source.config, rows)
        return tables, build_context(index, topic, query, tables, cache)


def _one_thread() -> AbstractContextManager[Any]:
    """One thread for products of matrices.

    Those of a topic are small, and a thread that waits for its share of them is a busy core. And the last bits of a
    product depend on how many threads share it.
    """
    return _libraries().limit(limits=1, user_api="blas")


_libraries = cache(ThreadpoolController)
"""Finds the libraries of this process when a topic is first described: looking for them takes as long as a feature."""


def _item_rows(task: Task, tables: TableRows) -> npt.NDArray[np.int64]:
    """(n_items, n_parts) the items in the order of the features."""
    return tables.pairs if KINDS[task.kind].parts > 1 else tables.arguments[:, None]


def term_cache(index: Index) -> TermCache:
    """The index terms of arguments that topics were described with in this thread, for the last two indexes.

    An index that is no longer used is closed, with its open files.
    """
    if not hasattr(_kept, "of"):
        _kept.of = lru_cache(maxsize=2)(TermCache)
    cache: TermCache = _kept.of(index)
    return cache


def forget_terms() -> None:
    """Let go of the indexes that this thread has described topics with."""
    vars(_kept).clear()
