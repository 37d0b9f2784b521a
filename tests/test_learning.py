from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import CORPUS, Pair, make_block, make_context, plain_block

from features import registry
from ltr.errors import InputError
from ltr.formats import Qrels
from ltr.learning import (
    BLEND,
    STEP,
    UNTAUGHT,
    Judge,
    Lesson,
    Teaching,
    _smoothed_best,
    learn,
    merged_qrels,
    parameters_of,
    signed_columns,
    split_topics,
    train_dimension,
    untaught,
)
from ltr.matrix import Matrix
from ltr.metrics import argument_ranking, condensed_ndcg
from ltr.progress import Progress
from ltr.supervision import weak_labels
from models.base import baselines, make_ranker, unit_table
from models.blend import DIMENSIONS, WEIGHTS
from models.lambdamart import LambdaMart, Parameters

SMALL = Parameters(trees=10, seeds=2, rows_a_leaf=5, learning_rate=0.3)
A, B = "S1-A1", "S2-A2"
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


SIGNED = signed_columns(registry.columns())
QUIET = Progress(quiet=True)


def planted(topics: int, *, arguments: int = 12, noise: float = 2.0, seed: int = 0) -> tuple[Matrix, Qrels]:
    """Topics whose arguments have a hidden worth, which every signed column shows through noise, and its grades."""
    rng = np.random.default_rng(seed)
    columns = registry.columns()
    blocks, qrels = [], {}
    for number in range(1, topics + 1):
        ids = [f"S{number}-A{number}{n:02x}" for n in range(arguments)]
        worth = rng.normal(size=arguments)
        shown = {c: SIGNED[c] * worth + rng.normal(scale=noise, size=arguments) for c in SIGNED}
        owner = np.repeat(np.arange(arguments), 3)
        pairs = [
            (f"{a}__PREMISE__{one}", f"{a}__PREMISE__{other}") for a in ids for one, other in ((1, 2), (1, 3), (2, 3))
        ]
        values = {c: shown[c][owner] if c in shown else rng.random(len(pairs)) for c in columns}
        values["stance_conflict"] = np.zeros(len(pairs))
        blocks.append(plain_block(str(number), pairs, values))
        grades = np.digitize(worth, [-0.7, 0.2, 0.9]).astype(float)
        qrels[str(number)] = dict(zip(ids, grades.tolist(), strict=True))
    return Matrix(blocks), qrels


def teach(matrix: Matrix, qrels: Mapping[str, Qrels], unjudged: float = 0.0) -> dict[str, Teaching]:
    names = ("minimum_grade",)
    return {
        name: Teaching(weak_labels(matrix, grades, frozenset(), names, name, unjudged=unjudged), grades)
        for name, grades in qrels.items()
    }


def lesson_of(
    matrix: Matrix,
    teaching: Mapping[str, Teaching],
    parameters: Parameters = SMALL,
    *,
    columns: Sequence[str] | None = None,
    folds: int = 2,
    threads: int = 1,
    weights: Mapping[str, float] = WEIGHTS,
    tied: Sequence[tuple[str, str]] = (),
) -> Lesson:
    columns = registry.columns() if columns is None else columns
    options = {"folds": folds, "threads": threads, "progress": QUIET, "weights": weights, "tied": tied}
    return learn(matrix, teaching, columns, parameters, **options)  # type: ignore[arg-type]


def dumps(lesson: Lesson) -> dict[str, dict[str, str]]:
    """The trained rankers as text, and all that is known of them."""
    rankers = {name: r for name, r in lesson.model.rankers.items() if isinstance(r, LambdaMart)}
    return {name: {**ranker.dump(), "settings": str(ranker.settings())} for name, ranker in rankers.items()}


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


