"""A scikit-learn scorer of rankings, and how rows of ``X`` find their topic; see `ltr.integrations.sklearn`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

TOPIC = "topic"
"""The column or index level of ``X`` that names the topic of a row."""


def row_topics(X: Any, groups: Any = None) -> npt.NDArray[Any] | None:
    """(n_rows,) the topic of each row, or None when nothing names one."""
    if groups is not None:
        return np.asarray(groups)
    if isinstance(X, pd.DataFrame):
        if TOPIC in X.columns:
            return X[TOPIC].to_numpy()
        if TOPIC in X.index.names:
            return X.index.get_level_values(TOPIC).to_numpy()
    return None


def without_topic(X: Any) -> Any:
    """The features alone."""
    return X.drop(columns=TOPIC) if isinstance(X, pd.DataFrame) and TOPIC in X.columns else X


def by_topic(topics: npt.NDArray[Any] | None, number: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Row numbers with those of a topic together, topics in order of first appearance, and the topics' sizes."""
    if topics is None:
        return np.arange(number), np.array([number], np.int64)
    if topics.shape != (number,):
        raise ValueError(f"groups have the shape {topics.shape}, and there are {number} rows")
    codes, names = pd.factorize(topics)
    if (codes < 0).any():
        raise ValueError("a row has no topic")
    return np.argsort(codes, kind="stable"), np.bincount(codes, minlength=len(names)).astype(np.int64)


@dataclass(frozen=True)
class MeanNDCG:
    """A scikit-learn scorer: ``scorer(estimator, X, y)``; see `mean_ndcg`."""

    k: int = 5

    def __call__(self, estimator: Any, X: Any, y: Any, groups: Any = None) -> float:
        """Mean over the topics with a label above 0. Raises ValueError when there is none."""
        found = row_topics(X, groups)
        scores = estimator.predict(X) if groups is None else estimator.predict(X, groups=groups)
        labels = np.asarray(y, np.float64)
        rows, sizes = by_topic(found, len(labels))
        values = []
        for part in np.split(rows, np.cumsum(sizes)[:-1]):
            kept = part[~np.isnan(labels[part])]
            if labels[kept].max(initial=0.0) > 0:
                values.append(_tied_ndcg(np.asarray(scores)[kept], labels[kept], self.k))
        if not values:
            raise ValueError("no topic has a label above 0, so no order is better than another")
        return float(np.mean(values))


def mean_ndcg(k: int = 5) -> MeanNDCG:
    """A scorer for ``scoring=``: nDCG@k with linear gains (`ltr.evaluation.measures.lab_ndcg`), the mean over topics.

    Topics are found as in `PairRanker`. Rows whose label is NaN are taken out of the ranking first, and topics
    without a label above 0 are left out. Rows of one score count by the mean over all orders of them, so that
    the order of the rows of ``X`` says nothing: McSherry & Najork 2008, as ``ndcg_score`` of scikit-learn.
    """
    return MeanNDCG(k)


def _tied_ndcg(scores: npt.NDArray[np.float64], labels: npt.NDArray[np.float64], k: int) -> float:
    """nDCG@k of one topic, a label of which is above 0."""
    gains = np.maximum(labels, 0.0)
    discounts = 1 / np.log2(np.arange(2, min(k, len(gains)) + 2))
    _, tie = np.unique(-scores, return_inverse=True)
    expected = (np.bincount(tie, gains) / np.bincount(tie))[np.sort(tie)]
    found, ideal = (float(best[:k] @ discounts) for best in (expected, np.sort(gains)[::-1]))
    return min(1.0, found / ideal)  # rounding alone could lift it above
