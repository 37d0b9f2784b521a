"""The ranker as a scikit-learn estimator: clone it, cross-validate it, search its parameters.

Ranking needs to know which rows belong together, and scikit-learn hands ``groups`` to the splitter alone: a scorer
never sees them. So the topic travels with ``X``, as an index level or a column named ``topic``, and is still there
after every split, in ``fit``, in ``predict`` and in the scorer::

    X, y, weight = training_rows(matrix, labels)
    topics = X.index.get_level_values("topic")
    cross_validate(PairRanker(), X, y, groups=topics, cv=GroupKFold(5), scoring=mean_ndcg(5),
                   params={"sample_weight": weight})
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_array, check_is_fitted, column_or_1d, validate_data

from ltr.learning import signed_columns
from ltr.matrix import Matrix
from ltr.supervision import WeakLabels
from models.base import Scores, TrainingSet, UnitTable, standardise
from models.lambdamart import LambdaMart, Parameters

TOPIC = "topic"
"""The column or index level of ``X`` that names the topic of a row."""

_WHOLE = {"trees": 0, "leaves": 2, "rows_a_leaf": 1, "truncation": 1, "seeds": 1}
"""Parameters that are whole numbers, and their least value."""

_SHARES = ("feature_share", "row_share", "topic_share")


class PairRanker(RegressorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """LambdaMART from a signed ridge (`models.lambdamart.LambdaMart`), every row a thing to rank.

    The topic of a row is taken from, in this order: ``groups``; the column ``topic`` of ``X``; the index level
    ``topic`` of ``X``; without any of them all rows are one topic. Rows of a topic need not stand together.
    The topic is no feature. Features become z-scores within the topic, so a score depends on the rows it is
    ranked among and means nothing beside one of another topic.

    Parameters are those of `models.lambdamart.Parameters`, and

    signs : dict of column to 1, -1 or 0, or None
        Which way a feature may pull. None: the signs of the feature registry. A column that has none there: 0.
    threads : int
        Threads of LightGBM; the result does not depend on them.
    """

    def __init__(
        self,
        *,
        trees: int = 60,
        leaves: int = 4,
        learning_rate: float = 0.05,
        rows_a_leaf: int = 20,
        l2: float = 10.0,
        feature_share: float = 0.4,
        row_share: float = 0.7,
        truncation: int = 10,
        seeds: int = 5,
        seed: int = 0,
        topic_share: float = 1.0,
        monotone: bool = True,
        ridge: float = 30.0,
        start: Mapping[str, float] | None = None,
        signs: Mapping[str, int] | None = None,
        threads: int = 1,
    ) -> None:
        self.trees = trees
        self.leaves = leaves
        self.learning_rate = learning_rate
        self.rows_a_leaf = rows_a_leaf
        self.l2 = l2
        self.feature_share = feature_share
        self.row_share = row_share
        self.truncation = truncation
        self.seeds = seeds
        self.seed = seed
        self.topic_share = topic_share
        self.monotone = monotone
        self.ridge = ridge
        self.start = start
        self.signs = signs
        self.threads = threads

    def fit(self, X: Any, y: Any, groups: Any = None, sample_weight: Any = None) -> PairRanker:
        """Learn to order the rows of each topic by their labels.

        ``X`` (n_rows, n_columns); ``y`` (n_rows,) labels, higher is better: gains are linear, those below 0 are
        worth 0, and where the highest is above 1 all are divided by it. A label of NaN says that nobody knows:
        the row teaches nothing but is one of its topic, and so is a row of weight 0. Raises ValueError, also for
        a parameter out of its range and for ``start`` or ``signs`` of a column that ``X`` lacks.
        """
        found = row_topics(X, groups)
        values = validate_data(self, without_topic(X), dtype=np.float64, ensure_min_samples=2)
        labels = _checked_labels(y, len(values))
        weights = _checked_weights(sample_weight, len(values))
        rows, sizes = _by_topic(found, len(values))
        names = list(map(str, getattr(self, "feature_names_in_", [f"x{place}" for place in range(values.shape[1])])))
        self._check_parameters(names)
        self.model_ = LambdaMart(names, self._signs(names), self._parameters(), threads=self.threads)
        values, labels, weights = _standardised(values[rows], sizes), labels[rows], weights[rows]
        taught = ~np.isnan(labels) & (weights > 0)
        if not taught.any():
            raise ValueError("no row has both a label and a sample_weight above zero")
        if self.trees and int(taught.sum() * self.row_share) < 1:
            raise ValueError(f"{taught.sum()} labelled rows leave none for a tree that sees {self.row_share} of them")
        topic = np.repeat(np.arange(len(sizes)), sizes)[taught]
        learned = np.bincount(topic, minlength=len(sizes)).astype(np.int64)
        scale = max(float(labels[taught].max()), 1.0)
        self.model_.fit(TrainingSet(values[taught], labels[taught] / scale, weights[taught], learned[learned > 0]))
        return self

    def predict(self, X: Any, groups: Any = None) -> Scores:
        """(n_rows,) scores, higher is better, comparable within a topic only."""
        check_is_fitted(self)
        found = row_topics(X, groups)
        values = validate_data(self, without_topic(X), dtype=np.float64, reset=False)
        rows, sizes = _by_topic(found, len(values))
        table = UnitTable(_standardised(values[rows], sizes), sizes, np.arange(len(rows)))
        scores = np.empty(len(rows))
        scores[rows] = self.model_.score_units(table)
        return scores

    def score(self, X: Any, y: Any, groups: Any = None) -> float:
        """Mean nDCG@5 over the topics, see `mean_ndcg`: what stands in for R², which says nothing of an order."""
        return mean_ndcg()(self, X, y, groups)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # as a regressor: its scores are no labels
        return tags

    def _check_parameters(self, names: Sequence[str]) -> None:
        for name, least in _WHOLE.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
                raise ValueError(f"{name} is {value!r}, and must be a whole number from {least} up")
        for name in _SHARES:
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0 < value <= 1:
                raise ValueError(f"{name} is {value!r}, and must be a number above 0 and at most 1")
        for name in ("start", "signs"):
            if unknown := [column for column in getattr(self, name) or () if column not in names]:
                raise ValueError(f"{name} has {unknown[0]!r}, which is no column of X")

    def _parameters(self) -> Parameters:
        given = {field.name: getattr(self, field.name) for field in fields(Parameters)}
        return Parameters(**given | {"start": dict(self.start or {})})

    def _signs(self, names: Sequence[str]) -> Mapping[str, int]:
        if self.signs is not None:
            return self.signs
        from features.registry import column_features

        known = column_features()
        return {name: known[name].sign for name in names if name in known}


@dataclass(frozen=True)
class MeanNDCG:
    """A scikit-learn scorer: ``scorer(estimator, X, y)``; see `mean_ndcg`."""

    k: int = 5

    def __call__(self, estimator: Any, X: Any, y: Any, groups: Any = None) -> float:
        """Mean over the topics with a label above 0. Raises ValueError when there is none."""
        found = row_topics(X, groups)
        scores = estimator.predict(X) if groups is None else estimator.predict(X, groups=groups)
        labels = np.asarray(y, np.float64)
        rows, sizes = _by_topic(found, len(labels))
        values = []
        for part in np.split(rows, np.cumsum(sizes)[:-1]):
            kept = part[~np.isnan(labels[part])]
            if labels[kept].max(initial=0.0) > 0:
                values.append(_tied_ndcg(np.asarray(scores)[kept], labels[kept], self.k))
        if not values:
            raise ValueError("no topic has a label above 0, so no order is better than another")
        return float(np.mean(values))


def mean_ndcg(k: int = 5) -> MeanNDCG:
    """A scorer for ``scoring=``: nDCG@k with linear gains (`ltr.metrics.lab_ndcg`), the mean over topics.

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


