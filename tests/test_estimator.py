"""The scikit-learn estimator: its contract, its splits, and that it is the ranker that ``ltr.train`` learns."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.metrics import ndcg_score
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_validate
from sklearn.utils.estimator_checks import parametrize_with_checks
from tables import make_matrix

from ltr.estimator import PairRanker, mean_ndcg, training_rows
from ltr.learning import signed_columns, train_dimension
from ltr.supervision import WeakLabels
from models.base import TrainingSet, standardise, unit_table
from models.lambdamart import LambdaMart, Parameters

NOT_OURS = {
    "check_methods_subset_invariance": "features are z-scores within the topic: a score depends on the whole list",
    "check_sample_weight_equivalence_on_dense_data": "a row of weight 0 still belongs to its topic, so it moves the "
    "z-scores of the others; and leaves count rows, not weights",
}
"""Checks of scikit-learn that ask for what a ranker of lists cannot be."""


@parametrize_with_checks([PairRanker(trees=5, seeds=1)], expected_failed_checks=lambda _: NOT_OURS)
def test_the_contract_of_scikit_learn(estimator: PairRanker, check: Any) -> None:
    check(estimator)


def problem(topics: int = 12, rows: int = 30, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray[Any, Any]]:
    """Topics of different scale, in which ``good`` makes the label and ``bad`` spoils it; rows are shuffled."""
    rng = np.random.default_rng(seed)
    topic = np.repeat([f"t{number}" for number in range(topics)], rows)
    raw = rng.normal(size=(topics * rows, 3))
    label = np.clip((raw[:, 0] - raw[:, 1]) / 4 + 0.5, 0, 1)
    shift = np.repeat(rng.normal(scale=100, size=topics), rows)
    X = pd.DataFrame({"good": raw[:, 0] + shift, "bad": raw[:, 1] - shift, "noise": raw[:, 2]})
    X.index = pd.Index(topic, name="topic")
    order = rng.permutation(len(X))
    return X.iloc[order], label[order]


FEW = {"trees": 10, "seeds": 2}


# ---- it ranks -------------------------------------------------------------------------------------


def test_it_ranks_topics_that_it_has_not_seen() -> None:
    X, y = problem()
    model = PairRanker(**FEW).fit(X, y)
    other, labels = problem(seed=1)
    assert mean_ndcg(5)(model, other, labels) > 0.95
    assert model.score(other, labels) == mean_ndcg(5)(model, other, labels)
    # Upside down it is worse than by chance.
    assert mean_ndcg(5)(PairRanker(**FEW).fit(X, 1 - y), other, labels) < 0.4


def test_the_topic_may_stand_in_the_index_in_a_column_or_in_groups() -> None:
    X, y = problem()
    topics = X.index.to_numpy()
    bare = X.reset_index(drop=True)
    expected = PairRanker(**FEW).fit(X, y).predict(X)
    column = bare.assign(topic=topics)
    assert (PairRanker(**FEW).fit(column, y).predict(column) == expected).all()
    by_groups = PairRanker(**FEW).fit(bare, y, groups=topics)
    assert (by_groups.predict(bare, groups=topics) == expected).all()
    assert by_groups.score(bare, y, groups=topics) == mean_ndcg(5)(by_groups, X, y)
    two = X.assign(row=range(len(X))).set_index("row", append=True)
    assert (PairRanker(**FEW).fit(two, y).predict(two) == expected).all()
    # Without topics the shifts between them drown everything.
    alone = PairRanker(**FEW).fit(bare, y)
    assert not np.array_equal(alone.predict(bare), expected)
    assert mean_ndcg(5)(alone, X, y) < mean_ndcg(5)(by_groups, X, y) - 0.1


def test_groups_outweigh_a_column_which_outweighs_the_index() -> None:
    X, y = problem()
    topics = X.index.to_numpy()
    wrong = np.full(len(X), "same")
    expected = PairRanker(**FEW).fit(X, y).predict(X)
    column = X.set_axis(pd.Index(wrong, name="topic")).assign(topic=topics)
    assert (PairRanker(**FEW).fit(column, y).predict(column) == expected).all()
    column = X.assign(topic=wrong)
    assert (PairRanker(**FEW).fit(column, y, groups=topics).predict(column, groups=topics) == expected).all()


# ---- it is the ranker of the pipeline -------------------------------------------------------------


def test_it_is_lambdamart_on_the_same_training_set() -> None:
    X, y = problem()
    X = X.set_axis(["total_polysyllables_min", "good", "noise"], axis=1)
    weights = np.random.default_rng(3).uniform(0.5, 2, len(X))
    signs = {"good": -1}
    model = PairRanker(**FEW, signs=signs, ridge=7.0, start={"noise": 0.3}).fit(X, y, sample_weight=weights)

    topics = list(dict.fromkeys(X.index))
    rows = np.concatenate([np.flatnonzero(X.index == topic) for topic in topics])
    sizes = np.array([(X.index == topic).sum() for topic in topics])
    values = np.column_stack([standardise(X[column].to_numpy()[rows], sizes) for column in X])
    twin = LambdaMart(list(X.columns), signs, Parameters(**FEW, ridge=7.0, start={"noise": 0.3}))
    twin.fit(TrainingSet(values, y[rows], weights[rows], sizes))
    assert model.model_.settings() == twin.settings()
    assert model.model_.dump() == twin.dump()


def labels_of(number: int, seed: int) -> WeakLabels:
    rng = np.random.default_rng(seed)
    label = np.where(rng.random(number) < 0.3, np.nan, rng.random(number))
    return WeakLabels(label, rng.uniform(0.1, 1, number), {}, [])


@pytest.mark.parametrize("seed", [0, 1])
def test_training_rows_give_the_ranker_of_ltr_train(seed: int) -> None:
    matrix = make_matrix()
    labels = labels_of(len(matrix), seed)
    labels.label[matrix.units < 3] = np.nan  # pairs of arguments that nobody judged
    X, y, weight = training_rows(matrix, labels)
    assert np.isnan(y[:3]).all()
    assert (weight[:3] == 0).all()
    assert not np.isnan(y[3:]).all()
    signs = signed_columns(list(matrix.features.columns))
    assert dict.fromkeys(X.columns) == dict.fromkeys(signs)
    model = PairRanker(**FEW, rows_a_leaf=2).fit(X, y, sample_weight=weight)

    table = unit_table(matrix, list(signs))
    parameters = Parameters(**FEW, rows_a_leaf=2)
    twin = train_dimension(matrix, table, labels, np.ones(len(matrix), bool), signs, parameters, 1)
    assert model.model_.settings() == twin.settings()
    assert model.model_.dump() == twin.dump()
    assert (model.predict(X)[table.unit_of_row] == twin.score(matrix)).all()


def test_training_rows_of_some_columns() -> None:
    matrix = make_matrix()
    X, y, weight = training_rows(matrix, labels_of(len(matrix), 0), ["n_polysyllables_max"])
    assert list(X.columns) == ["n_polysyllables_max"]
    assert list(dict.fromkeys(X.index)) == matrix.topics
    assert len(X) == len(y) == len(weight) == len(np.unique(matrix.units))
    first = matrix.units == 0
    assert X["n_polysyllables_max"].iloc[0] == pytest.approx(matrix.features["n_polysyllables_max"][first].mean())


# ---- scikit-learn's machinery ---------------------------------------------------------------------


def test_parameters_are_those_of_the_ranker() -> None:
    own = PairRanker().get_params()
    assert own.keys() == {*Parameters.__dataclass_fields__, "signs", "threads"}
    default = Parameters()
    assert {name: own[name] for name in own if name not in ("signs", "threads", "start")} == {
        name: getattr(default, name) for name in Parameters.__dataclass_fields__ if name != "start"
    }


def test_a_clone_learns_the_same_and_a_pickle_scores_the_same() -> None:
    X, y = problem(topics=4)
    model = PairRanker(**FEW, signs={"good": 1, "bad": -1}).fit(X, y)
    again = clone(model).set_params(leaves=4).fit(X, y)
    assert (again.predict(X) == model.predict(X)).all()
    assert (pickle.loads(pickle.dumps(model)).predict(X) == model.predict(X)).all()  # noqa: S301


def test_cross_validate_keeps_topics_whole() -> None:
    X, y = problem()
    groups = X.index.to_numpy()
    found = cross_validate(
        PairRanker(**FEW),
        X,
        y,
        groups=groups,
        cv=GroupKFold(3),
        scoring=mean_ndcg(5),
        params={"sample_weight": np.ones(len(X))},
        error_score="raise",
    )
    expected = []
    for train, test in GroupKFold(3).split(X, y, groups):
        model = PairRanker(**FEW).fit(X.iloc[train], y[train])
        expected.append(mean_ndcg(5)(model, X.iloc[test], y[test]))
    assert found["test_score"].tolist() == expected
    assert min(expected) > 0.9


def test_cross_validate_with_metadata_routing() -> None:
    X, y = problem()
    groups = X.index.to_numpy()
    plain = cross_validate(PairRanker(**FEW), X, y, groups=groups, cv=GroupKFold(3), scoring=mean_ndcg())
    with sklearn.config_context(enable_metadata_routing=True):
        routed = cross_validate(
            PairRanker(**FEW).set_fit_request(groups=True, sample_weight=True),
            X,
            y,
            cv=GroupKFold(3),
            scoring=mean_ndcg(),
            params={"groups": groups, "sample_weight": np.ones(len(X))},
            error_score="raise",
        )
    assert routed["test_score"].tolist() == plain["test_score"].tolist()


def test_grid_search() -> None:
    X, y = problem()
    right, wrong = {"good": 1, "bad": -1}, {"good": -1, "bad": 1}
    search = GridSearchCV(PairRanker(**FEW), {"signs": [wrong, right]}, cv=GroupKFold(3), scoring=mean_ndcg(5))
    search.fit(X, y, groups=X.index.to_numpy())
    assert search.best_params_ == {"signs": right}
    lower, higher = search.cv_results_["mean_test_score"]
    assert lower < 0.7
    assert higher == search.best_score_ > 0.9
    assert (search.predict(X) == PairRanker(**FEW, signs=right).fit(X, y).predict(X)).all()


# ---- the measure ----------------------------------------------------------------------------------


class Given:
    """Scores that are given."""

    def __init__(self, scores: Any) -> None:
        self.scores = np.asarray(scores, np.float64)

    def predict(self, X: Any) -> np.ndarray[Any, Any]:
        return self.scores[: len(X)]


def frame(topics: str) -> pd.DataFrame:
    return pd.DataFrame({"x": 0.0, "topic": list(topics)})


def test_mean_ndcg_by_hand() -> None:
    # a: 1, 0 in the best order: 1. b: label 1 at rank 2 of 2: (1 / log2 3) / 1 = .630930.
    assert mean_ndcg(5)(Given([2, 1, 1, 2]), frame("aabb"), [1, 0, 1, 0]) == pytest.approx((1 + 0.6309297536) / 2)
    # c has no label above 0, d is unlabelled at the top: neither changes a thing.
    assert mean_ndcg(5)(Given([2, 1, 9]), frame("aac"), [1, 0, 0]) == 1
    assert mean_ndcg(5)(Given([1, 2, 9]), frame("aaa"), [1, 0, np.nan]) == pytest.approx(0.6309297536)
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


@pytest.mark.parametrize("levels", [60, 6, 1])
def test_mean_ndcg_is_that_of_scikit_learn(levels: int) -> None:
    rng = np.random.default_rng(0)
    scores, labels = (rng.permutation(60) % levels).astype(float), rng.random(60)
    blocks = range(0, 60, 20)
    expected = np.mean([ndcg_score([labels[i : i + 20]], [scores[i : i + 20]], k=5) for i in blocks])
    assert mean_ndcg(5)(Given(scores), frame("a" * 20 + "b" * 20 + "c" * 20), labels) == pytest.approx(expected)


# ---- labels, weights and what is refused ----------------------------------------------------------


def test_grades_are_brought_to_one() -> None:
    X, y = problem()
    grades = np.rint(3 * y)
    model = PairRanker(**FEW).fit(X, grades)
    assert model.model_.dump() == PairRanker(**FEW).fit(X, grades / 3).model_.dump()


def test_an_unlabelled_row_and_one_of_no_weight_are_the_same() -> None:
    X, y = problem()
    unknown = np.where(np.arange(len(y)) % 4 == 0, np.nan, y)
    weight = np.where(np.arange(len(y)) % 4 == 0, 0.0, 1.0)
    one = PairRanker(**FEW).fit(X, unknown).predict(X)
    assert (PairRanker(**FEW).fit(X, y, sample_weight=weight).predict(X) == one).all()
    assert (PairRanker(**FEW).fit(X, y).predict(X) != one).any()


WRONG = {
    "no labels": ({"y": np.full(360, np.nan)}, "no row has both a label and a sample_weight above zero"),
    "no weights": ({"sample_weight": np.zeros(360)}, "no row has both a label and a sample_weight above zero"),
    "negative weight": ({"sample_weight": np.full(360, -1.0)}, "below 0"),
    "weights of another length": ({"sample_weight": np.ones(3)}, r"shape \(3,\), and there are 360 rows"),
    "labels of another length": ({"y": np.ones(3)}, "3 labels, and 360 rows"),
    "groups of another length": ({"groups": ["a"]}, r"shape \(1,\), and there are 360 rows"),
    "a row without a topic": ({"groups": [None] + ["a"] * 359}, "a row has no topic"),
    "one labelled row": ({"y": np.array([1.0] + [np.nan] * 359)}, "1 labelled rows leave none"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_refused(case: str) -> None:
    changed, said = WRONG[case]
    X, y = problem()
    with pytest.raises(ValueError, match=said):
        PairRanker(**FEW).fit(**{"X": X, "y": y, **changed})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"trees": -1}, "trees is -1, and must be a whole number from 0 up"),
        ({"trees": 2.5}, "trees is 2.5, and must be a whole number from 0 up"),
        ({"seeds": 0}, "seeds is 0, and must be a whole number from 1 up"),
        ({"leaves": True}, "leaves is True, and must be a whole number from 2 up"),
        ({"row_share": 0}, "row_share is 0, and must be a number above 0 and at most 1"),
        ({"feature_share": 1.5}, "feature_share is 1.5, and must be a number above 0 and at most 1"),
        ({"start": {"good": 1.0, "zz": 1.0}}, "start has 'zz', which is no column of X"),
        ({"signs": {"zz": 1}}, "signs has 'zz', which is no column of X"),
    ],
)
def test_parameters_out_of_range_are_refused(given: dict[str, Any], said: str) -> None:
    X, y = problem(topics=3)
    with pytest.raises(ValueError, match=said):
        PairRanker(**{**FEW, **given}).fit(X, y)
    PairRanker(**{**FEW, "trees": np.int64(1), "row_share": np.float32(0.5)}).fit(X, y)


def test_other_columns_are_refused() -> None:
    X, y = problem(topics=3)
    model = PairRanker(**FEW).fit(X, y)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(X[["bad", "good", "noise"]])


def test_signs_are_kept() -> None:
    X, y = problem()
    # The truth is that good is good; told otherwise, the linear part leaves it out and no tree may use it so.
    model = PairRanker(**FEW, signs={"good": -1, "bad": -1, "noise": 1}).fit(X, y)
    assert model.model_.linear["good"] == 0
    assert model.model_.linear["bad"] < 0
    registry = PairRanker(trees=0, seeds=1).fit(X.rename(columns={"good": "dirichlet_2500_argument_min"}), y)
    assert registry.model_.signs == {"dirichlet_2500_argument_min": 1, "bad": 0, "noise": 0}
