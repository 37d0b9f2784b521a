"""Run the registered features over a topic: the only place that lifts values to items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

import numpy as np
import numpy.typing as npt
import pandas as pd

from features.core.feature import (
    FEATURES,
    KINDS,
    Feature,
    ItemKind,
    Lift,
    Scope,
    all_features,
    checked_numbers,
    of_columns,
)
from features.core.feature import columns as every_candidates
from features.core.registry import ComponentError
from features.core.statistics import FloatArray, IntArray
from features.core.tables import Context, Missing, Texts

DIGITS, DECIMALS = 6, 9
"""Significant digits of a feature's values, and how many of them may stand after the point."""

_POWERS = np.array([float(f"1e{exponent}") for exponent in range(-40, DECIMALS + 1)])


class TextValues(Mapping[str, FloatArray]):
    """Values of the text features of sentences by feature name, (n_sentences,) float32.

    A feature is computed when its values are first asked for, once a distinct text, and then remembered. Raises
    ComponentError as `describe`.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._all = np.array(texts, object)
        self._features = {feature.name: feature for feature in all_features() if feature.scope == "text"}
        self._values: dict[str, FloatArray] = {}
        self._missing: dict[bytes, tuple[Texts, IntArray]] = {}

    def know(self, values: Mapping[str, FloatArray]) -> None:
        """Fill these arrays from now on; values there other than NaN are kept."""
        self._values.update(values)

    def __getitem__(self, name: str) -> FloatArray:
        feature = self._features[name]
        values = self._values.setdefault(name, np.full(len(self._all), np.nan, np.float32))
        missing = np.isnan(values)
        if missing.any():
            texts, number = self._distinct(missing)
            values[missing] = _checked(feature, feature.compute(texts), len(texts))[number]
        return values

    def _distinct(self, missing: npt.NDArray[np.bool_]) -> tuple[Texts, IntArray]:
        """The distinct texts of sentences, the same object for the same ones, and the place of each among them."""
        key = missing.tobytes()
        if key not in self._missing:
            texts = self._all[missing].tolist()
            numbers = {text: number for number, text in enumerate(sorted(set(texts)))}
            self._missing[key] = Texts([*numbers]), np.array([numbers[text] for text in texts], np.int64)
        return self._missing[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._features)

    def __len__(self) -> int:
        return len(self._features)


def describe(context: Context, kind: ItemKind = "pair", columns: Sequence[str] | None = None) -> pd.DataFrame:
    """The features of a topic's items: (n_items, n_columns) float32, one column a lifted feature.

    With ``columns`` it has those alone, in the order of the registry, and only the features behind them are computed;
    without, those of every candidate.
    Raises KeyError for a column that no feature fills, and ComponentError.
    """
    names = dict.fromkeys(every_candidates(kind) if columns is None else columns)
    pairs = KINDS[kind].parts > 1
    size = len(context.pairs if pairs else context.arguments)
    matrix: dict[str, FloatArray] = {}
    for feature in of_columns(names, kind):
        own = _values(feature, context)
        for name, lift in zip_longest(feature.columns(kind), feature.lift if pairs else ()):
            if name in names:
                matrix[name] = own if lift is None else _to_pairs(context, feature.scope, own, lift)
    values = np.array([*matrix.values()], np.float32).reshape(len(matrix), size).T
    return pd.DataFrame(values, pd.RangeIndex(size), [*matrix], copy=False)


def _values(feature: Feature, context: Context) -> FloatArray:
    """Values of the feature, one for each item of its scope."""
    if feature.scope == "text":
        return context.text_values[feature.name]
    try:
        values = feature.compute(context)
    except Missing as error:
        raise ComponentError(f"feature {feature.name!r}", *error.args) from None
    return _checked(feature, values, len(getattr(context, f"{feature.scope}s")))


def _to_pairs(context: Context, scope: Scope, values: FloatArray, lift: Lift) -> FloatArray:
    own = values[context.sentences.argument] if scope == "argument" else values
    first, second = context.of_first(own), context.of_second(own)
    if lift == "mean":
        return (first + second) / 2
    return {"first": first, "second": second, "min": np.minimum(first, second), "max": np.maximum(first, second)}[lift]


def _checked(feature: Feature, values: FloatArray, size: int) -> FloatArray:
    """float32 of the right shape, finite, rounded."""
    where, (low, high) = f"feature {feature.name!r}", feature.range
    found = rounded(checked_numbers(where, values, size, f"return one finite number for each {feature.scope}"))
    if size and not FEATURES.ships(feature.name) and not low <= found.min() <= found.max() <= high:
        what = f"gave values from {found.min():g} to {found.max():g}, and declares {low:g} to {high:g}"
        raise ComponentError(where, what, "declare its range, or mend it")
    return found


def rounded(values: FloatArray) -> FloatArray:
    """float32 of `DIGITS` significant digits, and of `DECIMALS` decimals at most, so that rounding errors of 0 are 0.

    Matrix products and logarithms differ in their last bits with the processor, and products with the number of rows
    too. Neither may decide which way a tree sends a pair, or which of two equal pairs comes first. Whole numbers and
    flags have no such bits.
    """
    if not np.issubdtype(values.dtype, np.floating):
        return values.astype(np.float32)
    wide = np.asarray(values, np.float64)
    size = np.abs(wide)
    exponent = np.floor(np.log10(size, where=size > 0, out=np.zeros_like(size))).astype(np.int64)
    # Looked up, not computed: processors differ in powers as well.
    scale = _POWERS[np.minimum(DIGITS - 1 - exponent, DECIMALS) - DECIMALS - 1]
    return np.asarray(np.rint(wide * scale) / scale + 0.0, np.float32)  # + 0 makes 0 of -0
