"""Trees in numpy: by hand, against LightGBM, and texts that are no trees."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.lambdamart import booster_text, lightgbm_package
from models.trees import MOST_LEAVES, Trees

INPUTS = ["a", "b", "c"]
STEP = {"verbosity": -1, "min_data_in_leaf": 1, "min_sum_hessian_in_leaf": 0, "num_threads": 1, "deterministic": True}


@cache
def text_of(leaves: int = 6, objective: str = "regression", rows: int = 400, trees: int = 12) -> str:
    lightgbm, values = lightgbm_package(), rows_like_these(rows)
    labels = np.rint(2 * np.sin(3 * values[:, 0]) + values[:, 1] ** 2).clip(0, 4)
    groups = [rows // 4] * 4 if objective == "lambdarank" else None
    data = lightgbm.Dataset(values, labels, group=groups, feature_name=INPUTS)
    return booster_text(lightgbm.train(STEP | {"objective": objective, "num_leaves": leaves}, data, trees))


def rows_like_these(rows: int) -> npt.NDArray[np.float32]:
    return np.random.default_rng(rows).normal(size=(rows, 3)).round(2).astype(np.float32)


def by_lightgbm(trees: Trees, values: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    return np.asarray(lightgbm_package().Booster(model_str=trees.plain()).predict(values, num_threads=1))


def edges(trees: Trees, values: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The values, some of them moved onto thresholds, to zero and beside it, to infinity, and missing."""
    random, found = np.random.default_rng(0), values.copy()
    for feature, thresholds, *_ in trees._inputs:
        on = random.random(len(found)) < 0.4
        found[on, feature] = random.choice(np.concatenate([thresholds, [0, 1e-35, -1e-35, 1e-36]]), on.sum())
    found[random.random(found.shape) < 0.05] = np.nan
    found[:2] = [[np.inf] * 3, [-np.inf] * 3]
    return found


@pytest.mark.parametrize("objective", ["regression", "lambdarank"])
@pytest.mark.parametrize("leaves", [2, 6, 8, 9, 17, 33, MOST_LEAVES])
def test_the_scores_are_those_of_lightgbm_to_the_last_digit(leaves: int, objective: str):
    trees = Trees(text_of(leaves, objective), INPUTS)
    values = edges(trees, rows_like_these(10_000))
    np.testing.assert_array_equal(trees.score(values), by_lightgbm(trees, values))
    booster = lightgbm_package().Booster(model_str=trees.text)
    np.testing.assert_array_equal(trees.score(values), booster.predict(values, num_threads=1))
    np.testing.assert_allclose(trees.gains(), booster.feature_importance("gain"), rtol=1e-5)


def test_a_tree_by_hand():
    # Below 1.5 in b: 7 where a is at most 0, else 5; above: 3.
    text = text_of(3, trees=1)
    fields = {"split_feature": "1 0", "threshold": "1.5 0", "leaf_value": "7 3 5"}
    fields |= {"left_child": "1 -1", "right_child": "-2 -3"}
    for name, value in fields.items():
        text = re.sub(rf"(?m)^{name}=.*$", f"{name}={value}", text, count=1)
    trees = Trees(sized(text), INPUTS)
    values = np.array([[0, 1.5, 9], [1, 0, 9], [0, 1.6, 9], [np.nan, np.nan, 9]], np.float32)
    assert trees.score(values).tolist() == [7, 5, 3, 7]
    assert trees.score(values[:0]).tolist() == []


def test_a_tree_of_one_leaf_gives_what_it_holds():
    lightgbm = lightgbm_package()
    data = lightgbm.Dataset(rows_like_these(50), np.full(50, 0.5), feature_name=INPUTS)
    text = booster_text(lightgbm.train(STEP | {"objective": "regression"}, data, 3))
    trees = Trees(text, INPUTS)
    assert set(trees.score(rows_like_these(20)).tolist()) == {0.5}
    assert trees.gains().tolist() == [0, 0, 0]