@pytest.mark.parametrize("seed", range(5))
def test_tied_topics_stay_together(seed: int):
    topics = [topic(n, (f"S{n}-A{n}__PREMISE__1", n)) for n in range(1, 8)]
    matrix, qrels = split_matrix(*topics), judged(*topics)
    # 1 with 2 with 3, by two ties; 5 with 6; ties of topics that are not here tie nothing.
    split = split_topics(matrix, qrels, 4, seed, [("2", "1"), ("3", "2"), ("5", "6"), ("7", "99"), ("98", "99")])
    assert together(split, 0, 1)
    assert together(split, 1, 2)
    assert together(split, 4, 5)
    assert sorted(map(len, split)) == [1, 1, 2, 3]
    assert split_topics(matrix, {}, 7, seed, [("4", "4")]) == split_topics(matrix, {}, 7, seed)
    assert split_topics(matrix, qrels, 3, seed, [(str(n), str(n + 1)) for n in range(1, 7)]) == [list(range(7))]


def test_ties_and_texts_add_up():
    topics = (
        topic(1, ("S1-A1__PREMISE__1", 7)),
        topic(2, ("S2-A2__PREMISE__1", 7)),
        topic(3, ("S3-A3__PREMISE__1", 8)),
        topic(4, ("S4-A4__PREMISE__1", 9)),
    )
    split = split_topics(split_matrix(*topics), judged(*topics), 4, 0, [("2", "3")])
    assert sorted(split) == [[0, 1, 2], [3]]


def test_a_text_that_any_dimension_judges_ties():
    one, other = {"1": {A: 1.0}}, {"1": {B: 2.0}, "2": {A: 0.0}}
    assert merged_qrels([one, other]) == {"1": {A: 1.0, B: 2.0}, "2": {A: 0.0}}
    assert merged_qrels([]) == {}
    assert one == {"1": {A: 1.0}}, "what is merged stays as it is"


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 12), min_size=1, max_size=3, unique=True), min_size=1, max_size=9),
    st.integers(1, 6),
    st.integers(0, 3),
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=3),
)
def test_every_topic_is_held_out_once_and_no_text_twice(
    texts: list[list[int]], folds: int, seed: int, ties: list[tuple[int, int]]
):
    topics = [
        topic(n, *((f"S{n}-A{i}__PREMISE__1", text) for i, text in enumerate(found))) for n, found in enumerate(texts)
    ]
    matrix, qrels = split_matrix(*topics), judged(*topics)
    tied = [(str(one), str(other)) for one, other in ties]
    split = split_topics(matrix, qrels, folds, seed, tied)
    assert split == split_topics(matrix, qrels, folds, seed, tied)
    assert sorted(n for fold in split for n in fold) == list(range(len(texts)))
    assert len(split) <= folds
    assert all(split)
    seen: dict[int, int] = {}
    for number, fold in enumerate(split):
        for position in fold:
            for text in texts[position]:
                assert seen.setdefault(text, number) == number
    for one, other in ties:
        assert max(one, other) >= len(texts) or together(split, one, other)


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
    assert (figure.mean, figure.low, figure.high, figure.topics) == (1, 0, 1, 1)
    assert str(figure) == "1.000 [0.000, 1.000]"  # one topic says nothing of others
    assert Judge(matrix, {}).figure(np.zeros(5)).topics == 0
    # Not condensed, d keeps the first place with nothing to gain: 1 / log2 4 + 2 / log2 5.
    whole = judge.values(np.array([2.0, 1, 3, 9, 0]), condensed=False)
    assert whole.tolist() == pytest.approx([(1 / 2 + 2 / np.log2(5)) / (2 + third)])


# ---- one dimension --------------------------------------------------------------------------------


def test_signed_columns_are_those_of_whole_arguments_with_a_sign():
    assert SIGNED
    known = registry.column_features()
    for column, sign in SIGNED.items():
        assert known[column].sign == sign != 0
    assert list(SIGNED) == [c for c in registry.columns() if known[c].sign]
    assert signed_columns([]) == {}


