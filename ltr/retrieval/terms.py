"""Index terms of whole arguments, analysed once as long as they fit."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, pairwise

import numpy as np

from ltr.index.reader import Index
from ltr.index.vocabulary import Array, Vocabulary


class TermCache:
    """Index terms of arguments by row, analysed once a process as long as they fit."""

    def __init__(self, index: Index, size: int = 300_000) -> None:
        self._index = index
        self._size = size  # sentences
        self._forget()

    def _forget(self) -> None:
        self._sentences = 0
        self._vocabulary = Vocabulary(self._index.analyzer)
        self._numbers: dict[int, tuple[Array, Array]] = {}  # argument: its terms, and where each sentence's end
        self._terms: dict[int, list[list[str]]] = {}

    def sentences(self, argument: int) -> list[list[str]]:
        """Index terms of each sentence of the argument, in order."""
        if argument not in self._terms:
            self.prefetch([argument])
            flat, ends = self._numbers[argument]
            terms = self._vocabulary.strings(flat)
            self._terms[argument] = [terms[start:end] for start, end in pairwise([0, *ends.tolist()])]
        return self._terms[argument]

    def terms(self, row: int) -> list[str]:
        """Index terms of the sentence, in order."""
        argument = int(self._index.argument_of(row))
        return self.sentences(argument)[row - self._index.sentence_rows(argument).start]

    def counts(self, arguments: Sequence[int], query: Sequence[str]) -> tuple[Array, Array]:
        """(n_arguments, n_terms) frequencies of the query's terms, and (n_arguments,) lengths in terms."""
        places, lengths = self._places(arguments, query)
        owner = np.repeat(np.arange(len(lengths)), lengths)[places >= 0]
        tf = np.bincount(owner * len(query) + places[places >= 0], minlength=len(lengths) * len(query))
        return tf.reshape(len(lengths), len(query)).astype(np.float64), lengths

    def matches(self, arguments: Sequence[int], query: Sequence[str]) -> tuple[Array, Array, Array]:
        """(n_sentences,) lengths in terms of all sentences of the arguments; and for each term of the query in them, in
        order, (n_matches,) its sentence and its place in the query.
        """
        places, lengths = self._places(arguments, query)
        ends = [self._numbers[argument][1] for argument in arguments]
        starts = np.repeat(np.cumsum(lengths) - lengths, list(map(len, ends)))
        sentences = np.diff(np.concatenate([np.zeros(0, np.int64), *ends]) + starts, prepend=0)
        return sentences, np.repeat(np.arange(len(sentences)), sentences)[places >= 0], places[places >= 0]

    def _places(self, arguments: Sequence[int], query: Sequence[str]) -> tuple[Array, Array]:
        """(n_terms,) the places in the query of all terms of the arguments, -1 for others; (n_arguments,) lengths."""
        self.prefetch(arguments)
        place = np.full(len(self._vocabulary), -1)
        for position, term in enumerate(query):
            if (number := self._vocabulary.number(term)) is not None:
                place[number] = position
        texts = [self._numbers[argument][0] for argument in arguments]
        return place[np.concatenate([np.zeros(0, np.int64), *texts])], np.array(list(map(len, texts)), np.int64)

    def prefetch(self, arguments: Sequence[int]) -> None:
        """Analyse these arguments at once, unless they are there: much faster than one by one."""
        new = [argument for argument in arguments if argument not in self._numbers]
        if not new:
            return
        count = sum(len(self._index.sentence_rows(argument)) for argument in new)
        if self._sentences and self._sentences + count > self._size:
            self._forget()
            new = list(arguments)
        texts = [self._index.texts(self._index.sentence_rows(argument)) for argument in new]
        terms = self._vocabulary.read(list(chain.from_iterable(texts)))
        start = sentence = 0
        for argument, sentences in zip(new, texts, strict=True):
            ends = terms.ends[sentence : sentence + len(sentences)]
            end = int(ends[-1]) if sentences else start
            self._numbers[argument] = terms.flat[start:end], ends - start
            start, sentence = end, sentence + len(sentences)
        self._sentences += sentence
