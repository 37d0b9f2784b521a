"""The tables of a topic, from rows of the index with the vectors of its texts, and the values of features there."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from threading import local
from typing import Any, Self, cast

import numpy as np
import pandas as pd
from threadpoolctl import ThreadpoolController

from features.core.describe import TextValues
from features.core.describe import describe as describe_context
from features.core.feature import KINDS
from features.core.statistics import FloatArray
from features.core.tables import ArgumentTable, Context, PairTable, SentenceTable
from ltr.data.topics import Topic
from ltr.index.reader import Index
from ltr.plugins import blame_plugin
from ltr.ranking.source import RankingSource
from ltr.ranking.task import TableRows
from ltr.ranking.text_values import known_values
from ltr.retrieval.arguments import Search, TermCache
from ltr.retrieval.base import Rows
from ltr.text_models.encoders import Encoder
from ltr.text_models.kept import Vectors
from ltr.text_models.reader import expected_grades
from models.blend import head_only_columns

_kept = local()
"""Threads share neither terms nor tables: the workers of a cluster may have several."""


@dataclass(frozen=True)
class TopicTables:
    """The tables for features of some items of a topic."""

    source: RankingSource
    topic: Topic
    wanted: TableRows
    context: Context

    @classmethod
    def of(cls, source: RankingSource, topic: Topic, rows: Rows) -> Self:
        """The tables of items, given as (n_items, n_parts) rows of the index."""
        search = search_of(source, topic)
        with _one_thread():
            wanted = source.task.tables(search, rows)
            return cls(source, topic, wanted, _context(search, wanted))

    @property
    def rows(self) -> Rows:
        """(n_items, n_parts) the items in the order of the features."""
        return self.wanted.pairs if KINDS[self.source.task.kind].parts > 1 else self.wanted.arguments[:, None]

    def keep(self) -> None:
        """Keep them for the next `feature_values` of this thread: the values of all proposed items read the same."""
        _kept.last = self

    def values(self, columns: Sequence[str], encoder: Encoder | None) -> pd.DataFrame:
        """(n_items, n_columns) float32 values of features, in the order of ``rows``."""
        context, index = self.context, self.source.index
        if encoder is not None and head_only_columns(columns):
            context = replace(context, encoded=TopicMeaning(index, self.topic, self.wanted, encoder))
        with _one_thread(), known_values(index, self.wanted.sentences) as known:
            cast(TextValues, context.text_values).know(known)
            return describe_context(context, self.source.task.kind, columns)


def feature_values(
    source: RankingSource, topic: Topic, wanted: Rows, columns: Sequence[str], encoder: Encoder | None
) -> pd.DataFrame:
    """(n_items, n_columns) float32 features of items of a topic, given as (n_items, n_parts) rows of the index."""
    if not len(wanted) or not columns:
        return pd.DataFrame(np.empty((len(wanted), len(columns)), np.float32), columns=list(columns))
    order = np.lexsort(wanted.T)
    tables = vars(_kept).pop("last", None)
    with blame_plugin(type(source.task).__module__):
        kept = tables is not None and (tables.source, tables.topic) == (source, topic)
        if not kept or not np.array_equal(tables.rows[np.lexsort(tables.rows.T)], wanted[order]):
            tables = TopicTables.of(source, topic, wanted)
        values = tables.values(columns, encoder)
    place = np.empty(len(wanted), np.int64)
    place[order] = np.lexsort(tables.rows.T)
    return values.take(place)


def _context(search: Search, wanted: TableRows) -> Context:
    index, rows, arguments = search.index, wanted.sentences, wanted.arguments
    spans = [index.sentence_rows(argument) for argument in arguments.tolist()]
    texts_of = [index.texts(span) for span in spans]
    owners = np.searchsorted(arguments, index.argument_of(rows))
    positions = rows - np.array([span.start for span in spans], np.int64)[owners]
    located = list(zip(owners.tolist(), positions.tolist(), strict=True))
    texts = [texts_of[owner][position] for owner, position in located]
    terms = [search.cache.sentences(argument) for argument in arguments.tolist()]
    conclusions = index.column("conclusion_row")[arguments]
    sentences = SentenceTable(
        text=texts,
        terms=[terms[owner][position] for owner, position in located],
        argument=owners,
        index=positions,
        is_conclusion=np.asarray(index.column("number")[rows] < 0),
        near_count=index.column("near_count")[rows].astype(np.int64),
        exact_key=index.column("canonical")[rows].astype(np.int64),
        near_key=np.asarray(index.column("near_key")[rows]),
    )
    ids = [index.argument_id(int(argument)) for argument in arguments]
    title_text = [index.title(int(argument)) for argument in arguments]
    titles = {text: index.analyzer.terms(text) for text in dict.fromkeys(title_text)}
    table = ArgumentTable(
        id=ids,
        stance=[index.stance(int(argument)) for argument in arguments],
        sentences=terms,
        text=["\n".join(some) for some in texts_of],
        conclusion=[search.cache.terms(int(row)) if row >= 0 else [] for row in conclusions],
        conclusion_text=[index.text(int(row)) if row >= 0 else "" for row in conclusions],
        title=[titles[text] for text in title_text],
        title_text=title_text,
        page=np.unique(index.column("page")[arguments], return_inverse=True)[1],
        conclusion_count=index.column("conclusion_count")[arguments].astype(np.int64),
        source=index.sources(arguments),
    )
    pairs = PairTable(*np.searchsorted(rows, wanted.pairs).T)
    topic, values = search.topic, TextValues(texts)
    return Context(topic.title, search.query, sentences, table, pairs, index.statistics, values, topic.objects)


class TopicMeaning:
    """The vectors that `features.core.tables.Meaning` names, encoded or read when a feature asks for them.

    Its properties raise InputError where the encoder fails.
    """

    def __init__(self, index: Index, topic: Topic, rows: TableRows, encoder: Encoder) -> None:
        self._index, self._topic, self._rows, self._size = index, topic, rows, encoder.size
        self._vectors = Vectors(index, encoder)

    @cached_property
    def question(self) -> FloatArray:
        """(size,)"""
        return self._vectors.of_texts([self._topic.title], questions=True)[0]

    @cached_property
    def sentences(self) -> FloatArray:
        """(n_sentences, size)"""
        return self._vectors.of_sentences(self._rows.sentences)

    @cached_property
    def conclusions(self) -> FloatArray:
        """(n_arguments, size)"""
        rows = self._index.column("conclusion_row")[self._rows.arguments].astype(np.int64)
        vectors = np.zeros((len(rows), self._size), np.float32)
        vectors[rows >= 0] = self._vectors.of_sentences(rows[rows >= 0])
        return vectors

    @cached_property
    def titles(self) -> FloatArray:
        """(n_arguments, size)"""
        return self._vectors.of_texts(list(map(self._index.title, self._rows.arguments.tolist())))

    def grades(self, pairs: Sequence[tuple[str, str]]) -> FloatArray:
        """(n_pairs, 3)"""
        return expected_grades(self._index.folder, self._topic.title, pairs)


def _one_thread() -> AbstractContextManager[Any]:
    """One thread for products of matrices.

    Those of a topic are small, and a thread that waits for its share of them is a busy core. And the last bits of a
    product depend on how many threads share it.
    """
    return _libraries().limit(limits=1, user_api="blas")


_libraries = cache(ThreadpoolController)
"""Finds the libraries of this process when a topic is first described: looking for them takes as long as a feature."""


def search_of(source: RankingSource, topic: Topic) -> Search:
    """The search of the first stage for a topic."""
    return Search(source.index, topic, source.config, term_cache(source.index))


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
