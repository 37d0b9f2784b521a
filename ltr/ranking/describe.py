"""The one path that train and predict share: topics -> candidates -> feature matrix."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence, Sized
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from threading import local
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from threadpoolctl import threadpool_limits

from features.core.describe import describe
from features.core.feature import columns as columns_of
from features.core.feature import is_given
from features.core.plugins import ComponentError
from features.core.tables import Context
from ltr.data.ids import pair_key
from ltr.data.topics import Topic
from ltr.encoders.base import Encoder
from ltr.errors import InputError
from ltr.index.reader import Index, worker_index
from ltr.index.values import known_values
from ltr.parallel import Workers, usable_cores
from ltr.plugins import blaming
from ltr.progress import Progress
from ltr.ranking.external_scores import GivenScores
from ltr.ranking.feature_tables import build_context
from ltr.ranking.matrix import Block, Matrix, topic_order, unit_keys
from ltr.ranking.task import TableRows, Task
from ltr.ranking.topic_vectors import TopicMeaning
from ltr.retrieval.base import CandidateConfig, Candidates
from ltr.retrieval.terms import TermCache
from models.base import Ranker, Scores
from models.blend import Blend
from models.cascade import best_rows, rough_scores


@dataclass(frozen=True)
class SecondStep:
    """What describes the head of a topic's candidates beside the columns of all."""

    encoder: Encoder
    columns: tuple[str, ...]
    """Those of the head alone."""
    model: Blend | None = None
    """Its first step says which candidates are best. None: no candidate is, but those asked for."""


@dataclass(frozen=True)
class FirstStage:
    """A task's search for candidates in an index, and what describes the best of them."""

    task: Task
    index: Index
    config: CandidateConfig
    second: SecondStep | None = None
    given: GivenScores | None = None
    """Somebody else's scores of items."""

    def rough(self, matrix: Matrix, ranker: Ranker) -> Mapping[str, Scores]:
        """Those rough scores of a matrix, described so, that are by the rankers of this ``ranker``."""
        return matrix.rough if self.second is not None and self.second.model is ranker else {}

    def with_head(self, size: int | None) -> FirstStage:
        """With so many candidates in the head, 0 for all; None: as it is."""
        return self if size is None else replace(self, config=replace(self.config, head=size))


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

    ``columns`` are those of every candidate: only the features behind them are computed. None: all, and given scores.
    The items ``graded``, ids by topic, are described too where the corpus has them: to learn from. Where the first
    stage has a second step, its columns follow, NaN outside the head; what is graded belongs to it.
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
    wanted = None if columns is None else tuple(columns)
    calls = [
        (topic, wanted, tuple(graded.get(topic.number, ())))
        for topic in sorted(topics, key=lambda topic: topic_order(topic.number))
    ]
    blocks: Iterable[Block]
    if resources.workers.jobs == 1 or len(calls) < 4:
        blocks = (describe_topic(first_stage, *call) for call in calls)
    else:
        index = first_stage.index
        where, given = (str(index.folder), index.identity), first_stage.given
        stage = first_stage.task, first_stage.config, first_stage.second
        stages = [(*stage, given and given.of_topic(topic.number)) for topic, *_ in calls]
        pairs = zip(stages, calls, strict=True)
        blocks = resources.workers.map([(_describe_in_worker, (*where, one, *call)) for one, call in pairs])
    with resources.progress.stage("candidates and features", unit="topics", total=len(calls)) as tick:
        for block in blocks:
            tick()
            yield block


def refuse_empty(described: Sized, corpus: str) -> None:
    """Raise InputError when no topic has a candidate; ``described`` is a matrix, or the rows of a run."""
    if not len(described):
        raise InputError(corpus, "no topic matches any argument", "check that topics and corpus belong together")


def describe_topic(
    first_stage: FirstStage, topic: Topic, columns: Sequence[str] | None = None, graded: Sequence[str] = ()
) -> Block:
    """Candidates and features of one topic, from its title alone; the rest as in `describe_topics`."""
    with blaming(type(first_stage.task).__module__):
        return _described_topic(first_stage, topic, columns, graded)


def _described_topic(
    first_stage: FirstStage, topic: Topic, columns: Sequence[str] | None, graded: Sequence[str]
) -> Block:
    task, index = first_stage.task, first_stage.index
    proposed = task.propose(index, topic, term_cache(index), first_stage.config)
    candidates = task.add(index, topic, proposed, graded)
    # One thread: products of a topic are small, and a thread that waits for its share of them is a busy core. And
    # the last bits of a product depend on how many share it.
    with threadpool_limits(limits=1, user_api="blas"):
        computed = None if columns is None else [name for name in columns if not is_given(name)]
        features, rows, context = _described(first_stage, topic, candidates, computed)
        units = task.frame(index, topic, context, candidates)
        if len(units) != len(features):
            what = f"its frame has {len(units):,} rows for {len(features):,} candidates"
            raise InputError(f"task {task.name!r}", what, f"let it return one row for each {task.unit}")
        if first_stage.given:
            given = first_stage.given.frame(topic.number, units)
            names = given.columns if columns is None else [name for name in columns if is_given(name)]
            features = pd.concat([features, given[names]], axis=1)
        if (second := first_stage.second) is None:
            return Block(topic.number, units, features)
        head = np.isin(unit_keys(units), list(map(pair_key, graded))) if graded else np.zeros(len(units), bool)
        rough: dict[str, Scores] = {}
        if second.model is not None and len(units):
            rough = rough_scores(second.model, OneTopic(features))
            head |= best_rows(second.model.combine(rough), np.array([len(units)]), first_stage.config.head)
        dear = np.full((len(units), len(second.columns)), np.nan, np.float32)
        if head.any() and second.columns:
            items = rows.pairs if task.unit == "pair" else rows.arguments[:, None]  # in the order of the frames
            some = Candidates(items[head], candidates.arguments)
            dear[head] = _described(first_stage, topic, some, second.columns)[0].to_numpy()
    further = pd.DataFrame(dear, features.index, second.columns)
    return Block(topic.number, units, pd.concat([features, further], axis=1), rough)


def _described(
    first_stage: FirstStage, topic: Topic, candidates: Candidates, columns: Sequence[str] | None
) -> tuple[pd.DataFrame, TableRows, Context]:
    """The features of these candidates, and what they saw."""
    task, index, second = first_stage.task, first_stage.index, first_stage.second
    cache, query = term_cache(index), index.analyzer.distinct(topic.title)
    rows = task.tables(index, query, cache, first_stage.config, candidates)
    columns = columns_of(task.unit, brought=topic.answer is not None) if columns is None else columns
    with known_values(index, rows.sentences) as known:
        context = build_context(index, topic, query, rows, cache, known)
        if second is not None:
            context = replace(context, encoded=TopicMeaning(index, topic, rows, second.encoder))
        try:
            return describe(context, task.unit, columns), rows, context
        except ComponentError as error:
            raise InputError(*error.args) from None


@dataclass(frozen=True)
class OneTopic:
    """The candidates of one topic as rankers see them."""

    features: pd.DataFrame

    @property
    def groups(self) -> npt.NDArray[np.int64]:
        """All rows."""
        return np.array([len(self.features)], np.int64)


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


def _describe_in_worker(folder: str, identity: str, stage: Any, *call: Any) -> Block:
    task, *others = stage
    return describe_topic(FirstStage(task, worker_index(folder, identity), *others), *call)
