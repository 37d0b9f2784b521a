"""A blend's score taken apart: what each feature adds, against the average candidate of the topic or another one.

Nothing is approximated: trees add the Shapley values that LightGBM computes for them (Lundberg et al. 2018), linear
rankers weight times value; a baseline that is not a sum over columns adds its score under its first column.
"""

from __future__ import annotations

from math import fsum
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from features.core.feature import all_columns
from models.base import Scores, group_sizes, head_rows
from models.baselines import Formula
from models.blend import READER, Blend
from models.learned import LearnedRanker, input_values


def contributions(model: Blend, table: pd.DataFrame) -> pd.DataFrame:
    """(n_rows, n_parts) with columns (dimension, feature column); a row sums to its score less a mean score.

    What a feature adds is counted from its mean over the candidates of the topic; where the model has a second step,
    from its mean over the head for rows in it, and over the others for the others. A baseline that is not a sum over
    its columns adds its score under the first of them.
    """
    head, sizes = head_rows(table), group_sizes(table)
    topic = np.repeat(np.arange(len(sizes)), sizes)
    parts: dict[tuple[str, str], Scores] = {}
    for rows, rankers in ((~head, model.used), (head, {**model.used, **model.head})):
        for dimension, ranker in rankers.items() if rows.any() else ():
            if weight := model.weights[dimension]:
                if isinstance(ranker, LearnedRanker):
                    terms = ranker.terms(input_values(table, ranker.inputs)[rows])
                else:
                    terms = (ranker.terms if isinstance(ranker, Formula) else ranker.score)(table)[rows]
                terms = _centred(weight * terms.reshape(int(rows.sum()), -1), topic[rows])
                for column, values in zip(ranker.columns, terms.T, strict=False):  # the first alone, of a score
                    parts.setdefault((dimension, column), np.zeros(len(topic)))[rows] = values
        for column, weight in model.reader_weights.items() if rows.any() else ():
            if column not in table:
                continue
            values = _centred(weight * table[column].to_numpy(np.float64)[rows][:, None], topic[rows])[:, 0]
            parts.setdefault((column.removeprefix(f"{READER}_"), column), np.zeros(len(topic)))[rows] = values
    labels = pd.MultiIndex.from_tuples(list(parts), names=["dimension", "feature"])
    return pd.DataFrame(np.column_stack(list(parts.values())), columns=labels)


def by_family(parts: pd.DataFrame) -> pd.DataFrame:
    """The same with columns (dimension, feature family): what features of one family add together."""
    known = all_columns()
    families = [(str(label[0]), known[str(label[1])].group) for label in parts.columns]
    named = parts.set_axis(pd.MultiIndex.from_tuples(families, names=["dimension", "family"]), axis=1)
    return named.T.groupby(level=[0, 1], sort=False).sum().T


def _centred(terms: Scores, topic: npt.NDArray[np.int64]) -> Scores:
    """Less the mean of the rows of the same topic."""
    size = np.maximum(np.bincount(topic), 1)
    means = np.column_stack([np.bincount(topic, column) / size for column in terms.T])
    return np.asarray(terms - means[topic])


def explain_pair(
    features: pd.DataFrame, parts: pd.DataFrame, row: int, against: int | None = None
) -> list[dict[str, Any]]:
    """Families by how much they move the pair, up or down, each with its ``reasons``, the features, in the same order.

    ``features`` and ``parts`` (n_candidates, ...) are of one topic. What families ``adds`` sums to the pair's score
    less the topic's mean, or to its lead over the pair ``against``, which has the ``other`` value of a feature. The
    ``percentile`` of a value is the share of the topic's candidates with a lower one, ties counting half, in [0, 1].
    """
    adds = parts.iloc[row] if against is None else parts.iloc[row] - parts.iloc[against]
    families: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for label, added in zip(parts.columns, adds.tolist(), strict=True):
        dimension, name = map(str, label)
        values = features[name].to_numpy(np.float64)
        value, family = values[row], all_columns()[name].group
        reason: dict[str, Any] = {"dimension": dimension, "family": family, "feature": name}
        reason |= {"description": describe(name), "adds": added, "value": float(value)}
        reason["percentile"] = float((values < value).mean() + (values == value).mean() / 2)
        reason["other"] = None if against is None else float(values[against])
        families.setdefault((dimension, family), []).append(reason)
    explained = []
    for (dimension, family), reasons in families.items():
        reasons.sort(key=lambda reason: (-abs(reason["adds"]), reason["feature"]))
        total = fsum(reason["adds"] for reason in reasons)
        explained.append({"dimension": dimension, "family": family, "adds": total, "reasons": reasons})
    return sorted(explained, key=lambda family: (-abs(family["adds"]), family["dimension"], family["family"]))


def describe(name: str) -> str:
    """The registry's entry of a column."""
    feature = all_columns()[name]
    lift = name.removeprefix(f"{feature.name}_") if name != feature.name else ""
    # All pairs of one argument have the same value, so which of two it is says nothing there.
    words = {"min": "the lower of the two", "max": "the higher of the two", "mean": "mean of the two"}
    return f"{feature.description} ({words.get(lift, f'{lift} sentence')})" if lift else feature.description
