"""Static word vectors: nearness in meaning of the topic to the sentences, their arguments and conclusions.

The vectors are in ``word_vectors.npz`` beside this file: 128 small integers for each of some 27,500 pieces of
English words. The vector of a text is the sum over its content words. They were fitted so that such sums point where a
sentence encoder does (see NOTICE).

Sums and products of integers are exact, whatever their order, so cosines do not depend on the processor.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain
from pathlib import Path

import numpy as np

from features.core.feature import OF_ARGUMENTS, feature
from features.core.statistics import FloatArray, IntArray
from features.core.tables import Context, once, token_matrix
from features.core.text import STOP_WORDS, words
from features.core.words import Words

DECIMALS = 5

_PLAIN = re.compile("[a-z0-9]+")

_cosine = partial(feature, measured_in="cosine", range=(-1, 1), source="Wang et al. 2020 (MiniLM), distilled")
_feature = partial(_cosine, group="embedding", standardise="both")


class Pieces(dict[str, tuple[int, ...]]):
    """Texts without a blank and the rows of the pieces that their words are cut into; none for a stop word.

    Longest pieces first, as WordPiece (Wu et al. 2016), without marks and accents; what no piece covers is left out.
    """

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self.vocabulary = vocabulary
        self._rows = {piece: row for row, piece in enumerate(vocabulary)}
        self._longest = max(map(len, vocabulary), default=0)

    def __missing__(self, text: str) -> tuple[int, ...]:
        if len(self) >= 500_000:
            self.clear()
        self[text] = rows = tuple(row for word in words(text) if word not in STOP_WORDS for row in self._cut(word))
        return rows

    def _cut(self, word: str) -> list[int]:
        rows = []
        for part in _PLAIN.findall(unicodedata.normalize("NFD", word)):
            start = 0
            while start < len(part):
                end = min(len(part), start + self._longest)
                prefix = "##" if start else ""  # begins a piece that stands inside a word
                while end > start and prefix + part[start:end] not in self._rows:
                    end -= 1
                if end == start:
                    break
                rows.append(self._rows[prefix + part[start:end]])
                start = end
        return rows


@dataclass(frozen=True)
class Rows:
    """Vectors of texts and their lengths; zeros for a text without a known content word."""

    sums: FloatArray
    """(n_texts, n_dimensions) whole numbers"""
    norms: FloatArray
    """(n_texts,)"""

    @classmethod
    def of(cls, sums: FloatArray) -> Rows:
        """With the lengths of such sums."""
        wide = np.asarray(sums, np.float64)
        return cls(wide, np.sqrt(np.vecdot(wide, wide)))

    def __getitem__(self, rows: IntArray) -> Rows:
        return Rows(self.sums[rows], self.norms[rows])

    def cosine(self, other: Rows) -> FloatArray:
        """(n_texts,) cosines with the matching rows of another, or with its only one; 0 where a vector is missing."""
        products = np.vecdot(self.sums, other.sums)
        lengths = self.norms * other.norms
        return np.asarray(np.clip(products / np.where(lengths > 0, lengths, 1), -1, 1).round(DECIMALS))


class WordVectors:
    """Vectors of texts from those of the pieces of words."""

    def __init__(self, vocabulary: Sequence[str], vectors: FloatArray) -> None:
        """``vectors`` are whole numbers, (n_pieces, n_dimensions)."""
        self._pieces = Pieces(vocabulary)
        self._vectors = vectors.astype(np.float32)  # exact up to 100,000 words a text

    def rows(self, texts: Sequence[str]) -> Rows:
        """The vectors of texts."""
        return Rows.of(self.sums(texts))

    def sums(self, texts: Sequence[str]) -> FloatArray:
        """(n_texts, n_dimensions) float32 vectors of texts, without their lengths."""
        pieces = [list(chain.from_iterable(map(self._pieces.__getitem__, text.split()))) for text in texts]
        return np.asarray(token_matrix(pieces, len(self._vectors), np.float32) @ self._vectors)


@cache
def load_vectors() -> WordVectors:
    """The vectors that ship with this package."""
    with np.load(Path(__file__).with_name("word_vectors.npz"), allow_pickle=False) as arrays:
        return WordVectors(arrays["pieces"].tobytes().decode("ascii").split("\n"), arrays["vectors"])


@once
def _lines(c: Context) -> tuple[dict[str, int], FloatArray]:
    """The position of each text and of each line of an argument, and (n_positions, n_dimensions) sums of vectors.

    Sentences are lines of their arguments as well, and their words are looked up once.
    """
    lines = chain.from_iterable(c.arguments.lines)
    distinct = list(dict.fromkeys(chain([c.title], lines, c.sentences.text, c.arguments.conclusion_text)))
    return {text: row for row, text in enumerate(distinct)}, load_vectors().sums(distinct)


def _vectors(c: Context, texts: Sequence[str]) -> Rows:
    """The vectors of texts of the topic."""
    place, sums = _lines(c)
    return Rows.of(sums[[place[text] for text in texts]])


@_feature("argument", lift=("min",))
def vector_topic_argument(c: Context) -> FloatArray:
    """Word-vector cosine of the topic with the whole argument."""
    lines = c.arguments.lines
    starts = np.cumsum([0, *map(len, lines)], dtype=np.int64)[:-1]
    place, sums = _lines(c)
    of_lines = sums[[place[line] for line in chain.from_iterable(lines)]]
    return Rows.of(np.add.reduceat(of_lines, starts)).cosine(_vectors(c, [c.title]))


@_feature("argument", lift=("min",), kinds=OF_ARGUMENTS)
def vector_topic_conclusion(c: Context) -> FloatArray:
    """Word-vector cosine of the topic with the conclusion; 0 without one."""
    return _vectors(c, c.arguments.conclusion_text).cosine(_vectors(c, [c.title]))


@_feature("argument", lift=("min",), kinds=("document",))
def weakest_word(c: Context) -> FloatArray:
    """Word-vector cosine of the topic's word that the document is furthest from with its nearest word.

    One word without an answer is enough for a low value. Words that no vector covers are left out.
    """
    asked = list(dict.fromkeys(words(c.title)))
    texts = Words.of([words(text) for text in c.arguments.text]).once
    rows = load_vectors().rows([*asked, *texts.distinct])
    known = rows.norms > 0
    unit = rows.sums / np.where(known, rows.norms, 1)[:, None]
    topic, vocabulary = np.split(unit, [len(asked)])
    topic = topic[known[: len(asked)]]
    covered = known[len(asked) :][texts.number]
    owner, number = texts.owner[covered], texts.number[covered]
    values = np.zeros(len(c.arguments))
    if len(topic) and len(owner):
        starts = np.flatnonzero(np.diff(owner, prepend=-1))
        near = (topic @ vocabulary.T).round(DECIMALS)
        values[owner[starts]] = np.maximum.reduceat(near[:, number], starts, axis=1).min(axis=0)
    return np.clip(values, -1, 1)


@_feature("pair")
def vector_topic_pair(c: Context) -> FloatArray:
    """Word-vector cosine of the topic with the mean of both sentences' unit vectors.

    The cosine with the sum of two unit vectors, from the three cosines between them.
    """
    rows = _vectors(c, c.sentences.text)
    near = rows.cosine(_vectors(c, [c.title]))
    alike = rows[c.pairs.first].cosine(rows[c.pairs.second])
    length = np.sqrt(np.maximum(2 + 2 * alike, 1e-9))
    return np.clip(((c.of_first(near) + c.of_second(near)) / length).round(DECIMALS), -1, 1)
