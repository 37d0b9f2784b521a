"""The scikit-learn estimator: its contract, its splits, and that it is the ranker that ``ltr.train`` learns."""

from __future__ import annotations

import pickle
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from support.judged import judgments_of
from support.planted import train
from support.tables import make_table

from ltr.errors import InputError
from ltr.integrations.sklearn import PairRanker, mean_ndcg, training_rows
from ltr.learning.examples import Examples
from ltr.learning.labels import Labels
from ltr.ranking.task import find_task
from models.base import TrainingSet, make_parameters, standardise
from models.lambdamart import LambdaMart, Parameters

BM25, DIRICHLET = "bm25_k1.2_b0.75_pair", "dirichlet_2500_pair"
"""Columns of the registry that enter as standard scores within the topic alone."""


def problem(topics: int = 12, rows: int = 30, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray[Any, Any]]:
    """Topics of different scale: what is good in one is poor in another. ``BM25`` makes the label, ``DIRICHLET``
    spoils it, ``noise`` is nothing; rows are shuffled."""
    rng = np.random.default_rng(seed)
    topic = np.repeat([f"t{number}" for number in range(topics)], rows)
    raw = rng.normal(size=(topics * rows, 3))
    label = np.clip((raw[:, 0] - raw[:, 1]) / 2 + 1, 0, 2)
    shift = np.repeat(rng.normal(scale=100, size=topics), rows)
    X = pd.DataFrame({BM25: raw[:, 0] + shift, DIRICHLET: raw[:, 1] - shift, "noise": raw[:, 2]})
    X.index = pd.Index(topic, name="topic")
    order = rng.permutation(len(X))
    return X.iloc[order], label[order]


FEW: dict[str, Any] = {"trees": 20, "seeds": 2, "learning_rate": 0.3, "feature_share": 1.0, "rows_a_leaf": 5}


# ---- it ranks -------------------------------------------------------------------------------------


def test_it_ranks_topics_that_it_has_not_seen() -> None:
    X, y = problem()
    model = PairRanker(**FEW).fit(X, y)
    other, labels = problem(seed=1)
    assert mean_ndcg(5)(model, other, labels) > 0.9
    assert model.score(other, labels) == mean_ndcg(5)(model, other, labels)
    # Upside down it is worse than by chance.
    assert mean_ndcg(5)(PairRanker(**FEW).fit(X, 2 - y), other, labels) < 0.4


# ---- it is the ranker of the pipeline -------------------------------------------------------------


@pytest.mark.parametrize("objective", ["regression", "lambdarank", "both"])
def test_it_is_lambdamart_on_the_same_training_set(objective: str) -> None:
    X, y = problem()
    # A count depends on the question no more than on the collection: it enters as it is. A cosine enters twice.
    X = X.set_axis([BM25, "tfidf_cosine_argument_min", "noise"], axis=1)
    weights = np.random.default_rng(3).uniform(0.5, 2, len(X))
    model = PairRanker(**FEW, objective=objective).fit(X, y, sample_weight=weights)

    topics = list(dict.fromkeys(X.index))
    rows = np.concatenate([np.flatnonzero(X.index == topic) for topic in topics])
    sizes = np.array([(X.index == topic).sum() for topic in topics])
    plain = {name: X[name].to_numpy()[rows] for name in X}
    values = {f"{name}@topic": standardise(plain[name], sizes).round(5) for name in list(plain)[:2]} | plain
    inputs = [f"{BM25}@topic", "tfidf_cosine_argument_min", "tfidf_cosine_argument_min@topic", "noise"]
    twin = LambdaMart(inputs, Parameters(**FEW, objective=objective))
    seen = np.column_stack([values[name] for name in inputs]).astype(np.float32)
    twin.fit(TrainingSet(seen, y[rows], weights[rows], sizes))
    assert model.model_.settings() == twin.settings()
    assert model.model_.dump() == twin.dump()
    assert (model.predict(X)[rows] == twin.score_values(seen)).all()


def labels_of(number: int, seed: int) -> Labels:
    rng = np.random.default_rng(seed)
    label = np.where(rng.random(number) < 0.3, np.nan, 2 * rng.random(number))
    return Labels(label, rng.uniform(0.1, 1, number), {"graded": number})


@pytest.mark.parametrize("columns", [0, 20])
def test_training_rows_give_the_ranker_of_ltr_train(columns: int) -> None:
    table = make_table()
    labels = labels_of(len(table), 0)
    X, y, weight = training_rows(table, labels)
    assert len(X) == len(y) == len(weight) == len(table)
    assert list(X.columns) == list(table.features.columns)
    assert list(dict.fromkeys(X.index)) == table.topics
    assert ((weight == 0) == np.isnan(y)).all()
    few = FEW | {"rows_a_leaf": 2, "columns": columns}
    model = PairRanker(**few).fit(X, y, sample_weight=weight)
    examples = Examples.from_columns(table, judgments_of(), list(X.columns), ())
    twin = train(examples, labels, make_parameters("regression", few))
    assert model.model_.settings() == twin.settings()
    assert model.model_.dump() == twin.dump()
    assert (model.predict(table.features) == twin.score(table)).all()
    assert len(twin.columns) == columns or not columns


