"""That learning helps: where a signal was planted, and on the real judgments of the sample."""

from __future__ import annotations

import numpy as np
import pytest
from test_learning import SIGNED, lesson_of, planted, teach
from test_train import manifest_of, trained_on_sample

from ltr.learning import BLEND, Judge, untaught
from models.base import baselines
from models.lambdamart import Parameters

ENOUGH = Parameters(trees=20, seeds=2)


@pytest.mark.parametrize("seed", range(2))
def test_a_planted_signal_is_found(seed: int):
    matrix, qrels = planted(12, arguments=20, noise=3.0, seed=seed)
    lesson = lesson_of(matrix, teach(matrix, {"relevance": qrels}), ENOUGH, folds=3)
    figures = lesson.figures["relevance"]
    # Every column shows the worth badly, all of them together show it well; teachers look at one or two.
    for name in baselines():
        assert figures["relevance"].mean > figures[name].mean + 0.1
    assert figures["relevance"].mean > 0.85
    # What was learned holds for topics that it never saw.
    unseen, grades = planted(8, arguments=20, noise=3.0, seed=seed + 100)
    judge = Judge(unseen, grades)
    learned = judge.figure(lesson.model.rankers["relevance"].score(unseen)).mean
    assert learned > 0.85
    assert learned > judge.figure(untaught("relevance", SIGNED, ENOUGH, 1).score(unseen)).mean + 0.1


def test_where_nothing_is_planted_nothing_is_found():
    # Held-out figures are honest: judgments that have nothing to do with the columns cannot be foretold.
    means, chance = [], []
    for seed in range(3):
        matrix, _ = planted(10, seed=seed)
        _, others = planted(10, seed=seed + 50)
        lesson = lesson_of(matrix, teach(matrix, {"relevance": others}), ENOUGH, folds=5)
        means.append(lesson.figures["relevance"]["relevance"].mean)
        judge, rng = Judge(matrix, others), np.random.default_rng(seed)
        chance += [judge.figure(rng.random(len(matrix))).mean for _ in range(20)]
    assert np.mean(means) == pytest.approx(np.mean(chance), abs=0.12)


def test_judgments_of_one_dimension_do_not_spoil_the_other():
    matrix, relevance = planted(10, seed=5)
    _, noise = planted(10, seed=6)
    lesson = lesson_of(matrix, teach(matrix, {"relevance": relevance, "quality": noise}), ENOUGH, folds=5)
    assert lesson.figures["relevance"]["relevance"].mean > lesson.figures["quality"]["quality"].mean + 0.1
    assert lesson.figures["relevance"][BLEND].mean <= 1


def test_the_sample_is_learned_from():
    figures = manifest_of(trained_on_sample())["cross_validation"]["figures"]
    assert set(figures) == {"relevance", "quality"}
    for name in figures:
        # The figures are held out; the lexical orders look at no judgment at all, and are what there was before.
        for teacher in ("bm25", "bm25-tuned", "dirichlet"):
            assert figures[name][name]["mean"] > figures[name][teacher]["mean"]
        assert figures[name][name]["topics"] == 8
