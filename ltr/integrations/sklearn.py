"""The ranker as a scikit-learn estimator: clone it, cross-validate it, search its parameters.

Each row of ``X`` has its topic in an index level named ``topic``, which every split keeps, for ``fit``, ``predict`` and
the scorer. ``table.features`` has that index::

    X, y, weight = training_rows(table, labels)
    search = GridSearchCV(PairRanker(), {"trees": [50, 200]}, cv=GroupKFold(5), scoring=mean_ndcg(5))
    search.fit(X, y, groups=X.index, sample_weight=weight)
    scores = search.predict(other.features)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.metrics import ndcg_score
from sklearn.utils.validation import check_is_fitted

from features.core.feature import all_columns
from ltr.errors import InputError
from ltr.learning.labels import Labels
from ltr.ranking.candidates import TOPIC, Candidates
from ltr.ranking.task import find_task
from models.base import TOP_GRADE, Scores, TrainingSet, group_sizes, make_parameters
from models.lambdamart import Parameters
from models.learned import fit_selected, input_values, inputs_of


@dataclass(kw_only=True, eq=False, repr=False)
class PairRanker(RegressorMixin, BaseEstimator, Parameters):  # type: ignore[misc]  # scikit-learn has no types
    """The ranker of one dimension as ``riposte train`` trains it (`models.lambdamart.LambdaMart`); a row is a pair.

    Rows of a topic may be anywhere. Registered feature columns become the inputs of `models.learned`, such as standard
    scores within the topic; other columns enter as they are. Scores are expected labels.

    Parameters
    ----------
    objective, trees, columns, ... :
        As in `models.lambdamart.Parameters`, by default those of ``riposte train`` for pairs.
    threads : int
        Threads of LightGBM; the result does not depend on them.
    """

    objective: str = find_task("pairs").objective
    threads: int = 1

    __eq__, __hash__ = object.__eq__, object.__hash__  # estimators of the same parameters are not the same

    def fit(self, X: pd.DataFrame, y: Any, sample_weight: Any = None) -> PairRanker:
        """Train on ``X`` (n_rows, n_columns) and ``y`` (n_rows,), labels of which higher ones are better.

        Rows with the label NaN or the weight 0 only count in their topic's standard scores. A feature may be missing.
        Raises InputError, a ValueError, which names the column and the row, counted from 0, of what is not a number.
        """
        rows, table = by_topic(X)
        labels = _numbers(y, "y", X)
        weights = np.ones(len(X)) if sample_weight is None else _numbers(sample_weight, "sample_weight", X)
        if (wrong := np.flatnonzero(~(weights >= 0))).size:
            raise InputError("sample_weight", f"row {wrong[0]}: {weights[wrong[0]]} is not a weight", "write 0 or more")
        labels, weights = labels[rows], weights[rows]
        labelled = ~np.isnan(labels) & (weights > 0)
        if not labelled.any():
            raise InputError("no row has both a label and a sample_weight above zero")
        self.feature_names_in_ = np.array(X.columns, object)
        known = all_columns()
        inputs = [one for name in map(str, X) for one in (inputs_of([name]) if name in known else [name])]
        self.scale_ = max(float(labels[labelled].max()) / TOP_GRADE, 1.0)
        seen, groups = input_values(table, inputs)[labelled], group_sizes(table[labelled])
        data = TrainingSet(seen, labels[labelled] / self.scale_, weights[labelled], groups)
        names = vars(make_parameters(self.objective)).keys() & self.get_params().keys() - {"objective"}
        parameters = make_parameters(self.objective, {name: getattr(self, name) for name in names})
        self.model_ = fit_selected(data, inputs, parameters, self.threads)
        return self

    def predict(self, X: pd.DataFrame) -> Scores:
        """(n_rows,) expected labels. Raises InputError, as `fit`, also for a column that is missing."""
        check_is_fitted(self)
        rows, table = by_topic(X)
        if missing := [name for name in self.model_.columns if name not in table]:
            raise InputError("X", f"there is no column {missing[0]}", "give the columns of the training")
        scores = np.empty(len(rows))
        scores[rows] = self.scale_ * self.model_.score(table)
        return scores

    def score(self, X: pd.DataFrame, y: Any, sample_weight: Any = None) -> float:
        """Mean nDCG@5 over the topics (`mean_ndcg`), in place of R², which does not measure an order."""
        return mean_ndcg()(self, X, y, sample_weight)


def by_topic(X: pd.DataFrame) -> tuple[npt.NDArray[np.int64], pd.DataFrame]:
    """The rows with those of a topic together, topics in order of first appearance; their table, with ``qid``.

    Raises InputError for rows without a topic, for columns that are not of numbers, and for names that come twice.
    """
    if TOPIC not in getattr(getattr(X, "index", None), "names", ()):
        what = f"the rows have no topics in an index level {TOPIC!r}"
        raise InputError(f"{what}: give a frame, and call set_output(transform='pandas') on a pipeline")
    codes, _ = pd.factorize(X.index.get_level_values(TOPIC))
    if (codes < 0).any():
        raise InputError("X", f"row {codes.argmin()} has no topic", "leave it out")
    names = [*map(str, X.columns)]
    if not names or len({*names, "qid"}) <= len(names):
        what = "there is no column" if not names else "a column comes twice, or is called qid"
        raise InputError("X", f"{what}: {', '.join(names)[:200]}", "give each feature a name of its own")
    columns = {name: _numeric(X.iloc[:, place], f"column {name}, row") for place, name in enumerate(names)}
    rows = np.argsort(codes, kind="stable")
    return rows, pd.DataFrame(columns, X.index).iloc[rows].assign(qid=codes[rows])


def _numbers(values: Any, name: str, X: pd.DataFrame) -> npt.NDArray[np.float64]:
    """(n_rows,) labels or weights of the rows of ``X``, NaN where one is missing. Raises InputError."""
    given = values if isinstance(values, pd.Series) else pd.Series([values] if values is None else list(values))
    if len(given) != len(X):
        raise InputError(name, f"has {len(given)} rows, and X has {len(X)}", "give one number a row")
    if given.index.name == TOPIC == X.index.name and not given.index.equals(X.index):
        raise InputError(name, "its topics are not those of X, row by row", "put both in the same order")
    return _numeric(given, f"{name}, row").to_numpy(np.float64)


def _numeric(values: pd.Series, where: str) -> pd.Series:
    """Numbers of whatever type as numpy has them, NaN where one is missing. Raises InputError."""
    numbers = values
    if not (isinstance(values.dtype, np.dtype) and values.dtype.kind in "fiub"):
        numbers = pd.to_numeric(values.astype(object), errors="coerce").astype(np.float64)
    if (wrong := np.flatnonzero(np.isinf(numbers) | (numbers.isna() & values.notna()))).size:
        raise InputError(
            f"{where} {wrong[0]}", f"{str(values.iloc[wrong[0]])[:80]!r} is not a finite number", "mend it"
        )
    return numbers


def mean_ndcg(k: int = 5, *, condensed: bool = False) -> Callable[..., float]:
    """A scorer for ``scoring=``: nDCG@k with linear gains (`ltr.evaluation.measures.lab_ndcg`), averaged over topics.

    Topics are read as in `PairRanker`. All rows of a topic are ranked. Judged are those with a label and, where
    scikit-learn passes ``sample_weight`` to the scorer, of weight 1, as `training_rows` gives graded pairs; where none
    has it, of any weight above 0. Other rows gain nothing, or are left out of a ``condensed`` list, which flatters.
    Topics without a label above 0 are left out; raises InputError when none is left. Tied rows count by the mean over
    all their orders: McSherry & Najork 2008.
    """

    def scorer(estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        scores, labels = np.asarray(estimator.predict(X)), _numbers(y, "y", X)
        if sample_weight is not None:
            weights = _numbers(sample_weight, "sample_weight", X)
            labels = np.where(weights >= 1 if (weights >= 1).any() else weights > 0, labels, np.nan)
        rows, table = by_topic(X)
        values = []
        for part in np.split(rows, np.cumsum(group_sizes(table))[:-1]):
            kept = part[~np.isnan(labels[part])] if condensed else part
            gains = np.maximum(np.nan_to_num(labels[kept]), 0)
            if gains.max(initial=0.0) > 0:  # scikit-learn wants two rows
                values.append(ndcg_score([gains], [scores[kept]], k=k) if len(kept) > 1 else 1.0)
        if not values:
            raise InputError("no topic has a label above 0, so no order is better than another")
        return min(1.0, float(np.mean(values)))  # rounding alone could lift it above

    return scorer


def training_rows(table: Candidates, labels: Labels) -> tuple[pd.DataFrame, pd.Series, npt.NDArray[np.float64]]:
    """``X`` (n_pairs, n_columns), ``y`` and ``sample_weight`` of ``riposte train``; ``X`` and ``y`` have the index
    ``topic``, so that a pipeline which loses the topics of ``X`` is noticed.

    Pairs without a label have ``y`` NaN and ``sample_weight`` 0: standard scores are over all pairs of a topic.
    """
    features = table.features
    y = pd.Series(labels.label.copy(), features.index, name="label")
    return features, y, np.where(labels.used, labels.weight, 0.0)
