"""Words and terms of many texts at once, as numbers: what is looked up or computed is done once a distinct word."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from features.core.statistics import text_hash
from features.core.text import Analyzer, words
from features.core.words import Numbers

Array = np.ndarray[Any, Any]

_NONE = -1
"""Number of the border between two texts, and of the term of a stop word."""

_BORDER = "\N{SECTION SIGN}"
_PLAIN = "".join(char.lower() if char.isalnum() or char == "'" else " " for char in map(chr, range(128)))
_CUT = _PLAIN.encode() + bytes(range(128, 256))
"""The bytes of texts in lower case, with a blank in place of marks: texts of ASCII are cut into words at once."""


class Terms(NamedTuple):
    """The terms of some texts, one after the other."""

    flat: Array
    """(n_terms,) numbers of terms, those of the first text first"""
    ends: Array
    """(n_texts,) where each text's terms end"""
    keys: Array
    """(n_texts,) uint64: equal for texts of the same words in the same order"""
    words: Array
    """(n_words,) uint64 hashes of all words, those of the first text first"""
    word_ends: Array
    """(n_texts,) where each text's words end"""


class Vocabulary:
    """Terms numbered as they come."""

    def __init__(self, analyzer: Analyzer) -> None:
        self.analyzer = analyzer
        self._words, self._terms = Numbers(), Numbers()
        self._words[_BORDER] = self._terms[""] = _NONE
        self._term_of, self._word_hashes, self._term_hashes = array("q"), array("Q"), array("Q")

    def __len__(self) -> int:
        return len(self._terms.strings)

    @property
    def hashes(self) -> Array:
        """(n_terms,) uint64 hashes of the terms, as :func:`features.core.statistics.text_hash` gives them."""
        self._term_hashes.extend(map(text_hash, self._terms.strings[len(self._term_hashes) :]))
        return np.array(self._term_hashes, np.uint64)

    def number(self, term: str) -> int | None:
        """The number of a term, None for one that has not come yet."""
        return self._terms.get(term)

    def strings(self, numbers: Array) -> list[str]:
        """The terms of these numbers."""
        strings = self._terms.strings
        return [strings[number] for number in numbers.tolist()]

    def read(self, texts: Sequence[str]) -> Terms:
        """Cut texts into terms."""
        plain = (text if text.isascii() and "'" not in text else " ".join(words(text)) for text in texts)
        content = f" {_BORDER} ".join([*plain, ""]).encode().translate(_CUT).decode()
        numbers = np.array(list(map(self._words.__getitem__, content.split())), np.int64)
        borders = np.flatnonzero(numbers == _NONE)
        word_ends, numbers = borders - np.arange(len(borders)), numbers[numbers != _NONE]
        new = self._words.strings[len(self._term_of) :]
        self._term_of.extend(map(self._terms.__getitem__, map(self.analyzer.of_word, new)))
        self._word_hashes.extend(map(text_hash, new))
        terms, hashes = np.array(self._term_of, np.int64)[numbers], np.array(self._word_hashes, np.uint64)[numbers]
        keys = sequence_keys(hashes, word_ends)
        for text in np.flatnonzero(np.diff(word_ends, prepend=0) == 0).tolist():
            keys[text] = text_hash(texts[text])
        kept = terms != _NONE
        before = np.concatenate([[0], np.cumsum(kept)])
        return Terms(terms[kept], before[word_ends], keys, hashes, word_ends)


def byte_lengths(texts: Sequence[str]) -> Array:
    """(n_texts,) numbers of bytes in UTF-8."""
    return np.fromiter((len(text) if text.isascii() else len(text.encode()) for text in texts), np.int64, len(texts))


def sequence_keys(hashes: Array, ends: Array) -> Array:
    """(n_sequences,) uint64: of the hashes in each sequence and their order. ``ends`` says where each ends."""
    counts = np.diff(ends, prepend=0)
    position = np.arange(len(hashes)) - np.repeat(ends - counts, counts)
    total = np.concatenate([np.zeros(1, np.uint64), np.cumsum(mixed(hashes + mixed(position.astype(np.uint64))))])
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
