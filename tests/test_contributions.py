from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from tables import Part, make_matrix

from features import registry
from ltr.learning import signed_columns
from ltr.matrix import Matrix
from models.base import TrainingSet, unit_table
from models.blend import CONFLICT, Blend, Choice
from models.coherence import Coherence
from models.contributions import CHOICE, by_family, contributions, family_of
from models.lambdamart import LambdaMart, Parameters

NO_TREES = Parameters(trees=0, seeds=1)


def taught(trees: int, seed: int) -> LambdaMart:
    matrix = make_matrix()
    signs = signed_columns(registry.columns())
    model = LambdaMart(list(signs), signs, Parameters(trees=trees, seeds=2, rows_a_leaf=5, learning_rate=0.3))
    table = unit_table(matrix, model.columns)
    labels = np.random.default_rng(seed).random(len(table.values))
    model.fit(TrainingSet(table.values, labels, np.ones(len(labels)), table.groups))
    return model


def model_of(trees: int, choice: Choice | None = None) -> Blend:
    rankers = {"relevance": taught(trees, 1), "quality": taught(trees, 2), "coherence": Coherence()}
    return Blend(rankers, {"relevance": 0.7, "quality": 0.2, "coherence": 0.1}, choice)


def conflicted(seed: int) -> Matrix:
    """The small matrix with conflicts strewn in, whole units among them."""
    matrix = make_matrix()
    flags = np.random.default_rng(seed).random(len(matrix)) < 0.4
    flags |= matrix.units == matrix.units[0]
    matrix.features[CONFLICT] = flags.astype(np.float32)
    return matrix


@pytest.mark.parametrize("trees", [0, 6])
@pytest.mark.parametrize("choice", [Choice(), Choice(price=0), Choice(conflict=0), Choice(price=0, conflict=0)])
@pytest.mark.parametrize("seed", range(3))
def test_a_row_sums_to_its_score(trees: int, choice: Choice, seed: int):
    model, matrix = model_of(trees, choice), conflicted(seed)
    parts = contributions(model, matrix)
    scores = model.score(matrix)
    assert np.ptp(scores) > 0.5
    np.testing.assert_allclose(parts.sum(axis=1), scores, atol=1e-9)
    families = by_family(parts)
    np.testing.assert_allclose(families.sum(axis=1), scores, atol=1e-9)
    assert set(families.columns) == {(d, family_of(name)) for d, name in parts.columns}


def test_dimensions_without_weight_are_not_told():
    model = model_of(0).reweighted({"relevance": 1.0})
    parts = contributions(model, make_matrix())
    assert {dimension for dimension, _ in parts.columns} == {"relevance", CHOICE}
    np.testing.assert_allclose(parts.sum(axis=1), model.score(make_matrix()), atol=1e-9)


def test_by_hand():
    # One topic of two arguments alone. Column a is -1, 1 as a z-score, b is 1, -1; 2a + b is -1, 1 before scaling.
    a, b = "distinct_terms_min", "total_words_min"
    ranker = LambdaMart([a, b], {a: 1, b: 1}, NO_TREES)
    ranker.linear = {a: 2.0, b: 1.0}
    model = Blend({"relevance": ranker}, {"relevance": 0.5}, Choice(price=0, conflict=0))
    features = pd.DataFrame({a: [3.0, 5.0], b: [8.0, 2.0]}, dtype=np.float32)
    parts = contributions(model, Part(features, np.array([2]), np.array([0, 1])))
    assert parts["relevance", a].tolist() == pytest.approx([-1.0, 1.0])
    assert parts["relevance", b].tolist() == pytest.approx([0.5, -0.5])


def test_the_pair_that_stands_for_its_arguments_pays_nothing_and_a_conflict_pays_all():
    signs = {"n_letters": 3.0, "meta_talk": -1.0}
    model = Blend({"coherence": Coherence()}, {"coherence": 1.0}, Choice(signs, price=2.0, conflict=5.0))
    columns = {"coherence": [0.5] * 4, "n_letters_min": [9, 1, 5, 7], "n_letters_max": [9, 1, 5, 7]}
    columns |= {"meta_talk_min": [0, 0, 0, 1], "meta_talk_max": [0, 0, 0, 1], CONFLICT: [1, 0, 0, 0]}
    features = pd.DataFrame(columns, dtype=np.float32)
    parts = contributions(model, Part(features, np.array([4]), np.zeros(4, int)))
    assert parts[CHOICE, CONFLICT].tolist() == [-5, 0, 0, 0]
    # Percentiles of letters: 1, 0, 1/3, 2/3; of meta talk 1/3, 1/3, 1/3, 1, and less is better.
    # Fit: (3 + 2/3)/4, (2/3)/4, (1 + 2/3)/4, (2 + 0)/4: of those without a conflict the last stands for them.
    assert parts[CHOICE, "n_letters"].tolist() == pytest.approx([0, 2 * -2 / 4, 2 * -1 / 4, 0])
    assert parts[CHOICE, "meta_talk"].tolist() == pytest.approx([0, 2 * (2 / 3) / 4, 2 * (2 / 3) / 4, 0])
