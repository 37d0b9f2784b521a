"""Words and terms of many texts at once, as numbers: what :mod:`features.core.text` finds one by one.

Only a new word is hashed, and only once is it stemmed.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from features.core.statistics import text_hash
from features.core.text import Analyzer, words

Array = np.ndarray[Any, Any]


class Terms(NamedTuple):
    """The terms of some texts, one after the other."""

    flat: Array
    """(n_terms,) numbers of terms, those of the first text first"""
    ends: Array
    """(n_texts,) where each text's terms end"""
    keys: Array
    """(n_texts,) uint64: equal for texts of the same words in the same order"""


class Vocabulary:
    """Terms numbered as they come."""

    def __init__(self, analyzer: Analyzer) -> None:
        self.analyzer = analyzer
        self._words = _Numbers()
        self._terms = _Numbers()
        self._term_of = array("q")  # by a word's number; -1 for a stop word

    def __len__(self) -> int:
        return len(self._terms)

    @property
    def hashes(self) -> Array:
        """(n_terms,) uint64 hashes of the terms, as :func:`features.core.statistics.text_hash` gives them."""
        return np.array(self._terms.hashes, np.uint64)

    def number(self, term: str) -> int | None:
        """The number of a term, None for one that has not come yet."""
        return self._terms.get(term)

    def strings(self, numbers: Array) -> list[str]:
        """The terms of these numbers."""
        return list(map(self._terms.strings.__getitem__, numbers.tolist()))

    def read(self, texts: Sequence[str]) -> Terms:
        """Cut texts into terms."""
        found = [words(text) for text in texts]
        ends = np.cumsum([len(text) for text in found], dtype=np.int64)
        numbers = np.fromiter(map(self._words.__getitem__, chain.from_iterable(found)), np.int64, ends[-1:].sum())
        for word in self._words.strings[len(self._term_of) :]:
            term = self.analyzer.of_word(word)
            self._term_of.append(self._terms[term] if term else -1)
        keys = sequence_keys(np.array(self._words.hashes, np.uint64)[numbers], ends)
        for text in np.flatnonzero(np.diff(ends, prepend=0) == 0).tolist():
            keys[text] = text_hash(texts[text])
        terms = np.array(self._term_of, np.int64)[numbers]
        kept = terms >= 0
        before = np.concatenate([[0], np.cumsum(kept)])
        return Terms(terms[kept], before[ends], keys)


class _Numbers(dict[str, int]):
    """Strings and their numbers. A lookup in C, unless the string is new."""

    def __init__(self) -> None:
        super().__init__()
        self.strings: list[str] = []
        self.hashes = array("Q")

    def __missing__(self, text: str) -> int:
        self[text] = number = len(self.strings)
        self.strings.append(text)
        self.hashes.append(text_hash(text))
        return number


def sequence_keys(hashes: Array, ends: Array) -> Array:
    """(n_sequences,) uint64: of the hashes in each sequence and their order. ``ends`` says where each ends."""
    counts = np.diff(ends, prepend=0)
    place = np.arange(len(hashes)) - np.repeat(ends - counts, counts)
    total = np.concatenate([np.zeros(1, np.uint64), np.cumsum(mixed(hashes + mixed(place.astype(np.uint64))))])
    return mixed(total[ends] - total[ends - counts])


def set_keys(hashes: Array, owner: Array, size: int) -> Array:
    """(size,) uint64: of the set of hashes that each owner has; 0 for an owner of none. ``owner`` is in order."""
    total = np.concatenate([np.zeros(1, np.uint64), np.cumsum(hashes, dtype=np.uint64)])  # a sum minds no order
    return np.diff(total[np.searchsorted(owner, np.arange(size + 1))])


def mixed(values: Array) -> Array:
    """A bijection of 64-bit numbers without a pattern: the finaliser of SplitMix64 (Steele, Lea and Flood 2014)."""
    values = values + np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
