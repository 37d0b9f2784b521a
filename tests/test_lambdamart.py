from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tables import Part

from models.base import TrainingSet, UnitTable, make_ranker, standardise
from models.lambdamart import LEVELS, LambdaMart, Parameters
from models.ridge import signed_ridge

COLUMNS = ["up", "down", "free", "noise", "unused"]
SIGNS = {"up": 1, "down": -1, "noise": 1}  # the others are free
SMALL = Parameters(trees=12, seeds=2, rows_a_leaf=5, learning_rate=0.3, l2=1.0, feature_share=0.7)
GROUPS = np.array([40, 60, 50])


def data(seed: int = 0, groups: np.ndarray = GROUPS) -> TrainingSet:
    """Labels that rise with one column by steps, fall with another, and are curved in a third."""
    rng = np.random.default_rng(seed)
    rows = int(groups.sum())
    values = np.column_stack([standardise(rng.normal(size=rows), groups) for _ in COLUMNS])
    wish = (values[:, 0] > 0.3) - 0.5 * values[:, 1] + np.abs(values[:, 2]) + 0.3 * rng.normal(size=rows)
    labels = (wish - wish.min()) / np.ptp(wish)
    return TrainingSet(values, labels, rng.uniform(0.5, 2, rows), groups)


def trained(parameters: Parameters = SMALL, training: TrainingSet | None = None, **options: Any) -> LambdaMart:
    model = LambdaMart(COLUMNS, SIGNS, parameters, **options)
    model.fit(training or data())
    return model


def table(values: np.ndarray) -> UnitTable:
    """One topic whose values are given as they are."""
    return UnitTable(values, np.array([len(values)]), np.arange(len(values)))


@pytest.fixture(scope="module")
def model() -> LambdaMart:
    return trained()


@pytest.fixture(scope="module")
def unseen() -> np.ndarray:
    return np.random.default_rng(99).normal(size=(300, len(COLUMNS))) * 1.5


# ---- the linear part


def test_it_starts_from_a_signed_ridge_of_deviation_one(model: LambdaMart):
    training = data()
    weights = signed_ridge(
        training.values,
        training.labels,
        training.weights,
        training.groups.tolist(),
        signs=[SIGNS.get(column, 0) for column in COLUMNS],
        l2=SMALL.ridge,
        start=[0.0] * len(COLUMNS),
    )
    found = np.array([model.linear[column] for column in COLUMNS])
    np.testing.assert_allclose(found, weights / np.std(training.values @ weights), rtol=1e-12)
    np.testing.assert_allclose(np.std(training.values @ found), 1)
    assert model.linear["up"] > 0 > model.linear["down"]


@pytest.mark.parametrize("iteration", [None, 0, 5])
def test_without_trees_the_score_is_linear(iteration: int | None, unseen: np.ndarray):
    model = trained(replace(SMALL, trees=0))
    weights = np.array([model.linear[column] for column in COLUMNS])
    np.testing.assert_allclose(model.score_units(table(unseen), iteration), unseen @ weights, rtol=1e-12)
    assert model.dump() == {}


def test_before_the_first_tree_the_score_is_linear(model: LambdaMart, unseen: np.ndarray):
    weights = np.array([model.linear[column] for column in COLUMNS])
    np.testing.assert_allclose(model.score_units(table(unseen), 0), unseen @ weights, rtol=1e-12)
    assert not np.allclose(model.score_units(table(unseen)), unseen @ weights)


def test_untrained_it_scores_by_its_start(unseen: np.ndarray):
    start = {"down": -0.5, "free": 0.25}
    model = LambdaMart(COLUMNS, SIGNS, replace(SMALL, start=start))
    assert model.linear == dict.fromkeys(COLUMNS, 0.0) | start
    np.testing.assert_allclose(model.score_units(table(unseen)), unseen[:, 2] / 4 - unseen[:, 1] / 2)
    assert (LambdaMart(COLUMNS, SIGNS).score_units(table(unseen)) == 0).all()


def test_a_strong_ridge_keeps_the_direction_of_its_start():
    start = {"up": 0.2, "down": -0.6}
    model = trained(replace(SMALL, trees=0, ridge=1e12, start=start))
    assert model.linear["up"] * 3 == pytest.approx(-model.linear["down"], rel=1e-6)
    assert [model.linear[column] for column in COLUMNS[2:]] == pytest.approx([0, 0, 0], abs=1e-6)


def test_labels_that_nothing_explains_leave_every_score_at_zero(unseen: np.ndarray):
    training = replace(data(), labels=np.full(GROUPS.sum(), 0.5))
    assert (trained(training=training).score_units(table(unseen)) == 0).all()


