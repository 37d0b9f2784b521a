"""Run the registered features over a topic: the only place that lifts values to pairs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd

from features.registry import Feature, Lift, all_features, features_of
from features.statistics import FloatArray
from features.tables import Context
from features.texts import Texts
from ltr.errors import InputError


def describe_texts(texts: Sequence[str]) -> dict[str, FloatArray]:
    """Values of every text feature, (n_texts,) float32 by feature name. Raises InputError as `describe_pairs`."""
    table = Texts(texts)
    return {feature.name: _checked(feature, feature.compute(table), len(table)) for feature in features_of(["text"])}


def describe_pairs(context: Context) -> pd.DataFrame:
    """The feature matrix of a topic: (n_pairs, n_columns) float32, one column a lifted feature.

    Raises InputError for a feature that breaks its word: whoever adds one is a user too.
    """
    matrix: dict[str, FloatArray] = {}
    for feature in all_features():
        matrix.update(zip(feature.columns, _lifted(feature, context), strict=True))
    return pd.DataFrame(matrix, copy=False)


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
    """float32 of the right shape, finite."""
    where, mend = f"feature {feature.name!r}", f"return one finite number for each {feature.scope}"
    try:
        values = np.asarray(values, np.float32)
    except (TypeError, ValueError):
        raise InputError(where, f"gave no array of numbers where shape ({size},) was due", mend) from None
    if values.shape != (size,):
        raise InputError(where, f"gave shape {values.shape} where ({size},) was due", mend)
    if not np.isfinite(values).all():
        raise InputError(where, "gave values that are not finite", mend)
    return values
