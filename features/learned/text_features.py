"""Features of texts as one sparse matrix with named columns.

One implementation serves training, where the names are what the texts have, and scoring, where they are the model's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import numpy as np
from scipy.sparse import csr_matrix

from features.core.statistics import FloatArray, IntArray
from features.core.text import Analyzer
from features.core.words import Words

STEMS = Analyzer(stop=False)
"""With function words: they carry the modality."""
stem = lru_cache(maxsize=200_000)(STEMS.of_word)
"""The stem of one lower-case word, remembered."""

_ENDS = frozenset(".?!:;,\"')]\u201d")
_REFERENCE = re.compile(r"\[(?:ref|REF|citation needed|\d{1,3})\]")


class TextFeatures:
    """(n_texts, n_features) values with names."""

    def __init__(self, n_texts: int) -> None:
        self.n_texts = n_texts
        self.names: list[str] = []
        self._parts: list[tuple[IntArray, IntArray, FloatArray]] = []

    def add_words(self, words: Words, values: FloatArray) -> None:
        """A feature for each distinct word, with the value (n_texts,) of the text that has it."""
        once = words.once
        self._parts.append((once.owner, once.number + len(self.names), values[once.owner]))
        self.names += words.distinct

    def add_markers(self, texts: Sequence[Sequence[str]]) -> None:
        """The names of features that are 1 in each text."""
        self.add_words(Words.of(texts), np.ones(len(texts)))

    def add(self, name: str, values: FloatArray) -> None:
        """One feature, (n_texts,)."""
        rows = np.flatnonzero(values)
        self._parts.append((rows, np.full(len(rows), len(self.names)), values[rows]))
        self.names.append(name)

    def add_steps(self, name: str, values: FloatArray, steps: Iterable[float]) -> None:
        """A marker for every step that the values, (n_texts,), are above."""
        for step in steps:
            self.add(f"{name} {step}", np.where(values > step, 1.0, 0.0))

    def weighted_sums(self, weights: Mapping[str, float]) -> FloatArray:
        """(n_texts,) sums of the values times the weights of their features; what has none is left out."""
        rows, columns, values = self._entries()
        known = np.array([weights.get(name, 0.0) for name in self.names], np.float64)
        return np.bincount(rows, values * known[columns], self.n_texts)

    def matrix(self, names: Sequence[str]) -> csr_matrix:
        """(n_texts, n_names) sparse values of the features of these names."""
        rows, columns, values = self._entries()
        matrix = csr_matrix((values, (rows, columns)), (self.n_texts, len(self.names)))
        column_of = {name: column for column, name in enumerate(self.names)}
        matrix = matrix[:, [column_of[name] for name in names]]
        matrix.sort_indices()
        return matrix

    def _entries(self) -> tuple[IntArray, IntArray, FloatArray]:
        rows, columns, values = (np.concatenate(parts) for parts in zip(*self._parts, strict=True))
        return rows, columns, values


def without_references(text: str) -> tuple[str, int]:
    """The text, and how many references were taken out of it.

    Encyclopedias cite as [ref] or [3]; the feature should be that they cite, not the word "ref".
    """
    return _REFERENCE.subn("", text) if "[" in text else (text, 0)


def edges(text: str, marks: str) -> list[str]:
    """Markers of the first and the last character of a stripped text, and of the ``marks`` in it."""
    if not text:
        return []
    markers = [f"=begins {_kind(text[0])}", f"=ends {text[-1] if text[-1] in _ENDS else _kind(text[-1])}"]
    return markers + [f"=has {mark}" for mark in marks if mark in text]


def _kind(character: str) -> str:
    if character.isalpha():
        return "A" if character.isupper() else "a"
    return "0" if character.isdigit() else "other"
