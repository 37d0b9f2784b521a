"""The vectors of a topic's texts, encoded or read when a feature asks for them."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from features.core.statistics import FloatArray
from ltr.data.topics import Topic
from ltr.encoders.base import Encoder
from ltr.index.reader import Index
from ltr.index.vectors import Vectors
from ltr.ranking.task import TableRows


class TopicMeaning:
    """What `features.core.tables.Meaning` says. Its properties raise InputError where the encoder fails."""

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
        return self._vectors.of_titles(self._rows.arguments)

    @cached_property
    def objects(self) -> FloatArray:
        """(n_objects, size)"""
        return self._vectors.of_texts(self._topic.objects)
