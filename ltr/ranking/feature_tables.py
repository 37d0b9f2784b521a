"""Tables of a topic for features: from rows of the index, with the vectors of its texts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from features.core.describe import TextValues
from features.core.statistics import FloatArray
from features.core.tables import ArgumentTable, Context, PairTable, SentenceTable
from ltr.data.topics import Topic
from ltr.index.reader import Index
from ltr.ranking.task import TableRows
from ltr.retrieval.arguments import TermCache
from ltr.text_models.encoders import Encoder
from ltr.text_models.kept_vectors import Vectors


def build_context(
    index: Index,
    topic: Topic,
    query: Sequence[str],
    wanted: TableRows,
    cache: TermCache,
) -> Context:
    """The tables of a topic."""
    rows, arguments = wanted.sentences, wanted.arguments
    spans = [index.sentence_rows(argument) for argument in arguments.tolist()]
    texts_of = [index.texts(span) for span in spans]
    owners = np.searchsorted(arguments, index.argument_of(rows))
    positions = rows - np.array([span.start for span in spans], np.int64)[owners]
    located = list(zip(owners.tolist(), positions.tolist(), strict=True))
    texts = [texts_of[owner][position] for owner, position in located]
    terms = [cache.sentences(argument) for argument in arguments.tolist()]
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
        conclusion=[cache.terms(int(row)) if row >= 0 else [] for row in conclusions],
        conclusion_text=[index.text(int(row)) if row >= 0 else "" for row in conclusions],
        title=[titles[text] for text in title_text],
        title_text=title_text,
        page=np.unique(index.column("page")[arguments], return_inverse=True)[1],
        conclusion_count=index.column("conclusion_count")[arguments].astype(np.int64),
        source=index.sources(arguments),
    )
    pairs = PairTable(*np.searchsorted(rows, wanted.pairs).T)
    values = TextValues(texts)
    return Context(topic.title, query, sentences, table, pairs, index.statistics, values, topic.objects)


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
        return self._vectors.of_texts([self._topic.title])[0]

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
