"""Words and terms of many texts at once, as numbers: what :mod:`features.core.text` finds one by one.

A text in ASCII is cut into words on its bytes, in numpy; any other is cut by :func:`features.core.text.words`, and its
words are put back as a text that the bytes cut into the same ones. A word is known by a 64-bit hash: only a new one
becomes a string, and only once is it stemmed. Cutting all texts by :func:`features.core.text.words` takes twice the
time (.29 s for .14 s per 5,000 arguments), and 6% more processor time for a whole index.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np

from features.core.folding import folded
from features.core.statistics import text_hash
from features.core.text import Analyzer, words
from features.core.words import Numbers

Array = np.ndarray[Any, Any]

_STOP, _NEW = -1, -2

_BYTES = np.arange(256)
_LETTERS = np.isin(_BYTES, np.frombuffer(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", np.uint8))
_LOWER = np.where(_LETTERS, _BYTES | 32, _BYTES).astype(np.uint8).tobytes()
_WORD = _LETTERS | np.isin(_BYTES, np.frombuffer(b"0123456789", np.uint8)) | (_BYTES >= 128)
_APOSTROPHE = ord("'")
_MARKS = {"\N{RIGHT SINGLE QUOTATION MARK}": "'"} | dict.fromkeys("\u2018\u201c\u201d\u2013\u2014\u2026\u2022\xa0", " ")
"""Marks of print, and what cuts a text in the same way: most texts are in ASCII then."""
_BLOCK = 8
_BLOCKS = 16
_KEEP = np.array([(1 << 8 * kept) - 1 for kept in range(_BLOCK)] + [2**64 - 1], np.uint64)
"""Masks for the first 0 to 8 bytes of a little-endian block."""


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
        self._words: dict[int, int] = {}  # the hash of a word to its term's number
        self._numbers = Numbers()
        self._numbers[""] = _STOP
        self._hashes = array("Q")

    def __len__(self) -> int:
        return len(self._numbers.strings)

    @property
    def hashes(self) -> Array:
        """(n_terms,) uint64 hashes of the terms, as :func:`features.core.statistics.text_hash` gives them."""
        self._hashes.extend(map(text_hash, self._numbers.strings[len(self._hashes) :]))
        return np.array(self._hashes, np.uint64)

    def number(self, term: str) -> int | None:
        """The number of a term, None for one that has not come yet."""
        return self._numbers.get(term)

    def strings(self, numbers: Array) -> list[str]:
        """The terms of these numbers."""
        return list(map(self._numbers.strings.__getitem__, numbers.tolist()))

    def read(self, texts: Sequence[str]) -> Terms:
        """Cut texts into terms."""
        pieces = list(texts)
        for odd in _not_ascii(texts):
            plain = texts[odd]
            for mark, same in _MARKS.items():
                plain = plain.replace(mark, same)
            pieces[odd] = plain if plain.isascii() else " ".join(words(plain))
        content = "\n".join(["", *pieces, *[""] * _BLOCK]).encode().translate(_LOWER)
        buffer = np.frombuffer(content, np.uint8)
        starts, ends = _cut(buffer)
        hashes = _hashes(buffer, starts, ends)
        text_ends = np.searchsorted(starts, 1 + np.cumsum(byte_lengths(pieces) + 1))
        keys = sequence_keys(hashes, text_ends)
        for text in np.flatnonzero(np.diff(text_ends, prepend=0) == 0).tolist():
            keys[text] = text_hash(folded(texts[text]))
        rows, codes = _distinct(hashes)
        terms = self._terms(hashes[rows], content, starts[rows], ends[rows])[codes]
        kept = terms >= 0
        before = np.concatenate([[0], np.cumsum(kept)])
        return Terms(terms[kept], before[text_ends], keys, hashes, text_ends)

    def _terms(self, distinct: Array, content: bytes, starts: Array, ends: Array) -> Array:
        """The terms of distinct words; words never seen are read from the content, from where they start and end."""
        terms = np.fromiter(map(self._words.get, distinct.tolist(), repeat(_NEW)), np.int64, len(distinct))
        new = np.flatnonzero(terms == _NEW)
        unseen = [content[a:b].decode() for a, b in zip(starts[new].tolist(), ends[new].tolist(), strict=True)]
        numbers = list(map(self._numbers.__getitem__, map(self.analyzer.of_word, unseen)))
        self._words.update(zip(distinct[new].tolist(), numbers, strict=True))
        terms[new] = numbers
        return terms


def byte_lengths(texts: Sequence[str]) -> Array:
    """(n_texts,) numbers of bytes in UTF-8."""
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    for odd in _not_ascii(texts):
        lengths[odd] = len(texts[odd].encode())
    return lengths


def _not_ascii(texts: Sequence[str]) -> list[int]:
    return np.flatnonzero(~np.fromiter(map(str.isascii, texts), bool, len(texts))).tolist()


def _cut(buffer: Array) -> tuple[Array, Array]:
    """Starts and ends of words: runs of letters and digits; an apostrophe between two of these is inside a word."""
    inside = _WORD[buffer]
    marks = np.flatnonzero(buffer == _APOSTROPHE)
    marks = marks[inside[marks - 1] & inside[marks + 1]]
    inside[marks] = True
    edges = np.flatnonzero(inside[1:] != inside[:-1]) + 1
    return edges[0::2], edges[1::2]


def _hashes(buffer: Array, starts: Array, ends: Array) -> Array:
    """(n_words,) uint64 hashes of the words' bytes, eight bytes at a time.

    Two words have the same hash with a probability of 2^-64, unless somebody constructs them.
    """
    blocks = np.ndarray(len(buffer) - _BLOCK + 1, "<u8", buffer, strides=(1,))
    at, left, rest = starts, ends - starts, np.arange(len(starts))
    hashes = mixed(left.astype(np.uint64))
    for _ in range(_BLOCKS):
        hashes[rest] = mixed(hashes[rest] ^ (blocks[at] & _KEEP[np.minimum(left, _BLOCK)]))
        more = np.flatnonzero(left > _BLOCK)
        at, left, rest = at[more] + _BLOCK, left[more] - _BLOCK, rest[more]
    for word in rest.tolist():  # no words, these, and a round for each eight bytes would take long
        hashes[word] = text_hash(buffer[starts[word] : ends[word]].tobytes().decode())
    return hashes


def _distinct(hashes: Array) -> tuple[Array, Array]:
    """(n_distinct,) a row of each distinct hash, and (n,) which of these has the same hash as each row.

    Equal hashes meet in a table by their first bits. The few that meet another one there are sorted: to sort all, as
    `numpy.unique` does, takes ten times as long. pandas is faster, but takes 50 MB of memory and half a second to load.
    """
    rows = np.arange(len(hashes))
    bits = len(hashes).bit_length() + 1
    slots = (hashes >> np.uint64(64 - bits)).astype(np.int64)
    table = np.empty(1 << bits, np.int64)
    table[slots] = rows
    same = table.take(slots)
    odd = np.flatnonzero(hashes.take(same) != hashes)
    _, first, inverse = np.unique(hashes[odd], return_index=True, return_inverse=True)
    same[odd] = odd[first][inverse]
    distinct = np.flatnonzero(same == rows)
    rows[distinct] = np.arange(len(distinct))
    return distinct, rows.take(same)


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