def sized(text: str) -> str:
    """The text with lengths of trees that fit it."""
    trees = re.split(r"(?m)^(?=Tree=)", text.partition("end of trees\n")[0])[1:]
    return re.sub(r"(?m)^tree_sizes=.*$", "tree_sizes=" + " ".join(str(len(tree)) for tree in trees), text)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("left_child", "0 -1 3 -2 -4", "not trees"),  # a split below itself
        ("left_child", "1 2 3 4 99999", "not trees"),
        ("left_child", "-9 2 3 4 -1", "not trees"),
        ("left_child", "1 2 3", "left_child of a tree has another length"),
        ("left_child", "1 2 3 4 1_0", "left_child of a tree is no number"),
        ("split_feature", "0 1 2 3 0", "features that are not there"),
        ("split_feature", "0 1 -2 1 0", "features that are not there"),
        ("split_feature", "0 1 .5 1 0", "split_feature of a tree is no number"),
        ("split_feature", "0 1 1.5 1 0", "split_feature of a tree is no number"),
        ("split_feature", "0 1 1e-400 1 0", "split_feature of a tree is no number"),  # LightGBM reads a 1
        ("split_feature", f"0 1 {10**40} 1 0", "split_feature of a tree is no number"),
        ("threshold", "1 2 3 nan 5", "threshold of a tree is no number"),
        ("threshold", "1 2 3 4e999 5", "threshold of a tree is out of range"),
        ("leaf_value", "1 2 3 4 5 1e999", "leaf_value of a tree is out of range"),
        ("leaf_value", "1 2 3 4 5 6 7", "leaf_value of a tree has another length"),
        ("decision_type", "2 2 2 1 2", "no plain thresholds"),
        ("num_cat", "7", "no plain thresholds"),
        ("is_linear", "1", "no plain thresholds"),
        ("num_leaves", "0", "does not have 1 to 64 leaves"),
        ("num_leaves", "65", "does not have 1 to 64 leaves"),
        ("num_leaves", "2000000000", "does not have 1 to 64 leaves"),
        ("max_feature_idx", "1", "other features than the manifest"),
        ("max_feature_idx", "2000000000", "other features than the manifest"),
        ("num_class", "3", "not LightGBM's for"),
        ("objective", "binary sigmoid:1", "not LightGBM's for"),
        ("version", "v3", "not LightGBM's for"),
        ("shrinkage", "1\ncat_boundaries=0 1", "lines that are not known"),
        ("shrinkage", "x", "shrinkage of a tree is no number"),  # LightGBM ends the process
        ("Tree", "7", "not whole"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_a_forged_text_is_refused(name: str, value: str, message: str):
    text, found = re.subn(rf"(?m)^{name}=.*$", f"{name}={value}", text_of(), count=1)
    assert found
    with pytest.raises(ValueError, match=message):
        Trees(sized(text), INPUTS)


def test_circles_are_refused():
    # Splits 1 and 2 are each other's children, and each child comes once.
    text = re.sub(r"(?m)^left_child=.*$", "left_child=-1 2 1 -2 -3", text_of(), count=1)
    text = re.sub(r"(?m)^right_child=.*$", "right_child=3 4 -4 -5 -6", text, count=1)
    with pytest.raises(ValueError, match="run in circles"):
        Trees(sized(text), INPUTS)


@given(st.data())
def test_any_change_is_refused_or_harmless(data: st.DataObject):
    text = text_of(4, trees=2, rows=60)
    end = text.index("end of trees")
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, end))
        new = data.draw(st.sampled_from([*"0123456789-. =\n", "Tree=", "", "\x00", "é"]))
        text = text[:place] + new + text[place + data.draw(st.integers(0, 3)) :]
    try:
        trees = Trees(sized(text), INPUTS)
    except ValueError:
        return
    values = rows_like_these(60)
    np.testing.assert_array_equal(trees.score(values), by_lightgbm(trees, values))