# ---- scikit-learn's machinery ---------------------------------------------------------------------


def test_a_clone_learns_the_same_and_a_pickle_scores_the_same() -> None:
    assert PairRanker().get_params() == {**asdict(make_parameters(find_task("pairs").objective)), "threads": 1}
    X, y = problem(topics=4)
    model = PairRanker(**FEW).fit(X, y)
    again = clone(model).set_params(leaves=6).fit(X, y)
    assert (again.predict(X) == model.predict(X)).all()
    assert (pickle.loads(pickle.dumps(model)).predict(X) == model.predict(X)).all()  # noqa: S301


def test_cross_validate_keeps_topics_whole() -> None:
    X, y = problem()
    groups, weight = X.index.to_numpy(), np.ones(len(X))
    how: dict[str, Any] = {"cv": GroupKFold(3), "scoring": mean_ndcg(5), "error_score": "raise"}
    plain = cross_validate(PairRanker(**FEW), X, y, groups=groups, params={"sample_weight": weight}, **how)
    expected = []
    for rest, test in GroupKFold(3).split(X, y, groups):
        model = PairRanker(**FEW).fit(X.iloc[rest], y[rest])
        expected.append(mean_ndcg(5)(model, X.iloc[test], y[test]))
    assert plain["test_score"].tolist() == expected
    assert min(expected) > 0.85


# ---- the measure ----------------------------------------------------------------------------------


class Given:
    """Scores that are given."""

    def __init__(self, scores: Any) -> None:
        self.scores = np.asarray(scores, np.float64)

    def predict(self, X: Any) -> np.ndarray[Any, Any]:
        return self.scores[: len(X)]


def frame(topics: str) -> pd.DataFrame:
    return pd.DataFrame({"x": 0.0}, index=pd.Index(list(topics), name="topic"))


def test_mean_ndcg_by_hand() -> None:
    # a: 1, 0 in the best order: 1. b: label 1 at rank 2 of 2: (1 / log2 3) / 1 = .630930.
    assert mean_ndcg(5)(Given([2, 1, 1, 2]), frame("aabb"), [1, 0, 1, 0]) == pytest.approx((1 + 0.6309297536) / 2)
    # c has no label above 0, which changes nothing. An unlabelled row at the top gains nothing: rank 3 has 1 / 2.
    assert mean_ndcg(5)(Given([2, 1, 9]), frame("aac"), [1, 0, 0]) == 1
    unlabelled = Given([1, 2, 9]), frame("aaa"), [1, 0, np.nan]
    assert mean_ndcg(5)(*unlabelled) == pytest.approx(0.5)
    assert mean_ndcg(5, condensed=True)(*unlabelled) == pytest.approx(0.6309297536)
    # Rows of weight 1 are judged, weak labels are not: only where there are no others.
    weak = Given([1, 2, 9]), frame("aaa"), [1, 0, 2]
    assert mean_ndcg(5)(*weak, sample_weight=[1, 1, 0.1]) == pytest.approx(0.5)
    assert mean_ndcg(5)(*weak, sample_weight=[0.1, 0.1, 0.1]) == mean_ndcg(5)(*weak)
    # At depth 1 only the first counts; negative labels are worth nothing.
    assert mean_ndcg(1)(Given([1, 2]), frame("aa"), [1, -2]) == 0
    with pytest.raises(ValueError, match="no topic has a label above 0"):
        mean_ndcg(5)(Given([1, 2]), frame("ab"), [0, np.nan])


def test_the_order_of_tied_rows_says_nothing() -> None:
    # At depth 1 each of the three is the first in a third of all orders: 1/3. At depth 3 the label stands at rank
    # 1, 2 or 3: (1 + .630930 + .5) / 3 = .710310.
    for labels in ([1, 0, 0], [0, 1, 0], [0, 0, 1]):
        assert mean_ndcg(1)(Given([0, 0, 0]), frame("aaa"), labels) == pytest.approx(1 / 3)
        assert mean_ndcg(3)(Given([0, 0, 0]), frame("aaa"), labels) == pytest.approx(0.7103099179)
    # A tie across the cut, after one row that is ahead: rank 2 is either label 1 or 0.
    assert mean_ndcg(2)(Given([1, 0, 0]), frame("aaa"), [0, 0, 1]) == pytest.approx(0.6309297536 / 2)


# ---- labels, weights and what is refused ----------------------------------------------------------


def test_an_unlabelled_row_and_one_of_no_weight_are_the_same() -> None:
    X, y = problem()
    unknown = np.where(np.arange(len(y)) % 4 == 0, np.nan, y)
    weight = np.where(np.arange(len(y)) % 4 == 0, 0.0, 1.0)
    one = PairRanker(**FEW).fit(X, unknown).predict(X)
    assert (PairRanker(**FEW).fit(X, y, sample_weight=weight).predict(X) == one).all()
    assert (PairRanker(**FEW).fit(X, y).predict(X) != one).any()


