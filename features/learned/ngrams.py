"""The weights of words and of neighbours in many texts at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from features.core.statistics import FloatArray, IntArray

SHAPE = "="
"""The first character of a sign that is no word; no stem can begin with it."""


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
        numbers = _Numbers()
        sizes = np.array([len(text) for text in texts], np.int64)
        found = np.fromiter(map(numbers.__getitem__, chain.from_iterable(texts)), np.int64, int(sizes.sum()))
        return cls(len(texts), np.repeat(np.arange(len(texts)), sizes), found, list(numbers))

    def renamed(self, names: Iterable[str]) -> Words:
        """The same with another word for each distinct one; several may become one."""
        numbers = _Numbers()
        of = np.array([numbers[name] for name in names], np.int64)
        return Words(self.texts, self.owner, of[self.number], list(numbers))

    def sum(self, values: FloatArray) -> FloatArray:
        """(n_texts,) sums over all words, of values of the distinct ones."""
        return np.bincount(self.owner, values[self.number], self.texts)

    def once(self) -> Words:
        """Each distinct word of a text once."""
        key = _distinct(self.owner * len(self.distinct) + self.number)
        size = max(len(self.distinct), 1)
        return Words(self.texts, key // size, key % size, self.distinct)

    @property
    def sizes(self) -> IntArray:
        """(n_texts,) words of each text."""
        return np.bincount(self.owner, minlength=self.texts)


def _distinct(keys: IntArray) -> IntArray:
    """Sorted keys, each once; here in a third of the time of `numpy.unique`."""
    keys = np.sort(keys)
    return keys[np.diff(keys, prepend=-1) > 0]


class _Numbers(dict[str, int]):
    def __missing__(self, word: str) -> int:
        self[word] = number = len(self)
        return number


class NGrams:
    """Weights of words and of pairs of neighbours, a pair written with a blank between."""

    def __init__(self, weights: Mapping[str, float]) -> None:
        self._weights = weights
        pairs = {
            tuple(sign.split(" ")): weight
            for sign, weight in weights.items()
            if sign.count(" ") == 1 and sign[0] != SHAPE
        }
        self._number = {word: number for number, word in enumerate(dict.fromkeys(chain.from_iterable(pairs)))}
        keys = np.array([self._number[one] * len(self._number) + self._number[two] for one, two in pairs], np.int64)
        order = np.argsort(keys)
        self._keys, self._pair_weights = keys[order], np.array(list(pairs.values()), np.float64)[order]

    def of_words(self, words: Words, prefix: str = "") -> FloatArray:
        """(n_texts,) weights of the distinct words."""
        return words.once().sum(
            np.array([self._weights.get(prefix + word, 0.0) for word in words.distinct], np.float64)
        )

    def of_neighbours(self, words: Words) -> FloatArray:
        """(n_texts,) weights of the distinct pairs of neighbours."""
        if not len(self._keys):
            return np.zeros(words.texts)
        known = np.array([self._number.get(word, -1) for word in words.distinct], np.int64)[words.number]
        both = (words.owner[1:] == words.owner[:-1]) & (known[1:] >= 0) & (known[:-1] >= 0)
        keys = known[:-1][both] * len(self._number) + known[1:][both]
        place = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        found = self._keys[place] == keys
        once = _distinct(words.owner[1:][both][found] * len(self._keys) + place[found])
        return np.bincount(once // len(self._keys), self._pair_weights[once % len(self._keys)], words.texts)
