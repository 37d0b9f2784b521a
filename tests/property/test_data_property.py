"""What is written is read back; whatever is read ends in rows or in one clear line."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.ranked import evaluate_rows
from support.topics import write_topics

from ltr.data.ids import is_word, pair_key
from ltr.data.qrels import GRADE_LIMIT, read_qrels, write_qrels
from ltr.data.runs import RunRow, read_run, validate_run, write_run
from ltr.data.topics import Topic, read_topics
from ltr.errors import InputError

words = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=8).filter(is_word)
texts = st.lists(words, min_size=1, max_size=4).map(" ".join)
grades = st.floats(-GRADE_LIMIT, GRADE_LIMIT) | st.integers(-2, 3).map(float)
scores = st.floats(allow_nan=False, allow_infinity=False)
quick = settings(max_examples=150, deadline=None, database=None)


def round_trip(write: Callable[[Path, object], None], read: Callable[[Path], object], value: object):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        write(path, value)
        return read(path)


@quick
@given(
    st.lists(
        st.builds(Topic, words, texts),
        min_size=1,
        max_size=5,
        unique_by=lambda topic: topic.number,
    )
)
def test_topics_round_trip(topics):
    assert round_trip(write_topics, read_topics, topics) == topics


@quick
@given(st.dictionaries(words, st.dictionaries(words, grades, min_size=1, max_size=5), min_size=1, max_size=4))
def test_qrels_round_trip_in_order(qrels):
    found = round_trip(write_qrels, read_qrels, qrels)
    assert found == qrels
    assert [list(judged) for judged in found.values()] == [list(judged) for judged in qrels.values()]


@quick
@given(st.lists(st.builds(RunRow, words, words, words, st.integers(0, 10**9 - 1), scores, words), min_size=1))
def test_runs_round_trip(rows):
    assert round_trip(write_run, read_run, rows) == rows


@quick
@given(st.lists(st.builds(RunRow, words, words, texts, st.integers(0, 3), st.floats(), texts), max_size=4))
def test_validation_only_ever_raises_input_errors(rows):
    if not rows:
        validate_run(rows)
        return
    # Words hold no sentence ids, so no row is valid; any other exception fails the test.
    with pytest.raises(InputError) as caught:
        validate_run(rows)
    assert len(str(caught.value).splitlines()) == 1


@quick
@given(words, words)
def test_pair_key_is_symmetric_and_stable(first, second):
    key = pair_key(f"{first},{second}")
    assert key == pair_key(f"{second},{first}") == pair_key(key)


ids = st.sampled_from(["a", "b", "c", "d", "e", "f", "g"])


@settings(max_examples=60, deadline=None, database=None)
@given(
    st.dictionaries(st.sampled_from("123"), st.dictionaries(ids, grades, min_size=1), min_size=1),
    st.lists(st.builds(RunRow, st.sampled_from("1234"), st.just("Q0"), ids, st.just(1), scores, words)),
)
def test_measures_stay_within_bounds_and_the_ideal_order_scores_one(qrels, rows):
    found = evaluate_rows(rows, qrels)
    outside = found.coverage.outside_lab_mean
    for name, by_topic in found.values.items():
        assert list(by_topic) == [topic for topic in qrels if name != "lab_nDCG@5" or topic not in outside]
        assert all(0.0 <= value <= 1.0 for value in by_topic.values())
    ideal = [
        RunRow(topic, "Q0", id_, rank, -float(rank), "t")
        for topic, judged in qrels.items()
        for rank, id_ in enumerate(sorted(judged, key=judged.__getitem__, reverse=True), 1)
    ]
    best = evaluate_rows(ideal, qrels).values["lab_nDCG@5"]
    assert best == {topic: float(max(judged.values()) > 0) for topic, judged in qrels.items()}
