"""A blend's score taken apart: what each feature adds, against the average candidate of the topic.

Nothing is approximated: trees add the Shapley values that LightGBM computes for them (Lundberg et al. 2018).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from features.core.registry import all_columns
from models.base import Rows, Scores
from models.blend import Blend
from models.lambdamart import LambdaMart


def contributions(model: Blend, matrix: Rows) -> pd.DataFrame:
    """(n_rows, n_parts) with columns (dimension, feature column); a row sums to its score less the topic's mean.

    What a feature adds is counted from its mean over the topic. Raises TypeError for a ranker that is not of trees.
    """
    topic = np.repeat(np.arange(len(matrix.groups)), matrix.groups)
    parts: dict[tuple[str, str], Scores] = {}
    for dimension, ranker in model.rankers.items():
        if not (weight := model.weights[dimension]):
            continue
        if not isinstance(ranker, LambdaMart):
            raise TypeError(f"{dimension} is not ranked by trees")
        terms = _centred(weight * ranker.terms(matrix), topic, matrix.groups)
        parts |= {(dimension, column): values for column, values in zip(ranker.columns, terms.T, strict=True)}
    names = pd.MultiIndex.from_tuples(list(parts), names=["dimension", "feature"])
    return pd.DataFrame(np.column_stack(list(parts.values())), columns=names)


def by_family(parts: pd.DataFrame) -> pd.DataFrame:
    """The same with columns (dimension, feature family): what features of one family add together."""
    families = [(str(label[0]), family_of(str(label[1]))) for label in parts.columns]
    named = parts.set_axis(pd.MultiIndex.from_tuples(families, names=["dimension", "family"]), axis=1)
    return named.T.groupby(level=[0, 1], sort=False).sum().T


def family_of(name: str) -> str:
    """The registry's group of a feature column."""
    return all_columns()[name].group


def _centred(terms: Scores, topic: npt.NDArray[np.int64], groups: npt.NDArray[np.int64]) -> Scores:
    sums = np.column_stack([np.bincount(topic, column, minlength=len(groups)) for column in terms.T])
    return np.asarray(terms - (sums / np.maximum(groups, 1)[:, None])[topic])
