"""One linear model over named features of texts: weights, sums, and the JSON file that it ships in.

A file holds `about` (what was learned from which data, and how well) and one or more models. Weights are whole numbers
to be divided by `scale`, so that a file is small and reads the same everywhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from math import fsum
from pathlib import Path
from typing import Any

import numpy as np

from features.core.statistics import FloatArray

MARKER = "="
"""First character of a feature that is not a word; no stem can begin with it."""


@dataclass(frozen=True)
class LinearModel:
    """What each feature adds to the log-odds of each output."""

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

    def exact_sums(self, names: Iterable[str]) -> list[float]:
        """Log-odds of one text, correctly rounded; faster than `sums` for a single text."""
        known = [self.weights[name] for name in names if name in self.weights]
        return [fsum([start, *values]) for start, *values in zip(self.intercept, *known, strict=True)]

    def softmax(self, texts: Sequence[Iterable[str]]) -> FloatArray:
        """(n_texts, n_outputs) probabilities of the outputs, which exclude each other."""
        sums = self.sums(texts)
        powers = np.exp(sums - sums.max(1, keepdims=True))
        return np.asarray(powers / powers.sum(1, keepdims=True))

    def probability(self, sums: FloatArray) -> FloatArray:
        """(n_texts,) probability of the one output, given the sums of weights times values."""
        # Rounded, or the last bits would depend on the order of summing, and so on the other texts.
        return np.asarray(expit((self.intercept[0] + sums).round(12)), np.float64)


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
    return re.sub(r"\[\n[-\d.,\n]+\n\]", lambda numbers: re.sub(r",?\n", _one_line, numbers[0]), text) + "\n"


def _one_line(between: re.Match[str]) -> str:
    return ", " if between[0].startswith(",") else ""
