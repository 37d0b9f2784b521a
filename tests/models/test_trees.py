"""Trees in numpy: by hand, and against LightGBM."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import numpy.typing as npt
import pytest

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
    return np.asarray(lightgbm_package().Booster(model_str=trees.text).predict(values, num_threads=1))


def edges(trees: Trees, values: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The values, some of them moved onto thresholds, to zero and beside it, to infinity, and missing."""
    random, found = np.random.default_rng(0), values.copy()
    thresholds = [float(number) for line in re.findall(r"(?m)^threshold=(.*)$", trees.text) for number in line.split()]
    for feature in range(found.shape[1]):
        on = random.random(len(found)) < 0.4
        found[on, feature] = random.choice([*thresholds, 0, 1e-35, -1e-35, 1e-36], on.sum())
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
    np.testing.assert_allclose(trees.gains, booster.feature_importance("gain"), rtol=1e-5)


def test_a_tree_by_hand():
    # Below 1.5 in b: 7 where a is at most 0, else 5; above: 3.
    text = text_of(3, trees=1)
    fields = {"split_feature": "1 0", "threshold": "1.5 0", "leaf_value": "7 3 5"}
    fields |= {"left_child": "1 -1", "right_child": "-2 -3"}
    for name, value in fields.items():
        text = re.sub(rf"(?m)^{name}=.*$", f"{name}={value}", text, count=1)
    trees = Trees(text, INPUTS)
    values = np.array([[0, 1.5, 9], [1, 0, 9], [0, 1.6, 9], [np.nan, np.nan, 9]], np.float32)
    assert trees.score(values).tolist() == [7, 5, 3, 7]
    assert trees.score(values[:0]).tolist() == []


def test_trees_of_more_leaves_are_refused():
    with pytest.raises(ValueError, match="a tree has more than 64 leaves"):
        Trees(text_of(MOST_LEAVES + 1), INPUTS)
