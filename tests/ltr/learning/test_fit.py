from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.judged import judgments_of
from support.planted import SMALL, examples, planted, train, trained
from support.refusals import refuses
from support.tables import Pair, plain_block

from ltr.data.qrels import Qrels
from ltr.errors import InputError
from ltr.evaluation.rankings import RunOrder
from ltr.learning.examples import Examples, split_topics
from ltr.learning.fit import FitSettings, TrainingResult, cross_validate, fit
from ltr.learning.held_out import BLEND, final_rows, ids_of, intervals, list_values
from ltr.learning.judgments import JudgedSet, Judgments
from ltr.learning.labels import Labels, Sources, make_labels
from ltr.parallel import Workers
from ltr.progress import Progress
from ltr.ranking.candidates import Candidates
from ltr.ranking.source import Resources
from models.base import DIMENSIONS, baselines, make_ranker
from models.blend import WEIGHTS

ALONE = Workers(1)
GRADED = Sources(distant=False, weak=False)


# ---- splitting ------------------------------------------------------------------------------------


def topic(number: int, *texts: tuple[str, int]) -> tuple[str, list[Pair], dict[str, int]]:
    """A topic with a pair for each (sentence id, text number); the second sentence is its own."""
    pairs = [(name, f"S{number}-A{n}0__PREMISE__9") for n, (name, _) in enumerate(texts)]
    return str(number), pairs, dict(texts)


def split_matrix(*topics: tuple[str, list[Pair], dict[str, int]]) -> Candidates:
    blocks = []
    for number, pairs, texts in topics:
        keys = [texts[first] for first, _ in pairs]
        block = plain_block(number, pairs)
        blocks.append(block.assign(text_1=np.array(keys, np.uint64)))
    return Candidates.concat(blocks)


def judged(*topics: tuple[str, list[Pair], dict[str, int]]) -> Judgments:
    return judgments_of(
        distant={"quality": {number: {name.split("__")[0]: 0.0 for name in texts} for number, _, texts in topics}}
    )


def together(split: list[list[int]], one: int, other: int) -> bool:
    return any({one, other} <= set(fold) for fold in split)


def test_conclusions_and_unjudged_copies_do_not_tie_topics():
    topics = (
        topic(1, ("S1-A1__CONC__1", 7), ("S1-A2__PREMISE__1", 8)),
        topic(2, ("S2-A1__CONC__1", 7), ("S2-A2__PREMISE__1", 8)),
    )
    whole = judged(*topics)
    part = judgments_of(distant={"quality": {"1": whole.distant["quality"]["1"], "2": {"S2-A1": 1.0}}})
    assert sorted(split_topics(split_matrix(*topics), part, 2, 0)) == [[0], [1]]
    refuses(lambda: split_topics(split_matrix(*topics), whole, 2, 0), "", "too few, or too alike")


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 12), min_size=1, max_size=3, unique=True), min_size=1, max_size=9),
    st.integers(2, 6),
    st.integers(0, 3),
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=3),
)
def test_every_topic_is_held_out_once_and_no_text_twice(
    texts: list[list[int]], folds: int, seed: int, ties: list[tuple[int, int]]
):
    topics = [
        topic(n, *((f"S{n}-A{i}__PREMISE__1", text) for i, text in enumerate(found))) for n, found in enumerate(texts)
    ]
    table, judgments = split_matrix(*topics), judged(*topics)
    tied = [(str(one), str(other)) for one, other in ties]
    try:
        split = split_topics(table, judgments, folds, seed, tied)
    except InputError:
        return
    assert split == split_topics(table, judgments, folds, seed, tied)
    assert sorted(n for fold in split for n in fold) == list(range(len(texts)))
    assert 2 <= len(split) <= folds
    assert all(split)
    seen: dict[int, int] = {}
    for number, fold in enumerate(split):
        for position in fold:
            for text in texts[position]:
                assert seen.setdefault(text, number) == number
    for one, other in ties:
        assert max(one, other) >= len(texts) or together(split, one, other)