def test_every_dimension_has_its_own_start():
    given = replace(SMALL, start={"x": 1.0})
    for name in UNTAUGHT:
        found = parameters_of(name, given)
        assert (found.trees, found.seeds, found.seed) == (given.trees, given.seeds, given.seed)
        assert set(found.start) <= SIGNED.keys(), "a start on a column that no ranker sees would be lost"
        assert all(weight * SIGNED[column] > 0 for column, weight in found.start.items())


@pytest.mark.parametrize("dimension", UNTAUGHT)
def test_an_untaught_ranker_is_its_start(dimension: str):
    matrix, _ = planted(2)
    model = untaught(dimension, SIGNED, SMALL, 1)
    start = UNTAUGHT[dimension]
    assert start.keys() <= SIGNED.keys()
    table = unit_table(matrix, list(start))
    np.testing.assert_allclose(model.score(matrix), (table.values @ list(start.values()))[table.unit_of_row])
    assert model.dump() == {}


def train(seed: int = 0, threads: int = 1, rows: Iterable[str] = ("1", "2", "3"), **changes: object) -> LambdaMart:
    matrix, qrels = planted(4)
    labels = teach(matrix, {"relevance": qrels}, 0.0)["relevance"].labels
    mask = np.isin(np.array(matrix.topics)[matrix.topic_of_row], list(rows))
    parameters = replace(SMALL, seed=seed, **changes)  # type: ignore[arg-type]
    table = unit_table(matrix, list(SIGNED))
    return train_dimension(matrix, table, labels, mask, SIGNED, parameters, threads)


def test_the_number_of_threads_changes_nothing():
    matrix, _ = planted(4)
    one, two, other = train(threads=1), train(threads=2), train(seed=7)
    np.testing.assert_array_equal(one.score(matrix), two.score(matrix))
    assert one.dump() == two.dump()
    assert one.settings() == two.settings()
    assert not np.array_equal(one.score(matrix), other.score(matrix))


def test_a_unit_has_the_mean_label_of_its_rows(monkeypatch: pytest.MonkeyPatch):
    a, b = "S1-A1__PREMISE__", "S1-A2__PREMISE__"
    pairs = [(f"{a}1", f"{a}2"), (f"{a}1", f"{a}3"), (f"{b}1", f"{b}2"), ("S1-A3__PREMISE__1", "S1-A3__PREMISE__2")]
    matrix = Matrix([plain_block(t, pairs, {"x": [1, 3, 5, 7]}) for t in ("1", "2", "3")])
    labels = weak_labels(matrix, {"1": {"S1-A1": 1.0}}, frozenset(), ("minimum_grade",))
    nan = np.nan
    label = [1, 0, 0.5, nan] + [0, 0, nan, nan] + [nan] * 4
    weight = [1, 3, 2, 9] + [1, 1, 9, 9] + [9] * 4
    labels = replace(labels, label=np.array(label, float), weight=np.array(weight, float))
    seen = []
    monkeypatch.setattr(LambdaMart, "fit", lambda self, data: seen.append(data))
    table = unit_table(matrix, ["x"])
    rows = np.ones(12, bool)
    train_dimension(matrix, table, labels, rows, {"x": 1}, SMALL, 1)
    train_dimension(matrix, table, labels, matrix.topic_of_row != 0, {"x": 1}, SMALL, 1)
    whole, part = seen
    # A of topic 1: (1 * 1 + 3 * 0) / 4 with weight 4; B: .5 with 2; A of topic 2: 0 with 2. Topic 3 has no label.
    assert whole.labels.tolist() == [0.25, 0.5, 0]
    assert whole.weights.tolist() == [4, 2, 2]
    assert whole.groups.tolist() == [2, 1]
    assert whole.values.tolist() == table.values[[0, 1, 3]].tolist()
    assert (part.labels.tolist(), part.groups.tolist()) == ([0], [1])


# ---- the whole lesson -----------------------------------------------------------------------------


