"""The one path that train and predict share: topics -> candidates -> feature matrix."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from threading import get_ident
from types import MappingProxyType

import numpy as np

from features.core.extract import TextValues, describe_pairs
from features.core.tables import ArgumentTable, Context, PairTable, SentenceTable
from features.pair.similarity import near_duplicate_clusters
from ltr.data.formats import Topic, debate_of
from ltr.index.reader import Index
from ltr.parallel.processes import Workers
from ltr.pipeline.matrix import Block, Matrix
from ltr.progress import Progress
from ltr.retrieval.candidates import Candidates, Settings, TermCache, propose, with_pairs


def describe_topics(
    index: Index,
    topics: Sequence[Topic],
    settings: Settings,
    *,
    columns: Sequence[str] | None = None,
    pairs: Mapping[str, Sequence[str]] = MappingProxyType({}),
    workers: Workers,
    progress: Progress,
) -> Matrix:
    """Candidates and features of every topic. Topics are shared out to ``workers``.

    ``columns`` are those that the matrix is to have: only the features behind them are computed. None: all.
    ``pairs``, by topic, are described too where the corpus has them, as ids ``idA,idB``: graded ones, to learn from.
    What comes out does not depend on the workers: a topic is described alone, and rows are sorted after.
    Raises KeyError for a column that no feature fills.
    """
    wanted = None if columns is None else tuple(columns)
    found: Iterable[Block]
    if workers.jobs == 1 or len(topics) < 4:
        found = (describe_topic(index, topic, settings, wanted, pairs.get(topic.number, ())) for topic in topics)
    else:
        where = str(index.folder), index.identity
        calls = [(*where, topic, settings, wanted, tuple(pairs.get(topic.number, ()))) for topic in topics]
        found = workers.spread([(_describe_in_worker, call) for call in calls])
    with progress.stage("candidates and features", unit="topics", total=len(topics)) as tick:
        blocks = []
        for block in found:
            blocks.append(block)
            tick()
    return Matrix(blocks)


def describe_topic(
    index: Index,
    topic: Topic,
    settings: Settings,
    columns: Sequence[str] | None = None,
    pairs: Sequence[str] = (),
) -> Block:
    """Candidates and features of one topic, from its title alone; ``columns`` and ``pairs`` as in `describe_topics`."""
    from threadpoolctl import threadpool_limits

    cache = _cache(index, get_ident())
    query = index.analyzer.distinct(topic.title)
    candidates = with_pairs(index, propose(index, query, cache, settings), pairs)
    # One thread: products of a topic are small, and a thread that waits for its share of them is a busy core. And
    # the last bits of a product depend on how many share it.
    with threadpool_limits(limits=1, user_api="blas"):
        return describe_candidates(index, topic.number, topic.title, query, candidates, cache, columns)


def describe_candidates(
    index: Index,
    number: str,
    title: str,
    query: Sequence[str],
    candidates: Candidates,
    cache: TermCache,
    columns: Sequence[str] | None = None,
) -> Block:
    """Features of given candidates; ``columns`` as in `describe_topics`."""
    context, rows = build_context(index, title, query, candidates, cache)
    first, second = context.pairs.first, context.pairs.second
    ids = [index.sentence_id(row) for row in rows]
    sides = [context.arguments.stance[argument] for argument in context.sentences.argument]
    clusters = near_duplicate_clusters(context)
    return Block(
        topic=number,
        features=describe_pairs(context, columns),
        first=[ids[i] for i in first],
        second=[ids[i] for i in second],
        first_key=clusters[first],
        second_key=clusters[second],
        first_text=context.sentences.near_key[first],
        second_text=context.sentences.near_key[second],
        stance=[sides[i] if sides[i] and sides[i] == sides[j] else "Q0" for i, j in zip(first, second, strict=True)],
    )


def build_context(
    index: Index, title: str, query: Sequence[str], candidates: Candidates, cache: TermCache
) -> tuple[Context, list[int]]:
    """The tables that features see, and the index row of each sentence in them."""
    rows = np.unique(np.concatenate([candidates.first, candidates.second])).astype(np.int64)
    owners = index.argument_of(rows)
    arguments = np.unique(owners)
    starts = np.array([index.sentence_rows(int(owner)).start for owner in owners], np.int64)
    texts = [index.text(int(row)) for row in rows]
    canonical = index.column("canonical")[rows].astype(np.int64)
    conclusions = index.column("conclusion_row")[arguments]
    sentences = SentenceTable(
        text=texts,
        terms=[cache.terms(int(row)) for row in rows],
        argument=np.searchsorted(arguments, owners),
        index=rows - starts,
        is_conclusion=np.asarray(index.column("number")[rows] < 0),
        exact_count=index.column("exact_count")[rows].astype(np.int64),
        near_count=index.column("near_count")[rows].astype(np.int64),
        is_canonical=canonical == rows,
        exact_key=canonical,
        near_key=np.asarray(index.column("near_key")[rows]),
    )
    title_text = [index.title(int(argument)) for argument in arguments]
    titles = {text: index.analyzer.terms(text) for text in dict.fromkeys(title_text)}
    table = ArgumentTable(
        id=[index.argument_id(int(argument)) for argument in arguments],
        stance=[index.stance(int(argument)) for argument in arguments],
        sentences=[cache.sentences(int(argument)) for argument in arguments],
        text=["\n".join(index.texts(index.sentence_rows(int(argument)))) for argument in arguments],
        conclusion=[cache.terms(int(row)) if row >= 0 else [] for row in conclusions],
        conclusion_text=[index.text(int(row)) if row >= 0 else "" for row in conclusions],
        title=[titles[text] for text in title_text],
        title_text=title_text,
        debate=np.unique([debate_of(index.argument_id(int(argument))) for argument in arguments], return_inverse=True)[
            1
        ],
        body_count=index.column("body_count")[arguments].astype(np.int64),
        debate_size=index.column("debate_size")[arguments].astype(np.int64),
    )
    pairs = PairTable(np.searchsorted(rows, candidates.first), np.searchsorted(rows, candidates.second))
    context = Context(title, query, sentences, table, pairs, index.statistics, TextValues(texts))
    return context, rows.tolist()


@lru_cache(maxsize=64)
def _cache(index: Index, thread: int) -> TermCache:
    return TermCache(index)  # one for each thread: the workers of a cluster may have several


@lru_cache(maxsize=1)
def _worker_index(folder: str, identity: str) -> Index:
    return Index(Path(folder), identity)


def _describe_in_worker(
    folder: str,
    identity: str,
    topic: Topic,
    settings: Settings,
    columns: Sequence[str] | None,
    pairs: Sequence[str],
) -> Block:
    return describe_topic(_worker_index(folder, identity), topic, settings, columns, pairs)
