"""A blend's score taken apart: parts sum to it, less the topic's mean."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from support.planted import HEAD_COLUMNS, fitted_head, with_head
from support.tables import make_part, make_table

from features.core import feature as registry
from ltr.ranking.candidates import Candidates
from models.base import DIMENSIONS, Scores, TrainingSet, learner, make_parameters, make_ranker, objectives
from models.blend import Blend
from models.contributions import by_family, contributions
from models.lambdamart import LambdaMart, Parameters
from models.learned import LearnedRanker, input_values, inputs_of


def trained(table: Candidates, seed: int, objective: str) -> LearnedRanker:
    inputs = inputs_of(registry.columns())
    few = {} if objective == "linear" else {"trees": 6, "seeds": 2, "rows_a_leaf": 5, "learning_rate": 0.3}
    model: LearnedRanker = learner(objective).make(inputs, make_parameters(objective, few))
    labels = 2 * np.random.default_rng(seed).random(len(table))
    model.fit(TrainingSet(input_values(table, inputs), labels, np.ones(len(labels)), table.groups))
    return model


def less_mean(table: Candidates, scores: Scores) -> Scores:
    return scores - np.concatenate(
        [np.full(rows.stop - rows.start, scores[rows].mean()) for _, rows in table.spans.items()]
    )


@pytest.mark.parametrize("objective", objectives())
def test_a_row_sums_to_its_score_less_the_mean_of_the_topic(objective: str) -> None:
    table = make_table()
    rankers = {name: trained(table, seed, objective) for seed, name in enumerate(("relevance", "quality"))}
    model = Blend(rankers, {"relevance": 0.7, "quality": 0.2})
    scores = model.score(table)
    parts = contributions(model, table)
    assert np.ptp(scores) > 0.1
    # Scores are rounded to six digits, parts are not.
    np.testing.assert_allclose(parts.sum(axis=1), less_mean(table, scores), atol=2e-6)
    families = by_family(parts)
    np.testing.assert_allclose(families.sum(axis=1), parts.sum(axis=1), atol=1e-9)
    assert set(families.columns) == {(d, registry.all_columns()[name].group) for d, name in parts.columns}
    for _, rows in table.spans.items():
        np.testing.assert_allclose(parts[rows].mean(), 0, atol=1e-9)


def test_by_hand() -> None:
    # One split alone: pairs with n_words_pair of 1 have the label 0, with 3 the label 2. A tree of learning rate 1
    # without a penalty scores 0 and 2; the topic's mean is 1, so the column adds -1 and 1, times the weight .5.
    column = "n_words_pair"
    features = pd.DataFrame({column: np.array([1.0, 3.0] * 20)}, dtype=np.float32)
    table = make_part(features, np.array([40]))
    one_leaf = {"objective": "regression", "trees": 1, "leaves": 2, "rows_a_leaf": 1, "seeds": 1}
    parameters = Parameters(**one_leaf, learning_rate=1, l2=0, feature_share=1, row_share=1)
    model = LambdaMart([column], parameters)
    model.fit(TrainingSet(features.to_numpy(), np.array([0.0, 2.0] * 20), np.ones(40), table.groups))
    assert model.score(table)[:2].tolist() == pytest.approx([0, 2], abs=1e-5)
    parts = contributions(Blend({"quality": model}, {"quality": 0.5}), table)
    assert list(parts.columns) == [("quality", column)]
    assert parts["quality", column][:2].tolist() == pytest.approx([-0.5, 0.5], abs=1e-5)


def test_a_baseline_adds_the_terms_of_its_sum() -> None:
    # Halves of the shares: .25 and .5, .125 and .375; .2 of the standard scores -1 and 1; the weight is .5. The
    # probabilities .2 and .6 have the mean .4, and the weight .25.
    features = pd.DataFrame(
        {
            "coverage_argument_min": [0.5, 1],
            "coverage_pair": [0.25, 0.75],
            "dirichlet_2500_argument_min": [3, 4],
            "argumentative_min": [0.2, 0.6],
        },
        dtype=np.float32,
    )
    weights = {"words": 0.5, "argues": 0.25}
    parts = contributions(
        Blend({name: make_ranker(name) for name in weights}, weights), make_part(features, np.array([2]))
    )
    of_words = ["coverage_argument_min", "coverage_pair", "dirichlet_2500_argument_min"]
    assert list(parts.columns) == [*(("words", column) for column in of_words), ("argues", "argumentative_min")]
    assert parts["words"].to_numpy()[1].tolist() == pytest.approx([0.0625, 0.0625, 0.1])
    assert parts["words"].to_numpy()[0].tolist() == pytest.approx([-0.0625, -0.0625, -0.1])
    assert parts["argues"].to_numpy().ravel().tolist() == pytest.approx([-0.05, 0.05])
    assert list(by_family(parts).columns) == [("words", "lexical"), ("argues", "argumentativeness")]


def test_in_two_steps_a_row_sums_to_its_score_less_the_mean_of_its_part() -> None:
    table = with_head(make_table(), 15)
    rankers = {name: trained(table, seed, "regression") for seed, name in enumerate(("relevance", "quality"))}
    columns = [*registry.columns()[::7], *HEAD_COLUMNS]
    second = {"relevance": fitted_head(table, columns, 3, objective="regression")}
    model = Blend({**rankers, "coherence": make_ranker("bm25")}, dict.fromkeys(DIMENSIONS, 0.5), second)
    head, scores, parts = table.in_head, model.score(table), contributions(model, table)
    assert head.sum() == 15 * len(table.topics) < len(table)
    for _, rows in table.spans.items():
        for part in (head, ~head):
            some = np.flatnonzero(part[rows]) + rows.start
            sums = parts.iloc[some].sum(axis=1)
            np.testing.assert_allclose(sums, scores[some] - scores[some].mean(), atol=5e-6)
    semantic = [key for key in parts if registry.all_columns()[key[1]].group == "semantic"]
    assert semantic
    assert np.ptp(parts.loc[head, semantic].to_numpy()) > 0
    assert not parts.loc[~head, semantic].to_numpy().any()
