from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from tables import Part, make_matrix

from models.base import Scores, make_ranker, standardise
from models.blend import CONFLICT, DIMENSIONS, WEIGHTS, Blend, Choice, target_weights

BARE = Choice(price=0, conflict=0)
SIGN = {"n_letters": 1.0}
LETTERS = ["n_letters_min", "n_letters_max"]


class Column:
    """A ranker that scores by one column as it is."""

    def __init__(self, column: str) -> None:
        self.columns = [column]

    def score(self, matrix: Part) -> Scores:
        return np.asarray(matrix.features[self.columns[0]], np.float64)


class Refusing(Column):
    def score(self, matrix: Part) -> Scores:
        raise AssertionError("a ranker that does not count was asked")


def part(groups: list[int], units: list[int], **columns: list[float]) -> Part:
    columns = {
        CONFLICT: [0] * len(units),
        "n_letters_min": [0] * len(units),
        "n_letters_max": [0] * len(units),
    } | columns
    return Part(
        pd.DataFrame({n: np.array(v, np.float32) for n, v in columns.items()}),
        np.array(groups, int),
        np.array(units, int),
    )


def blend(weights: Mapping[str, float], choice: Choice = BARE) -> Blend:
    """A ranker for each weight that reads the column of its name."""
    return Blend({name: Column(name) for name in weights}, weights, choice)


# ---- by hand


def test_a_weighted_sum_of_z_scores():
    # z-scores: topic 1 has a -1, 1 and b 1, -1; topic 2 has a -sqrt 1.5, 0, sqrt 1.5, and b without spread.
    matrix = part([2, 3], [0, 1, 2, 3, 4], a=[10, 30, 1, 2, 3], b=[5, 4, 7, 7, 7])
    found = blend({"a": 0.5, "b": 0.2}).score(matrix)
    far = 0.5 * np.sqrt(1.5)
    np.testing.assert_allclose(found, [-0.3, 0.3, -far, 0, far], atol=1e-12)


def test_a_negative_weight_turns_an_order_round():
    matrix = part([2], [0, 1], a=[10, 30])
    np.testing.assert_allclose(blend({"a": -2}).score(matrix), [2, -2])


def test_rankers_without_weight_are_not_asked():
    matrix = part([2], [0, 1], a=[10, 30])
    for weights in ({"a": 1, "b": 0}, {"a": 1}):
        model = Blend({"a": Column("a"), "b": Refusing("b")}, weights, BARE)
        np.testing.assert_allclose(model.score(matrix), [-1, 1])
        assert model.weights == {"a": 1, "b": 0}
        # Nor is their score looked for.
        np.testing.assert_allclose(model.combine(matrix, {"a": np.array([1.0, 2])}), [-1, 1])


def test_weights_of_dimensions_without_a_ranker_are_left_out():
    model = Blend({"a": Column("a")}, {"a": 2, "b": 3}, BARE)
    assert model.weights == {"a": 2}


def test_what_the_choice_of_a_pair_costs():
    # One unit of three pairs with 10, 30 and 20 letters, one of two with 9 each, one of a single pair.
    low, high = [4, 10, 8, 4, 4, 1], [6, 20, 12, 5, 5, 1]
    matrix = part([6], [0, 0, 0, 1, 1, 2], a=[1, 1, 1, 1, 1, 1], n_letters_min=low, n_letters_max=high)
    # Percentiles in the unit are 0, 1 and .5; the price is in z-scores of all weights together.
    model = blend({"a": 0.5, "b": 1.5}, Choice(SIGN, price=0.3, conflict=0))
    found = model.combine(matrix, {"a": np.ones(6), "b": np.ones(6)})
    np.testing.assert_allclose(found, [-0.6, 0, -0.3, 0, 0, 0], atol=1e-12)


def test_what_a_conflict_costs():
    matrix = part([4], [0, 0, 1, 1], a=[1, 1, 3, 3], stance_conflict=[0, 0, 1, 0])
    found = blend({"a": 1}, Choice(SIGN, price=0, conflict=2.5)).score(matrix)
    np.testing.assert_allclose(found, [-1, -1, 1 - 2.5, 1])