def training_rows(
    matrix: Matrix, labels: WeakLabels, columns: Sequence[str] | None = None
) -> tuple[pd.DataFrame, npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """``X``, ``y`` and ``sample_weight``: what ``ltr.train`` learns from, one row a pair of arguments.

    ``X`` (n_units, n_columns) the means over the pairs, index ``topic``; ``columns`` are those with a sign unless
    given. ``y`` is the mean label, NaN where no pair has one; ``sample_weight`` the sum of the weights.
    """
    chosen = list(signed_columns(list(matrix.features.columns)) if columns is None else columns)
    numbers, unit = np.unique(matrix.units, return_inverse=True)
    size = np.bincount(unit, minlength=len(numbers))
    # Rounded as in models.base.unit_table: the last bits of a mean are no difference.
    means = {name: np.round(np.bincount(unit, matrix.features[name], len(numbers)) / size, 9) for name in chosen}
    topic = np.empty(len(numbers), object)
    topic[unit] = np.array(matrix.topics, object)[matrix.topic_of_row]
    used = labels.used
    weight = np.asarray(np.bincount(unit[used], labels.weight[used], len(numbers)), np.float64)
    total = np.bincount(unit[used], (labels.weight * labels.label)[used], len(numbers))
    label = np.divide(total, weight, out=np.full(len(numbers), np.nan), where=weight > 0)
    return pd.DataFrame(means, index=pd.Index(topic, name=TOPIC)), label, weight


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


def _by_topic(topics: npt.NDArray[Any] | None, number: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Row numbers with those of a topic together, topics in order of first appearance, and the topics' sizes."""
    if topics is None:
        return np.arange(number), np.array([number], np.int64)
    if topics.shape != (number,):
        raise ValueError(f"groups have the shape {topics.shape}, and there are {number} rows")
    codes, names = pd.factorize(topics)
    if (codes < 0).any():
        raise ValueError("a row has no topic")
    return np.argsort(codes, kind="stable"), np.bincount(codes, minlength=len(names)).astype(np.int64)


def _standardised(values: npt.NDArray[np.float64], sizes: npt.NDArray[np.int64]) -> Scores:
    return np.column_stack([standardise(column, sizes) for column in values.T])


def _checked_labels(y: Any, number: int) -> npt.NDArray[np.float64]:
    if y is None:
        raise ValueError("PairRanker requires y to be passed, but the target y is None")
    labels = check_array(
        column_or_1d(y, warn=True), ensure_2d=False, dtype=np.float64, ensure_all_finite="allow-nan", input_name="y"
    )
    if len(labels) != number:
        raise ValueError(f"there are {len(labels)} labels, and {number} rows")
    return np.asarray(labels)


def _checked_weights(weights: Any, number: int) -> npt.NDArray[np.float64]:
    if weights is None:
        return np.ones(number)
    checked = np.asarray(check_array(weights, ensure_2d=False, dtype=np.float64, input_name="sample_weight"))
    if checked.shape != (number,):
        raise ValueError(f"sample_weight has the shape {checked.shape}, and there are {number} rows")
    if checked.min(initial=0.0) < 0:
        raise ValueError("a sample_weight is below 0")
    return checked
