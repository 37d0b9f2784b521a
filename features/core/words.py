"""The words of many texts as numbers: what is looked up or computed is done once a distinct word."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
from scipy.sparse import csr_matrix

from features.core.statistics import FloatArray, IntArray

SHORTEST = 4
"""A text of fewer distinct words counts as one of so many."""


class Numbers(dict[str, int]):
    """Strings numbered as they come. A lookup in C, unless the string is new."""

    def __init__(self) -> None:
        super().__init__()
        self.strings: list[str] = []

    def __missing__(self, string: str) -> int:
        self[string] = number = len(self.strings)
        self.strings.append(string)
        return number


@dataclass(frozen=True)
class Words:
    """The words of texts, one after the other."""

    texts: int
    owner: IntArray
    """(n_words,) position of the text"""
    number: IntArray
    """(n_words,) position in ``distinct``"""
    distinct: Sequence[str]

    @classmethod
    def of(cls, texts: Sequence[Sequence[str]]) -> Words:
        """The words of each text."""
        numbers = Numbers()
        sizes = np.array([len(text) for text in texts], np.int64)
        found = np.fromiter(map(numbers.__getitem__, chain.from_iterable(texts)), np.int64, int(sizes.sum()))
        return cls(len(texts), np.repeat(np.arange(len(texts)), sizes), found, numbers.strings)

    def renamed(self, names: Iterable[str]) -> Words:
        """The same with another word for each distinct one; several may become one."""
        numbers = Numbers()
        of = np.array([numbers[name] for name in names], np.int64)
        return Words(self.texts, self.owner, of[self.number], numbers.strings)

    def neighbours(self, wanted: Sequence[Collection[str]] = ()) -> Words:
        """Pairs of neighbours as words with a blank between; of ``wanted`` first and second words, where given."""
        inside = self.owner[1:] == self.owner[:-1]
        if wanted:
            first, second = (
                np.fromiter((word in known for word in self.distinct), bool, len(self.distinct)) for known in wanted
            )
            inside &= first[self.number[:-1]] & second[self.number[1:]]
        size = max(len(self.distinct), 1)
        keys = self.number[:-1][inside] * size + self.number[1:][inside]
        keys, number = np.unique(keys, return_inverse=True)
        names = [
            f"{self.distinct[one]} {self.distinct[other]}"
            for one, other in zip((keys // size).tolist(), (keys % size).tolist(), strict=True)
        ]
        return Words(self.texts, self.owner[1:][inside], number, names)

    def sums(self, values: FloatArray) -> FloatArray:
        """(n_texts, ...) sums over all words, of (n_distinct, ...) values of the distinct ones."""
        ends = np.concatenate([[0], np.cumsum(self.sizes)])
        counts = csr_matrix((np.ones(len(self.number)), self.number, ends), (self.texts, len(self.distinct)))
        return np.asarray(counts @ values)

    @cached_property
    def once(self) -> Words:
        """Each distinct word of a text once."""
        size = max(len(self.distinct), 1)
        # Sorted keys, each once, in a third of the time of `numpy.unique`.
        keys = np.sort(self.owner * size + self.number)
        keys = keys[np.diff(keys, prepend=-1) > 0]
        return Words(self.texts, keys // size, keys % size, self.distinct)

    @property
    def sizes(self) -> IntArray:
        """(n_texts,) words of each text."""
        return np.bincount(self.owner, minlength=self.texts)

    def share(self) -> FloatArray:
        """(n_texts,) what a word counts, ``1 / sqrt(distinct words)``: length alone makes nothing certain."""
        return 1 / np.sqrt(np.maximum(self.once.sizes, SHORTEST))
