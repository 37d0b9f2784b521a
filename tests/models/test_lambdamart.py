from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support.rows import INPUTS, SMALL, data

from models.base import TOP_GRADE, TrainingSet
from models.lambdamart import OBJECTIVES, LambdaMart, Parameters

FLAT = Parameters(learning_rate=1.0, l2=0.0, feature_share=1, row_share=1)
STEP = replace(FLAT, objective="regression", trees=1, seeds=1, leaves=2, rows_a_leaf=1)
objectives = pytest.mark.parametrize("objective", OBJECTIVES)


def trained(parameters: Parameters = SMALL, training: TrainingSet | None = None, **options: Any) -> LambdaMart:
    model = LambdaMart(INPUTS, parameters, **options)
    model.fit(training or data())
    return model


def unseen() -> np.ndarray:
    return np.random.default_rng(99).normal(size=(300, len(INPUTS))).astype(np.float32)


@pytest.fixture(scope="module")
def model() -> LambdaMart:
    return trained()


# ---- what is learned ------------------------------------------------------------------------------


def one_split(weights: list[float], parameters: Parameters = STEP) -> list[float]:
    """The scores of a low and a high value after one tree on 0, 1 | 2, 2 | 0, 2."""
    values = np.array([[0], [0], [1], [1], [0], [1]], np.float32)
    training = TrainingSet(values, np.array([0.0, 1, 2, 2, 0, 2]), np.array(weights), np.array([2, 2, 2]))
    model = LambdaMart(["x"], parameters)
    model.fit(training)
    return model.score_values(np.array([[0], [1]], np.float32)).tolist()


def test_one_tree_by_hand():
    # Leaves of one split are means: (0 + 1 + 0) / 3 and 2.
    assert one_split([1] * 6) == pytest.approx([1 / 3, 2], abs=1e-6)
    assert one_split([1] * 6) == [0.333333, 2.0], "scores are rounded"
    # The second row weighs three times as much: (0 + 3 * 1 + 0) / 5.
    assert one_split([1, 3, 1, 1, 1, 1]) == pytest.approx([3 / 5, 2], abs=1e-6)
    # Half a step from the mean 7/6: 7/6 + (1/3 - 7/6) / 2 = 3/4, and 7/6 + (2 - 7/6) / 2 = 19/12.
    assert one_split([1] * 6, replace(STEP, learning_rate=0.5)) == pytest.approx([3 / 4, 19 / 12], abs=1e-6)
    # Shrunk by l2 = 3: residuals sum to -2.5 and 2.5 over three rows: 7/6 -+ 2.5 / (3 + 3).
    assert one_split([1] * 6, replace(STEP, l2=3)) == pytest.approx([7 / 6 - 2.5 / 6, 7 / 6 + 2.5 / 6], abs=1e-6)


@objectives
def test_scores_are_expected_grades(objective: str):
    training = data(5)
    found = trained(replace(SMALL, objective=objective, trees=40), training).score_values(training.values)
    assert np.corrcoef(found, training.labels)[0, 1] > 0.7
    # On the scale of the labels: the mean is theirs, and a line through (score, label) has about slope 1.
    mean = np.average(training.labels, weights=training.weights)
    assert np.average(found, weights=training.weights) == pytest.approx(mean, abs=0.05)
    slope = np.polyfit(found, training.labels, 1, w=np.sqrt(training.weights))[0]
    assert 0.9 < slope < 1.6
    assert -0.5 < found.min() < found.max() < TOP_GRADE + 0.5


def test_the_line_of_lambdamart_by_hand():
    # Scores of one booster against labels: least squares, each row weighing what it weighs.
    training = data()
    model = trained(replace(SMALL, objective="lambdarank", seeds=1))
    raw = model._sets[0].score(training.values)
    expected = np.polyfit(raw, training.labels, 1, w=np.sqrt(training.weights))
    ((slope, intercept),) = model.lines
    assert (slope, intercept) == pytest.approx(tuple(expected), abs=1e-6)
    np.testing.assert_allclose(model.score_values(training.values), slope * raw + intercept, atol=1e-6)
    assert trained(replace(SMALL, objective="regression")).lines == [(1.0, 0.0)] * SMALL.seeds


def test_gains_are_shares_by_column(model: LambdaMart):
    gains = model.gains()
    assert list(gains) == model.columns == ["up", "down", "curved", "noise"]
    assert sum(gains.values()) == pytest.approx(1)
    assert gains["noise"] < min(gains["up"], gains["down"], gains["curved"])
    # Both inputs of a column count for it; gains of different objectives have no common scale, but their shares have.
    raw = [trees.gains for trees in model._sets]
    assert gains["up"] == pytest.approx(np.mean([(one[0] + one[1]) / one.sum() for one in raw]))
    assert LambdaMart(INPUTS).gains() == dict.fromkeys(model.columns, 0.0)


# ---- rows -----------------------------------------------------------------------------------------


# ---- the same again -------------------------------------------------------------------------------


@objectives
def test_training_is_deterministic_and_threads_change_nothing(objective: str):
    parameters = replace(SMALL, objective=objective)
    model = trained(parameters)
    for threads in (1, 2):
        again = trained(parameters, threads=threads)
        assert again.dump() == model.dump()
        assert again.settings() == model.settings()
        np.testing.assert_array_equal(again.score_values(unseen()), model.score_values(unseen()))
    again.fit(data())  # a second time, nothing is left of the first
    assert again.dump() == model.dump()
    other = trained(replace(parameters, seed=100)).dump()
    assert other.keys() == model.dump().keys()
    assert all(other[name] != text for name, text in model.dump().items())


# ---- written and read -----------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2])
@objectives
def test_read_back_it_scores_the_same(objective: str, threads: int):
    model = trained(replace(SMALL, objective=objective))
    settings = json.loads(json.dumps(model.settings()))
    again = LambdaMart.load(settings, dict(reversed(model.dump().items())), threads=threads)
    assert again.score_values(unseen()).tobytes() == model.score_values(unseen()).tobytes()
    assert (again.inputs, again.columns, again.parameters) == (model.inputs, model.columns, model.parameters)
    assert again.settings() == model.settings()
    assert again.dump() == model.dump()


def test_parts_that_do_not_fit_are_refused(model: LambdaMart):
    settings, files = model.settings(), model.dump()
    with pytest.raises(ValueError, match="trees know other features than the manifest"):
        LambdaMart.load(settings | {"inputs": INPUTS[::-1]}, files)
    with pytest.raises(ValueError, match="trees know other features"):
        LambdaMart.load(settings | {"inputs": INPUTS[:2]}, files)
    for lines in ([[1.0, float("nan")]] * len(files), settings["lines"][1:], []):
        with pytest.raises(ValueError, match="the lines from scores to grades do not fit the trees"):
            LambdaMart.load(settings | {"lines": lines}, files)
    for key in ("inputs", "lines", "parameters"):
        with pytest.raises(KeyError):
            LambdaMart.load({name: value for name, value in settings.items() if name != key}, files)
