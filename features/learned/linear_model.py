"""Linear models over named features of texts: the features, weights, sums, and the JSON file that a model ships in.

One implementation of features serves training, where the names are those that the texts have, and scoring, where they
are the model's. A file holds `about` (the data and the figures of the training) and one or more models. Weights are
whole numbers to be divided by `scale`, so that a file is small and reads the same everywhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from features.core.statistics import FloatArray, IntArray
from features.core.text import Analyzer
from features.core.words import Words

MARKER = "="
"""First character of a feature that is not a word; no stem can begin with it."""


@dataclass(frozen=True)
class LinearModel:
    """Weights of features in the log-odds of each output."""

    outputs: tuple[str, ...]
    weights: Mapping[str, Sequence[float]]
    """Feature -> one weight an output."""
    intercept: Sequence[float]

    @classmethod
    def binary(cls, intercept: float, weights: Mapping[str, float]) -> LinearModel:
        """A model with one output, named "yes"."""
        return cls(("yes",), {name: (weight,) for name, weight in weights.items()}, (intercept,))

    @cached_property
    def plain(self) -> dict[str, float]:
        """Feature -> weight, for a model with one output."""
        return {name: weight for name, (weight,) in self.weights.items()}

    @cached_property
    def neighbours(self) -> tuple[set[str], set[str]]:
        """First and second words of the word pairs that have a weight."""
        pairs = [name.split() for name in self.weights if " " in name and name[0] != MARKER]
        return {one for one, _ in pairs}, {other for _, other in pairs}

    @cached_property
    def _table(self) -> tuple[dict[str, int], FloatArray]:
        """Row of each feature, and (n_features + 1, n_outputs) weights; the first row is for a text without any."""
        table = np.array([[0.0] * len(self.outputs), *self.weights.values()], np.float64)
        return {name: row for row, name in enumerate(self.weights, 1)}, table

    def sums(self, texts: Sequence[Iterable[str]]) -> FloatArray:
        """(n_texts, n_outputs) log-odds of texts that have these features; unknown features add nothing."""
        rows, table = self._table
        numbers: list[int] = []
        starts: list[int] = []
        for names in texts:
            starts.append(len(numbers))
            numbers.append(0)  # reduceat needs one row a text
            # Sorted: the order of a set changes from process to process, and with it the last bit of a sum.
            numbers += sorted([rows[name] for name in names if name in rows])
        sums = np.add.reduceat(table[numbers], starts) if starts else np.zeros((0, len(self.outputs)))
        return np.asarray(sums + np.array(self.intercept))

    def softmax(self, texts: Sequence[Iterable[str]]) -> FloatArray:
        """(n_texts, n_outputs) probabilities of the outputs, which exclude each other."""
        sums = self.sums(texts)
        powers = np.exp(sums - sums.max(1, keepdims=True))
        return np.asarray(powers / powers.sum(1, keepdims=True))

    def probability(self, features: TextFeatures) -> FloatArray:
        """(n_texts,) probability of the one output."""
        # Rounded, or the last bits would depend on the order of summing, and so on the other texts.
        return expit((self.intercept[0] + features.weighted_sums(self.plain)).round(12))


def expit(odds: FloatArray) -> FloatArray:
    """(n,) probabilities of log-odds. Those of SciPy take a tenth of a second to import.

    >>> expit(np.array([-800.0, 0.0, 800.0])).tolist()
    [0.0, 0.5, 1.0]
    """
    return np.asarray(np.exp(-np.logaddexp(0, -odds)))


def read_models(path: Path) -> dict[str, LinearModel]:
    """The models of a weights file by name."""
    return {
        name: LinearModel(
            tuple(model["outputs"]),
            {feature: [one / model["scale"] for one in values] for feature, values in model["weights"].items()},
            [one / model["scale"] for one in model["intercept"]],
        )
        for name, model in json.loads(path.read_text("utf-8"))["models"].items()
    }


@cache
def read_model(path: Path) -> LinearModel:
    """The model of a weights file that has one; read once per process."""
    (model,) = read_models(path).values()
    return model


def weights_file(about: Mapping[str, Any], models: Mapping[str, tuple[LinearModel, int]]) -> str:
    """Text of a weights file: models by name, each with its scale.

    Weights are rounded to whole parts of the scale; features whose weights are then all 0 are left out.
    """
    document: dict[str, Any] = {"about": about, "models": {}}
    for name, (model, scale) in models.items():
        weights = {feature: [round(value * scale) for value in values] for feature, values in model.weights.items()}
        document["models"][name] = {
            "outputs": model.outputs,
            "scale": scale,
            "intercept": [round(value * scale) for value in model.intercept],
            "weights": {feature: values for feature, values in sorted(weights.items()) if any(values)},
        }
    text = json.dumps(document, indent=0, ensure_ascii=True, allow_nan=False)
    return re.sub(r"\[\n[-\d.,\n]+\n\]", lambda row: row[0].replace(",\n", ", ").replace("\n", ""), text) + "\n"


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