# ---- what is trained on ---------------------------------------------------------------------------


def test_labelled_rows_train_topic_by_topic():
    pairs = [(f"S1-A{n}__PREMISE__1", f"S1-A{n}__PREMISE__2") for n in range(3)]
    table = Candidates.concat([plain_block(t, pairs, {"x": [1, 2, 3]}) for t in ("1", "2", "3")])
    label = np.array([2, np.nan, 1] + [np.nan] * 3 + [np.nan, np.nan, 0.5])
    values = table.features.to_numpy(np.float32)
    found = Examples(table, judgments_of(), ["x"], values, ()).training_set(Labels(label, np.arange(9.0) + 1, {}))
    assert found.values.tolist() == [[1], [3], [3]]
    assert found.labels.tolist() == [2, 1, 0.5]
    assert found.weights.tolist() == [1, 3, 9]
    assert found.groups.tolist() == [2, 1], "a topic without labels is none"


# ---- all of it ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def learned() -> tuple[Candidates, Judgments, TrainingResult]:
    table, judgments = planted(6)
    return table, judgments, trained(table, judgments)


def test_a_ranker_a_dimension_and_figures_of_each(learned: tuple[Candidates, Judgments, TrainingResult]):
    table, judgments, result = learned
    assert list(result.model.rankers) == [*DIMENSIONS, "words", "argues"]
    assert result.model.weights == WEIGHTS
    assert sorted(number for fold in result.folds for number in fold) == table.topics
    assert list(result.boards) == [JudgedSet("pairs", name) for name in DIMENSIONS] + [
        JudgedSet("arguments", "relevance"),
        JudgedSet("arguments", "quality"),
    ]
    for judged, board in result.boards.items():
        level, dimension, figures = judged.level, judged.dimension, intervals(board)
        assert set(figures) == {BLEND, dimension, *baselines()}
        qrels = judgments.graded[dimension] if level == "pairs" else judgments.distant[dimension]
        for baseline in {*baselines()} - {"random"}:
            lists = ids_of(table, final_rows(table, make_ranker(baseline).score(table)))
            measured = list_values(qrels, [RunOrder(lists, lists)])
            np.testing.assert_array_equal(board.values[baseline], measured)
        assert figures[BLEND]["condensed"].mean > figures["random"]["condensed"].mean, "what is planted is found"
    assert result.expected_top is not None
    assert 0 <= result.expected_top[0] <= 2
    assert {name: labels.counts["graded"] for name, labels in result.labels.items()} == dict.fromkeys(
        DIMENSIONS, len(table)
    )


def scores_of(
    table: Candidates, judgments: Judgments, split: Sequence[Sequence[int]], **options: Any
) -> dict[str, Any]:
    settings = FitSettings(options.pop("parameters", SMALL), options.pop("sources", Sources()))
    learned = examples(table, judgments)
    learned = replace(learned, dimensions=options.pop("dimensions", learned.dimensions))
    return cross_validate(learned, split, settings, Resources(ALONE, Progress(quiet=True)))


@pytest.mark.parametrize("columns", [0, 3])
def test_held_out_scores_know_nothing_of_the_held_out_judgments(columns: int):
    # Turned judgments of the topics of one fold may change the scores of the others only.
    few = replace(SMALL, columns=columns)
    table, judgments = planted(4)
    held_topics = ["1", "3"]

    def turned(qrels: Qrels) -> Qrels:
        return {t: {i: 2 - g if t in held_topics else g for i, g in grades.items()} for t, grades in qrels.items()}

    spoilt = judgments_of(
        {name: turned(qrels) for name, qrels in judgments.graded.items()},
        {name: turned(qrels) for name, qrels in judgments.distant.items()},
    )
    split = [[0, 2], [1, 3]]
    before, after = (scores_of(table, one, split, parameters=few) for one in (judgments, spoilt))
    held = np.isin(table.topic_of_row, split[0])
    for name in DIMENSIONS:
        np.testing.assert_array_equal(before[name][held], after[name][held])
        assert not np.array_equal(before[name][~held], after[name][~held])
        assert len(np.unique(before[name])) > 2