def test_learning_on_described_pairs():
    matrix = small()
    teaching = teach(matrix, {"relevance": QRELS}, 0.1)
    lesson = lesson_of(matrix, teaching)
    assert lesson.figures.keys() == lesson.curves.keys() == lesson.trees.keys() == {"relevance"}
    assert list(lesson.curves["relevance"]) == list(range(STEP, SMALL.trees + 1, STEP))
    assert lesson.trees["relevance"] == _smoothed_best(lesson.curves["relevance"])
    assert lesson.figures["relevance"].keys() == {"relevance", BLEND, *baselines()}
    assert sorted(number for fold in lesson.folds for number in fold) == matrix.topics
    judge = Judge(matrix, QRELS)
    for name in baselines():
        assert lesson.figures["relevance"][name] == judge.figure(make_ranker(name).score(matrix))
    for figure in lesson.figures["relevance"].values():
        assert 0 <= figure.low <= figure.mean <= figure.high <= 1
        assert figure.topics == judge.topics
    assert lesson.figures["relevance"]["relevance"].mean == lesson.curves["relevance"][lesson.trees["relevance"]]
    assert np.isfinite(lesson.model.score(matrix)).all()
    again = lesson_of(matrix, teaching, threads=2)
    assert dumps(again) == dumps(lesson)
    assert again.figures == lesson.figures


def test_two_dimensions_at_once():
    matrix, relevance = planted(6, seed=1)
    _, quality = planted(6, seed=2)
    both = lesson_of(matrix, teach(matrix, {"relevance": relevance, "quality": quality}), folds=3)
    assert set(both.model.rankers) == set(DIMENSIONS)
    for name, qrels in (("relevance", relevance), ("quality", quality)):
        # Each dimension learns as if it were alone, folds being the same.
        alone = lesson_of(matrix, teach(matrix, {name: qrels}), folds=3)
        assert alone.curves == {name: both.curves[name]}
        assert dumps(alone)[name] == dumps(both)[name]
        assert alone.figures[name][name] == both.figures[name][name]
        assert set(alone.model.rankers) == set(DIMENSIONS), "the other is there, as it is before any judgment"
    assert dumps(both)["relevance"] != dumps(both)["quality"]


def test_dimensions_may_be_judged_on_different_topics():
    matrix, qrels = planted(6)
    relevance = {n: grades for n, grades in qrels.items() if int(n) <= 4}
    quality = {n: grades for n, grades in qrels.items() if int(n) >= 3}
    lesson = lesson_of(matrix, teach(matrix, {"relevance": relevance, "quality": quality}), folds=3)
    assert lesson.figures["relevance"][BLEND].topics == 4
    assert lesson.figures["quality"][BLEND].topics == 4


def test_no_trees_at_all():
    matrix, qrels = planted(4)
    lesson = lesson_of(matrix, teach(matrix, {"relevance": qrels}), replace(SMALL, trees=0))
    assert list(lesson.curves["relevance"]) == [0]
    assert lesson.trees == {"relevance": 0}
    assert all(list(files) == ["settings"] for files in dumps(lesson).values())
    assert any(lesson.model.rankers["relevance"].linear.values())  # type: ignore[attr-defined]


def test_the_chosen_number_of_trees_is_trained(monkeypatch: pytest.MonkeyPatch):
    matrix, qrels = planted(4)
    monkeypatch.setattr("ltr.learning._smoothed_best", lambda curve: 5)
    lesson = lesson_of(matrix, teach(matrix, {"relevance": qrels}))
    ranker = lesson.model.rankers["relevance"]
    assert isinstance(ranker, LambdaMart)
    assert ranker.parameters.trees == lesson.trees["relevance"] == 5
    assert len(ranker.dump()) == SMALL.seeds
    assert all(text.count("Tree=") == 5 for text in ranker.dump().values())


@pytest.mark.parametrize("target", DIMENSIONS)
def test_the_blend_of_a_single_dimension_is_that_dimension(target: str):
    matrix, qrels = planted(4)
    weights = {name: float(name == target) for name in DIMENSIONS}
    lesson = lesson_of(matrix, teach(matrix, {"relevance": qrels, "quality": qrels}), weights=weights)
    assert lesson.model.weights == weights
    if target != "coherence":
        assert lesson.figures[target][BLEND] == lesson.figures[target][target]


