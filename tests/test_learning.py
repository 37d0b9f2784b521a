from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import CORPUS, Pair, make_block, make_context, plain_block

from features import registry
from ltr.learning import Judge, _smoothed_best, learn, split_topics
from ltr.matrix import Matrix
from ltr.metrics import argument_ranking, condensed_ndcg
from ltr.progress import Progress
from ltr.supervision import weak_labels
from models.base import TrainingSet, baselines, make_ranker
from models.lambdamart import LambdaMart, Parameters

SMALL = Parameters(trees=10, seeds=2, rows_a_leaf=5, learning_rate=0.3)
TITLES = (
    "Should school uniforms be mandatory?",
    "Is voting by machine safe?",
    "Do clothes have a price?",
    "Do parents pay?",
)
QRELS = {
    str(51 + n): {source.id: float((n + 2 * i) % 4 - 1) for i, source in enumerate(CORPUS)} for n in range(len(TITLES))
}


@cache
def small() -> Matrix:
    """Four topics over the same six arguments, no two near-duplicate as far as texts tell."""
    blocks = [make_block(str(51 + n), make_context(title=title)) for n, title in enumerate(TITLES)]
    return Matrix(
        [
            replace(b, first_text=b.first_text + np.uint64(n), second_text=b.second_text + np.uint64(n))
            for n, b in enumerate(blocks)
        ]
    )


# ---- splitting ------------------------------------------------------------------------------------


def topic(number: int, *texts: tuple[str, int]) -> tuple[str, list[Pair], dict[str, int]]:
    """A topic with a pair for each (sentence id, text number); the second sentence is its own."""
    pairs = [(name, f"S{number}-A{n}0__PREMISE__9") for n, (name, _) in enumerate(texts)]
    return str(number), pairs, dict(texts)


def split_matrix(*topics: tuple[str, list[Pair], dict[str, int]]) -> Matrix:
    blocks = []
    for number, pairs, texts in topics:
        block = plain_block(number, pairs)
        keys = [texts[first] for first, _ in pairs]
        blocks.append(replace(block, first_text=np.array(keys, np.uint64)))
    return Matrix(blocks)


def judged(*topics: tuple[str, list[Pair], dict[str, int]]) -> dict[str, dict[str, float]]:
    return {number: {name.split("__")[0]: 1.0 for name in texts} for number, _, texts in topics}


def together(split: list[list[int]], one: int, other: int) -> bool:
    return any({one, other} <= set(fold) for fold in split)


@pytest.mark.parametrize("seed", range(5))
def test_topics_that_judge_one_text_stay_together(seed: int):
    # 1 and 2 share text 7, 2 and 3 share text 8: all three stay; 4, 5, 6 are alone.
    topics = (
        topic(1, ("S1-A1__PREMISE__1", 7)),
        topic(2, ("S2-A2__PREMISE__1", 8), ("S2-A3__PREMISE__1", 7)),
        topic(3, ("S3-A3__PREMISE__1", 8)),
        *(topic(n, (f"S{n}-A{n}__PREMISE__1", 100 + n)) for n in (4, 5, 6)),
    )
    split = split_topics(split_matrix(*topics), judged(*topics), 3, seed)
    assert sorted(n for fold in split for n in fold) == [0, 1, 2, 3, 4, 5]
    assert together(split, 0, 1)
    assert together(split, 1, 2)
    assert sorted(map(len, split)) == [1, 2, 3]


def test_conclusions_and_unjudged_copies_do_not_tie_topics():
    topics = (
        topic(1, ("S1-A1__CONC__1", 7), ("S1-A2__PREMISE__1", 8)),
        topic(2, ("S2-A1__CONC__1", 7), ("S2-A2__PREMISE__1", 8)),
    )
    qrels = judged(*topics)
    del qrels["2"]["S2-A2"]
    assert sorted(split_topics(split_matrix(*topics), qrels, 2, 0)) == [[0], [1]]
    assert split_topics(split_matrix(*topics), judged(*topics), 2, 0) == [[0, 1]]