def test_a_matrix_without_rows():
    found = blend({"a": 1}, Choice(SIGN)).combine(part([], [], a=[]), {"a": np.zeros(0)})
    assert found.shape == (0,)


# ---- which pair, and which arguments


def units_in_order(matrix: Part, scores: Scores) -> list[int]:
    """Units in the order in which they first appear."""
    order = np.argsort(-scores, kind="stable")
    return list(dict.fromkeys(matrix.units[order].tolist()))


def random_part(seed: int, *, conflicts: bool = False) -> tuple[Part, Scores]:
    """Two topics of units with one to five pairs each, and a score of units."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, 20)
    units = np.repeat(np.arange(20), sizes)
    groups = [int((units < 8).sum()), int((units >= 8).sum())]
    letters = rng.integers(1, 200, (2, len(units)))
    conflict = (rng.random(len(units)) < 0.3) & conflicts
    columns = {"n_letters_min": letters.min(axis=0), "n_letters_max": letters.max(axis=0), CONFLICT: conflict}
    score = rng.normal(size=20).astype(np.float32).astype(np.float64)[units]
    return part(groups, units.tolist(), a=score, **columns), score


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("price", [0.1, 1, 10])
def test_the_best_pair_of_two_arguments_pays_nothing(seed: int, price: float):
    matrix, score = random_part(seed)
    model = blend({"a": 0.7}, Choice(SIGN, price=price, conflict=0))
    found, free = model.score(matrix), 0.7 * standardise(score, matrix.groups)
    paid = free - found
    assert (paid >= -1e-9).all()
    assert (paid <= price * 0.7 + 1e-9).all()
    letters = matrix.features[LETTERS].sum(axis=1).to_numpy()
    for unit in range(20):
        rows = np.flatnonzero(matrix.units == unit)
        assert paid[rows[np.argmax(letters[rows])]] == pytest.approx(0, abs=1e-9)
        # More letters, less to pay.
        assert (np.diff(paid[rows[np.argsort(letters[rows])]]) <= 1e-9).all()


@pytest.mark.parametrize("seed", range(5))
def test_the_price_leaves_the_order_of_arguments_alone(seed: int):
    matrix, score = random_part(seed)
    halves = np.cumsum([0, *matrix.groups])
    for price in (0.1, 1, 100):
        found = blend({"a": 0.7}, Choice(SIGN, price=price, conflict=0)).score(matrix)
        for begin, end in pairwise(halves):
            topic = Part(matrix.features[begin:end], matrix.groups, matrix.units[begin:end])
            assert units_in_order(topic, found[begin:end]) == units_in_order(topic, score[begin:end])


@pytest.mark.parametrize("seed", range(5))
def test_pairs_in_conflict_leave_the_top(seed: int):
    matrix, _ = random_part(seed, conflicts=True)
    conflict = matrix.features[CONFLICT].to_numpy() > 0
    found = blend({"a": 1}, Choice(SIGN, price=1, conflict=100)).score(matrix)
    begin = 0
    for size in matrix.groups:
        rows = slice(begin, begin + size)
        begin += size
        assert conflict[rows].any()
        assert found[rows][conflict[rows]].max() < found[rows][~conflict[rows]].min()


def test_a_conflict_leaves_the_order_of_arguments_alone():
    # The longest pair of the better arguments is one in conflict; the next one stands for them.
    matrix = part([4], [0, 0, 1, 1], a=[2, 2, 1, 1], stance_conflict=[1, 0, 0, 0], n_letters_max=[9, 5, 9, 5])
    found = blend({"a": 1}, Choice(SIGN, price=3, conflict=100)).score(matrix)
    assert units_in_order(matrix, found) == [0, 1]
    assert found[1] == pytest.approx(1)


def test_a_conflict_costs_more_than_the_best_of_pairs_gains_by_default():
    matrix = make_matrix()
    conflict = matrix.features[CONFLICT].to_numpy() > 0
    assert conflict.any()
    model = Blend({"relevance": make_ranker("dirichlet"), "coherence": make_ranker("coherence")})
    found = model.score(matrix)
    checked = 0
    for _, rows in matrix:
        if conflict[rows].any():
            assert not conflict[rows][np.argsort(-found[rows])[:5]].any()
            checked += 1
    assert checked


# ---- columns, weights, settings


def test_columns_are_a_union_without_repetition():
    model = Blend({"b": Column("x"), "a": Column("y"), "c": Column("x")}, {}, Choice(SIGN | {"jaccard": 1.0}))
    assert model.columns == ["x", "y", CONFLICT, *LETTERS, "jaccard"]
    for choice, more in (
        (BARE, []),
        (Choice(SIGN, price=0), [CONFLICT]),
        (Choice(SIGN, conflict=0), LETTERS),
    ):
        assert Blend({"a": Column("x"), "b": Column("x")}, {}, choice).columns == ["x", *more]
    assert Blend({"a": Column(CONFLICT), "b": Column(LETTERS[1])}, {}, Choice(SIGN)).columns == [
        CONFLICT,
        *LETTERS[::-1],
    ]


def test_it_looks_at_its_columns_only():
    matrix = make_matrix()
    model = Blend({"relevance": make_ranker("dirichlet"), "coherence": make_ranker("coherence")})
    assert set(model.columns) < set(matrix.features.columns)
    narrow = Part(matrix.features[model.columns], matrix.groups, matrix.units)
    before = narrow.features.copy(deep=True)
    found = model.score(narrow)
    np.testing.assert_array_equal(found, model.score(matrix))
    pd.testing.assert_frame_equal(narrow.features, before)
    assert np.isfinite(found).all()


def test_other_weights_for_the_same_rankers():
    matrix = part([2], [0, 1], a=[10, 30], b=[3, 2])
    model = blend({"a": 1, "b": 0.5}, replace(BARE, conflict=1))
    other = model.reweighted({"b": 2, "c": 0})
    np.testing.assert_allclose(other.score(matrix), [2, -2])
    assert other.weights == {"a": 0, "b": 2}
    assert (other.rankers, other.choice) == (model.rankers, model.choice)
    assert model.weights == {"a": 1, "b": 0.5}
    with pytest.raises(KeyError, match="c"):
        model.reweighted({"a": 1, "c": 0.1})


def test_the_order_of_rankers_changes_no_bit():
    rng = np.random.default_rng(1)
    names = ["relevance", "quality", "coherence"]
    scores = {name: rng.normal(size=50) for name in names}
    matrix = part([20, 30], list(range(50)))
    weights = dict(zip(names, (0.1, 0.7, 0.3), strict=True))
    found = [
        Blend({name: Column(name) for name in order}, weights, BARE).combine(matrix, scores)
        for order in (names, names[::-1])
    ]
    np.testing.assert_array_equal(*found)


def test_rows_of_a_topic_may_stand_in_any_order():
    matrix = make_matrix()
    model = Blend({"relevance": make_ranker("dirichlet"), "coherence": make_ranker("coherence")})
    rng = np.random.default_rng(2)
    order = np.concatenate([rng.permutation(np.arange(len(matrix))[rows]) for _, rows in matrix])
    other = Part(matrix.features.iloc[order].reset_index(drop=True), matrix.groups, matrix.units[order])
    np.testing.assert_allclose(model.score(other), model.score(matrix)[order], rtol=1e-9, atol=1e-9)


def test_settings_say_all_but_the_rankers():
    choice = Choice({"n_letters": 2.0, "url": -1.0}, price=0.25, conflict=3)
    model = blend({"a": 1, "b": 0.5}, choice)
    settings = json.loads(json.dumps(model.settings()))
    again = Blend(model.rankers, settings["weights"], Choice(**settings["choice"]))
    assert (again.weights, again.choice) == (model.weights, choice)


def test_one_choice_does_not_change_another():
    Choice().signs["n_letters"] = 99
    assert Choice().signs.get("n_letters") != 99


def test_weights_of_a_target():
    for name in DIMENSIONS:
        assert target_weights(name) == {other: float(other == name) for other in DIMENSIONS}
    assert set(WEIGHTS) == set(DIMENSIONS)
