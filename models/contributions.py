"""A blend's score taken apart: what each feature adds, against the average candidate of the topic.

Nothing is approximated. A linear part adds its terms, trees add the Shapley values that LightGBM computes for
them (Lundberg et al. 2018), and the z-scores that a blend is made of only shift and scale both.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from features.registry import column_features, find
from models.base import PairMatrix, Ranker, Scores, unit_table
from models.blend import CONFLICT, Blend
from models.choice import places
from models.lambdamart import LambdaMart

CHOICE = "choice"
"""The dimension of what decides among the pairs of the same two arguments."""


def contributions(model: Blend, matrix: PairMatrix) -> pd.DataFrame:
    """(n_rows, n_parts) with columns (dimension, feature or its column); a row sums to its score by ``model``.

    What a dimension's features add is counted from their mean over the topic, what `CHOICE` takes from the pair that
    stands for the same two arguments.
    """
    parts: dict[tuple[str, str], Scores] = {}
    for dimension, ranker in model.rankers.items():
        if weight := model.weights[dimension]:
            for column, values in _of_ranker(ranker, matrix).items():
                parts[dimension, column] = weight * values
    mass = sum(model.weights.values())
    for sign, values in _of_choice(model, matrix).items():
        parts[CHOICE, sign] = mass * values
    if model.choice.conflict > 0:
        flags = np.asarray(matrix.features[CONFLICT], np.float64)
        parts[CHOICE, CONFLICT] = -mass * model.choice.conflict * flags
    names = pd.MultiIndex.from_tuples(list(parts), names=["dimension", "feature"])
    return pd.DataFrame(np.column_stack(list(parts.values())), columns=names)


def by_family(parts: pd.DataFrame) -> pd.DataFrame:
    """The same with columns (dimension, feature family): what features of one family add together."""
    families = [(str(label[0]), family_of(str(label[1]))) for label in parts.columns]
    order = list(dict.fromkeys(families))
    place = np.array([order.index(family) for family in families])
    sums = np.column_stack([parts.to_numpy()[:, place == i].sum(axis=1) for i in range(len(order))])
    return pd.DataFrame(sums, columns=pd.MultiIndex.from_tuples(order, names=["dimension", "family"]))


def family_of(name: str) -> str:
    """The registry's group of a feature or of one of its columns."""
    known = column_features()
    return (known[name] if name in known else find(name)).group


def _of_ranker(ranker: Ranker, matrix: PairMatrix) -> dict[str, Scores]:
    """(n_rows,) by column: terms of the ranker's z-score within the topic."""
    if isinstance(ranker, LambdaMart):
        table = unit_table(matrix, ranker.columns)
        terms = ranker.terms(table)[table.unit_of_row]
    else:
        terms = ranker.score(matrix)[:, None]
    names = ranker.columns if terms.shape[1] == len(ranker.columns) else [" and ".join(ranker.columns)]
    topic = np.repeat(np.arange(len(matrix.groups)), matrix.groups)
    centred = _centred(terms, topic, matrix.groups)
    spread = np.sqrt(np.bincount(topic, centred.sum(axis=1) ** 2) / np.maximum(matrix.groups, 1))[topic, None]
    # As in `standardise`: a topic whose scores are all the same has none.
    scaled = np.divide(centred, spread, out=np.zeros_like(centred), where=spread > 1e-9)
    return dict(zip(names, scaled.T, strict=True))


def _of_choice(model: Blend, matrix: PairMatrix) -> dict[str, Scores]:
    """(n_rows,) by sign: what a pair pays for standing less for its arguments than their best pair does."""
    choice = model.choice
    if choice.price <= 0 or not len(matrix.features):
        return {}
    total = sum(map(abs, choice.signs.values()))
    terms = {}
    for sign, weight in sorted(choice.signs.items()):
        place = places(matrix.features, matrix.units, sign)
        terms[sign] = abs(weight) / total * (place if weight > 0 else 1 - place)
    fit = sum(terms.values(), np.zeros(len(matrix.features)))
    free = np.ones(len(fit), bool)
    if choice.conflict > 0:
        free = np.asarray(matrix.features[CONFLICT]) == 0
    best = np.arange(len(fit))  # the row itself where no pair of the two arguments is free of conflict
    order = np.lexsort((-fit, matrix.units))
    order = order[free[order]]
    units, firsts = np.unique(matrix.units[order], return_index=True)
    known = np.isin(matrix.units, units)
    best[known] = order[firsts][np.searchsorted(units, matrix.units[known])]
    behind = fit[best] > fit
    return {sign: np.where(behind, choice.price * (values - values[best]), 0.0) for sign, values in terms.items()}


def _centred(terms: Scores, topic: npt.NDArray[np.int64], groups: npt.NDArray[np.int64]) -> Scores:
    sums = np.column_stack([np.bincount(topic, column, minlength=len(groups)) for column in terms.T])
    return np.asarray(terms - (sums / np.maximum(groups, 1)[:, None])[topic])