def test_the_second_sentence_ties_as_well():
    blocks = [plain_block(str(n), [(f"S{n}-A1__PREMISE__1", f"S{n}-A2__PREMISE__1")]) for n in (1, 2)]
    matrix = Matrix([replace(block, second_text=np.array([5], np.uint64)) for block in blocks])
    assert split_topics(matrix, {"1": {"S1-A2": 0.0}, "2": {"S2-A2": 0.0}}, 2, 0) == [[0, 1]]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 12), min_size=1, max_size=3, unique=True), min_size=1, max_size=9),
    st.integers(1, 6),
    st.integers(0, 3),
)
def test_every_topic_is_held_out_once_and_no_text_twice(texts: list[list[int]], folds: int, seed: int):
    topics = [
        topic(n, *((f"S{n}-A{i}__PREMISE__1", text) for i, text in enumerate(found))) for n, found in enumerate(texts)
    ]
    matrix, qrels = split_matrix(*topics), judged(*topics)
    split = split_topics(matrix, qrels, folds, seed)
    assert split == split_topics(matrix, qrels, folds, seed)
    assert sorted(n for fold in split for n in fold) == list(range(len(texts)))
    assert len(split) <= folds
    assert all(split)
    seen: dict[int, int] = {}
    for number, fold in enumerate(split):
        for position in fold:
            for text in texts[position]:
                assert seen.setdefault(text, number) == number


# ---- judging --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(10))
def test_judge_agrees_with_the_metrics(seed: int):
    # Both arguments of a pair come in at once, and Judge orders them by id: so here does each pair.
    matrix = small()
    rng = np.random.default_rng(seed)
    scores = rng.permutation(len(matrix)).astype(float)
    expected = []
    for number, rows in matrix:
        order = np.argsort(-scores[rows])
        pairs = (",".join(sorted((matrix.first[rows][i], matrix.second[rows][i]))) for i in order)
        expected.append(condensed_ndcg(argument_ranking(pairs), QRELS[number]))
    assert Judge(matrix, QRELS).values(scores).tolist() == pytest.approx(expected)


def test_judge_by_hand():
    a, b, c, d = (f"S{n}-A{n}__PREMISE__1" for n in (1, 2, 3, 4))
    matrix = Matrix([plain_block("1", [(a, a), (b, b), (c, c), (d, d)]), plain_block("2", [(a, b)])])
    qrels = {"1": {"S1-A1": 1.0, "S2-A2": 2.0, "S3-A3": -2.0, "S9-A9": 3.0}, "2": {"S1-A1": 0.0}}
    judge = Judge(matrix, qrels)
    # d is unjudged and gives way; S9-A9 is no candidate; topic 2 has nothing relevant. Order: c, a, b:
    # (0 + 1 / log2 3 + 2 / log2 4) / (2 + 1 / log2 3).
    third = 1 / np.log2(3)
    assert judge.values(np.array([2.0, 1, 3, 9, 0])).tolist() == pytest.approx([(third + 1) / (2 + third)])
    figure = judge.figure(np.array([1.0, 2, 0, 9, 0]))
    assert (figure.mean, figure.low, figure.high, figure.topics) == (1, 1, 1, 1)
    assert str(figure) == "1.000 [1.000, 1.000]"
    assert Judge(matrix, {}).figure(np.zeros(5)).topics == 0


# ---- the prior and the trees ----------------------------------------------------------------------


def test_choosing_pairs_does_not_change_the_order_of_arguments():
    matrix = small()
    chosen = make_ranker("lambdamart", columns=[]).prior(matrix)
    plain = make_ranker("lambdamart", columns=[], parameters=Parameters(choice=0)).prior(matrix)
    assert (chosen <= plain).all()
    assert (chosen < plain).any()
    best = np.full(matrix.units.max() + 1, -np.inf)
    np.maximum.at(best, matrix.units, chosen)
    # All pairs of two arguments have one lexical score, and the best of them keeps it.
    np.testing.assert_allclose(best[matrix.units], plain, atol=1e-9)
    for _, rows in matrix:
        firsts = []
        for scores in (chosen, plain):
            order = np.lexsort((matrix.second[rows], matrix.first[rows], -np.round(scores[rows], 9)))
            units = dict.fromkeys(matrix.units[rows][order].tolist())
            firsts.append(list(units))
        # Units that tie lexically may change places with each other, and none else may.
        values = [[round(float(best[unit]), 6) for unit in units] for units in firsts]
        assert values[0] == values[1]
        assert sorted(firsts[0]) == sorted(firsts[1])


def taught(threads: int = 1, seed: int = 0) -> LambdaMart:
    matrix, columns = small(), registry.columns()[::2]
    model: LambdaMart = make_ranker(
        "lambdamart", columns=columns, parameters=replace(SMALL, seed=seed), threads=threads
    )
    labels = np.random.default_rng(4).random(len(matrix))
    prior = model.prior(matrix)
    model.fit(TrainingSet(matrix.features[columns], labels, np.ones(len(matrix)), matrix.groups, prior))
    return model