def test_each_fold_is_scored_by_a_ranker_of_the_others():
    table, judgments = planted(3)
    found = scores_of(table, judgments, [[0], [1, 2]], sources=GRADED, dimensions=("quality",))
    assert list(found) == ["quality"]
    first = table.topic_of_row == 0
    for rows in (first, ~first):
        labels = make_labels(table, judgments, "quality", GRADED).only(~rows)
        ranker = train(examples(table, judgments), labels, SMALL)
        np.testing.assert_array_equal(found["quality"][rows], ranker.score(table)[rows])


def test_copies_of_what_is_graded_in_a_held_out_topic_do_not_train():
    # The first pair of topic 2 repeats a premise of the first pair of topic 1; topic 3 repeats a conclusion.
    table, judgments = planted(3)
    starts = [rows.start for _, rows in table.spans.items()]
    table.loc[starts[1], "text_2"] = table.loc[0, "text_1"]
    other = judgments_of({n: {t: dict(q) for t, q in grades.items()} for n, grades in judgments.graded.items()})
    copied = table.ids[starts[1]]
    for grades in other.graded.values():
        grades["2"][copied] = 2 - grades["2"][copied]  # type: ignore[index]
    before, after = (scores_of(table, one, [[0], [1, 2]], sources=GRADED) for one in (judgments, other))
    for name in DIMENSIONS:
        assert np.array_equal(before[name][: starts[1]], after[name][: starts[1]]), "as if it were not there"


# ---- sources and dimensions -----------------------------------------------------------------------


def test_a_dimension_that_nothing_teaches_has_no_ranker():
    table, judgments = planted(4)
    alone = judgments_of({"quality": judgments.graded["quality"]})
    result = trained(table, alone, sources=GRADED)
    assert (list(result.model.rankers), list(result.labels)) == (["quality", "words", "argues"], ["quality"])
    assert result.model.weights == {name: WEIGHTS[name] for name in ("quality", "words", "argues")}
    assert list(result.boards) == [JudgedSet("pairs", "quality")]
    assert result.expected_top is None
    same = {t: dict.fromkeys(grades, 1.0) for t, grades in judgments.graded["quality"].items()}
    both = judgments_of({"quality": judgments.graded["quality"], "coherence": same})
    result = trained(table, both, sources=GRADED)
    assert list(result.model.rankers) == ["quality", "words", "argues"], "grades that are all the same tell nothing"
    assert set(result.boards[JudgedSet("pairs", "coherence")].figures) == {BLEND, *baselines()}


def test_a_dimension_without_examples_may_have_a_weight():
    """As ``--dimension`` gives every dimension one, also where the task lacks it."""
    table, judgments = planted(4)
    alone = replace(examples(table, judgments), dimensions=("quality",))
    given = FitSettings(SMALL, GRADED, {"relevance": 0.0, "quality": 1.0, "coherence": 0.0}, folds=2)
    result = fit(alone, given, Resources(ALONE, Progress(quiet=True)))
    assert result.model.weights == {"quality": 1}


def test_what_teaches_nothing_is_refused():
    table, judgments = planted(4)
    with pytest.raises(InputError, match=r"no source separates good pairs from bad; add .*grades or votes"):
        trained(table, judgments_of({}, judgments.distant), sources=GRADED)
    only = judgments_of({"quality": judgments.graded["quality"]})
    with pytest.raises(InputError, match="no source separates good pairs from bad"):
        trained(table, only, sources=GRADED, weights={"relevance": 1.0})
    one = judgments_of({"relevance": {"3": judgments.graded["relevance"]["3"]}})
    refuses(lambda: trained(table, one, sources=GRADED), "", "too few topics are judged to hold some out")
    with pytest.raises(InputError, match="the judged topics are too few, or too alike, to hold some out"):
        trained(table, judgments, tied=[("1", "2"), ("2", "3"), ("3", "4")])