def test_tied_topics_share_a_fold():
    matrix, qrels = planted(6)
    lesson = lesson_of(matrix, teach(matrix, {"relevance": qrels}), folds=6, tied=[("1", "6"), ("2", "5")])
    assert sorted(map(sorted, lesson.folds)) == [["1", "6"], ["2", "5"], ["3"], ["4"]]


@pytest.mark.parametrize("dimension", UNTAUGHT)
@pytest.mark.parametrize("trees", [0, 10])
def test_held_out_scores_know_nothing_of_the_held_out_labels(dimension: str, trees: int):
    # Wrong labels for the topics of one fold may change the scores of the others only.
    matrix, qrels = planted(4)
    teaching = teach(matrix, {dimension: qrels}, 0.1)
    split = split_topics(matrix, qrels, 4, SMALL.seed)
    assert len(split) == 4
    held = np.isin(matrix.topic_of_row, split[0])
    labels = teaching[dimension].labels
    spoilt = replace(labels, label=np.where(held, 1 - labels.label, labels.label), weight=labels.weight * (1 + held))
    values = []
    for given_labels in (labels, spoilt):
        seen: list[np.ndarray] = []

        class Spy(Judge):
            def values(
                self, scores: np.ndarray, *, condensed: bool = True, seen: list[np.ndarray] = seen
            ) -> np.ndarray:
                seen.append(scores.copy())
                return super().values(scores, condensed=condensed)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("ltr.learning.Judge", Spy)
            lesson_of(matrix, {dimension: Teaching(given_labels, qrels)}, replace(SMALL, trees=trees), folds=4)
        values.append(seen[: 1 + trees // STEP])
    for before, after in zip(*values, strict=True):
        np.testing.assert_array_equal(before[held], after[held])
        assert not np.array_equal(before[~held], after[~held])


def test_columns_that_are_dropped_are_not_seen():
    matrix, qrels = planted(4)
    kept = list(SIGNED)[::3]
    lesson = lesson_of(matrix, teach(matrix, {"relevance": qrels}), columns=kept)
    for ranker in lesson.model.rankers.values():
        if isinstance(ranker, LambdaMart):
            assert ranker.columns == kept
    with pytest.raises(InputError, match="no feature of whole arguments is left; drop fewer"):
        lesson_of(matrix, teach(matrix, {"relevance": qrels}), columns=sorted(set(registry.columns()) - set(SIGNED)))


def test_what_teaches_nothing_is_refused():
    matrix, qrels = planted(4)
    nothing = {topic: dict.fromkeys(grades, 0.0) for topic, grades in qrels.items()}
    with pytest.raises(InputError, match="no topic has an argument of good quality among its candidates"):
        lesson_of(matrix, teach(matrix, {"relevance": qrels, "quality": nothing}))
    alike = {topic: dict.fromkeys(grades, 3.0) for topic, grades in qrels.items()}
    with pytest.raises(InputError, match="every pair that trains relevance has the same label"):
        lesson_of(matrix, teach(matrix, {"relevance": alike}))
    with pytest.raises(InputError, match="the topics judged for quality are too few, or too alike"):
        lesson_of(matrix, teach(matrix, {"relevance": qrels, "quality": {"3": qrels["3"]}}))
    with pytest.raises(InputError, match="the topics judged for relevance are too few, or too alike"):
        lesson_of(matrix, teach(matrix, {"relevance": qrels}), tied=[("1", "2"), ("2", "3"), ("3", "4")])


def test_the_matrix_is_left_alone():
    matrix, qrels = planted(4)
    before = matrix.features.copy(deep=True)
    lesson_of(matrix, teach(matrix, {"relevance": qrels}, 0.1))
    pd.testing.assert_frame_equal(matrix.features, before)


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
