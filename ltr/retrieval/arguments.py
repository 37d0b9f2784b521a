"""Topic to arguments, and to the premises of an argument that say most of it.

Arguments are a wide BM25 pool, ordered by the scores that work best on whole arguments. Deterministic and bounded:
every cut is by score, then by id.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise

import numpy as np

from features.query.lexical import Match, bm25, dirichlet
from ltr.data.topics import Topic
from ltr.index.reader import Index
from ltr.index.vocabulary import Array, Vocabulary
from ltr.retrieval.base import CandidateConfig


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


@dataclass(frozen=True)
class Search:
    """A topic in an index, how wide the first stage looks for it, and the terms that are known already."""

    index: Index
    topic: Topic
    config: CandidateConfig
    cache: TermCache

    @cached_property
    def query(self) -> list[str]:
        """The distinct index terms of the topic's title."""
        return self.index.analyzer.distinct(self.topic.title)


Premises = Mapping[int, list[int]]
"""Argument row -> the sentence rows of its premises that hold a word, best first."""


def rank_arguments(search: Search) -> list[int]:
    """Argument rows, best first: a BM25 pool, ordered by the mean reciprocal rank of DirichletLM and tuned BM25.

    The engine's k1 and b are fixed at 1.2 and .75, under which short arguments win; the pool is wide
    enough for that not to matter, and both scores that order it are computed from the statistics.
    """
    index, query, config = search.index, search.query, search.config
    pool: set[int] = set(index.search("argument", query, config.argument_depth)[0].tolist())
    pool |= set(index.search("conclusion", query, config.conclusion_depth)[0].tolist())
    sentences = index.search("sentence", query, config.sentence_depth)[0]
    pool |= set(index.argument_of(sentences).tolist())
    rows = sorted(pool, key=index.argument_id)
    if not rows:
        return []
    match = Match.of(*search.cache.counts(rows, query), index.statistics, "argument", query)
    scores = dirichlet(match, 2500), bm25(match, 4.0, 0.15)
    # Scores that differ in their last bits alone are equal.
    orders = [np.argsort(-np.round(score, 9), kind="stable") for score in scores]
    fused = sum(1 / (60 + np.argsort(order)) for order in orders)
    best = np.argsort(-fused, kind="stable")[: config.arguments]
    return [rows[i] for i in best]


def rank_premises(search: Search, arguments: Sequence[int]) -> Premises:
    """The premises of arguments: by their topic words, then by length, then in reading order."""
    index, query = search.index, search.query
    lengths, sentence, place = search.cache.matches(arguments, query)
    # A term counts once a sentence. In order of first appearance: sums of another order differ in their last bits.
    first = np.sort(np.unique(sentence * len(query) + place, return_index=True)[1])
    match = np.bincount(sentence[first], index.statistics.idf("sentence", query)[place[first]], len(lengths))
    scores = np.round(match + 4 * np.minimum(lengths, 12) / 12, 9)
    spans = list(map(index.sentence_rows, arguments))
    rows = np.array(list(chain.from_iterable(spans)), np.int64)
    owner = np.repeat(np.arange(len(spans)), list(map(len, spans)))
    premises = np.flatnonzero((index.column("number")[rows] >= 0) & (lengths > 0))
    order = premises[np.lexsort((-scores[premises], owner[premises]))]
    ranked, ends = rows[order].tolist(), np.searchsorted(owner[order], np.arange(len(spans)), side="right").tolist()
    return {row: ranked[start:end] for row, start, end in zip(arguments, [0, *ends], ends, strict=False)}