# ---- trees


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_column_pulls_the_way_of_its_sign_only(seed: int, unseen: np.ndarray):
    training = data(seed)
    # Against the signs, so that there is something to hold back.
    wrong = replace(training, values=training.values * [-1, 1, 1, -1, 1])
    for taught in (training, wrong):
        model = trained(replace(SMALL, trees=30), taught)
        before = model.score_units(table(unseen))
        for place, column in enumerate(COLUMNS):
            for step in (0.01, 0.5, 3):
                raised = unseen.copy()
                raised[:, place] += step
                change = model.score_units(table(raised)) - before
                if sign := model.signs[column]:
                    assert (change * sign >= -1e-12).all(), column


def test_trees_of_a_free_column_may_turn_and_without_monotone_so_may_all(unseen: np.ndarray):
    turned = data(4)
    turned = replace(turned, values=turned.values * [-1, 1, 1, 1, 1])

    def directions(model: LambdaMart, place: int) -> set[float]:
        raised = unseen.copy()
        raised[:, place] += 1
        # Trees only: the linear part keeps its signs in any case.
        parts = [model.score_units(table(values)) - model.score_units(table(values), 0) for values in (raised, unseen)]
        return set(np.sign(np.round(parts[0] - parts[1], 9)).tolist())

    assert directions(trained(replace(SMALL, trees=30), turned), 2) >= {1, -1}
    assert -1 not in directions(trained(replace(SMALL, trees=30), turned), 0)
    free = trained(replace(SMALL, trees=30, monotone=False), turned)
    assert -1 in directions(free, 0)
    assert free.linear["up"] == 0


def test_trees_help_where_the_linear_part_cannot(model: LambdaMart):
    training = data(5)
    units = UnitTable(training.values, training.groups, np.arange(len(training.values)))
    with_trees, linear = (np.corrcoef(model.score_units(units, trees), training.labels)[0, 1] for trees in (None, 0))
    assert with_trees > linear + 0.05


def test_trees_are_averaged_over_seeds(unseen: np.ndarray):
    both = trained(replace(SMALL, seeds=2, seed=7)).score_units(table(unseen))
    one, other = (trained(replace(SMALL, seeds=1, seed=seed)).score_units(table(unseen)) for seed in (7, 8))
    assert not np.array_equal(one, other)
    np.testing.assert_allclose(both, (one + other) / 2, rtol=1e-9, atol=1e-12)


def test_the_first_trees_are_those_of_a_shorter_training(model: LambdaMart, unseen: np.ndarray):
    shorter = trained(replace(SMALL, trees=5))
    np.testing.assert_allclose(model.score_units(table(unseen), 5), shorter.score_units(table(unseen)), atol=1e-12)
    np.testing.assert_array_equal(model.score_units(table(unseen), SMALL.trees), model.score_units(table(unseen)))


# ---- rows


def test_rows_have_the_score_of_their_unit():
    rng = np.random.default_rng(6)
    features = pd.DataFrame(rng.normal(size=(12, len(COLUMNS))), columns=COLUMNS).astype(np.float32)
    units = np.array([0, 0, 1, 2, 1, 0, 2, 3, 3, 4, 5, 5])
    model = trained(replace(SMALL, trees=0))
    found = model.score(Part(features, np.array([7, 5]), units))
    for unit in range(6):
        assert len(set(found[units == unit])) == 1
    means = features.astype(np.float64).groupby(units).mean().to_numpy()
    values = np.column_stack([standardise(column, [3, 3]) for column in means.T])
    weights = np.array([model.linear[column] for column in COLUMNS])
    np.testing.assert_allclose(found, (values @ weights)[units], atol=1e-6)


def test_a_unit_is_scored_alone(model: LambdaMart, unseen: np.ndarray):
    together = model.score_units(table(unseen))
    for row in (0, 17, 299):
        # Up to the last bits of a product, which differ with the number of rows.
        np.testing.assert_allclose(model.score_units(table(unseen[[row]])), together[[row]], rtol=1e-12)


# ---- the same again


def test_training_is_deterministic_and_threads_change_nothing(model: LambdaMart, unseen: np.ndarray):
    for threads in (1, 2):
        again = trained(threads=threads)
        assert again.dump() == model.dump()
        assert again.settings() == model.settings()
        np.testing.assert_array_equal(again.score_units(table(unseen)), model.score_units(table(unseen)))
    again.fit(data())  # a second time, nothing is left of the first
    assert again.dump() == model.dump()


def test_another_seed_makes_other_trees_and_the_same_start(model: LambdaMart):
    other = trained(replace(SMALL, seed=100))
    assert other.dump().keys() == model.dump().keys()
    assert all(other.dump()[name] != text for name, text in model.dump().items())
    assert other.linear == model.linear


