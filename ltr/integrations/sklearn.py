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

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import (
    _check_sample_weight,
    check_array,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from features.core.registry import all_columns
from ltr.integrations.scorer import TOPIC, by_topic, mean_ndcg, row_topics, without_topic
from ltr.pipeline.matrix import Matrix
from ltr.supervision.labels import Labels
from models.base import TOP_GRADE, Scores, TrainingSet
from models.inputs import IN_TOPIC, input_values, inputs_of
from models.lambdamart import Parameters
from models.selection import fit_selected


@dataclass(kw_only=True, eq=False, repr=False)
class PairRanker(RegressorMixin, BaseEstimator, Parameters):  # type: ignore[misc]  # scikit-learn has no types
    """The ranker of one dimension as ``ltr.train`` learns it (`models.lambdamart.LambdaMart`); a row is a pair.

    The topic of a row is taken from, in this order: ``groups``; the column ``topic`` of ``X``; the index level
    ``topic`` of ``X``; without any of them all rows are one topic. Rows of a topic need not stand together. The
    topic is no feature.

    Columns that the feature registry knows become the inputs that `models.inputs` makes of them, standard scores
    within the topic among them; others enter as they are. Scores are expected labels. For labels without a graded
    pair among them ``ltr.train`` takes the objective ``regression``.

    Parameters are those of `models.lambdamart.Parameters`, and

    threads : int
        Threads of LightGBM; the result does not depend on them.
    """

    threads: int = 1

    __eq__, __hash__ = object.__eq__, object.__hash__  # estimators of the same parameters are not the same

    def fit(self, X: Any, y: Any, groups: Any = None, sample_weight: Any = None) -> PairRanker:
        """Learn the labels of rows.

        ``X`` (n_rows, n_columns); ``y`` (n_rows,) labels, higher is better. A label of NaN says that nobody knows:
        the row teaches nothing but is one of its topic, and so is a row of weight 0. Raises ValueError, also for a
        parameter out of its range.
        """
        found = row_topics(X, groups)
        values = validate_data(self, without_topic(X), dtype=np.float64, ensure_min_samples=2)
        labels = _checked_labels(y, values)
        weights = _check_sample_weight(sample_weight, values, dtype=np.float64, ensure_non_negative=True)
        rows, sizes = by_topic(found, len(values))
        self.check()
        inputs = _inputs(self._names(values))
        labels, weights = labels[rows], weights[rows]
        labelled = ~np.isnan(labels) & (weights > 0)
        if not labelled.any():
            raise ValueError("no row has both a label and a sample_weight above zero")
        if int(labelled.sum() * self.row_share) < 1:
            raise ValueError(f"{labelled.sum()} labelled rows leave none for a tree that sees {self.row_share} of them")
        seen = self._input_values(values[rows], sizes, inputs)
        topic = np.repeat(np.arange(len(sizes)), sizes)[labelled]
        learned = np.bincount(topic, minlength=len(sizes)).astype(np.int64)
        self.scale_ = max(float(labels[labelled].max()) / TOP_GRADE, 1.0)
        data = TrainingSet(seen[labelled], labels[labelled] / self.scale_, weights[labelled], learned[learned > 0])
        parameters = Parameters(**{field.name: getattr(self, field.name) for field in fields(Parameters)})
        self.model_ = fit_selected(data, inputs, parameters, self.threads)
        return self

    def predict(self, X: Any, groups: Any = None) -> Scores:
        """(n_rows,) expected labels."""
        check_is_fitted(self)
        found = row_topics(X, groups)
        values = validate_data(self, without_topic(X), dtype=np.float64, reset=False)
        rows, sizes = by_topic(found, len(values))
        scores = np.empty(len(rows))
        scores[rows] = self.scale_ * self.model_.score_values(
            self._input_values(values[rows], sizes, self.model_.inputs)
        )
        return scores

    def score(self, X: Any, y: Any, groups: Any = None) -> float:
        """Mean nDCG@5 over the topics, see `mean_ndcg`: what stands in for R², which says nothing of an order."""
        return mean_ndcg()(self, X, y, groups)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # with the least rows a leaf, few rows teach nothing
        return tags

    def _names(self, values: npt.NDArray[np.float64]) -> list[str]:
        return list(map(str, getattr(self, "feature_names_in_", [f"x{place}" for place in range(values.shape[1])])))

    def _input_values(
        self, values: npt.NDArray[np.float64], sizes: npt.NDArray[np.int64], inputs: Sequence[str]
    ) -> npt.NDArray[np.float32]:
        return input_values(_Rows(pd.DataFrame(values, columns=self._names(values)), sizes), inputs)


@dataclass(frozen=True)
class _Rows:
    """What inputs are made of."""

    features: pd.DataFrame
    groups: npt.NDArray[np.int64]


def _inputs(names: Sequence[str]) -> list[str]:
    known = all_columns()
    for name in names:
        if name.endswith(IN_TOPIC):
            raise ValueError(f"a column is named {name!r}; {IN_TOPIC} marks standard scores within the topic")
    return [one for name in names for one in (inputs_of([name]) if name in known else [name])]


def training_rows(
    matrix: Matrix, labels: Labels, columns: Sequence[str] | None = None
) -> tuple[pd.DataFrame, npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """``X``, ``y`` and ``sample_weight``: what ``ltr.train`` learns from, one row a pair.

    ``X`` (n_pairs, n_columns) has the index ``topic`` and all feature columns, or ``columns``. ``y`` is NaN, and
    ``sample_weight`` 0, for pairs without a label: they stay, since standard scores are over all of a topic.
    """
    topic = np.array(matrix.topics, object)[matrix.topic_of_row]
    chosen = list(matrix.features.columns if columns is None else columns)
    X = matrix.features[chosen].set_axis(pd.Index(topic, name=TOPIC))
    return X, labels.label.copy(), np.where(labels.used, labels.weight, 0.0)


def _checked_labels(y: Any, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    if y is None:
        raise ValueError("PairRanker requires y to be passed, but the target y is None")
    labels = check_array(
        column_or_1d(y, warn=True), ensure_2d=False, dtype=np.float64, ensure_all_finite="allow-nan", input_name="y"
    )
    check_consistent_length(values, labels)
    return np.asarray(labels)
