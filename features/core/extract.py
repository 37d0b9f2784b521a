"""Run the registered features over a topic: the only place that lifts values to pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from features.core.registry import Feature, Lift, all_features, features_of, of_columns
from features.core.sentences import Texts
from features.core.statistics import FloatArray
from features.core.tables import Context
from ltr.errors import InputError

DIGITS, DECIMALS = 6, 9
"""Significant digits of a feature's values, and how many of them may stand after the point."""

_POWERS = np.array([float(f"1e{exponent}") for exponent in range(-40, DECIMALS + 1)])


class TextValues(Mapping[str, FloatArray]):
    """Values of the text features of sentences by feature name, (n_sentences,) float32.

    A feature is computed when its values are first asked for, once a distinct text, and then remembered. Raises
    InputError as `describe_pairs`.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        numbers = {text: number for number, text in enumerate(sorted(set(texts)))}
        self._texts = Texts(list(numbers))
        self._number = np.array([numbers[text] for text in texts], np.int64)
        self._features = {feature.name: feature for feature in features_of(["text"])}
        self._values: dict[str, FloatArray] = {}

    def __getitem__(self, name: str) -> FloatArray:
        if name not in self._values:
            feature = self._features[name]
            self._values[name] = _checked(feature, feature.compute(self._texts), len(self._texts))[self._number]
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._features)

    def __len__(self) -> int:
        return len(self._features)


def describe_texts(texts: Sequence[str]) -> dict[str, FloatArray]:
    """Values of every text feature, (n_texts,) float32 by feature name. Raises InputError as `describe_pairs`."""
    return dict(TextValues(texts))


def describe_pairs(context: Context, columns: Sequence[str] | None = None) -> pd.DataFrame:
    """The feature matrix of a topic: (n_pairs, n_columns) float32, one column a lifted feature.

    With ``columns`` it has those alone, in the order of the registry, and only the features behind them are computed.
    Raises KeyError for a column that no feature fills, and InputError for a feature that breaks its word: whoever
    adds one is a user too.
    """
    wanted = None if columns is None else set(columns)
    matrix: dict[str, FloatArray] = {}
    for feature in all_features() if columns is None else of_columns(columns):
        found = zip(feature.columns, _lifted(feature, context), strict=True)
        matrix.update((name, values) for name, values in found if wanted is None or name in wanted)
    return pd.DataFrame(matrix, index=pd.RangeIndex(len(context.pairs)), copy=False)


def _lifted(feature: Feature, context: Context) -> list[FloatArray]:
    if feature.scope == "pair":
        return [_checked(feature, feature.compute(context), len(context.pairs))]
    if feature.scope == "text":
        values = context.text_values[feature.name]
    elif feature.scope == "sentence":
        values = _checked(feature, feature.compute(context), len(context.sentences))
    else:
        values = _checked(feature, feature.compute(context), len(context.arguments))[context.sentences.argument]
    first, second = context.of_first(values), context.of_second(values)
    return [_LIFTS[lift](first, second) for lift in feature.lift]


_LIFTS: Mapping[Lift, Callable[[FloatArray, FloatArray], FloatArray]] = {
    "first": lambda first, second: first,
    "second": lambda first, second: second,
    "min": np.minimum,
    "max": np.maximum,
    "mean": lambda first, second: (first + second) / 2,
}


def _checked(feature: Feature, values: FloatArray, size: int) -> FloatArray:
    """float32 of the right shape, finite, rounded."""
    where, mend = f"feature {feature.name!r}", f"return one finite number for each {feature.scope}"
    try:
        values = np.asarray(values)
        narrow = values.astype(np.float32)
    except (TypeError, ValueError):
        raise InputError(where, f"gave no array of numbers where shape ({size},) was due", mend) from None
    if narrow.shape != (size,):
        raise InputError(where, f"gave shape {narrow.shape} where ({size},) was due", mend)
    if not np.isfinite(narrow).all():
        raise InputError(where, "gave values that are not finite", mend)
    return rounded(values)


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