def test_data_are_left_alone():
    training, same = data(8), data(8)
    trained(training=training)
    for name in ("values", "labels", "weights", "groups"):
        np.testing.assert_array_equal(getattr(training, name), getattr(same, name))


def test_only_ratios_of_weights_matter_to_the_trees():
    training = data(9)
    # Sixteen times the weight is four times the say against the ridge, and powers of two leave every bit alone.
    heavier = trained(replace(SMALL, ridge=4 * SMALL.ridge), replace(training, weights=16 * training.weights))
    assert heavier.linear == trained(training=training).linear
    assert heavier.dump() == trained(training=training).dump()


def test_what_the_trees_are_given(monkeypatch: pytest.MonkeyPatch):
    import lightgbm

    given = []
    real = lightgbm.Dataset

    def dataset(values: np.ndarray, label: np.ndarray, **options: Any) -> Any:
        given.append({"label": label} | options)
        return real(values, label, **options)

    monkeypatch.setattr(lightgbm, "Dataset", dataset)
    training = data(10)
    training = replace(training, labels=training.labels * 1.2 - 0.1)  # a label outside [0, 1] is taken for its end
    model = trained(training=training)
    assert len(given) == SMALL.seeds
    weights = np.array([model.linear[column] for column in COLUMNS])
    topic = np.repeat(np.arange(len(GROUPS)), GROUPS)
    for one in given:
        np.testing.assert_allclose(one["init_score"], training.values @ weights)
        np.testing.assert_array_equal(one["label"], np.round(np.clip(training.labels, 0, 1) * LEVELS))
        # A topic counts by the square root of what is judged in it, a row by its share of that.
        say = np.bincount(topic, one["weight"]) / np.sqrt(np.bincount(topic, training.weights))
        np.testing.assert_allclose(say, say[0])
        share = one["weight"] / training.weights
        for number in range(len(GROUPS)):
            np.testing.assert_allclose(share[topic == number], share[topic == number][0])
        np.testing.assert_allclose(one["weight"].mean(), 1)


# ---- written and read


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("trees", [SMALL.trees, 0])
def test_read_back_it_scores_the_same(trees: int, threads: int, unseen: np.ndarray):
    model = trained(replace(SMALL, trees=trees, start={"up": 0.1}))
    settings = json.loads(json.dumps(model.settings()))
    again = LambdaMart.load(settings, dict(reversed(model.dump().items())), threads=threads)
    assert again.score_units(table(unseen)).tobytes() == model.score_units(table(unseen)).tobytes()
    assert again.score_units(table(unseen), 3).tobytes() == model.score_units(table(unseen), 3).tobytes()
    assert (again.columns, again.signs, again.parameters) == (model.columns, model.signs, model.parameters)
    assert again.settings() == model.settings()
    assert again.dump() == model.dump()


def test_an_untrained_one_is_read_back_too(unseen: np.ndarray):
    model = LambdaMart(COLUMNS, SIGNS, replace(SMALL, trees=0, start={"up": 1.0}))
    again = LambdaMart.load(model.settings(), model.dump())
    np.testing.assert_array_equal(again.score_units(table(unseen)), unseen[:, 0])


def test_parts_that_do_not_fit_are_refused(model: LambdaMart):
    settings, files = model.settings(), model.dump()
    with pytest.raises(ValueError, match="trees know other features than the manifest"):
        LambdaMart.load(settings | {"columns": COLUMNS[::-1]}, files)
    for linear in ({}, {"up": 1.0}, settings["linear"] | {"other": 1.0}):
        with pytest.raises(ValueError, match="linear part knows other features"):
            LambdaMart.load(settings | {"linear": linear}, files)
    fewer = {"columns": COLUMNS[:2], "linear": {"up": 1.0, "down": -1.0}}
    with pytest.raises(ValueError, match="trees know other features"):
        LambdaMart.load(settings | fewer, files)


@pytest.mark.parametrize("key", ["columns", "signs", "linear", "parameters"])
def test_settings_without_a_part_are_refused(model: LambdaMart, key: str):
    settings = model.settings()
    del settings[key]
    with pytest.raises(KeyError):
        LambdaMart.load(settings, model.dump())


def test_broken_trees_are_refused(model: LambdaMart):
    with pytest.raises(ValueError, match=r"classes|whole"):
        LambdaMart.load(model.settings(), {"trees-00.txt": "tree\nno such thing\n"})


def test_the_registry_makes_it():
    model = make_ranker("lambdamart", columns=COLUMNS, signs=SIGNS, parameters=SMALL, threads=2)
    assert isinstance(model, LambdaMart)
    assert (model.columns, model.parameters, model.threads) == (COLUMNS, SMALL, 2)
    assert model.signs == {"up": 1, "down": -1, "free": 0, "noise": 1, "unused": 0}