def test_the_number_of_threads_changes_nothing():
    one, two, other = taught(1), taught(2), taught(1, seed=7)
    np.testing.assert_array_equal(one.score(small()), two.score(small()))
    assert [text.split("parameters:")[0] for text in one.dump().values()] == [
        text.split("parameters:")[0] for text in two.dump().values()
    ]
    assert not np.array_equal(one.score(small()), other.score(small()))


def test_trees_say_one_thing_of_the_pairs_of_two_arguments():
    model, matrix = taught(), small()
    trees = model.trees(matrix)
    for unit in range(matrix.units.max() + 1):
        assert np.ptp(trees[matrix.units == unit]) == pytest.approx(0)
    np.testing.assert_array_equal(model.score(matrix), model.prior(matrix) + trees)
    np.testing.assert_array_equal(model.trees(matrix, SMALL.trees), trees)
    assert not np.allclose(model.trees(matrix, 1), trees)
    assert list(model.importance()) == model.columns


def test_learning_end_to_end():
    matrix = small()
    known = frozenset(source.id for source in CORPUS)
    labels = weak_labels(matrix, QRELS, known)
    columns = registry.columns()
    lesson = learn(matrix, labels, QRELS, columns, SMALL, folds=2, threads=1, progress=Progress(quiet=True))
    assert list(lesson.curve) == [5, 10]
    assert lesson.model.parameters.trees in lesson.curve
    assert lesson.figures.keys() == {"lambdamart", *baselines()}
    assert sorted(number for fold in lesson.folds for number in fold) == matrix.topics
    judge = Judge(matrix, QRELS)
    for name in baselines():
        assert lesson.figures[name] == judge.figure(make_ranker(name).score(matrix))
    for figure in lesson.figures.values():
        assert 0 <= figure.low <= figure.mean <= figure.high <= 1
        assert figure.topics == len(judge.values(np.zeros(len(matrix))))
    again = learn(matrix, labels, QRELS, columns, SMALL, folds=2, threads=1, progress=Progress(quiet=True))
    assert again.model.dump() == lesson.model.dump()
    assert again.figures == lesson.figures


def test_held_out_figures_know_nothing_of_the_held_out_labels():
    # Wrong labels for the topics of one fold may change the scores of the others only.
    matrix = small()
    labels = weak_labels(matrix, QRELS, frozenset(source.id for source in CORPUS))
    split = split_topics(matrix, QRELS, len(TITLES), SMALL.seed)
    assert len(split) == len(TITLES)
    held = np.isin(matrix.topic_of_row, split[0])
    spoilt = replace(labels, label=np.where(held, 1 - labels.label, labels.label))
    values = []
    for given_labels in (labels, spoilt):
        seen: dict[str, np.ndarray] = {}

        class Spy(Judge):
            def values(self, scores: np.ndarray, seen: dict[str, np.ndarray] = seen) -> np.ndarray:
                seen.setdefault("first", scores.copy())
                return super().values(scores)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("ltr.learning.Judge", Spy)
            quiet = Progress(quiet=True)
            learn(matrix, given_labels, QRELS, registry.columns()[::5], SMALL, folds=4, threads=1, progress=quiet)
        values.append(seen["first"])
    np.testing.assert_array_equal(values[0][held], values[1][held])
    assert not np.array_equal(values[0][~held], values[1][~held])


# ---- the number of trees --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("curve", "best"),
    [
        ({5: 0.3}, 5),
        ({5: 0.5, 10: 0.5, 15: 0.5}, 5),  # the fewest win a tie
        # Means of three, ends doubled: .37, .37, .53, .43, .6, .6: the lone peak at 10 is luck.
        ({5: 0.1, 10: 0.9, 15: 0.1, 20: 0.6, 25: 0.6, 30: 0.6}, 25),
        ({5: 0.1, 10: 0.2, 15: 0.9}, 15),  # (.2 + .9 + .9) / 3
        ({5: 0.9, 10: 0.2, 15: 0.1}, 5),
        ({5: 0.5, 10: 0.5 + 1e-9, 15: 0.5}, 5),  # noise of sums is no gain
    ],
)
def test_smoothed_best(curve: dict[int, float], best: int):
    assert _smoothed_best(curve) == best