TOPICS = pd.Index(np.repeat(["a", "b"], 20), name="topic")


def small() -> tuple[pd.DataFrame, pd.Series]:
    values = np.random.default_rng(0).normal(size=(2, 40))
    return pd.DataFrame({"n": values[0], "m": values[1]}, TOPICS), pd.Series(np.clip(values[0] + 1, 0, 2), TOPICS)


def scores_of(X: Any, y: Any, weight: Any = None, other: Any = None) -> list[float]:
    return PairRanker(trees=3, seeds=1).fit(X, y, weight).predict(X if other is None else other).tolist()


def test_numbers_and_topics_of_any_type_give_the_same_scores() -> None:
    X, y = small()
    expected = scores_of(X, y)
    for frame in (X.astype(object), X.astype(str), X.astype("Float64"), X.astype({"n": "category"})):
        assert scores_of(frame, y.astype(frame.dtypes["m"])) == expected
    for topics in (pd.CategoricalIndex(TOPICS), TOPICS.map({"a": 7, "b": 1})):
        assert scores_of(X.set_axis(topics.rename("topic")), y.to_numpy()) == expected
    assert scores_of(X.set_axis([0, 1], axis=1), y) == expected
    assert scores_of(X, y, other=X.assign(z=1)[["z", "m", "n"]]) == expected
    some = X["n"] > 1
    for missing in (None, np.nan, pd.NA):
        assert scores_of(X.astype(object).mask(some, missing), y) == scores_of(X.mask(some), y)
        assert scores_of(X, y.astype(object).mask(some, missing)) == scores_of(X, y.mask(some))


@pytest.mark.parametrize("value", ["x", np.inf, -np.inf])
def test_what_is_no_number_is_refused_with_column_and_row(value: Any) -> None:
    X, y = small()
    wrong = y.astype(object).to_numpy(copy=True)
    wrong[3] = value
    model = PairRanker(trees=3, seeds=1).fit(X, y)
    for said, work in {
        "column n, row 3: ": lambda: model.fit(X.assign(n=wrong), y),
        "column m, row 3: ": lambda: model.predict(X.assign(m=wrong)),
        "y, row 3: ": lambda: model.fit(X, wrong),
        "y, row 3:  ": lambda: model.score(X, wrong),
        "sample_weight, row 3: ": lambda: model.fit(X, y, wrong),
    }.items():
        with pytest.raises(InputError, match=said.strip()):
            work()


REFUSED: dict[str, Any] = {
    "sample_weight: row 1: -1.0 is not a weight": lambda X, y: scores_of(X, y, np.where(np.arange(40) == 1, -1, 1)),
    "sample_weight: row 1: nan is not a weight": lambda X, y: scores_of(X, y, np.where(np.arange(40) == 1, np.nan, 1)),
    "X: there is no column m": lambda X, y: scores_of(X, y, other=X[["n"]]),
    "a column comes twice, or is called qid: n, n": lambda X, y: scores_of(X.set_axis(["n", "n"], axis=1), y),
    "a column comes twice, or is called qid: qid, m": lambda X, y: scores_of(X.rename(columns={"n": "qid"}), y),
    "X: there is no column:": lambda X, y: scores_of(X[[]], y),
    "X: row 2 has no topic": lambda X, y: scores_of(X.set_axis(TOPICS.where(np.arange(40) != 2)), y.to_numpy()),
    "y: its topics are not those of X": lambda X, y: scores_of(X, y[::-1]),
    "no row has both a label and a sample_weight above zero": lambda X, y: scores_of(X, np.full(40, np.nan)),
    "no row has both a label and a .* above zero": lambda X, y: scores_of(X, y, np.zeros(40)),
    "sample_weight: has 3 rows, and X has 40": lambda X, y: scores_of(X, y, np.ones(3)),
    "y: has 3 rows, and X has 40": lambda X, y: scores_of(X, np.ones(3)),
    "y: has 1 rows": lambda X, y: scores_of(X, None),
    "no topics in an index level 'topic'": lambda X, y: scores_of(X.reset_index(drop=True), y),
}


@pytest.mark.parametrize("said", REFUSED)
def test_a_wrong_frame_is_refused(said: str) -> None:
    with pytest.raises(InputError, match=said):
        REFUSED[said](*small())


def test_a_pipeline_that_loses_the_topics_is_refused() -> None:
    X, y = problem(topics=6)
    lossy = make_pipeline(StandardScaler(), PairRanker(**FEW))
    with pytest.raises(ValueError, match=r"no topics in an index level .* call set_output\(transform='pandas'\)"):
        lossy.fit(X, pd.Series(y, X.index))
    kept = lossy.set_output(transform="pandas").fit(X, pd.Series(y, X.index))
    assert kept.predict(X).shape == y.shape
